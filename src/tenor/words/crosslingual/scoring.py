"""Scores of all source words against all target words, a block of rows at a time, so that memory is bounded.

Cosine is the product of unit rows. CSLS (Conneau et al. 2018) takes off how near a word is to everything, as
hubs are the nearest neighbours of too many:

    csls(x, z) = cos(x, z) − ½ r(z) − ½ r(x),   r = mean cosine of the k nearest words of the other language

In the ranking of the targets for one source word the last term is a constant, which the functions leave out
where only the order matters.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.floating]
Progress = Callable[[int], None]
_CELLS = 32_000_000  # scores held at once: 128 MB in float32


def unit_rows(rows: Rows) -> Rows:
    """Give every row length 1; a row of zeros stays what it is.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0).astype(rows.dtype)


def score_blocks(source: Rows, target: Rows) -> Iterator[tuple[slice, Rows]]:
    """Yield blocks of source @ targetᵀ with the slice of source rows that they belong to."""
    height = max(1, _CELLS // max(1, len(target)))
    columns = np.ascontiguousarray(target).T
    for start in range(0, len(source), height):
        part = slice(start, min(start + height, len(source)))
        yield part, source[part] @ columns


def nearness(source: Rows, target: Rows, *, k: int = 10, progress: Progress | None = None) -> Rows:
    """Return r [n]: the mean cosine of each source word's ``k`` nearest target words; rows have length 1."""
    k = min(k, len(target))
    mean = np.empty(len(source), dtype=source.dtype)
    for part, scores in score_blocks(source, target):
        mean[part] = largest(scores, k).mean(axis=1)
        if progress:
            progress(len(scores))
    return mean


def largest(scores: Rows, k: int) -> Rows:
    """Return the k largest scores of each row, in no order; ``scores`` may be overwritten."""
    if k >= scores.shape[1]:
        return scores
    if k == 1:
        most: Rows = scores.max(axis=1, keepdims=True)
        return most
    scores.partition(scores.shape[1] - k, axis=1)
    return scores[:, -k:]


def top_targets(
    source: Rows, target: Rows, k: int, *, penalty: Rows | None = None, progress: Progress | None = None
) -> tuple[NDArray[np.int64], Rows]:
    """Return indices and scores [n, k] of the best targets of each source word, best first.

    ``penalty`` [m] is taken off the score of each target: half its nearness, for CSLS.
    """
    k = min(k, len(target))
    found = np.empty((len(source), k), dtype=np.int64)
    values = np.empty((len(source), k), dtype=source.dtype)
    for part, scores in score_blocks(source, target):
        if penalty is not None:
            scores -= penalty
        some = np.argpartition(scores, -k, axis=1)[:, -k:] if k < scores.shape[1] else _all_of(scores)
        best = np.take_along_axis(scores, some, axis=1)
        order = np.argsort(-best, axis=1, kind="stable")
        found[part] = np.take_along_axis(some, order, axis=1)
        values[part] = np.take_along_axis(best, order, axis=1)
        if progress:
            progress(len(scores))
    return found, values


def _all_of(scores: Rows) -> NDArray[np.int64]:
    return np.broadcast_to(np.arange(scores.shape[1]), scores.shape)


def gold_ranks(
    queries: Rows, target: Rows, gold: Sequence[Sequence[int]], *, penalty: Rows | None = None
) -> NDArray[np.int64]:
    """Return for each query the rank of its best gold target among all targets, counted from 1.

    A wrong word with the very same score stands before the right one, so that vectors which cannot tell words
    apart gain nothing by it. Other right words never stand in the way.

    >>> words = np.eye(3)
    >>> gold_ranks(np.array([[0.9, 0.1, 0.0]]), words, [[1]]).tolist()
    [2]
    """
    ranks = np.empty(len(queries), dtype=np.int64)
    for part, scores in score_blocks(queries, target):
        if penalty is not None:
            scores -= penalty
        for row, right in zip(range(part.start, part.stop), gold[part], strict=True):
            line = scores[row - part.start]
            best = line[list(right)].max()
            line[list(right)] = -np.inf
            ranks[row] = 1 + np.count_nonzero(line >= best)
    return ranks
