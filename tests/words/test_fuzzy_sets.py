"""The algebra of fuzzy sets, against the definitions, scipy and the laws of sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import softmax
from scipy.stats import bernoulli
from scipy.stats import entropy as scipy_entropy

from tenor.errors import TenorError
from tenor.words.fuzzy import sets

_TUPLE = arrays(np.float64, 6, elements=st.floats(0.0, 1.0))
_QUICK = settings(max_examples=60, deadline=None)


def _vectors(words: int = 40, width: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(words, width)) * 2


@pytest.mark.parametrize("axis", ["column", "row"])
def test_probabilities_are_a_softmax(axis: str) -> None:
    vectors = _vectors()
    along = 0 if axis == "column" else 1
    found = sets.feature_probabilities(vectors, axis=axis)
    np.testing.assert_allclose(found, softmax(vectors, axis=along), rtol=1e-12)
    naive = np.exp(vectors) / np.exp(vectors).sum(axis=along, keepdims=True)
    np.testing.assert_allclose(found, naive, rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=along), 1.0, rtol=1e-12)
    assert (found > 0).all()
    assert (found < 1).all()


def test_a_constant_on_a_column_changes_nothing() -> None:
    vectors = _vectors()
    moved = vectors + np.array([3.0, -900.0, 0.5, 1e3, 0.0])
    np.testing.assert_allclose(
        sets.feature_probabilities(vectors), sets.feature_probabilities(moved), rtol=1e-10
    )


def test_prenorm() -> None:
    vectors = _vectors()
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(sets.feature_probabilities(vectors, normalize=True), softmax(unit, axis=0))


def test_bad_vectors_are_refused() -> None:
    vectors = _vectors()
    vectors[7, 2] = np.nan
    with pytest.raises(TenorError, match="Vector 7"):
        sets.feature_probabilities(vectors)
    with pytest.raises(TenorError, match="shape"):
        sets.feature_probabilities(np.zeros((0, 3)))


@_QUICK
@given(_TUPLE, _TUPLE, _TUPLE)
def test_laws_of_sets(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    both, either = sets.intersection, sets.union
    same = lambda x, y: np.testing.assert_allclose(x, y, atol=1e-12)  # noqa: E731
    same(both(a, b), both(b, a))
    same(either(a, b), either(b, a))
    same(both(a, both(b, c)), both(both(a, b), c))
    same(either(a, either(b, c)), either(either(a, b), c))
    same(sets.complement(both(a, b)), either(sets.complement(a), sets.complement(b)))
    same(sets.difference(a, a), 0.0)
    assert (sets.difference(a, b) <= a).all()
    assert (a <= either(a, b) + 1e-15).all()
    assert (both(a, b) <= a).all()
    assert ((sets.clipped_union(a, b) >= a) & (sets.clipped_union(a, b) <= 1)).all()
    np.testing.assert_allclose(either(a, b).sum() + both(a, b).sum(), (a + b).sum())


@_QUICK
@given(_TUPLE, _TUPLE)
def test_measures_are_finite_and_fit_together(a: np.ndarray, b: np.ndarray) -> None:
    divergence = sets.kl_bernoulli(a, b)
    assert np.isfinite(divergence)
    assert divergence >= -1e-9
    assert abs(sets.kl_bernoulli(a, a)) < 1e-12
    np.testing.assert_allclose(sets.cross_entropy(a, b) - sets.entropy(a), divergence, atol=1e-9)


def test_entropy_and_divergence_against_scipy() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0.01, 0.99, (2, 9))
    np.testing.assert_allclose(sets.entropy(a), sum(bernoulli(p).entropy() for p in a))
    expected = sum(scipy_entropy([p, 1 - p], [q, 1 - q]) for p, q in zip(a, b, strict=True))
    np.testing.assert_allclose(sets.kl_bernoulli(a, b), expected)
    assert not np.isclose(sets.kl_bernoulli(a, b), sets.kl_bernoulli(b, a))
    p, q = a / a.sum(), b / b.sum()
    np.testing.assert_allclose(sets.kl_paper(p, q), scipy_entropy(p, q))


def test_entropy_of_crisp_and_of_even_tuples() -> None:
    assert sets.entropy([0.0, 1.0, 1.0, 0.0]) < 1e-7
    np.testing.assert_allclose(sets.entropy(np.full(8, 0.5)), 8 * np.log(2))


@pytest.mark.parametrize("n", [2, 20, 200])
def test_the_ceiling_of_row_entropy_is_reached_by_zero(n: int) -> None:
    ceiling = np.log(n) + (n - 1) * np.log(n / (n - 1))
    vectors = np.vstack([np.zeros(n), np.random.default_rng(0).normal(size=(50, n))])
    found = sets.entropy(sets.feature_probabilities(vectors, axis="row"))
    np.testing.assert_allclose(found[0], ceiling, rtol=1e-9)
    assert (found[1:] < ceiling).all()
    if n == 200:
        assert round(float(ceiling), 3) == 6.296


def test_tiny_values_are_not_flattened() -> None:
    """An intersection of columns of three million words lies near 1e-13 and must still rank."""
    target = np.array([3e-13, 1e-13])
    words = np.array([[3e-7, 1e-7], [1e-7, 3e-7]])
    near, far = sets.kl_bernoulli(target, words)
    assert near < far


def test_rescaled_has_the_size_asked_for() -> None:
    np.testing.assert_allclose(sets.rescaled([1e-12, 3e-12], 0.5).sum(), 0.5)
    assert sets.rescaled([0.0, 0.0], 0.5).tolist() == [0.0, 0.0]
    assert sets.rescaled([0.9, 0.1], 4.0).max() == 1.0
