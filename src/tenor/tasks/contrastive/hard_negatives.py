"""Hard negatives: texts that the model as it stands takes for a partner, and that are not known to be one.

The nearest texts of all may be right though nobody said so, so a candidate must stay clearly below the
partner: cos(u_i, v_j) ≤ 0.95 · cos(u_i, v_i). Of the nearest that do, some are drawn, so that epochs differ.
Shapes: n rows, d width.
"""

import numpy as np
from numpy.typing import NDArray

_QUERIES = 512  # compared with all texts at once


def hard_negatives(
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    texts: NDArray[np.int64],
    *,
    count: int = 1,
    nearest: int = 10,
    below: float = 0.95,
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Return ``count`` rows [n, count] whose second texts are hard negatives for each row's first text.

    ``texts`` [n, 2 …] number the distinct texts: no copy of a partner is a negative. Where too few candidates
    stay below the partner, others are drawn at random; no column where there is nothing to choose from.
    """
    queries, others = _unit(first), _unit(second)
    if len(np.unique(texts[:, 1])) <= count:
        return np.zeros((len(queries), 0), dtype=np.int64)
    picked = np.empty((len(queries), count), dtype=np.int64)
    nearest = max(nearest, count)
    for start in range(0, len(queries), _QUERIES):
        rows = np.arange(start, min(start + _QUERIES, len(queries)))
        cosines = queries[rows] @ others.T
        own = cosines[np.arange(len(rows)), rows]
        equal = (texts[rows, 0, None] == texts[None, :, 0]) | (texts[rows, 1, None] == texts[None, :, 1])
        # Candidates too near are kept behind all others: better than none in a tiny set.
        cosines = np.where(cosines > below * own[:, None], cosines - 4, cosines)
        cosines[equal] = -np.inf
        top = np.argsort(-cosines, axis=1, kind="stable")[:, : min(nearest, cosines.shape[1])]
        for at, row in enumerate(rows):
            usable = top[at][np.isfinite(cosines[at, top[at]])]
            picked[row] = _draw(usable, int(row), count, len(queries), generator)
    return picked


def _draw(
    usable: NDArray[np.int64], row: int, count: int, rows: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    if len(usable) >= count:
        return generator.choice(usable, size=count, replace=False)
    others = generator.integers(0, rows - 1, size=count - len(usable))
    return np.concatenate([usable, others + (others >= row)])


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))
