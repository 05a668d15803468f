"""Aligning a file of pairs: streamed in windows, into one file of JSON lines or onto a stream of them.

The memory does not grow with the file. While ``out`` is being made, a folder beside it holds what is
finished, and a run that was killed goes on from there.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal

from tenor.errors import TenorError
from tenor.progress import Note, ProgressOf
from tenor.text.alignments import AlignedPair
from tenor.text.examples import Pair
from tenor.text.problems import Problems
from tenor.text.readers import read_pairs
from tenor.text.same_labels import paraphrases
from tenor.text.trees import Tree, read_tree
from tenor.text.words import split_words
from tenor.use.align.pairs import Aligner, WordPair
from tenor.use.align.paraphrases import FREE
from tenor.use.align.words import DEFAULTS, AlignSettings
from tenor.use.embed.journal import Journal
from tenor.use.embed.vector_files import digest_texts
from tenor.use.row_files import columns_of
from tenor.use.text_watch import TextWatch
from tenor.use.windows import windows

Shape = Literal["text", "words", "trees"]  # texts, words separated by spaces, bracketed trees
WINDOW_PAIRS = 1_000
WINDOW_CHARACTERS = 250_000  # of both texts: about 50,000 words, whose vectors take 77 MB at a width of 384


@dataclass(frozen=True, slots=True)
class AlignReport:
    """What became of an alignment: counts of what is in the file, and what was wrong with the input."""

    pairs: int
    links: int
    alignments: int
    unaligned: int  # pairs of texts without any phrase pair
    cut: int  # texts that go on beyond what the model reads
    problems: Problems
    warning: str | None = None  # about the texts: their language, unknown words


@dataclass(slots=True)
class _Done:
    """How far the work is; kept in the journal."""

    pairs: int = 0
    links: int = 0
    alignments: int = 0
    unaligned: int = 0
    cut: int = 0
    digest: str = ""  # of all texts so far

    def add(self, found: AlignedPair, cut: int) -> None:
        self.pairs += 1
        self.links += len(found.links)
        self.alignments += len(found.alignments)
        self.unaligned += not found.alignments
        self.cut += cut


@dataclass(frozen=True, slots=True)
class PairSource:
    """The pairs of a file, in words; it can be read several times unless it is standard input."""

    path: str | Path
    columns: Mapping[str, str | int] | None = None
    shape: Shape = "text"
    strict: bool = False
    encoding: str | None = None
    rows: bool = False  # whether every pair has its whole row with it
    paraphrases: bool = False  # whether pairs that are labelled as different are left out

    @property
    def once(self) -> bool:
        """Whether the pairs can be read only once."""
        return str(self.path) == "-"

    def read(self, problems: Problems | None = None) -> Iterator[WordPair]:
        """Yield the pairs; what is wrong with a row is reported, and the row left out."""
        problems = problems if problems is not None else Problems(strict=self.strict)
        any_pair = False
        how: dict[str, Any] = {"columns": self.columns, "encoding": self.encoding, "rows": self.rows}
        pairs = read_pairs(self.path, problems=problems, **how)
        for pair in paraphrases(pairs, problems) if self.paraphrases else pairs:
            try:
                found = replace(_in_words(pair, self.shape), row=pair.row)
            except ValueError as error:
                problems.add(pair.origin, f"{error}; row left out")
                continue
            any_pair = True
            yield found
        if not any_pair:
            first = f" The first problem: {problems.first[0]}." if problems.first else ""
            raise TenorError(f"{self.path} has no pairs that could be read as {self.shape}.{first}")


def align_file(
    aligner: Aligner,
    source: PairSource,
    out: str | Path,
    *,
    progress: ProgressOf | None = None,
    note: Note | None = None,
) -> AlignReport:
    """Align the pairs of ``source`` into ``out``, one JSON object a line (see :mod:`tenor.text.alignments`).

    Where the source keeps ``rows``, all columns of the input stand beside the alignment.
    ``note`` is called with a sentence when an earlier run is continued or thrown away.
    """
    out = _checked(Path(out), source)
    total = None if source.once else sum(1 for _ in source.read())
    with Journal(out, _deciding(aligner, source), note=note) as journal:
        problems, watch = Problems(strict=source.strict), TextWatch(aligner.model)
        done, hasher, pairs = _begin(journal, source, problems, note)
        if progress is not None:
            progress(done.pairs, total)
        rows = journal.folder / "rows"
        for window in _windows(pairs):
            with journal.writing(), open(rows, "a", encoding="utf-8", newline="\n") as file:
                _write(aligner, window, file, done, watch)
            done.digest = digest_texts(hasher, map(_text, window))
            journal.commit(asdict(done))
            if progress is not None:
                progress(len(window), total)
        journal.publish(rows)
    return _report(done, problems, watch)


def align_to_stream(
    aligner: Aligner, source: PairSource, stream: IO[str], *, progress: ProgressOf | None = None
) -> AlignReport:
    """Align the pairs of ``source`` onto a stream, one JSON object a line."""
    problems, watch, done = Problems(strict=source.strict), TextWatch(aligner.model), _Done()
    for window in _windows(source.read(problems)):
        _write(aligner, window, stream, done, watch)
        if progress is not None:
            progress(len(window), None)
    return _report(done, problems, watch)


def _windows(pairs: Iterable[WordPair]) -> Iterator[list[WordPair]]:
    return windows(pairs, _characters, most=WINDOW_PAIRS, most_characters=WINDOW_CHARACTERS)


def _write(aligner: Aligner, window: list[WordPair], file: IO[str], done: _Done, watch: TextWatch) -> None:
    watch.see([" ".join(words) for pair in window for words in (pair.first, pair.second)])
    for pair, (found, cut) in zip(window, aligner.align_and_count(window), strict=True):
        file.write(found.to_line(None if pair.row is None else columns_of(pair.row, nested=True)) + "\n")
        done.add(found, cut)


def _report(done: _Done, problems: Problems, watch: TextWatch) -> AlignReport:
    counts = (done.pairs, done.links, done.alignments, done.unaligned, done.cut)
    return AlignReport(*counts, problems, watch.warning())


def _checked(out: Path, source: PairSource) -> Path:
    if out.suffix != ".jsonl":
        raise TenorError(
            f"Cannot write {str(out)!r}: alignments are JSON lines; give a name ending in .jsonl."
        )
    if not out.parent.is_dir():
        raise TenorError(f"Cannot write {out}: the folder {str(out.parent)!r} does not exist.")
    if out.exists() and Path(source.path).exists() and out.samefile(source.path):
        raise TenorError(f"Cannot write {out}: it is the file that is to be read. Choose another name.")
    return out


def _deciding(aligner: Aligner, source: PairSource) -> dict[str, Any]:
    columns = None if source.columns is None else {role: str(name) for role, name in source.columns.items()}
    return {
        "source": str(source.path), "columns": columns, "shape": source.shape, "encoding": source.encoding,
        "rows": source.rows,
        "model": aligner.model.fingerprint, "precision": aligner.model.precision,
        "words": [asdict(settings) for settings in _settings(aligner)], "phrases": asdict(aligner.phrases),
        "learned": None if aligner.learned is None else aligner.learned.fingerprint,
        "parser": None if aligner.parser is None else aligner.parser.fingerprint,
    }  # fmt: skip


def _settings(aligner: Aligner) -> tuple[AlignSettings, ...]:
    return (FREE, DEFAULTS) if aligner.words is None else (aligner.words,)


def _begin(
    journal: Journal, source: PairSource, problems: Problems, note: Note | None
) -> tuple[_Done, "hashlib._Hash", Iterator[WordPair]]:
    """Pass over the pairs that an earlier run has done, if they are still the same."""
    pairs, hasher = source.read(problems), hashlib.sha256()
    if not journal.progress:
        return _Done(), hasher, pairs
    before = _Done(**journal.progress)
    if digest_texts(hasher, map(_text, islice(pairs, before.pairs))) == before.digest:
        if note is not None:
            note(f"Resuming after the {before.pairs:,} pairs that an earlier run has done.")
        return before, hasher, pairs
    if source.once:
        raise TenorError(
            f"{journal.folder} holds the start of a run on other input, which cannot be read again. "
            "Remove that folder, or pipe the same pairs to resume it."
        )
    journal.restart("the pairs have changed")
    return _Done(), hashlib.sha256(), source.read(problems)


def _in_words(pair: Pair, shape: Shape) -> WordPair:
    if shape == "trees":
        first, second = _tree(pair.first, "first"), _tree(pair.second, "second")
        return WordPair(first.words, second.words, pair.origin, (first.constituents, second.constituents))
    lists = [_word_list(text) for text in pair.texts]
    if shape == "words":
        words = [given or tuple(text.split()) for given, text in zip(lists, pair.texts, strict=True)]
        return WordPair(words[0], words[1], pair.origin)
    if any(given is not None for given in lists):
        raise ValueError("a list of words where a text is expected; --pretokenized takes such lists")
    sides = [split_words(text).words for text in pair.texts]
    if not all(sides):
        raise ValueError(f"the {'second' if sides[0] else 'first'} text has no word or punctuation in it")
    return WordPair(sides[0], sides[1], pair.origin)


def _word_list(text: str) -> tuple[str, ...] | None:
    """Return the words of a cell that is a list of words, as JSON lines may have them, else None."""
    if not text.startswith('["'):
        return None
    try:
        words = json.loads(text)
    except ValueError:
        return None
    return tuple(words) if all(isinstance(word, str) and word.strip() for word in words) else None


def _tree(text: str, name: str) -> Tree:
    try:
        return read_tree(text)
    except ValueError as error:
        raise ValueError(f"the {name} tree cannot be read: {error}") from error


def _characters(pair: WordPair) -> int:
    if pair.row is not None:
        return sum(map(len, pair.row.values.values()))
    return sum(map(len, pair.first)) + sum(map(len, pair.second)) + len(pair.first) + len(pair.second)


def _text(pair: WordPair) -> str:
    row = "" if pair.row is None else repr(dict(pair.row.values))
    return "\t".join((" ".join(pair.first), " ".join(pair.second), repr(pair.trees or ""), row))
