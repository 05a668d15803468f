"""What was measured, kept item by item, so that any interval can be drawn from it afterwards.

An outcome is a score together with the columns that it was computed from: one number per item for a mean
(right or wrong, reciprocal rank, …), gold and predicted values for a correlation or an F1 (flags), gold and
predicted class numbers for macro F1 and Matthews, counts of gold, predicted and correct entities per sentence
for the F1 of entities, counts of right words and of all words per sentence for a ratio. A statistic is known
by its name, since outcomes are kept in JSON and read back by pages.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.errors import TenorError
from tenor.metrics.binary import auc, f1
from tenor.metrics.classes import class_figures
from tenor.metrics.correlation import pearson, spearman
from tenor.metrics.intervals import Statistic
from tenor.metrics.overlaps import f1_of_matches
from tenor.metrics.spans import f1_of_counts

StatisticName = Literal[
    "mean",
    "ratio",
    "pearson",
    "spearman",
    "f1",
    "f1_macro",
    "matthews",
    "auc",
    "f1_of_counts",
    "f1_of_matches",
]


def mean(values: ArrayLike) -> NDArray[np.float64]:
    """Average the last axis."""
    averaged: NDArray[np.float64] = np.asarray(values, dtype=np.float64).mean(axis=-1)
    return averaged


def ratio(parts: ArrayLike, wholes: ArrayLike) -> NDArray[np.float64]:
    """Divide the sums of the last axis: words that are right by all words, counted by sentence."""
    sums = np.asarray(wholes, dtype=np.float64).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.asarray(parts, dtype=np.float64).sum(axis=-1) / sums)


def _of_classes(figure: str) -> Statistic:
    """Make a statistic of class numbers [..., n] out of a figure that is read off tables of counts."""

    def statistic(truth: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
        true, told = np.asarray(truth, dtype=np.int64), np.asarray(predicted, dtype=np.int64)
        classes = 1 + int(max(true.max(), told.max()))
        cells = (true * classes + told).reshape(-1, true.shape[-1])
        places = cells + classes**2 * np.arange(len(cells))[:, None]
        counts = np.bincount(places.ravel(), minlength=len(cells) * classes**2)
        return class_figures(counts.reshape(*true.shape[:-1], classes, classes))[figure]

    return statistic


# name -> the statistic, which reduces the last axis of its columns, and how many columns it takes.
STATISTICS: Mapping[str, tuple[Statistic, int]] = {
    "mean": (mean, 1),
    "ratio": (ratio, 2),
    "pearson": (pearson, 2),
    "spearman": (spearman, 2),
    "f1": (f1, 2),
    "f1_macro": (_of_classes("f1_macro"), 2),
    "matthews": (_of_classes("matthews"), 2),
    "auc": (auc, 2),
    "f1_of_counts": (f1_of_counts, 3),
    "f1_of_matches": (f1_of_matches, 4),
}


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A score, and where there are items, the columns [n] that it came from.

    ``items`` names the set of items: outcomes with the same name are about the very same items in the same
    order, and are resampled together. Make one with ``of``, or with ``number`` where there are no items.

    >>> Outcome.of("mean", [1, 0, 1, 1], items="dev").score
    0.75
    """

    score: float
    statistic: StatisticName | None = None
    columns: tuple[NDArray[np.float64], ...] = ()
    items: str = ""

    @classmethod
    def of(cls, statistic: StatisticName, *columns: ArrayLike, items: str) -> "Outcome":
        """Score columns of items by a statistic.

        ``mean`` takes one column, ``ratio`` counts of the part and of the whole, ``f1_of_counts`` gold,
        predicted and correct, ``f1_of_matches`` gold, predicted, predicted that match and gold that are
        matched, the others gold and predicted.
        """
        function, wanted = _look_up(statistic)
        arrays = tuple(np.asarray(column, dtype=np.float64) for column in columns)
        if len(arrays) != wanted:
            raise TenorError(f"{statistic} takes {wanted} column(s), not {len(arrays)}.")
        shapes = {array.shape for array in arrays}
        if len(shapes) > 1 or arrays[0].ndim != 1 or not arrays[0].size:
            told = " and ".join(str(array.shape) for array in arrays)
            raise TenorError(f"{statistic} of {items!r} wants equally long columns of items, not {told}.")
        if not all(np.isfinite(array).all() for array in arrays):
            raise TenorError(f"{statistic} of {items!r} holds values that are not finite numbers.")
        return cls(float(function(*arrays)), statistic, arrays, items)

    @classmethod
    def number(cls, score: float) -> "Outcome":
        """A score that has no items: only its spread over seeds is known."""
        return cls(float(score))

    def on(self, drawn: NDArray[np.int32]) -> NDArray[np.float64]:
        """Compute the statistic on resampled items [repeats, n], to [repeats]."""
        if self.statistic is None:
            return np.full(len(drawn), self.score)
        if self.statistic == "spearman":
            return _spearman_of(drawn, *self.columns)
        function, _ = _look_up(self.statistic)
        return function(*(column[drawn] for column in self.columns))

    def as_dict(self) -> dict[str, Any]:
        """Give what JSON can hold; a column of zeros and ones is one string, other values keep 6 digits."""
        score = self.score if math.isfinite(self.score) else None
        if self.statistic is None:
            return {"score": score}
        columns = [_to_json(column) for column in self.columns]
        return {"score": score, "statistic": self.statistic, "items": self.items, "columns": columns}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Outcome":
        """Read back what ``as_dict`` gave; columns may be arrays already."""
        score = math.nan if kept["score"] is None else float(kept["score"])
        if kept.get("statistic") is None:
            return cls.number(score)
        columns = tuple(column_from_json(column) for column in kept["columns"])
        return cls(score, kept["statistic"], columns, kept["items"])


def constant_answer(outcome: Outcome, labels: NDArray[np.float64] | None = None) -> Outcome | None:
    """Give the outcome of the best constant answer to the same items, None where gold labels are not known.

    A constant does not correlate with anything (0) and ranks nothing (AUC 0.5), its best F1 is that of the
    answer 1, its best accuracy and macro F1 those of the most frequent class. ``labels`` are the classes of
    the items where the outcome does not hold them itself, as a mean of right and wrong answers.

    >>> constant_answer(Outcome.of("f1", [1, 1, 1, 0], [0, 1, 0, 0], items="dev")).score
    0.8571428571428571
    """
    if outcome.statistic in ("pearson", "spearman", "matthews"):
        return Outcome.number(0.0)
    if outcome.statistic == "auc":
        return Outcome.number(0.5)
    gold = labels if outcome.statistic == "mean" else outcome.columns[0] if outcome.columns else None
    if gold is None or outcome.statistic not in ("mean", "f1", "f1_macro"):
        return None
    if outcome.statistic == "f1":
        return Outcome.of("f1", gold, np.ones_like(gold), items=outcome.items)
    classes, counts = np.unique(gold, return_counts=True)
    most = np.full_like(gold, classes[counts.argmax()])
    if outcome.statistic == "f1_macro":
        return Outcome.of("f1_macro", gold, most, items=outcome.items)
    return Outcome.of("mean", gold == most, items=outcome.items)


def _spearman_of(
    drawn: NDArray[np.int32], first: NDArray[np.float64], second: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Correlate the ranks of drawn items [repeats, n] without sorting every draw.

    The order of the items is known, so ranks in a draw follow from how often each item was drawn. Sorting
    2,000 draws of a benchmark of 3,000 pairs takes two seconds, this a fraction of it.
    """
    repeats, items = len(drawn), len(first)
    places = drawn + items * np.arange(repeats)[:, None]
    counts = np.bincount(places.ravel(), minlength=repeats * items).reshape(repeats, items)
    x, y = (_centred_ranks(counts, column) for column in (first, second))
    spread = np.sqrt((counts * x * x).sum(axis=-1) * (counts * y * y).sum(axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > 0, (counts * x * y).sum(axis=-1) / spread, np.nan)


def _centred_ranks(counts: NDArray[np.int64], column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks of the items [repeats, n] among the drawn, less the mean rank; ties share theirs."""
    _, group = np.unique(column, return_inverse=True)
    order = np.argsort(group, kind="stable")
    last = np.flatnonzero(np.diff(group[order], append=-1))  # of each group of equal values
    until = np.cumsum(counts[:, order], axis=1)[:, last]
    before = np.concatenate([np.zeros((len(counts), 1), dtype=until.dtype), until[:, :-1]], axis=1)
    # Ranks before + 1 … until have the mean (before + until + 1) / 2, and all ranks (n + 1) / 2.
    return ((before + until - until[:, -1:]) / 2)[:, group]


def _look_up(statistic: str) -> tuple[Statistic, int]:
    if statistic not in STATISTICS:
        raise TenorError(f"There is no statistic {statistic!r}; there are {', '.join(STATISTICS)}.")
    return STATISTICS[statistic]


def _to_json(column: NDArray[np.float64]) -> str | list[float]:
    if np.isin(column, (0.0, 1.0)).all():
        return "".join("1" if value else "0" for value in column)
    return [float(f"{value:.6g}") for value in column]


def column_from_json(kept: str | list[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Read a column of an outcome: a string of zeros and ones, or a list of numbers.

    >>> column_from_json("101").tolist()
    [1.0, 0.0, 1.0]
    """
    if isinstance(kept, str):
        ones: NDArray[np.bool_] = np.frombuffer(kept.encode(), dtype=np.uint8) == ord("1")
        return ones.astype(np.float64)
    return np.asarray(kept, dtype=np.float64)
