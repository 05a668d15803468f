"""Percentile bootstrap: how far a score would move if other items had been drawn.

Every statistic of this room reduces the last axis of its arguments, so that a bootstrap is one call on
resampled columns [repeats, n] and not a loop over repeats. Resampled items keep their columns together: a
pair of a truth and a prediction, or of two ratings, is drawn as one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Statistic = Callable[..., NDArray[np.float64]]

# Columns of this many resampled items are held at once: 4 M items of 8 bytes are 32 MB a column.
_ITEMS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A score with the interval that its bootstrap gives.

    >>> f"{Interval(0.8123, 0.79, 0.83)}"
    '0.812 [0.790, 0.830]'
    """

    estimate: float
    low: float
    high: float
    level: float = 0.95

    def __str__(self) -> str:
        return f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}]"


def bootstrap(
    statistic: Statistic, *columns: ArrayLike, repeats: int = 1000, level: float = 0.95, seed: int = 0
) -> Interval:
    """Give a statistic of equally long columns with its percentile interval.

    Resamples on which the statistic is undefined (all items alike, say) give NaN and are left out; the
    interval is NaN where none is left.

    >>> mean = lambda values: values.mean(axis=-1)
    >>> interval = bootstrap(mean, np.arange(100.0), repeats=200, seed=1)
    >>> interval.estimate, interval.low < 49.5 < interval.high
    (49.5, True)
    """
    arrays = [np.asarray(column) for column in columns]
    items = len(arrays[0])
    if any(array.shape != (items,) for array in arrays):
        raise ValueError(f"columns must be equally long vectors, not {[array.shape for array in arrays]}")
    if items == 0:
        return Interval(np.nan, np.nan, np.nan, level)
    values = _resampled(statistic, arrays, repeats, seed)
    values = values[~np.isnan(values)]
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail]) if len(values) else (np.nan, np.nan)
    return Interval(float(statistic(*arrays)), float(low), float(high), level)


def resampled_sums(columns: ArrayLike, *, repeats: int = 1000, seed: int = 0) -> NDArray[np.float64]:
    """Sum columns [n, c] over resampled items, to [repeats, c]: what a ratio of sums is computed from.

    Items are drawn as ``bootstrap`` draws them; how often each was drawn times the columns is the sum.

    >>> resampled_sums([[1, 2]] * 10, repeats=3).tolist()
    [[10.0, 20.0], [10.0, 20.0], [10.0, 20.0]]
    """
    array = np.asarray(columns, dtype=np.float64)
    items = len(array)
    sums = np.zeros((repeats, array.shape[1]))
    for start, drawn in _draws(items, repeats, seed) if items else ():
        cells = drawn + items * np.arange(len(drawn))[:, None]
        times = np.bincount(cells.ravel(), minlength=drawn.size).reshape(drawn.shape)
        sums[start : start + len(drawn)] = times.astype(np.float64) @ array
    return sums


def _resampled(
    statistic: Statistic, arrays: list[NDArray[np.generic]], repeats: int, seed: int
) -> NDArray[np.float64]:
    values = np.empty(repeats)
    for start, drawn in _draws(len(arrays[0]), repeats, seed):
        values[start : start + len(drawn)] = statistic(*(array[drawn] for array in arrays))
    return values


def _draws(items: int, repeats: int, seed: int) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Yield numbers of drawn items [some repeats, n] with the number of the first repeat."""
    generator = np.random.default_rng(seed)
    at_once = max(1, min(repeats, _ITEMS_AT_ONCE // items))
    for start in range(0, repeats, at_once):
        some = min(at_once, repeats - start)
        yield start, generator.integers(0, items, size=(some, items), dtype=np.int32)
