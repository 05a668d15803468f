"""Counting a stream of examples: lengths, labels, scores, repetitions, in a few bytes per example."""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.text.examples import Pair, Sentence, Triple
from tenor.text.overlap import fingerprints

_MOST_LABELS = 1000  # beyond this a column does not hold labels
_WINDOW = 4096


@dataclass(frozen=True, slots=True)
class Spread:
    """Smallest, middle, high and largest of some numbers."""

    least: float
    median: float
    p95: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float] | NDArray[np.number]) -> "Spread | None":
        """Describe some numbers, or return None when there are none.

        >>> Spread.of([1, 2, 3, 10]).median
        2.5
        """
        if len(values) == 0:
            return None
        least, median, p95, most = np.quantile(np.asarray(values), [0, 0.5, 0.95, 1])
        return cls(float(least), float(median), float(p95), float(most))


class Tally:
    """Takes examples one by one and knows at any time how many, how long, how balanced, how often repeated.

    >>> from tenor.text.examples import Origin
    >>> tally = Tally()
    >>> for text in ("Good.", "good", "Bad."):
    ...     tally.add(Sentence(text, Origin("a", 1), label=text[0].lower()))
    >>> tally.count, tally.repeated(), dict(tally.labels)
    (3, 1, {'g': 2, 'b': 1})
    """

    def __init__(self) -> None:
        self.count = 0
        self.labels: Counter[str] = Counter()
        self.too_many_labels = False
        self._scores = array("d")
        self._words = array("L")
        self._waiting: list[tuple[str, ...]] = []
        self._prints: list[NDArray[np.uint64]] = []

    def add(self, example: Sentence | Pair | Triple) -> None:
        """Count one example."""
        self.count += 1
        self._words.extend(len(text.split()) for text in example.texts)
        if example.label is not None:
            self._add_label(example.label)
        if example.score is not None:
            self._scores.append(example.score)
        self._waiting.append(example.texts)
        if len(self._waiting) >= _WINDOW:
            self._settle()

    def _add_label(self, label: str) -> None:
        if label in self.labels or len(self.labels) < _MOST_LABELS:
            self.labels[label] += 1
        else:
            self.too_many_labels = True

    def _settle(self) -> None:
        self._prints.append(fingerprints(self._waiting))
        self._waiting = []

    def prints(self) -> NDArray[np.uint64]:
        """Return the fingerprint of every example, in order."""
        self._settle()
        self._prints = [np.concatenate(self._prints)]
        return self._prints[0]

    def repeated(self) -> int:
        """Count the examples that say nothing new: their texts stood in an earlier one."""
        prints = self.prints()
        return len(prints) - len(np.unique(prints))

    def words(self) -> Spread | None:
        """Describe the lengths of the texts in words, as white space separates them."""
        return Spread.of(self._words)

    def scores(self) -> Spread | None:
        """Describe the scores."""
        return Spread.of(self._scores)
