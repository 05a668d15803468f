"""A vocabulary of fuzzy words: what word vectors become when each dimension is read as a feature.

Distances to all words are products of matrices. With t the target and w a word, target first:

    H(t, w) = Σ −t ln w − (1−t) ln(1−w) = −t · logit(w) − Σ ln(1−w),        D(t‖w) = H(t, w) − H(t)

so that cross-entropy and divergence rank words alike; word first, H(w, t) and D(w‖t) differ by H(w). The
rankings use single precision with logits that are centred per feature, which changes every distance of a
target by the same amount; the distances of the words that are returned are computed anew in float64.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.fuzzy import sets
from tenor.words.fuzzy.sets import Axis, Floats
from tenor.words.neighbours import nearest
from tenor.words.vectors import WordVectors

Measure = Literal["kl", "cross-entropy", "kl-paper"]
MEASURES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "kl": sets.kl_bernoulli,
    "cross-entropy": sets.cross_entropy,
    "kl-paper": sets.kl_paper,
}
First = Literal["target", "word"]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A word and its distance from the query; lower is closer."""

    word: str
    distance: float


class FuzzyWords:
    """Words as fuzzy sets of features [V, n].

    ``axis`` "column" is the paper's definition: a feature's probabilities sum to 1 over the vocabulary. With
    "row" they sum to 1 over the features of a word, which is what entropies need.

    >>> vectors = WordVectors(["red", "green", "sea"], [[2, 0, 0], [2, 1, 0], [0, 0, 3]])
    >>> words = FuzzyWords.of(vectors)
    >>> [near.word for near in words.nearest(words["red"], 2, exclude=["red"])]
    ['green', 'sea']
    """

    def __init__(self, vectors: WordVectors, features: Floats, axis: Axis) -> None:
        self.vectors = vectors
        self.features = features
        self.axis: Axis = axis
        self._tables: dict[tuple[Measure, First], NDArray[np.float32]] = {}

    @classmethod
    def of(cls, vectors: WordVectors, *, axis: Axis = "column", normalize: bool = False) -> "FuzzyWords":
        """Make fuzzy words of word vectors; see :func:`tenor.words.fuzzy.sets.feature_probabilities`."""
        features = sets.feature_probabilities(vectors.vectors, axis=axis, normalize=normalize)
        return cls(vectors, features, axis)

    def __len__(self) -> int:
        return len(self.features)

    def __contains__(self, word: object) -> bool:
        return word in self.vectors

    def __getitem__(self, word: str) -> Floats:
        return np.asarray(self.features[int(self.vectors.checked_indices([word])[0])])

    @cached_property
    def entropies(self) -> Floats:
        """The entropy of every word [V]: high for function words, and for words with poor vectors."""
        blocks = [sets.entropy(self.features[begin : begin + 8192]) for begin in range(0, len(self), 8192)]
        return np.concatenate(blocks)

    @cached_property
    def size(self) -> float:
        """The mean cardinality of a word, to which composed tuples are scaled."""
        return float(self.features.sum(axis=1).mean())

    def distances(
        self,
        first: Sequence[str] | Ints,
        second: Sequence[str] | Ints,
        measure: Measure = "kl",
    ) -> Floats:
        """Measure pairs of words, first to second."""
        a, b = (self.features[self.vectors.checked_indices(words)] for words in (first, second))
        return MEASURES[measure](a, b)

    def nearest(
        self,
        target: Floats,
        k: int = 10,
        *,
        exclude: Iterable[str] = (),
        measure: Measure = "cross-entropy",
        first: First = "target",
        rescale: bool = False,
    ) -> list[Neighbour]:
        """Find the k words nearest to a tuple of features; ``rescale`` is for composed ones."""
        excluded = self.vectors.indices(exclude)
        indices, distances = self.nearest_many(
            target[None], k, exclude=excluded[None], measure=measure, first=first, rescale=rescale
        )
        pairs = zip(indices[0].tolist(), distances[0].tolist(), strict=True)
        return [Neighbour(self.vectors.words[index], distance) for index, distance in pairs if index >= 0]

    def nearest_many(
        self,
        targets: Floats,
        k: int = 10,
        *,
        exclude: Ints | None = None,
        measure: Measure = "cross-entropy",
        first: First = "target",
        rescale: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> tuple[Ints, Floats]:
        """Find the k nearest words of tuples [q, n]: their indices [q, k] and distances [q, k].

        ``exclude`` [q, m] are indices of words that a target may not get. Where fewer than k words are left,
        indices are -1 and distances infinite.
        """
        tuples = sets.rescaled(targets, self.size) if rescale else np.asarray(targets, dtype=np.float64)
        if tuples.ndim != 2 or tuples.shape[1] != self.features.shape[1]:
            raise TenorError(f"Expected tuples of {self.features.shape[1]} features; got {tuples.shape}.")
        excluded = exclude if exclude is not None and exclude.size else None
        queries, table = self._queries(tuples, measure, first), self._table(measure, first)
        indices, _ = nearest(queries, table, min(k, len(self)), exclude=excluded, progress=progress)
        return indices, self._exact(tuples, indices, measure, first)

    def _queries(self, tuples: Floats, measure: Measure, first: First) -> NDArray[np.float32]:
        """Return [q, n + 1] whose products with ``_table`` rank words, the nearest with the largest."""
        ones = np.ones((len(tuples), 1))
        if first == "target":
            return np.concatenate([tuples / self.size, ones], axis=1).astype(np.float32)
        clamped = np.clip(tuples, sets.LEAST, sets.MOST)
        slopes = np.log(clamped) - (0.0 if measure == "kl-paper" else np.log1p(-clamped))
        return np.concatenate([slopes, ones], axis=1).astype(np.float32)

    def _table(self, measure: Measure, first: First) -> NDArray[np.float32]:
        """Return [V, n + 1]: a row of the product and, last, what is added whatever the target."""
        if first == "target" and measure == "kl":
            measure = "cross-entropy"  # they rank alike
        if (measure, first) not in self._tables:
            self._tables[measure, first] = self._make_table(measure, first)
        return self._tables[measure, first]

    def _make_table(self, measure: Measure, first: First) -> NDArray[np.float32]:
        clamped = np.clip(self.features, sets.LEAST, sets.MOST)
        if first == "word":
            own = {"cross-entropy": np.zeros(len(self)), "kl": self.entropies}
            added = own[measure] if measure in own else -(clamped * np.log(clamped)).sum(axis=1)
            return np.concatenate([clamped, added[:, None]], axis=1).astype(np.float32) / np.float32(
                self.size
            )
        no = np.zeros_like(clamped) if measure == "kl-paper" else np.log1p(-clamped)
        rows = np.concatenate([np.log(clamped) - no, no.sum(axis=1, keepdims=True) / self.size], axis=1)
        rows -= rows.mean(axis=0)
        return rows.astype(np.float32)

    def _exact(self, tuples: Floats, indices: Ints, measure: Measure, first: First) -> Floats:
        function = MEASURES[measure]
        found = np.full(indices.shape, np.inf)
        for row, (target, chosen) in enumerate(zip(tuples, indices, strict=True)):
            there = chosen >= 0
            words = self.features[chosen[there]]
            found[row, there] = function(target, words) if first == "target" else function(words, target)
        return found
