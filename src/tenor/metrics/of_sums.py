"""Scores that are functions of sums over items, such as a perplexity or an F1 of counts, with intervals."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.metrics.intervals import Interval, resampled_sums

Figures = Callable[[NDArray[np.float64]], Mapping[str, Any]]
"""Takes sums [..., c] and returns scores [...] by name."""


def scores_of_sums(
    figures: Figures, columns: ArrayLike, *, repeats: int = 1000, level: float = 0.95, seed: int = 0
) -> dict[str, Interval]:
    """Return each score of the sums of columns [n, c], with its interval over resampled items.

    >>> accuracy = lambda sums: {"accuracy": sums[..., 0] / sums[..., 1]}
    >>> scores_of_sums(accuracy, [[1, 2], [2, 2]], repeats=100)["accuracy"].estimate
    0.75
    """
    table = np.asarray(columns, dtype=np.float64)
    estimates = figures(table.sum(axis=0))
    if repeats <= 1 or len(table) < 2:
        return {name: Interval(v := float(value), v, v, level) for name, value in estimates.items()}
    drawn = figures(resampled_sums(table, repeats=repeats, seed=seed))
    tail = (1 - level) / 2
    intervals = {}
    for name, value in estimates.items():
        low, high = np.nanquantile(drawn[name], [tail, 1 - tail])
        intervals[name] = Interval(float(value), float(low), float(high), level)
    return intervals
