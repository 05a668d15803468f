"""Tuning α by cross-validation: on other items than those that are reported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError

# Dense where most happens, around 1 and just below; both ends lie near the limits already.
GRID = (
    -10.0, -7.0, -5.0, -4.0, -3.0, -2.4, -2.0, -1.5, -1.0, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0,
    1.2, 1.4, 1.7, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0,
)  # fmt: skip


def best_alpha(scores: Mapping[float, float]) -> float:
    """Return the α with the highest score; of equal ones that nearest to 1, the plain vectors.

    >>> best_alpha({-1.0: 0.5, 0.8: 0.5, 3.0: 0.1})
    0.8
    """
    if not scores or not all(np.isfinite(score) for score in scores.values()):
        raise TenorError("Choosing alpha needs a finite score for each of them.")
    return max(scores, key=lambda alpha: (scores[alpha], -abs(alpha - 1.0)))


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """The α that each fold chose, and every item's score under the α that its fold did not choose by."""

    chosen: tuple[float, ...]
    items: NDArray[np.float64]


def cross_validate(
    alphas: Sequence[float], items: NDArray[np.float64], *, folds: int = 3, seed: int = 0
) -> CrossValidated:
    """Choose α on all folds but one by the mean of ``items`` [alphas, items], and score the fold left out."""
    count = items.shape[1]
    if folds < 2 or count < folds:
        raise TenorError(f"{folds} folds of {count} items cannot be made.")
    fold = np.random.default_rng(seed).permutation(count) % folds
    chosen, scored = [], np.empty(count)
    for number in range(folds):
        out = fold == number
        means = items[:, ~out].mean(axis=1)
        alpha = best_alpha(dict(zip(alphas, means.tolist(), strict=True)))
        scored[out] = items[list(alphas).index(alpha), out]
        chosen.append(alpha)
    return CrossValidated(tuple(chosen), scored)


def leave_one_out(scores: Mapping[float, Mapping[str, float]]) -> dict[str, float]:
    """Choose an α for each test set by the mean score of all other sets: α -> set -> score, to set -> α.

    >>> leave_one_out({1.0: {"a": 0.9, "b": 0.1}, 0.0: {"a": 0.2, "b": 0.3}})
    {'a': 0.0, 'b': 1.0}
    """
    sets = list(next(iter(scores.values())))
    if len(sets) < 2:
        raise TenorError("Choosing alpha by other test sets needs at least two.")
    return {
        left: best_alpha(
            {
                alpha: float(np.mean([by[name] for name in sets if name != left]))
                for alpha, by in scores.items()
            }
        )
        for left in sets
    }
