"""Binary classification: precision, recall, F1, accuracy, and what a threshold on a score gives.

All single figures reduce the last axis, ready for the bootstrap. An item is predicted positive when its score
is at or above the threshold. Precision without predicted positives and recall without positives are 0, as is
F1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.metrics.intervals import Interval
from tenor.metrics.ratios import ratio

Floats = NDArray[np.float64]


def precision(truth: ArrayLike, predicted: ArrayLike) -> Floats:
    """The fraction of the items predicted positive that are positive."""
    positive, chosen = _flags(truth), _flags(predicted)
    return ratio((positive & chosen).sum(axis=-1), chosen.sum(axis=-1))


def recall(truth: ArrayLike, predicted: ArrayLike) -> Floats:
    """The fraction of the positive items that are predicted positive."""
    positive, chosen = _flags(truth), _flags(predicted)
    return ratio((positive & chosen).sum(axis=-1), positive.sum(axis=-1))


def f1(truth: ArrayLike, predicted: ArrayLike) -> Floats:
    """The harmonic mean of precision and recall, 2·TP / (predicted + true).

    >>> float(f1([1, 1, 0, 0], [1, 0, 1, 0]))
    0.5
    """
    positive, chosen = _flags(truth), _flags(predicted)
    return ratio(2 * (positive & chosen).sum(axis=-1), positive.sum(axis=-1) + chosen.sum(axis=-1))


def accuracy(truth: ArrayLike, predicted: ArrayLike) -> Floats:
    """The fraction of items predicted correctly."""
    right = _flags(truth) == _flags(predicted)
    return ratio(right.sum(axis=-1), np.asarray(right.shape[-1]))


def auc(truth: ArrayLike, scores: ArrayLike) -> Floats:
    """The area under the ROC curve of the last axis: how often a positive item scores above a negative one.

    Equal scores count half; without items of both kinds it is not a number.

    >>> float(auc([1, 0, 1, 0], [0.9, 0.1, 0.4, 0.4]))
    0.875
    """
    from scipy.stats import rankdata

    positive = _flags(truth)
    ranks = rankdata(np.asarray(scores, dtype=np.float64), axis=-1)
    count = positive.sum(axis=-1)
    above = (ranks * positive).sum(axis=-1) - count * (count + 1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(above / (count * (positive.shape[-1] - count)))


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdCurve:
    """Precision, recall and F1 at every score that occurs, in falling order of the threshold."""

    thresholds: Floats  # [m]
    precision: Floats  # [m]
    recall: Floats  # [m]
    f1: Floats  # [m]

    def at(self, threshold: float) -> tuple[float, float, float]:
        """Give precision, recall and F1 of any threshold."""
        # The curve holds for "score >= threshold", so the lowest score still let in decides.
        index = int(np.searchsorted(-self.thresholds, -threshold, side="right")) - 1
        if index < 0:
            return 0.0, 0.0, 0.0
        return float(self.precision[index]), float(self.recall[index]), float(self.f1[index])


def threshold_curve(truth: ArrayLike, scores: ArrayLike) -> ThresholdCurve:
    """Measure every threshold at once, by one sort.

    >>> curve = threshold_curve([1, 0, 1], [0.9, 0.8, 0.7])
    >>> curve.thresholds.tolist(), curve.recall.tolist()
    ([0.9, 0.8, 0.7], [0.5, 0.5, 1.0])
    """
    values = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    values, positive = values[order], _flags(truth)[order].astype(np.int64)
    # Items with equal scores pass a threshold together: keep the last of each run.
    last = np.flatnonzero(np.diff(values, append=np.nan) != 0)
    hits, chosen, total = np.cumsum(positive)[last], last + 1, np.full(len(last), positive.sum())
    return ThresholdCurve(
        values[last], ratio(hits, chosen), ratio(hits, total), ratio(2 * hits, chosen + total)
    )


def _flags(values: ArrayLike) -> NDArray[np.bool_]:
    return np.asarray(values).astype(bool)


@dataclass(frozen=True, slots=True)
class BinaryScores:
    """Precision, recall, F1 and accuracy, each with its bootstrap interval."""

    precision: Interval
    recall: Interval
    f1: Interval
    accuracy: Interval


def binary_scores(
    truth: ArrayLike, predicted: ArrayLike, *, repeats: int = 2000, level: float = 0.95, seed: int = 0
) -> BinaryScores:
    """Score predictions with intervals.

    Only the four counts of the confusion table matter, and resampling n items draws them from a multinomial
    distribution, so they are drawn at once instead of item by item.

    >>> scores = binary_scores([1] * 50 + [0] * 50, [1] * 40 + [0] * 60)
    >>> print(scores.recall)
    0.800 [0.683, 0.904]
    """
    positive, chosen = _flags(truth), _flags(predicted)
    cells = np.array(
        [
            (positive & chosen).sum(),
            (~positive & chosen).sum(),
            (positive & ~chosen).sum(),
            (~positive & ~chosen).sum(),
        ]
    )
    total = int(cells.sum())
    if total == 0:
        nothing = Interval(np.nan, np.nan, np.nan, level)
        return BinaryScores(nothing, nothing, nothing, nothing)
    drawn = np.random.default_rng(seed).multinomial(total, cells / total, size=repeats)
    tail = (1 - level) / 2
    lows, highs = np.quantile(_of_counts(drawn), [tail, 1 - tail], axis=0)
    figures = zip(_of_counts(cells), lows, highs, strict=True)
    return BinaryScores(
        *(Interval(float(estimate), float(low), float(high), level) for estimate, low, high in figures)
    )


def _of_counts(cells: NDArray[np.int64]) -> Floats:
    """Turn counts [..., (TP, FP, FN, TN)] into [..., (precision, recall, F1, accuracy)]."""
    tp, fp, fn, tn = np.moveaxis(cells, -1, 0)
    figures = (ratio(tp, tp + fp), ratio(tp, tp + fn), ratio(2 * tp, 2 * tp + fp + fn))
    return np.stack([*figures, ratio(tp + tn, tp + fp + fn + tn)], axis=-1)
