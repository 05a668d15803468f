"""What a corpus is: a named data set with its files, its licence, where it comes from and what it holds.

A module of this room reads one data set, or a family of data sets of one format, and declares each as a
``Corpus``; ``corpora/table.py`` lists them. Readers take the folder of the corpus and yield the examples of
``tenor.text``, or small frozen dataclasses of their own. They know the published files: a row that these
cannot hold is no oddity to be passed over but a damaged copy, and is refused with its file and line.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from tenor.errors import TenorError, did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A part of a corpus: its files, as patterns below the folder of the corpus, and how they are read."""

    files: tuple[str, ...]
    read: Callable[[Path], Iterable[object]]
    """Yields the examples of the split from the folder of the corpus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A named data set.

    >>> words = Split(files=("words.txt",), read=lambda folder: (folder / "words.txt").read_text().split())
    >>> corpus = Corpus(
    ...     name="words", about="a list of words", licence="CC0", obtain="Write one.", splits={"all": words}
    ... )
    >>> corpus.folder, corpus.files
    ('words', ('words.txt',))
    """

    name: str
    about: str
    """What it is, in a phrase that can follow a colon."""
    licence: str
    """The licence that its source states; "not stated" where it states none."""
    obtain: str
    """A sentence that says how a person obtains it, with an address."""
    splits: Mapping[str, Split]
    folder: str = ""
    """The folder that holds it below a folder of data; its name where none is given."""
    asset: str = ""
    """The asset that carries it, for what `tenor fetch` brings."""
    also_reads: tuple[str, ...] = ()
    """Assets that its readers read beside the files of its folder."""

    def __post_init__(self) -> None:
        if not self.folder:
            object.__setattr__(self, "folder", self.name)

    @property
    def files(self) -> tuple[str, ...]:
        """The patterns of all its files, each once."""
        return tuple(dict.fromkeys(pattern for split in self.splits.values() for pattern in split.files))

    def take(self, *patterns: str) -> "Corpus":
        """Return the corpus with some of its splits only, by their names or patterns of names (``sst-*``)."""
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in self.splits):
                raise self._no_split(pattern)
        kept = {
            name: split
            for name, split in self.splits.items()
            if any(fnmatchcase(name, pattern) for pattern in patterns)
        }
        return replace(self, splits=kept)

    def read(self, folder: str | Path, split: str) -> Iterator[object]:
        """Yield the examples of a split from the folder of the corpus."""
        if split not in self.splits:
            raise self._no_split(split)
        yield from self.splits[split].read(Path(folder))

    def _no_split(self, name: str) -> TenorError:
        near = did_you_mean(name, self.splits)
        return TenorError(
            f"The corpus {self.name} has no split {name!r}; it has {', '.join(self.splits)}.{near}"
        )
