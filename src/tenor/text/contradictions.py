"""Examples that contradict each other: the same texts, but for case and spacing, with different labels.

A text of two labels teaches a model nothing, and no model can get both rows right.
"""

import re
from array import array
from dataclasses import dataclass

import numpy as np

from tenor.text.examples import Origin

_SEPARATORS = re.compile(r"[|;,]")  # between the labels of a cell, whose order says nothing


@dataclass(frozen=True, slots=True)
class Contradictions:
    """How many texts appear with different labels, in how many rows, and two rows of the first such text."""

    texts: int
    rows: int
    first: tuple[Origin, Origin]
    pairs: bool = False
    """Whether they are pairs of texts."""

    def __str__(self) -> str:
        one, two = self.first
        thing = "pair" if self.pairs else "text"
        what = f"1 {thing} appears" if self.texts == 1 else f"{self.texts:,} {thing}s appear"
        lines = f"lines {one.line} and {two.line} of {one.file}"
        return f"{what} with different labels, in {self.rows:,} rows (first: {lines})"


class LabelledTexts:
    """Takes examples one by one, in a few bytes each, and finds those that contradict each other.

    >>> seen = LabelledTexts()
    >>> for line, (text, label) in enumerate([("So good", "a"), ("Bad", "b"), ("so  good", "b")], start=1):
    ...     seen.add((text,), label, Origin("x.csv", line))
    >>> str(seen.contradictions())
    '1 text appears with different labels, in 2 rows (first: lines 1 and 3 of x.csv)'
    """

    def __init__(self) -> None:
        self._texts, self._labels, self._lines = array("q"), array("q"), array("q")
        self._file, self._pairs = "", False

    def add(self, texts: tuple[str, ...], label: str, origin: Origin) -> None:
        """Take one example; the order of its texts counts."""
        self._texts.append(hash(tuple(" ".join(text.split()).casefold() for text in texts)))
        self._labels.append(hash(frozenset(part.strip() for part in _SEPARATORS.split(label))))
        self._lines.append(origin.line)
        self._file, self._pairs = origin.file, len(texts) > 1

    def contradictions(self) -> Contradictions | None:
        """Return what contradicts, or None where nothing does."""
        texts, labels, lines = (
            np.frombuffer(each, dtype=np.int64) if each else np.zeros(0, dtype=np.int64)
            for each in (self._texts, self._labels, self._lines)
        )
        order = np.lexsort((labels, texts))
        one, two = order[:-1], order[1:]  # neighbours
        several = texts[two[(texts[one] == texts[two]) & (labels[one] != labels[two])]]
        rows = np.flatnonzero(np.isin(texts, several))
        if not len(rows):
            return None
        same = rows[texts[rows] == texts[rows[0]]]
        other = same[labels[same] != labels[same[0]]][0]
        first = Origin(self._file, int(lines[same[0]])), Origin(self._file, int(lines[other]))
        return Contradictions(len(np.unique(several)), len(rows), first, self._pairs)
