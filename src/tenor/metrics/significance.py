"""Tests that compare two systems on the same items, and adjustments where several tests are made.

==================  ======================================================================================
test                what it compares
==================  ======================================================================================
permutation_test    any score of sums over items (span F1, accuracy), by swapping the systems item by item
mcnemar             two systems that are right or wrong on each item
cmh                 the same in several strata (runs, seeds, sets): Cochran, Mantel and Haenszel
wilcoxon            paired figures of items, by their signed ranks
fisher_combined     several independent p-values of one question, as one
holm_adjusted       several p-values of several questions, each adjusted for the others
==================  ======================================================================================

All p-values are two-sided.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.errors import TenorError

Floats = NDArray[np.float64]
_CELLS = 4_000_000  # of signs are held at once


def permutation_test(
    score: Callable[[Floats], Floats],
    first: ArrayLike,
    second: ArrayLike,
    *,
    repeats: int = 10_000,
    seed: int = 0,
) -> float:
    """Return how often systems whose items are swapped at random differ at least as much as these do.

    ``first`` and ``second`` are what was counted of each item [n, c]; ``score`` takes sums [..., c] and
    returns a figure [...]. The observed order counts as one of the permutations, so that no p-value is 0.

    >>> right = np.array([[1.0]] * 12); wrong = np.zeros((12, 1))
    >>> permutation_test(lambda sums: sums[..., 0], right, wrong, repeats=2000) < 0.01
    True
    """
    one, two = (np.asarray(each, dtype=np.float64) for each in (first, second))
    _check_paired(one, two)
    total, difference = one.sum(axis=0) + two.sum(axis=0), one - two
    observed = abs(float(score(one.sum(axis=0)) - score(two.sum(axis=0))))
    generator, extreme = np.random.default_rng(seed), 0
    at_once = max(1, _CELLS // max(1, len(one)))
    for start in range(0, repeats, at_once):
        signs = generator.integers(0, 2, size=(min(at_once, repeats - start), len(one))) * 2.0 - 1.0
        swapped = signs @ difference  # the difference of the sums of both systems
        gaps = np.abs(score((total + swapped) / 2) - score((total - swapped) / 2))
        extreme += int((gaps >= observed - 1e-12).sum())
    return (1 + extreme) / (1 + repeats)


def mcnemar(first: ArrayLike, second: ArrayLike) -> float:
    """Test whether two systems are right equally often, exactly, by the items that only one has right.

    >>> mcnemar([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0])
    0.0625
    """
    from scipy.stats import binomtest

    one, two = (np.asarray(each, dtype=bool) for each in (first, second))
    _check_paired(one, two)
    only_one, only_two = int((one & ~two).sum()), int((two & ~one).sum())
    if only_one + only_two == 0:
        return 1.0
    return float(binomtest(only_one, only_one + only_two, 0.5).pvalue)


def cmh(tables: ArrayLike, *, correction: bool = True) -> tuple[float, float]:
    """Return the Cochran-Mantel-Haenszel statistic of 2 x 2 tables [strata, 2, 2], and its p-value.

    A table counts, say, the items that each of two systems (rows) has right and wrong (columns) in one run.
    The statistic is (|Σ a - Σ E a| - ½)² / Σ Var a with hypergeometric expectation and variance; without
    ``correction`` the ½ is left out. Strata of fewer than two items tell nothing.

    >>> statistic, p = cmh([[[10, 5], [3, 12]], [[8, 2], [4, 6]]])
    >>> round(statistic, 3), round(p, 4)
    (7.891, 0.005)
    """
    from scipy.stats import chi2

    counts = np.asarray(tables, dtype=np.float64)
    if counts.ndim != 3 or counts.shape[1:] != (2, 2) or (counts < 0).any():
        raise TenorError(f"cmh takes counts of the shape [strata, 2, 2], not {counts.shape}.")
    n = counts.sum(axis=(1, 2))
    counts, n = counts[n > 1], n[n > 1]
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    expected = rows[:, 0] * columns[:, 0] / n
    variance = (rows.prod(axis=1) * columns.prod(axis=1) / (n**2 * (n - 1))).sum()
    if variance == 0:
        return 0.0, 1.0
    gap = abs(float((counts[:, 0, 0] - expected).sum()))
    statistic = max(0.0, gap - (0.5 if correction else 0.0)) ** 2 / float(variance)
    return statistic, float(chi2.sf(statistic, 1))


def wilcoxon(first: ArrayLike, second: ArrayLike) -> float:
    """Return the p-value of Wilcoxon's signed-rank test; 1 where no pair differs.

    >>> wilcoxon([1, 2, 3, 4, 5], [0, 0, 0, 0, 0])
    0.0625
    """
    from scipy.stats import wilcoxon as signed_rank

    one, two = (np.asarray(each, dtype=np.float64) for each in (first, second))
    _check_paired(one, two)
    return 1.0 if np.array_equal(one, two) else float(signed_rank(one, two).pvalue)


def fisher_combined(p_values: Sequence[float]) -> float:
    """Combine independent p-values by Fisher's method: -2 Σ log p is χ² with 2 degrees of freedom for each.

    >>> round(fisher_combined([0.05, 0.05]), 5)
    0.01748
    """
    from scipy.stats import combine_pvalues

    return float(combine_pvalues(_probabilities(p_values), method="fisher").pvalue)


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method, in their order.

    >>> [round(p, 3) for p in holm_adjusted([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    values = _probabilities(p_values)
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(1.0, stepped)
    return [float(p) for p in adjusted]


def _probabilities(p_values: Sequence[float]) -> Floats:
    values = np.asarray(p_values, dtype=np.float64)
    if not len(values) or not ((values >= 0) & (values <= 1)).all():
        raise TenorError("p-values are numbers from 0 to 1, at least one of them.")
    return values


def _check_paired(first: NDArray[np.generic], second: NDArray[np.generic]) -> None:
    if first.shape != second.shape or not len(first):
        raise TenorError(
            f"Two systems are compared on the very same items, at least one; found {first.shape} and "
            f"{second.shape}."
        )
