"""Examples: what the readers yield, each remembering the file and line it came from.

Further kinds (spans of texts, choices) stand beside these when a task needs them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an example stands: a file, and a line counted from 1 (in Parquet: a row counted from 1).

    >>> str(Origin("pairs.tsv", 7))
    'pairs.tsv:7'
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file: its cells by column name, or by "0", "1", … where there is no header."""

    values: Mapping[str, str]
    origin: Origin
    reported: bool = False  # whether a wrong number of cells was reported as a problem
    original: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    """The values as the file has them, where it has more than text: numbers, objects inside objects."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One text, perhaps with a label or a score.

    >>> Sentence("A fine film.", Origin("films.csv", 2), label="good").label
    'good'
    """

    text: str
    origin: Origin
    label: str | None = None
    score: float | None = None
    row: Row | None = field(default=None, compare=False, repr=False)  # where a reader was asked to keep it

    @property
    def texts(self) -> tuple[str]:
        """Its text as a tuple, so that sentences and pairs can be counted by the same code."""
        return (self.text,)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts, perhaps with a label ("paraphrase") or a score (4.2).

    >>> Pair("A cat sat.", "A cat was sitting.", Origin("pairs.tsv", 1), score=4.8).texts
    ('A cat sat.', 'A cat was sitting.')
    """

    first: str
    second: str
    origin: Origin
    label: str | None = None
    score: float | None = None
    row: Row | None = field(default=None, compare=False, repr=False)  # where a reader was asked to keep it

    @property
    def texts(self) -> tuple[str, str]:
        """Both texts, first and second."""
        return (self.first, self.second)


@dataclass(frozen=True, slots=True)
class Triple:
    """Two texts that belong together, and one that looks as if it belonged to the first but does not."""

    first: str
    second: str
    negative: str
    origin: Origin
    label: None = None
    score: None = None

    @property
    def texts(self) -> tuple[str, str, str]:
        """All three texts."""
        return (self.first, self.second, self.negative)


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """The words of one sentence, perhaps with a tag for each ("B-PER", "NOUN").

    >>> TaggedSentence(("Ada", "slept"), Origin("a.conll", 1), ("B-PER", "O")).texts
    ('Ada slept',)
    """

    words: tuple[str, ...]
    origin: Origin
    tags: tuple[str, ...] | None = None

    @property
    def texts(self) -> tuple[str]:
        """Its words joined by spaces, as a tuple with one text."""
        return (" ".join(self.words),)

    @property
    def label(self) -> None:
        """There is none: its words have tags instead."""

    @property
    def score(self) -> None:
        """There is none."""
