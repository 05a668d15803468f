"""Statistics of a stream of examples: lengths, labels, scores, duplicates, in a few bytes per example."""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.text.alignments import AlignedPair
from tenor.text.contradictions import Contradictions, LabelledTexts
from tenor.text.examples import Pair, Sentence, TaggedSentence, Triple
from tenor.text.overlap import fingerprints

_MOST_LABELS = 1000  # beyond this a column does not hold labels
_WINDOW = 4096


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Minimum, median, 95th percentile and maximum of some numbers."""

    min: float
    median: float
    p95: float
    max: float

    @classmethod
    def of(cls, values: Sequence[float] | NDArray[np.number]) -> "Quantiles | None":
        """Describe some numbers, or return None when there are none.

        >>> Quantiles.of([1, 2, 3, 10]).median
        2.5
        """
        if len(values) == 0:
            return None
        minimum, median, p95, maximum = np.quantile(np.asarray(values), [0, 0.5, 0.95, 1])
        return cls(float(minimum), float(median), float(p95), float(maximum))


class ExampleStatistics:
    """Takes examples one by one; at any time it has their number, lengths, class balance and duplicates.

    The labels of a tagged sentence are the tags of its words.

    >>> from tenor.text.examples import Origin
    >>> statistics = ExampleStatistics()
    >>> for text in ("Good.", "good", "Bad."):
    ...     statistics.add(Sentence(text, Origin("a", 1), label=text[0].lower()))
    >>> statistics.count, statistics.repeated(), dict(statistics.labels)
    (3, 1, {'g': 2, 'b': 1})
    """

    def __init__(self) -> None:
        self.count = 0
        self.labels: Counter[str] = Counter()
        self.too_many_labels = False
        self._scores = array("d")
        self._words = array("L")
        self._waiting: list[tuple[str, ...]] = []
        self._fingerprints: list[NDArray[np.uint64]] = []
        self._labelled = LabelledTexts()

    def add(self, example: Sentence | Pair | Triple | TaggedSentence | AlignedPair) -> None:
        """Count one example."""
        self.count += 1
        self._words.extend(len(text.split()) for text in example.texts)
        if example.label is not None:
            self._add_label(example.label)
            self._labelled.add(example.texts, example.label, example.origin)
        if isinstance(example, TaggedSentence):
            for tag in example.tags or ():
                self._add_label(tag)
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
        self._fingerprints.append(fingerprints(self._waiting))
        self._waiting = []

    def fingerprints(self) -> NDArray[np.uint64]:
        """Return the fingerprint of every example, in order."""
        self._settle()
        self._fingerprints = [np.concatenate(self._fingerprints)]
        return self._fingerprints[0]

    def repeated(self) -> int:
        """Count the duplicates: examples whose texts stood in an earlier one."""
        known = self.fingerprints()
        return len(known) - len(np.unique(known))

    def contradictions(self) -> Contradictions | None:
        """Return which texts appear with different labels, None where none does."""
        return self._labelled.contradictions()

    def words(self) -> Quantiles | None:
        """Describe the lengths of the texts in words, as white space separates them."""
        return Quantiles.of(self._words)

    def scores(self) -> Quantiles | None:
        """Describe the scores."""
        return Quantiles.of(self._scores)
