"""Neighbours as the package finds them, whatever the ties and however few words there are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenor.serve import schemas
from tenor.serve.word_queries import WordQueries
from tenor.words.neighbours import nearest, unit_rows
from tenor.words.vectors import WordVectors


@settings(max_examples=60, deadline=None)
@given(count=st.integers(1, 40), k=st.integers(1, 50), seed=st.integers(0, 999), ties=st.booleans())
def test_neighbours_are_those_of_the_package(count, k, seed, ties):
    random = np.random.default_rng(seed)
    rows = random.integers(0, 2, (count, 3)) if ties else random.standard_normal((count, 3))
    vectors = WordVectors([f"w{number}" for number in range(count)], rows.astype("f4"))
    found = WordQueries(vectors).neighbours(schemas.NeighboursRequest("w0", k))
    units = unit_rows(vectors.vectors)
    right, scores = nearest(units[:1], units, k, exclude=np.array([0]))
    expected = [f"w{number}" for number in right[0].tolist() if number >= 0]
    assert sorted(each.word for each in found.words) == sorted(expected) or ties
    assert [each.score for each in found.words] == pytest.approx(
        [score for score in scores[0].tolist() if np.isfinite(score)], abs=1e-5
    )
    assert len(found.points) == len(found.words) + 1


def test_no_score_is_a_negative_zero():
    words = WordQueries(WordVectors(["a", "b"], np.array([[1, 0], [-1e-9, 1]])))
    (near,) = words.neighbours(schemas.NeighboursRequest("a", 5)).words
    assert str(near.score) == "0.0"
