"""Principal components and their removal, against scikit-learn and the exact laws of the specification."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from tenor.errors import TenorError
from tenor.words.postprocess.principal import (
    AllButTheTop,
    AllButTheTopReduced,
    PrincipalComponents,
    PrincipalSpace,
)
from tenor.words.vectors import WordVectors


def _rows(words: int = 300, width: int = 12, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(words, width)) * np.linspace(3, 0.3, width) @ rng.normal(size=(width, width))
    return mixed + rng.normal(size=width) * 2


def _words(rows: np.ndarray) -> WordVectors:
    return WordVectors([f"w{number}" for number in range(len(rows))], rows)


def _cosines(rows: np.ndarray) -> np.ndarray:
    rows = rows.astype(np.float64)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


def test_the_space_is_that_of_scikit_learn() -> None:
    rows = _rows()
    space, reference = PrincipalSpace.of(rows), PCA().fit(rows)
    np.testing.assert_allclose(np.abs(space.axes.T @ reference.components_.T), np.eye(12), atol=1e-8)
    shares = [space.share(number, number) for number in range(1, 13)]
    np.testing.assert_allclose(shares, reference.explained_variance_ratio_, rtol=1e-10)


def test_shares_of_the_splits_fall_and_sum_to_one() -> None:
    space = PrincipalSpace.of(_rows())
    top, middle, bottom = space.share(1, 4), space.share(5, 8), space.share(9, 12)
    assert top > middle > bottom > 0
    assert top + middle + bottom == pytest.approx(1.0)


def test_all_scores_keep_every_product() -> None:
    rows = _rows()
    centred = rows - rows.mean(axis=0)
    scores = PrincipalSpace.of(rows).scores(rows)
    np.testing.assert_allclose(scores @ scores.T, centred @ centred.T, atol=1e-9)
    made = PrincipalComponents(components=12).fit_transform(_words(rows))
    np.testing.assert_allclose(_cosines(made.vectors), _cosines(centred), atol=1e-5)


@pytest.mark.parametrize("first", [1, 5, 9])
def test_a_split_is_a_stretch_of_the_scores(first: int) -> None:
    rows = _rows().astype(np.float32)
    made = PrincipalComponents(components=4, first=first).fit_transform(_words(rows))
    expected = PrincipalSpace.of(rows).scores(rows)[:, first - 1 : first + 3]
    np.testing.assert_allclose(made.vectors, expected, atol=1e-4)


@pytest.mark.parametrize("components", [0, 1, 5, 12])
def test_all_but_the_top(components: int) -> None:
    rows = _rows().astype(np.float32)
    space = PrincipalSpace.of(rows)
    method = AllButTheTop(components=components).fit(_words(rows))
    made = method.transform(_words(rows)).vectors.astype(np.float64)
    np.testing.assert_allclose(made.mean(axis=0), 0.0, atol=1e-4)
    np.testing.assert_allclose(made @ space.axes[:, :components], 0.0, atol=1e-4)
    assert np.linalg.matrix_rank(made, tol=1e-2) == 12 - components
    expected = space.scores(rows)
    expected[:, :components] = 0.0
    np.testing.assert_allclose(made @ space.axes, expected, atol=1e-4)
    # Applied again with the same directions (and the mean already 0) it changes nothing.
    again = made - (made @ space.axes[:, :components]) @ space.axes[:, :components].T
    np.testing.assert_allclose(again, made, atol=1e-4)


def test_a_rotation_changes_no_cosine() -> None:
    rows = _rows()
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(12, 12)))[0]
    for method in (
        PrincipalComponents(components=4, first=5),
        AllButTheTop(components=3),
        AllButTheTopReduced(components=2, dimensions=6),
    ):
        plain, turned = (method.fit_transform(_words(one)).vectors for one in (rows, rows @ turn))
        np.testing.assert_allclose(_cosines(plain), _cosines(turned), atol=1e-3)


def test_the_reduction_is_its_three_steps() -> None:
    words = _words(_rows())
    first = AllButTheTop(components=2).fit_transform(words)
    second = PrincipalComponents(components=6).fit_transform(first)
    third = AllButTheTop(components=2).fit_transform(second)
    made = AllButTheTopReduced(components=2, dimensions=6).fit_transform(words)
    np.testing.assert_allclose(_cosines(made.vectors), _cosines(third.vectors), atol=1e-4)
    assert made.vector_size == 6


def test_save_and_load_give_the_same(tmp_path) -> None:
    words = _words(_rows())
    for number, method in enumerate(
        (
            PrincipalComponents(components=3, first=2),
            AllButTheTop(components=2),
            AllButTheTopReduced(dimensions=8),
        )
    ):
        made = method.fit_transform(words).vectors
        method.save(tmp_path / str(number))
        loaded = type(method).load(tmp_path / str(number))
        np.testing.assert_array_equal(loaded.transform(words).vectors, made)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (PrincipalComponents(components=5, first=9), "there are 1 to 12"),
        (PrincipalComponents(components=0), "there are 1 to 12"),
        (AllButTheTop(components=13), "expected 0"),
        (AllButTheTop(components=-1), "expected 0"),
        (AllButTheTopReduced(dimensions=13), "expected 1 to 12"),
    ],
    ids=["beyond", "none", "too many", "negative", "too wide"],
)
def test_impossible_settings_are_told(method, message: str) -> None:
    with pytest.raises(TenorError, match=message):
        method.fit(_words(_rows()))


def test_vectors_that_are_not_finite_are_refused() -> None:
    rows = _rows()
    rows[3, 3] = np.inf
    with pytest.raises(TenorError, match="finite"):
        AllButTheTop().fit(_words(rows))
