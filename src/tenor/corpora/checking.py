"""Checking a copy of a corpus: which of its files are there, and how many examples each split has."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tenor.assets import find
from tenor.corpora.corpus import Corpus
from tenor.corpora.table import look_up
from tenor.errors import TenorError


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusCheck:
    """What a folder holds of a corpus."""

    corpus: Corpus
    folder: Path
    files: tuple[str, ...]
    """Files that are there, below the folder."""
    missing: tuple[str, ...]
    """Patterns of files of which none is there."""
    counts: Mapping[str, int]
    """Examples of each split that is whole."""
    faults: Mapping[str, str]
    """What is wrong with a split whose files are there, file and line first."""

    @property
    def whole(self) -> bool:
        """Whether all files are there and can be read."""
        return not self.missing and not self.faults


def check(name: str, folder: str | Path | None = None) -> CorpusCheck:
    """Read a copy of a corpus through; ``folder`` is its own folder, or the one above it.

    Where none is given, a corpus that an asset carries is looked for among the fetched ones.

    >>> import tempfile
    >>> checked = check("mrpc", tempfile.mkdtemp())
    >>> checked.whole, checked.missing
    (False, ('msr_paraphrase_train.txt', 'msr_paraphrase_test.txt'))
    """
    corpus = look_up(name)
    place = _place(corpus, folder)
    counts, faults = {}, {}
    for split_name, split in corpus.splits.items():
        if all(any(place.glob(pattern)) for pattern in split.files):
            try:
                counts[split_name] = sum(1 for _ in split.read(place))
            except TenorError as error:
                faults[split_name] = str(error)
    found = {file for pattern in corpus.files for file in place.glob(pattern) if file.is_file()}
    return CorpusCheck(
        corpus=corpus,
        folder=place,
        files=tuple(sorted(file.relative_to(place).as_posix() for file in found)),
        missing=tuple(pattern for pattern in corpus.files if not any(place.glob(pattern))),
        counts=counts,
        faults=faults,
    )


def _place(corpus: Corpus, folder: str | Path | None) -> Path:
    if folder is None:
        if not corpus.asset:
            raise TenorError(f"Say which folder holds {corpus.name}: {corpus.about}. {corpus.obtain}")
        return find(corpus.asset)
    below = Path(folder) / corpus.folder
    return below if below.is_dir() else Path(folder)
