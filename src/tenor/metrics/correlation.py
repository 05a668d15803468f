"""Pearson and Spearman correlation along the last axis, ready for the bootstrap.

With x and y centred, r = Σxy / √(Σx² Σy²); Spearman's ρ is r of the ranks, ties taking their mean rank.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pearson(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Correlate two columns [..., n] to [...]; NaN where one of them does not vary.

    >>> round(float(pearson([1, 2, 3, 4], [1, 2, 3, 5])), 4)
    0.9827
    """
    x, y = _centred(first), _centred(second)
    spread = np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.where(spread > 0, (x * y).sum(axis=-1) / spread, np.nan)
    return np.clip(r, -1.0, 1.0)


def spearman(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Correlate the ranks of two columns [..., n] to [...].

    >>> float(spearman([1, 2, 3, 4], [1, 10, 100, 1000]))
    1.0
    """
    from scipy.stats import rankdata  # slow to import: not on the path of commands that never rank

    return pearson(rankdata(first, axis=-1), rankdata(second, axis=-1))


def _centred(values: ArrayLike) -> NDArray[np.float64]:
    column: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    if column.shape[-1] == 0:
        return column
    # A constant column must centre to exact zeros: its mean may be off by rounding, its first value is not.
    column = column - column[..., :1]
    column = column - column.mean(axis=-1, keepdims=True)
    return column
