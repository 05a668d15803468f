"""Scores of predicted classes, all from one table of counts, with bootstrap intervals.

C[t, p] counts the items of class t that were predicted p. With TP, FP, FN of a class read off it:

    accuracy = Σ_t C[t, t] / n                F1 of a class = 2 TP / (2 TP + FP + FN)
    macro F1 = mean of F1 over the classes that occur;  micro F1 pools the counts first
    Matthews = (n Σ_t C[t, t] - Σ_k t_k p_k) / √((n² - Σ p_k²)(n² - Σ t_k²))       (Gorodkin, 2004)

with t_k and p_k the numbers of items that are, and are predicted, k. Drawing n items anew draws the table
from a multinomial distribution, so a bootstrap draws tables and not items.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.metrics.intervals import Interval
from tenor.metrics.ratios import ratio

Floats = NDArray[np.float64]
_ROWS = 2_000_000  # numbers held at once while items are drawn


def confusion(truth: ArrayLike, predicted: ArrayLike, classes: int) -> NDArray[np.int64]:
    """Count the items of each class [row] that were predicted each class [column].

    >>> confusion([0, 0, 1], [0, 1, 1], 2).tolist()
    [[1, 1], [0, 1]]
    """
    cells = np.asarray(truth, dtype=np.int64) * classes + np.asarray(predicted, dtype=np.int64)
    return np.bincount(cells.ravel(), minlength=classes * classes).reshape(classes, classes)


def class_figures(counts: ArrayLike) -> dict[str, Floats]:
    """Return every score of tables of counts [..., k, k]; for two classes also those of the second.

    >>> figures = class_figures([[3, 1], [1, 5]])
    >>> float(figures["accuracy"]), round(float(figures["f1"]), 3)
    (0.8, 0.833)
    """
    table = np.asarray(counts, dtype=np.float64)
    right = np.diagonal(table, axis1=-2, axis2=-1)  # [..., k]
    true, predicted = table.sum(axis=-1), table.sum(axis=-2)
    total = true.sum(axis=-1)
    f1 = ratio(2 * right, true + predicted)
    occurs = (true + predicted) > 0
    figures = {
        "accuracy": ratio(right.sum(axis=-1), total),
        "f1_macro": ratio((f1 * occurs).sum(axis=-1), occurs.sum(axis=-1)),
        "f1_micro": ratio(right.sum(axis=-1), total),
        "matthews": _matthews(right.sum(axis=-1), true, predicted, total),
    }
    if table.shape[-1] == 2:
        figures["f1"] = f1[..., 1]
        figures["precision"] = ratio(right[..., 1], predicted[..., 1])
        figures["recall"] = ratio(right[..., 1], true[..., 1])
    return figures


def class_scores(
    truth: ArrayLike,
    predicted: ArrayLike,
    classes: int,
    *,
    repeats: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Interval]:
    """Score predicted classes, each figure with its interval.

    >>> print(class_scores([0] * 50 + [1] * 50, [0] * 40 + [1] * 60, 2)["accuracy"])
    0.900 [0.840, 0.950]
    """
    table = confusion(truth, predicted, classes)
    total = int(table.sum())
    figures = class_figures(table)
    if total == 0:
        return {name: Interval(np.nan, np.nan, np.nan, level) for name in figures}
    # Cells that hold nothing are never drawn: only the others take part in the draw.
    filled = np.flatnonzero(table)
    drawn = np.zeros((repeats, classes * classes))
    drawn[:, filled] = np.random.default_rng(seed).multinomial(
        total, table.ravel()[filled] / total, size=repeats
    )
    return with_intervals(figures, class_figures(drawn.reshape(repeats, classes, classes)), level)


def label_figures(
    hits: ArrayLike, predicted: ArrayLike, true: ArrayLike, exact: ArrayLike
) -> dict[str, Floats]:
    """Return the scores of multi-label predictions, by counts per label [..., k] and the exact matches."""
    tp, p, t = (np.asarray(counts, dtype=np.float64) for counts in (hits, predicted, true))
    f1, occurs = ratio(2 * tp, p + t), (p + t) > 0
    return {
        "f1_micro": ratio(2 * tp.sum(axis=-1), (p + t).sum(axis=-1)),
        "f1_macro": ratio((f1 * occurs).sum(axis=-1), occurs.sum(axis=-1)),
        "accuracy": np.asarray(exact, dtype=np.float64),
    }


def label_scores(
    truth: ArrayLike, predicted: ArrayLike, *, repeats: int = 1000, level: float = 0.95, seed: int = 0
) -> dict[str, Interval]:
    """Score sets of labels [n, k], each figure with its interval; accuracy is the fraction of sets all right.

    >>> scores = label_scores([[1, 0], [1, 1]] * 20, [[1, 0], [1, 0]] * 20)
    >>> round(scores["f1_micro"].estimate, 2), scores["accuracy"].estimate
    (0.8, 0.5)
    """
    true, chosen = (np.asarray(labels).astype(bool) for labels in (truth, predicted))
    items = len(true)
    columns = np.concatenate(
        [true & chosen, chosen, true, (true == chosen).all(axis=1, keepdims=True)], axis=1
    )
    columns = columns.astype(np.float64)
    figures = _of_columns(columns.sum(axis=0, keepdims=True), max(items, 1))
    point = {name: values[0] for name, values in figures.items()}
    if items == 0:
        return {name: Interval(np.nan, np.nan, np.nan, level) for name in point}
    generator = np.random.default_rng(seed)
    sums, at_once = [], max(1, _ROWS // items)
    for start in range(0, repeats, at_once):
        some = min(at_once, repeats - start)
        sums.append(generator.multinomial(items, np.full(items, 1 / items), size=some) @ columns)
    return with_intervals(point, _of_columns(np.concatenate(sums), items), level)


def with_intervals(
    figures: Mapping[str, Floats], drawn: Mapping[str, Floats], level: float
) -> dict[str, Interval]:
    """Put the quantiles of drawn figures beside the figures themselves."""
    tail = (1 - level) / 2
    intervals = {}
    for name, values in drawn.items():
        known = values[~np.isnan(values)]
        low, high = np.quantile(known, [tail, 1 - tail]) if len(known) else (np.nan, np.nan)
        intervals[name] = Interval(float(figures[name]), float(low), float(high), level)
    return intervals


def _of_columns(sums: Floats, items: int) -> dict[str, Floats]:
    labels = (sums.shape[1] - 1) // 3
    hits, predicted, true = (sums[:, part * labels : (part + 1) * labels] for part in range(3))
    return label_figures(hits, predicted, true, sums[:, -1] / items)


def _matthews(right: Floats, true: Floats, predicted: Floats, total: Floats) -> Floats:
    """Return Matthews' correlation; 0 where truth or prediction has one class only, as is the custom."""
    top = right * total - (true * predicted).sum(axis=-1)
    spread = (total**2 - (predicted**2).sum(axis=-1)) * (total**2 - (true**2).sum(axis=-1))
    return ratio(top, np.sqrt(np.maximum(spread, 0)))
