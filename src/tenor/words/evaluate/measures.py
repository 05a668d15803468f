"""Measures of intrinsic evaluation: one function per kind of test, from unit vectors to one number per item.

Items are what the intervals resample, so every function returns them singly: right or wrong, or a score.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Scores = NDArray[np.float64]


def cosines(units: Floats, pairs: Ints) -> Scores:
    """Return the cosine of each pair [n, 2] of word indices."""
    products = np.einsum("nd,nd->n", units[pairs[:, 0]], units[pairs[:, 1]], dtype=np.float64)
    return np.asarray(products)


def in_majority(units: Floats, words: Ints, categories: Ints, *, seed: int) -> Scores:
    """Cluster words by k-means, k being the number of categories; 1 for a word of its cluster's majority.

    The mean is the purity.
    """
    from sklearn.cluster import KMeans

    count = len(np.unique(categories))
    found = KMeans(count, n_init=10, random_state=seed).fit_predict(units[words])
    table = np.zeros((count, int(categories.max()) + 1), dtype=np.int64)
    np.add.at(table, (found, categories), 1)
    return np.asarray(table.argmax(axis=1)[found] == categories, dtype=np.float64)


def outlier_positions(units: Floats, group: Ints, outliers: Ints) -> tuple[Scores, Scores]:
    """Find the word that does not belong (Camacho-Collados and Navigli 2016), for each outlier alone.

    Words are ranked by their mean cosine to the others. Returned are whether the outlier comes last (the mean
    is the accuracy), and its position divided by the last one (the mean is the OPP, the outlier position
    percentage): 1 when it is last, 0 when it is first.
    """
    near = units[group].astype(np.float64) @ units[group].T.astype(np.float64)
    np.fill_diagonal(near, 0.0)
    within = near.sum(axis=1)
    to_outliers = units[group].astype(np.float64) @ units[outliers].T.astype(np.float64)  # [group, outliers]
    compact = within[:, None] + to_outliers
    position = np.sum(compact > to_outliers.sum(axis=0), axis=0)
    return (position == len(group)).astype(np.float64), position / len(group)


def relation_correct(units: Floats, pairs: Ints, relations: Ints, *, folds: int = 5) -> Scores:
    """Classify each pair's relation by cross-validated ridge on u, v, u - v and u * v; 1 where it is right.

    All pairs of a first word are in the same fold, or the classifier could learn words instead of relations.
    """
    from sklearn.linear_model import RidgeClassifier
    from sklearn.model_selection import GroupKFold

    first, second = units[pairs[:, 0]], units[pairs[:, 1]]
    features = np.concatenate([first, second, first - second, first * second], axis=1)
    right = np.zeros(len(pairs))
    folds = min(folds, len(np.unique(pairs[:, 0])))
    for train, test in GroupKFold(folds).split(features, groups=pairs[:, 0]):
        if len(np.unique(relations[train])) < 2:
            right[test] = relations[test] == relations[train][0]
            continue
        model = RidgeClassifier(alpha=1.0).fit(features[train], relations[train])
        right[test] = model.predict(features[test]) == relations[test]
    return right


def auc_by_item(scores: Scores, related: NDArray[np.bool_]) -> Scores:
    """Return for each related pair the share of random pairs with a lower score, ties counting half.

    The mean is the area under the ROC curve.
    """
    random = np.sort(scores[~related])
    low = np.searchsorted(random, scores[related], side="left")
    high = np.searchsorted(random, scores[related], side="right")
    return np.asarray((low + high) / 2 / max(1, len(random)), dtype=np.float64)
