"""The nth-order transform against matrix powers and a singular value decomposition."""

from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import fractional_matrix_power

from tenor.errors import TenorError
from tenor.words import WordVectors
from tenor.words.postprocess import load_method
from tenor.words.postprocess.nth_order import NthOrder, nth_order


@pytest.fixture
def vectors() -> np.ndarray:
    generator = np.random.default_rng(3)
    return generator.standard_normal((20, 6)) * np.linspace(0.3, 2, 6)


@pytest.mark.parametrize(("alpha", "order"), [(0.0, 1), (0.5, 2), (1.0, 3)])
def test_similarities_have_the_order_asked_for(vectors: np.ndarray, alpha: float, order: int) -> None:
    moved = nth_order(vectors, alpha)
    expected = np.linalg.matrix_power(vectors @ vectors.T, order)
    assert np.allclose(moved @ moved.T, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("alpha", [-0.5, -0.25, 0.15, 0.5])
def test_covariance_is_the_power_of_the_eigenvalues(vectors: np.ndarray, alpha: float) -> None:
    moved = nth_order(vectors, alpha)
    eigenvalues = np.sort(np.linalg.svd(vectors, compute_uv=False) ** 2)[::-1]
    assert np.allclose(moved.T @ moved, np.diag(eigenvalues ** (2 * alpha + 1)), atol=1e-9)


def test_minus_one_half_whitens_completely(vectors: np.ndarray) -> None:
    moved = nth_order(vectors, -0.5)
    assert np.allclose(moved.T @ moved, np.eye(6), atol=1e-10)


@pytest.mark.parametrize(("power", "alpha"), [(0.5, 0.3), (1.0, -0.25), (0.0, 0.7)])
def test_a_power_of_the_singular_values_becomes_another_power(power: float, alpha: float) -> None:
    left, sizes, _ = np.linalg.svd(np.random.default_rng(1).standard_normal((15, 5)), full_matrices=False)
    moved = nth_order(left * sizes**power, alpha)
    expected = left * sizes ** (power * (1 + 2 * alpha))
    assert np.allclose(moved @ moved.T, expected @ expected.T)
    if power:  # with power 0 all directions are equally strong, and their axes are free
        assert np.allclose(np.abs(moved), np.abs(expected))  # up to sign; order is by strength on both sides


def test_two_transforms_compose(vectors: np.ndarray) -> None:
    alpha, beta = 0.3, -0.2
    twice = nth_order(nth_order(vectors, alpha), beta)
    gram = fractional_matrix_power(vectors.T @ vectors, (2 * alpha + 1) * (2 * beta + 1))
    assert np.allclose(np.linalg.eigvalsh(twice.T @ twice), np.linalg.eigvalsh(gram))
    once = nth_order(vectors, ((2 * alpha + 1) * (2 * beta + 1) - 1) / 2)
    assert np.allclose(twice @ twice.T, once @ once.T)


def test_rotating_beforehand_changes_no_similarity(vectors: np.ndarray) -> None:
    rotation, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((6, 6)))
    here, there = nth_order(vectors, -0.25), nth_order(vectors @ rotation, -0.25)
    assert np.allclose(here @ here.T, there @ there.T)


def test_a_direction_that_no_word_has_stays_finite(vectors: np.ndarray) -> None:
    flat = vectors.copy()
    flat[:, 2] = 0.0
    moved = nth_order(flat.astype(np.float32), -0.5)
    assert moved.dtype == np.float32
    assert np.isfinite(moved).all()
    assert np.abs(moved[:, -1]).max() < 1.0  # the empty direction is not blown up to unit strength


@pytest.mark.parametrize("alpha", [float("nan"), float("inf"), 400.0, -400.0])
def test_an_alpha_that_blows_up_is_refused(vectors: np.ndarray, alpha: float) -> None:
    with pytest.raises(TenorError, match="alpha"):
        nth_order(vectors * 100, alpha)


@pytest.mark.parametrize(
    "bad", [np.full((3, 2), np.nan), np.zeros((3, 2)), np.empty((0, 2))], ids=["nan", "zero", "none"]
)
def test_vectors_without_direction_are_refused(bad: np.ndarray) -> None:
    with pytest.raises(TenorError):
        nth_order(bad, 0.5)


def test_the_method_is_the_function_and_comes_back_from_disk(vectors: np.ndarray, tmp_path: Path) -> None:
    words = WordVectors([f"w{number}" for number in range(20)], vectors)
    method = NthOrder(alpha=0.15)
    moved = method.fit_transform(words).vectors
    assert np.allclose(moved, nth_order(vectors, 0.15), atol=1e-5)
    method.save(tmp_path / "saved")
    assert (load_method(tmp_path / "saved").transform(words).vectors == moved).all()
