"""Ranks of gold words among all words, from blocks of scores, so that memory is bounded."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.floating]
_CELLS = 8_000_000  # scores held at once: 32 MB in float32


def score_blocks(queries: Rows, targets: Rows) -> Iterator[tuple[slice, Rows]]:
    """Yield blocks of queries @ targetsᵀ with the slice of queries that they belong to."""
    height = max(1, _CELLS // max(1, len(targets)))
    for start in range(0, len(queries), height):
        part = slice(start, min(start + height, len(queries)))
        yield part, queries[part] @ targets.T


def gold_ranks(
    queries: Rows, targets: Rows, gold: Sequence[Sequence[int]], *, penalty: Rows | None = None
) -> NDArray[np.int64]:
    """Return for each query the rank of its best gold target among all targets, counted from 1.

    ``penalty`` [targets] is taken off the score of each target: half its mean nearness, for CSLS. A wrong
    word with the very same score stands before the right one, so that vectors which cannot tell words apart
    gain nothing by it. Other right words never stand in the way.

    >>> gold_ranks(np.array([[0.9, 0.1, 0.0]]), np.eye(3), [[1]]).tolist()
    [2]
    """
    ranks = np.empty(len(queries), dtype=np.int64)
    for part, scores in score_blocks(queries, targets):
        if penalty is not None:
            scores -= penalty
        for row, right in zip(range(part.start, part.stop), gold[part], strict=True):
            line = scores[row - part.start]
            best = line[list(right)].max()
            line[list(right)] = -np.inf
            ranks[row] = 1 + np.count_nonzero(line >= best)
    return ranks
