"""A linear probe: logistic regression on frozen features, its C chosen on part of the training data.

Features are centred and divided by one number, their root mean square, so that tables of little variance are
not regularised more than others; columns are not scaled one by one, as that would undo what principal
components are. Centring changes no optimum, as the intercept is not regularised, but converges sooner.
The problem is convex and the folds are fixed, so equal input gives equal accuracies. Used for the sentence
tasks and the probing tasks of Raunak et al. 2020; results come back item by item.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.errors import TenorError

C_GRID = (0.002, 0.01, 0.05, 0.25)
_MOST_STEPS = 200

Features = NDArray[np.float64]
Labels = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ProbeConfig:
    """How a probe is fitted."""

    c_grid: tuple[float, ...] = (
        C_GRID  # values of the inverse regularisation strength C; with one, nothing is chosen
    )
    folds: int = 5  # where there is no test split
    seed: int = 1111


def split_outcomes(
    train: Features, train_labels: ArrayLike, test: Features, test_labels: ArrayLike, config: ProbeConfig
) -> Flags:
    """Fit on a training split and tell which test items are right [n]."""
    gold, wanted = _labels(train_labels, len(train)), _labels(test_labels, len(test))
    best = _chosen(train, gold, config)
    return np.asarray(_predict(train, gold, test, best) == wanted)


def cross_validated(features: Features, labels: ArrayLike, config: ProbeConfig) -> Flags:
    """Tell for each item [n] whether a probe that never saw it gets it right; folds keep the class shares.

    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(60) % 2
    >>> features = labels[:, None] * 4.0 + rng.normal(size=(60, 3))
    >>> float(cross_validated(features, labels, ProbeConfig(folds=3)).mean()) > 0.9
    True
    """
    from sklearn.model_selection import StratifiedKFold

    gold = _labels(labels, len(features))
    smallest = int(np.bincount(gold).min())
    if smallest < config.folds:
        raise TenorError(f"The rarest class has {smallest} items, fewer than {config.folds} folds.")
    right = np.zeros(len(gold), dtype=bool)
    folds = StratifiedKFold(config.folds, shuffle=True, random_state=config.seed)
    for train, test in folds.split(features, gold):
        right[test] = split_outcomes(features[train], gold[train], features[test], gold[test], config)
    return right


def component_outcomes(
    scores: Features, labels: ArrayLike, train: Sequence[int] | Labels, test: Sequence[int] | Labels
) -> Flags:
    """Probe every column of scores [n, d] by itself: which test items are right [d, test].

    A single feature needs no choice of C: it is scaled to variance 1 and the probe hardly regularised.
    """
    gold = _labels(labels, len(scores))
    spread = scores[train].std(axis=0)
    scaled = scores / np.where(spread > 0, spread, 1.0)
    rows = []
    for column in range(scores.shape[1]):
        one = scaled[:, column : column + 1]
        rows.append(_predict(one[train], gold[train], one[test], 100.0, scale=False) == gold[test])
    return np.array(rows)


def _chosen(features: Features, labels: Labels, config: ProbeConfig) -> float:
    """Choose C on a validation split, a fifth of the training items; of equals the smaller."""
    if len(config.c_grid) == 1:
        return config.c_grid[0]
    from sklearn.model_selection import StratifiedShuffleSplit

    splitter = StratifiedShuffleSplit(1, test_size=0.2, random_state=config.seed)
    train, held = next(splitter.split(features, labels))
    scores = [
        float(np.mean(_predict(features[train], labels[train], features[held], c) == labels[held]))
        for c in config.c_grid
    ]
    return config.c_grid[int(np.argmax(scores))]


def _predict(train: Features, labels: Labels, test: Features, c: float, *, scale: bool = True) -> Labels:
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    mean = train.mean(axis=0)
    size = float(np.sqrt(np.mean((train - mean) ** 2))) if scale else 1.0
    fitted, asked = (((some - mean) / (size or 1.0)).astype(np.float32) for some in (train, test))
    model = LogisticRegression(C=c, max_iter=_MOST_STEPS, tol=1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # accuracy is settled long before the last digit
        model.fit(fitted, labels)
    return np.asarray(model.predict(asked), dtype=np.int64)


def _labels(labels: ArrayLike, rows: int) -> Labels:
    gold = np.asarray(labels, dtype=np.int64)
    if gold.shape != (rows,):
        raise TenorError(f"There are {rows:,} rows of features, but labels of the shape {gold.shape}.")
    if rows and len(np.unique(gold)) < 2:
        raise TenorError("All items have the same label, so there is nothing to classify.")
    return gold
