"""The inverted file against all pairs."""

import numpy as np
import pytest

from tenor.use.dedupe.grouping import centre_groups
from tenor.use.dedupe.inverted_file import InvertedFile, _nearest_cells
from tenor.use.dedupe.neighbours import ExactNeighbours
from tenor.use.unit_vectors import normalise


def twins(n, width=24, seed=0):
    """Random vectors of which a third have a near twin."""
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(n, width)).astype(np.float32)
    vectors[: n // 3] = vectors[n // 3 : 2 * (n // 3)] + 0.1 * generator.normal(size=(n // 3, width))
    normalise(vectors)
    return vectors


def test_looking_into_every_cell_is_exact(tmp_path):
    vectors = twins(600)
    weights = np.random.default_rng(1).integers(1, 4, 600)
    cells = InvertedFile(vectors, 0.6, file=tmp_path / "sorted", cells=12, probes=12)
    exact = ExactNeighbours(vectors, 0.6)
    assert cells.counts(weights).tolist() == exact.counts(weights).tolist()
    assert centre_groups(cells, weights).tolist() == centre_groups(exact, weights).tolist()
    assert cells.recall() == 1.0


def test_few_cells_find_most_pairs_and_only_true_ones(tmp_path):
    vectors = twins(3000)
    cells = InvertedFile(vectors, 0.9, file=tmp_path / "sorted", cells=64, probes=6)
    centre = centre_groups(cells, np.ones(3000, dtype=np.int64))
    members = np.flatnonzero(centre != np.arange(3000))
    assert len(members) >= 0.97 * 1000
    assert (cells.scores(members, centre[members]) >= 0.9).all()
    assert 0.95 <= cells.recall(sample=1000) <= 1.0


def test_recall_is_honest_when_one_cell_is_not_enough(tmp_path):
    vectors = twins(2000, width=4)
    cells = InvertedFile(vectors, 0.8, file=tmp_path / "sorted", cells=100, probes=1)
    alone = ExactNeighbours(vectors, 0.8).counts(np.ones(2000, dtype=np.int64)) - 1
    found = cells.counts(np.ones(2000, dtype=np.int64)) - 1
    assert cells.recall(sample=2000) == pytest.approx(found.sum() / alone.sum())
    assert cells.recall(sample=2000) < 0.5


def test_vectors_of_zeros_do_not_spoil_the_recall(tmp_path):
    vectors = twins(600)
    vectors[500:] = 0
    cells = InvertedFile(vectors, 0.6, file=tmp_path / "sorted", cells=20, probes=3)
    ones = np.ones(600, dtype=np.int64)
    there, found = (each.counts(ones) - 1 for each in (ExactNeighbours(vectors, 0.6), cells))
    assert cells.recall(sample=600) == pytest.approx(found.sum() / there.sum())


def test_cells_are_looked_into_from_the_nearest_on():
    vectors, centres = twins(300), twins(40, seed=1)
    expected = np.argsort(-(vectors @ centres.T), axis=1, kind="stable")
    for count in (1, 5, 40):
        assert (_nearest_cells(vectors, centres, count) == expected[:, :count]).all()


def test_same_seed_same_cells(tmp_path):
    vectors = twins(500)
    one, again = (InvertedFile(vectors, 0.9, file=tmp_path / name, probes=2).recall() for name in "ab")
    assert one == again
