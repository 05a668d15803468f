"""The map: near in meaning is near on the page, and the same list gives the same map."""

import numpy as np
import pytest

from tenor.serve.projection import _principal, principal_map, project


def clusters(count, size, width=64, seed=0):
    random = np.random.default_rng(seed)
    rows = np.repeat(random.normal(size=(count, width)), size, axis=0)
    rows += 0.5 * random.normal(size=rows.shape)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def same_cluster_nearby(places, size, k):
    """The share of each place's k nearest that belong to its own cluster."""
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    near = np.argsort(apart, axis=1)[:, :k]
    return (near // size == np.arange(len(places))[:, None] // size).mean()


def test_clusters_stay_together_where_two_components_mix_them():
    vectors = clusters(20, 12)
    centred = vectors - vectors.mean(axis=0)
    components = np.linalg.svd(centred, full_matrices=False)[2][:2]
    plain = same_cluster_nearby(centred @ components.T, 12, 5)
    assert same_cluster_nearby(project(vectors), 12, 5) > max(0.9, plain + 0.2)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 12, 200])
def test_any_number_of_texts_fits_the_square(count):
    places = project(clusters(max(1, count), 1)[:count])
    assert places.shape == (count, 2)
    assert np.isfinite(places).all()
    assert np.abs(places).max(initial=0) <= 1 + 1e-9


def test_the_same_list_gives_the_same_map():
    vectors = clusters(6, 5)
    assert (project(vectors) == project(vectors)).all()


@pytest.mark.parametrize("vectors", [np.zeros((7, 4)), np.ones((7, 4)) / 2], ids=["zeros", "equal"])
def test_vectors_that_do_not_differ(vectors):
    assert np.isfinite(project(vectors.astype(np.float32))).all()


def test_few_vectors_lie_as_their_components_say():
    rows = np.array([[2, 0, 0], [-2, 0, 0], [0, 1, 0], [0, -1, 0]], dtype=np.float32)
    assert np.allclose(np.abs(principal_map(rows)), [[1, 0], [1, 0], [0, 0.5], [0, 0.5]], atol=1e-6)
    assert principal_map(rows[:, :1]).shape == (4, 2)
    assert principal_map(rows[:2]).tolist() == [[0, 0], [1, 0]]
    assert not principal_map(np.ones((5, 3), dtype=np.float32)).any()


@pytest.mark.parametrize("count", [5, 20, 63, 64, 300])
def test_components_are_those_of_the_singular_values(count):
    vectors = clusters(count, 1)
    left, sizes, _ = np.linalg.svd((vectors - vectors.mean(axis=0)).astype(np.float64), full_matrices=False)
    found, expected = _principal(vectors), left[:, :2] * sizes[:2]
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-4)


def test_a_short_list_decomposes_a_small_matrix(monkeypatch):
    asked, eigh = [], np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda matrix: asked.append(matrix.shape) or eigh(matrix))
    project(clusters(20, 1, width=384))
    assert asked == [(20, 20)]
