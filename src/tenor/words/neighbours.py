"""Exact nearest neighbours: products of blocks of unit vectors, of which only the best few are ever kept.

Memory is bounded by the blocks, whatever the sizes. A block of queries meets one block of targets after the
other. Once k candidates are known, only scores above the worst of them can matter, so that nearly all of a
block is passed over by one comparison instead of being sorted. Blocks of queries go to one thread each, which
keeps the comparisons parallel too and not only the products.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.errors import TenorError
from tenor.progress import Progress

if TYPE_CHECKING:
    from tenor.words.vectors import WordVectors

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
_QUERIES, _TARGETS = 1024, 4096  # of one block, whose scores take 16 MB a thread


def unit_rows(vectors: Floats) -> Floats:
    """Return vectors [n, d] scaled to unit length; zeros stay zeros. The input is not changed."""
    return np.asarray(vectors, dtype=np.float32) * inverse_norms(vectors)[:, None]


def inverse_norms(vectors: Floats) -> Floats:
    """Return 1 / norm of each vector [n], and 0 for vectors of zeros."""
    inverse = np.empty(len(vectors), dtype=np.float32)
    for begin in range(0, len(vectors), _TARGETS):
        some = vectors[begin : begin + _TARGETS]
        lengths = np.sqrt(np.einsum("nd,nd->n", some, some, dtype=np.float64))
        inverse[begin : begin + _TARGETS] = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1), 0)
    return inverse


def nearest(
    queries: Floats,
    targets: Floats,
    k: int,
    *,
    scale: Floats | None = None,
    penalty: Floats | None = None,
    exclude: Ints | None = None,
    progress: Progress | None = None,
) -> tuple[Ints, Floats]:
    """Return the k largest q·t scale[t] - penalty[t] of each query: target indices [q, k] and scores [q, k].

    Rows come best first; of equal scores the lower index wins. ``exclude`` [q] or [q, m] are indices of
    targets that a query may not get (-1: none). Where fewer than k are left, indices are -1 and scores -inf.
    ``progress`` is called with the number of queries just done.
    """
    _check(queries, targets, k)
    indices = np.full((len(queries), k), -1, dtype=np.int64)
    scores = np.full((len(queries), k), -np.inf, dtype=np.float32)
    excluded = None if exclude is None else exclude.reshape(len(queries), -1)

    def fill(rows: slice) -> int:
        search = _Best(indices[rows], scores[rows], None if excluded is None else excluded[rows])
        for begin in range(0, len(targets), _TARGETS):
            products = queries[rows] @ targets[begin : begin + _TARGETS].T
            if scale is not None:
                products *= scale[begin : begin + _TARGETS]
            if penalty is not None:
                products -= penalty[begin : begin + _TARGETS]
            search.offer(products, begin)
        return len(indices[rows])

    for done in _in_threads(fill, len(queries)):
        if progress is not None:
            progress(done)
    indices[np.isneginf(scores)] = -1
    return indices, scores


def mean_of_nearest(queries: Floats, targets: Floats, k: int, *, progress: Progress | None = None) -> Floats:
    """Return each query's mean product with its k nearest targets [q]: the r of CSLS."""
    if not len(targets):
        raise TenorError("There are no vectors to take nearest ones of.")
    scores = nearest(queries, targets, min(k, len(targets)), progress=progress)[1]
    return np.asarray(scores.mean(axis=1, dtype=np.float64), dtype=np.float32)


def csls(
    queries: Floats,
    targets: Floats,
    k: int,
    *,
    sources: Floats | None = None,
    csls_k: int = 10,
    exclude: Ints | None = None,
    progress: Progress | None = None,
) -> tuple[Ints, Floats]:
    """Return each query's k best targets by 2 q·t - r(q) - r(t), like :func:`nearest`; for unit vectors.

    r(q) is the mean product of q with its nearest ``csls_k`` targets, r(t) that of t with its nearest
    ``sources``, by default the queries. ``progress`` counts the queries twice and the targets once.
    """
    sources = queries if sources is None else sources
    of_targets = mean_of_nearest(targets, sources, csls_k, progress=progress)
    of_queries = mean_of_nearest(queries, targets, csls_k, progress=progress)
    indices, scores = nearest(
        queries, targets, k, penalty=of_targets * np.float32(0.5), exclude=exclude, progress=progress
    )
    return indices, 2 * scores - of_queries[:, None]


def neighbours(
    vectors: "WordVectors",
    queries: Sequence[str] | ArrayLike,
    *,
    k: int = 10,
    method: Literal["cosine", "csls"] = "cosine",
    csls_k: int = 10,
    progress: Progress | None = None,
) -> tuple[Ints, Floats]:
    """Find the nearest neighbours of words or of vectors; see :meth:`WordVectors.neighbours`."""
    given = np.asarray(queries if isinstance(queries, np.ndarray) else list(queries))  # type: ignore[arg-type]
    own = vectors.checked_indices(given.tolist()) if given.dtype.kind == "U" else None
    asked = np.asarray(vectors.vectors[own] if own is not None else given, dtype=np.float32)
    if asked.ndim != 2 or asked.shape[1] != vectors.vector_size:
        raise TenorError(
            f"Vectors of the shape (any, {vectors.vector_size}) are asked for; got {asked.shape}."
        )
    if method == "cosine":
        # The vectors stay where they are, perhaps in a mapped file: not they but the products are scaled.
        scale = vectors.inverse_norms
        return nearest(unit_rows(asked), vectors.vectors, k, scale=scale, exclude=own, progress=progress)
    units = unit_rows(vectors.vectors)
    return csls(unit_rows(asked), units, k, sources=units, csls_k=csls_k, exclude=own, progress=progress)


class _Best:
    """The best k targets so far of a block of queries, written in place into ``indices`` and ``scores``."""

    def __init__(self, indices: Ints, scores: Floats, excluded: Ints | None) -> None:
        self.indices, self.scores, self.excluded = indices, scores, excluded

    def offer(self, products: Floats, begin: int) -> None:
        """Merge the scores [q, t] of the targets from index ``begin`` on."""
        k = self.scores.shape[1]
        self._exclude(products, begin)
        least = self.scores[:, -1]
        if np.isneginf(least).any() and products.shape[1] > k:
            # Nothing can be passed over yet: the k-th best of this block alone is a first bound.
            bound = np.partition(products, products.shape[1] - k, axis=1)[:, products.shape[1] - k]
            flat = np.flatnonzero(products >= np.maximum(least, bound)[:, None])
        else:
            flat = np.flatnonzero(products > least[:, None])
        if len(flat):
            rows, columns = np.divmod(flat, products.shape[1])
            self._merge(rows, columns + begin, products.ravel()[flat])

    def _merge(self, rows: Ints, indices: Ints, scores: Floats) -> None:
        queries, k = self.scores.shape
        touched = np.unique(rows)
        rows = np.concatenate([np.repeat(touched, k), rows])
        indices = np.concatenate([self.indices[touched].ravel(), indices])
        scores = np.concatenate([self.scores[touched].ravel(), scores])
        order = np.lexsort((indices, -scores, rows))
        counts = np.bincount(rows, minlength=queries)[touched]
        firsts = np.cumsum(counts) - counts
        best = order[firsts[:, None] + np.arange(k)]
        self.indices[touched], self.scores[touched] = indices[best], scores[best]

    def _exclude(self, products: Floats, begin: int) -> None:
        if self.excluded is None:
            return
        inside = (self.excluded >= begin) & (self.excluded < begin + products.shape[1])
        rows, columns = np.nonzero(inside)
        products[rows, self.excluded[rows, columns] - begin] = -np.inf


def _in_threads(fill: Callable[[slice], int], count: int) -> Iterator[int]:
    """Call ``fill`` on blocks of queries, one per thread at a time, and yield what it returns."""
    from tenor.machine import blas_threads, thread_count

    threads = thread_count()
    size = max(1, min(_QUERIES, -(-count // threads)))
    blocks = [slice(begin, min(begin + size, count)) for begin in range(0, count, size)]
    with blas_threads(1):
        if len(blocks) == 1:
            yield fill(blocks[0])
            return
        with ThreadPoolExecutor(threads, thread_name_prefix="tenor-nearest") as pool:
            yield from pool.map(fill, blocks)


def _check(queries: Floats, targets: Floats, k: int) -> None:
    if k < 1:
        raise TenorError(f"k is {k}; ask for at least one neighbour.")
    if queries.ndim != 2 or targets.ndim != 2 or queries.shape[1] != targets.shape[1]:
        raise TenorError(
            f"Vectors of the shapes {queries.shape} and {targets.shape} cannot be compared; "
            "both must have as many dimensions."
        )
