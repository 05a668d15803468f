"""Who is near whom: every pair of unit vectors at or above a threshold, by blocks of matrix products.

The product of two blocks is taken in single precision, where a cosine of d dimensions is off by at most about
d · 2⁻²⁴; the few pairs that lie so close to the threshold are decided again in double precision. What counts
as near therefore never depends on block sizes, threads or the order of the rows, and no more than one block
of scores is ever held.
"""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tenor.progress import Progress

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]

# 2,048² scores are 16 MB: large enough for the product to run at full speed, small enough to stay bounded.
BLOCK = 2048
_PAIRS_AT_ONCE = 4096


class Neighbourhood(Protocol):
    """Tells which of n texts are near one another; exact, or by an index."""

    def __len__(self) -> int: ...

    def counts(self, weights: Rows, *, progress: Progress | None = None) -> Rows:
        """For each text the weight of all texts near it, its own included [n]."""

    def near(self, centres: Rows, alive: Flags) -> Iterator[tuple[Rows, Rows]]:
        """Yield pairs (index into ``centres``, text): the living texts near each centre, itself included."""

    def scores(self, first: Rows, second: Rows) -> NDArray[np.float64]:
        """The cosine of each pair of texts, in double precision [m]."""


class ExactNeighbours:
    """All pairs: n²/2 products, of which every block above the diagonal is taken once.

    >>> vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    >>> ExactNeighbours(vectors, 0.7).counts(np.ones(3, dtype=np.int64)).tolist()
    [2, 2, 1]
    """

    def __init__(self, vectors: Floats, threshold: float, *, block: int = BLOCK) -> None:
        self._vectors, self._threshold, self._block = vectors, threshold, block
        self._product = Product(block)

    def __len__(self) -> int:
        return len(self._vectors)

    def counts(self, weights: Rows, *, progress: Progress | None = None) -> Rows:
        """Count by the upper triangle of blocks; ``progress`` counts pairs, n(n + 1)/2 in all."""
        counts = weights.copy()
        for top, left, near in self._triangle(progress):
            if top == left:
                np.fill_diagonal(near, False)  # the texts themselves are in the counts already
            if not near.any():
                continue
            upper, other = slice(top, top + near.shape[0]), slice(left, left + near.shape[1])
            counts[upper] += _weigh(near, weights[other])
            if top != left:
                counts[other] += _weigh(near.T, weights[upper])
        return counts

    def near(self, centres: Rows, alive: Flags) -> Iterator[tuple[Rows, Rows]]:
        """Take the centres against all living texts, one block after another."""
        texts = np.flatnonzero(alive)
        for start in range(0, len(texts), self._block):
            some = texts[start : start + self._block]
            for top in range(0, len(centres), self._block):
                chosen = self._vectors[centres[top : top + self._block]]
                rows, columns = pairs(self._product.near(chosen, self._vectors[some], self._threshold))
                yield rows + top, some[columns]

    def scores(self, first: Rows, second: Rows) -> NDArray[np.float64]:
        """The cosine of each pair of texts, in double precision [m]."""
        return pair_scores(self._vectors, first, self._vectors, second)

    def _triangle(self, progress: Progress | None) -> Iterator[tuple[int, int, Flags]]:
        vectors, size = self._vectors, self._block
        for top in range(0, len(vectors), size):
            upper = vectors[top : top + size]
            for left in range(top, len(vectors), size):
                other = vectors[left : left + size]
                yield top, left, self._product.near(upper, other, self._threshold)
                if progress is not None:
                    pairs = len(upper) * (len(upper) + 1) // 2 if top == left else len(upper) * len(other)
                    progress(pairs)


class Product:
    """Finds the near pairs of two blocks, in a buffer that is used again and again."""

    def __init__(self, block: int = BLOCK) -> None:
        self._scores = np.empty(block * block, dtype=np.float32)

    def near(self, first: Floats, second: Floats, threshold: float) -> Flags:
        """Say which cosines of ``first`` [a, d] and ``second`` [b, d] reach the threshold [a, b]."""
        slack = (first.shape[1] + 16) * 2.0**-24  # rounding of the sum, and a little for the lengths
        size = len(first) * len(second)
        if size > len(self._scores):
            self._scores = np.empty(size, dtype=np.float32)
        scores = self._scores[:size].reshape(len(first), len(second))
        np.matmul(first, second.T, out=scores)
        near: Flags = scores >= threshold + slack
        rows, columns = pairs((scores >= threshold - slack) ^ near)
        if len(rows):
            near[rows, columns] = pair_scores(first, rows, second, columns) >= threshold
        return near


def pairs(flags: Flags) -> tuple[Rows, Rows]:
    """Give the rows and columns that are set: ``np.nonzero``, but much faster where few are."""
    rows, columns = np.divmod(np.flatnonzero(flags), max(flags.shape[1], 1))
    return rows, columns


def pair_scores(first: Floats, rows: Rows, second: Floats, columns: Rows) -> NDArray[np.float64]:
    """Give the cosine of ``first[rows[k]]`` and ``second[columns[k]]`` for each k, in double precision."""
    scores = np.empty(len(rows))
    for start in range(0, len(rows), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        left, right = first[rows[part]].astype(np.float64), second[columns[part]].astype(np.float64)
        scores[part] = np.einsum("kd,kd->k", left, right)
    return scores


def _weigh(near: Flags, weights: Rows) -> Rows:
    """Sum the weights of what is near each row [a, b] -> [a]."""
    # Floats are summed in vector registers, integers are not; in single precision sums below 2**24 are exact.
    exact = np.float32 if int(weights.sum()) < 2**24 else np.float64
    sums: Rows = (near.astype(exact) @ weights.astype(exact)).astype(np.int64)
    return sums
