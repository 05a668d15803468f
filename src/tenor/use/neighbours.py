"""Who is near whom: every pair of unit vectors at or above a threshold, by blocks of matrix products.

The product of two blocks is taken in single precision, where a cosine is off by at most about width · 2⁻²⁴;
the few pairs that lie so close to the threshold are decided again in double precision. What counts as near
therefore never depends on block sizes, threads or the order of the rows, and no more than one block of
scores is ever held.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]
Progress = Callable[[int], None]

# 2,048² scores are 16 MB: large enough for the product to run at full speed, small enough to stay bounded.
BLOCK = 2048
_PAIRS_AT_ONCE = 4096


class Neighbourhood(Protocol):
    """Tells which of n texts are near one another; exact, or by an index."""

    def __len__(self) -> int: ...

    def counts(self, weights: Rows, *, progress: Progress | None = None) -> Rows:
        """For each text the weight of all texts near it, its own included [n]."""

    def near(self, centres: Rows, alive: NDArray[np.bool_]) -> Iterator[tuple[Rows, Rows]]:
        """Yield pairs (place in ``centres``, text): the living texts near each centre, itself included."""

    def scores(self, first: Rows, second: Rows) -> NDArray[np.float64]:
        """The cosine of each pair of texts, in double precision [m]."""


class Exact:
    """All pairs: n²/2 products, of which every block above the diagonal is taken once.

    >>> vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    >>> Exact(vectors, 0.7).counts(np.ones(3, dtype=np.int64)).tolist()
    [2, 2, 1]
    """

    def __init__(self, vectors: Floats, threshold: float, *, block: int = BLOCK) -> None:
        self._vectors, self._threshold, self._block = vectors, threshold, block
        self._product = Product(block)

    def __len__(self) -> int:
        return len(self._vectors)

    def counts(self, weights: Rows, *, progress: Progress | None = None) -> Rows:
        """Count by the upper triangle of blocks; ``progress`` hears of pairs, n(n + 1)/2 in all."""
        counts = weights.copy()
        for top, left, rows, columns in self._triangle(progress):
            if top == left:
                above = rows < columns
                rows, columns = rows[above], columns[above]
            _add(counts, top, rows, weights[left + columns])
            _add(counts, left, columns, weights[top + rows])
        return counts

    def near(self, centres: Rows, alive: NDArray[np.bool_]) -> Iterator[tuple[Rows, Rows]]:
        """Take the centres against all living texts, one block after another."""
        texts = np.flatnonzero(alive)
        for start in range(0, len(texts), self._block):
            some = texts[start : start + self._block]
            for top in range(0, len(centres), self._block):
                chosen = self._vectors[centres[top : top + self._block]]
                rows, columns = self._product.near(chosen, self._vectors[some], self._threshold)
                yield rows + top, some[columns]

    def scores(self, first: Rows, second: Rows) -> NDArray[np.float64]:
        """The cosine of each pair of texts, in double precision [m]."""
        return pair_scores(self._vectors, first, self._vectors, second)

    def _triangle(self, progress: Progress | None) -> Iterator[tuple[int, int, Rows, Rows]]:
        vectors, size = self._vectors, self._block
        for top in range(0, len(vectors), size):
            upper = vectors[top : top + size]
            for left in range(top, len(vectors), size):
                other = vectors[left : left + size]
                yield top, left, *self._product.near(upper, other, self._threshold)
                if progress is not None:
                    pairs = len(upper) * (len(upper) + 1) // 2 if top == left else len(upper) * len(other)
                    progress(pairs)


class Product:
    """Finds the near pairs of two blocks, in a buffer that is used again and again."""

    def __init__(self, block: int = BLOCK) -> None:
        self._scores = np.empty(block * block, dtype=np.float32)

    def near(self, first: Floats, second: Floats, threshold: float) -> tuple[Rows, Rows]:
        """Give the rows of ``first`` [a, d] and ``second`` [b, d] whose cosine reaches the threshold."""
        slack = (first.shape[1] + 16) * 2.0**-24  # rounding of the sum, and a little for the lengths
        shape = (len(first), len(second))
        if shape[0] * shape[1] > len(self._scores):
            self._scores = np.empty(shape[0] * shape[1], dtype=np.float32)
        scores = self._scores[: shape[0] * shape[1]]
        np.matmul(first, second.T, out=scores.reshape(shape))
        found = np.flatnonzero(scores >= threshold - slack)
        rows, columns = np.divmod(found, max(shape[1], 1))
        doubtful = np.flatnonzero(scores[found] < threshold + slack)
        if len(doubtful):
            exact = pair_scores(first, rows[doubtful], second, columns[doubtful])
            keep = np.ones(len(found), dtype=bool)
            keep[doubtful] = exact >= threshold
            rows, columns = rows[keep], columns[keep]
        return rows, columns


def pair_scores(first: Floats, rows: Rows, second: Floats, columns: Rows) -> NDArray[np.float64]:
    """Give the cosine of ``first[rows[k]]`` and ``second[columns[k]]`` for each k, in double precision."""
    scores = np.empty(len(rows))
    for start in range(0, len(rows), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        left, right = first[rows[part]].astype(np.float64), second[columns[part]].astype(np.float64)
        scores[part] = np.einsum("kd,kd->k", left, right)
    return scores


def normalise(vectors: Floats) -> None:
    """Scale vectors [n, d] to length 1 in place; zeros, which are near nothing, stay zeros."""
    for start in range(0, len(vectors), BLOCK):
        some = vectors[start : start + BLOCK]
        lengths = np.sqrt(np.einsum("kd,kd->k", some, some, dtype=np.float64))
        some /= np.where(lengths > 0, lengths, 1.0).astype(np.float32)[:, None]


def _add(counts: Rows, start: int, places: Rows, amounts: Rows) -> None:
    if len(places):
        sums = np.bincount(places, weights=amounts)
        counts[start : start + len(sums)] += sums.astype(np.int64)
