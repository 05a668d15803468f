"""Tests that compare systems, against scipy, closed forms and all permutations."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from tenor.errors import TenorError
from tenor.metrics.significance import (
    cmh,
    fisher_combined,
    holm_adjusted,
    mcnemar,
    permutation_test,
    wilcoxon,
)
from tenor.metrics.spans import count_spans


def f1(sums):
    return 2 * sums[..., 2] / np.maximum(1, sums[..., 0] + sums[..., 1])


def test_the_permutation_test_agrees_with_all_swaps():
    random = np.random.default_rng(0)
    one = np.stack([random.integers(0, 4, 9) for _ in range(2)] + [np.zeros(9)], axis=1)
    one[:, 2] = np.minimum(one[:, 0], one[:, 1])
    two = one.copy()
    two[:5, 2] = 0
    observed, extreme = abs(f1(one.sum(0)) - f1(two.sum(0))), 0
    for swaps in product([False, True], repeat=9):
        mask = np.array(swaps)[:, None]
        first, second = np.where(mask, two, one).sum(0), np.where(mask, one, two).sum(0)
        extreme += abs(f1(first) - f1(second)) >= observed - 1e-12
    assert permutation_test(f1, one, two, repeats=20_000) == pytest.approx(extreme / 2**9, abs=0.01)


def test_the_permutation_test_of_a_mean_agrees_with_scipy():
    random = np.random.default_rng(1)
    one = random.normal(0.4, 1, 30)
    two = random.normal(0.0, 1, 30)
    theirs = stats.permutation_test(
        (one, two), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples",
        n_resamples=20_000, vectorized=True, rng=np.random.default_rng(2),
    )  # fmt: skip
    ours = permutation_test(lambda s: s[..., 0], one[:, None], two[:, None], repeats=20_000)
    assert ours == pytest.approx(theirs.pvalue, abs=0.015)


def test_the_permutation_test_never_says_0():
    right, wrong = np.ones((60, 1)), np.zeros((60, 1))  # no draw of 50 swaps all items or none
    assert permutation_test(lambda s: s[..., 0], right, wrong, repeats=50) == pytest.approx(1 / 51)


def test_equal_systems_are_not_told_apart():
    counts = count_spans([["B-X", "O"]] * 4, [["B-X", "O"], ["O", "O"]] * 2).entities
    assert permutation_test(f1, counts, counts) == 1
    assert mcnemar([1, 0], [1, 0]) == 1
    assert wilcoxon([1, 2], [1, 2]) == 1
    assert cmh(np.zeros((2, 2, 2))) == (0, 1)


def test_mcnemar_is_the_binomial_test_of_the_items_that_differ():
    random = np.random.default_rng(3)
    one, two = random.random((2, 200)) < [[0.7], [0.6]]
    b, c = int((one & ~two).sum()), int((~one & two).sum())
    assert mcnemar(one, two) == pytest.approx(stats.binomtest(min(b, c), b + c).pvalue)


def test_cmh_of_one_item_per_stratum_pair_is_mcnemar_s_chi_square():
    """With matched pairs as strata, CMH without correction is (b - c)² / (b + c)."""
    tables = [[[1, 0], [0, 1]]] * 12 + [[[0, 1], [1, 0]]] * 4 + [[[1, 0], [1, 0]]] * 7
    statistic, p = cmh(tables, correction=False)
    assert statistic == pytest.approx((12 - 4) ** 2 / 16)
    assert p == pytest.approx(stats.chi2.sf(4, 1))


def test_cmh_of_one_table_is_the_hypergeometric_chi_square():
    table = np.array([[12, 5], [4, 9]])
    n = table.sum()
    statistic, _ = cmh([table], correction=False)
    assert statistic == pytest.approx(stats.chi2_contingency(table, correction=False).statistic * (n - 1) / n)


def test_wilcoxon_and_fisher_are_scipy_s():
    random = np.random.default_rng(4)
    one, two = random.random((2, 20))
    assert wilcoxon(one, two) == stats.wilcoxon(one, two).pvalue
    assert fisher_combined([0.01, 0.2, 0.7]) == pytest.approx(
        stats.chi2.sf(-2 * np.log([0.01, 0.2, 0.7]).sum(), 6)
    )


def test_holm_steps_down_and_never_lets_a_larger_p_pass_a_smaller():
    assert holm_adjusted([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm_adjusted([0.9, 0.001]) == pytest.approx([0.9, 0.002])
    assert holm_adjusted([0.6, 0.7]) == [1.0, 1.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: mcnemar([1], [1, 0]),
        lambda: wilcoxon([], []),
        lambda: permutation_test(f1, np.ones((2, 3)), np.ones((3, 3))),
        lambda: cmh([[1, 2], [3, 4]]),
        lambda: holm_adjusted([1.2]),
        lambda: fisher_combined([]),
    ],
)
def test_what_cannot_be_compared_is_refused(call):
    with pytest.raises(TenorError):
        call()
