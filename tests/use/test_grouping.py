"""Groups around centres against a brute-force reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenor.use.dedupe.grouping import centre_groups
from tenor.use.dedupe.neighbours import ExactNeighbours
from tenor.use.unit_vectors import normalise


def reference(vectors, threshold, weights):
    """The definition, by the whole matrix in double precision and plain loops."""
    near = vectors.astype(np.float64) @ vectors.T.astype(np.float64) >= threshold
    np.fill_diagonal(near, True)
    counts = near @ weights
    centre = np.full(len(vectors), -1)
    for row in sorted(range(len(vectors)), key=lambda row: (-counts[row], row)):
        if centre[row] < 0:
            for other in range(len(vectors)):
                if near[row, other] and centre[other] < 0:
                    centre[other] = row
    return centre


def clustered(n, width, clusters, noise, seed):
    generator = np.random.default_rng(seed)
    middles = generator.normal(size=(clusters, width))
    vectors = middles[generator.integers(0, clusters, n)] + noise * generator.normal(size=(n, width))
    vectors = vectors.astype(np.float32)
    normalise(vectors)
    return vectors


@given(
    st.integers(1, 70), st.integers(2, 8), st.integers(1, 12), st.floats(0, 0.6), st.integers(0, 10**6),
    st.sampled_from([0.5, 0.8, 0.95, 1.0]), st.integers(1, 9), st.sampled_from([1, 7, 10_000]),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_equals_brute_force(n, width, clusters, noise, seed, threshold, block, budget):
    vectors = clustered(n, width, clusters, noise, seed)
    weights = np.random.default_rng(seed).integers(1, 4, n)
    groups = centre_groups(
        ExactNeighbours(vectors, threshold, block=block), weights, pair_budget=budget, batch=5
    )
    assert groups.tolist() == reference(vectors, threshold, weights).tolist()


def test_no_chains():
    # On a circle, neighbours 20 degrees apart are near at cos 25°, those 40 degrees apart are not.
    angles = np.radians(np.arange(0, 120, 20))
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    threshold = np.cos(np.radians(25))
    centre = centre_groups(ExactNeighbours(vectors, threshold), np.ones(6, dtype=np.int64))
    scores = (vectors * vectors[centre]).sum(axis=1)
    assert (scores >= threshold).all()
    assert len(set(centre.tolist())) == 3 or len(set(centre.tolist())) == 2
    assert (centre[centre] == centre).all()


def test_does_not_depend_on_blocks():
    vectors = clustered(500, 16, 60, 0.25, seed=1)
    weights = np.ones(500, dtype=np.int64)
    results = [
        centre_groups(ExactNeighbours(vectors, 0.9, block=block), weights, pair_budget=budget).tolist()
        for block, budget in ((7, 10), (64, 100), (500, 10**6))
    ]
    assert results[0] == results[1] == results[2]


def test_ten_thousand_near_identical_stay_within_the_budget():
    vectors = clustered(10_000, 8, 1, 1e-4, seed=2)
    centre = centre_groups(ExactNeighbours(vectors, 0.99), np.ones(10_000, dtype=np.int64))
    assert set(centre.tolist()) == {0}


def test_a_threshold_on_the_very_score_lets_the_pair_in():
    vectors = clustered(2, 384, 2, 0.1, seed=3)
    score = float(ExactNeighbours(vectors, 0.0).scores(np.array([0]), np.array([1]))[0])
    ones = np.ones(2, dtype=np.int64)
    assert centre_groups(ExactNeighbours(vectors, score), ones).tolist() == [0, 0]
    assert centre_groups(ExactNeighbours(vectors, np.nextafter(score, 2)), ones).tolist() == [0, 1]


@pytest.mark.parametrize("n", [0, 1])
def test_none_and_one(n):
    vectors = np.ones((n, 4), dtype=np.float32)
    assert centre_groups(ExactNeighbours(vectors, 0.5), np.ones(n, dtype=np.int64)).tolist() == list(range(n))


def test_zero_vectors_are_near_nothing():
    vectors = np.zeros((3, 4), dtype=np.float32)
    normalise(vectors)
    assert centre_groups(ExactNeighbours(vectors, 0.5), np.ones(3, dtype=np.int64)).tolist() == [0, 1, 2]
