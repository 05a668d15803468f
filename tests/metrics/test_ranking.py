"""Ranking measures against scikit-learn and against counting by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from tenor.metrics.ranking import ndcg, recall_at, reciprocal_rank


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_ndcg_is_scikit_learns(data):
    size = data.draw(st.integers(2, 30))
    grades = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    order = data.draw(st.permutations(range(size)))
    k = data.draw(st.integers(1, size))
    scores = np.zeros(size)
    scores[list(order)] = np.arange(size, 0, -1)  # the first of the order gets the highest score
    expected = ndcg_score([grades], [scores], k=k)
    assert ndcg(list(order), dict(enumerate(grades)), k=k) == pytest.approx(expected, abs=1e-12)


def test_unjudged_items_count_as_useless_but_take_a_rank():
    assert ndcg(["new", "good"], {"good": 2}) == pytest.approx(1 / np.log2(3))
    assert ndcg([], {"good": 2}) == 0.0
    assert ndcg(["anything"], {}) == 0.0
    assert ndcg(["a"], {"a": 0}) == 0.0


def test_the_best_order_scores_one_even_where_more_is_relevant_than_fits():
    judged = {name: grade for grade, name in enumerate("abcdef")}
    assert ndcg(["f", "e", "d"], judged, k=3) == pytest.approx(1.0)
    assert ndcg(["e", "f", "d"], judged, k=3) < 1.0


def test_what_was_judged_but_not_found_counts():
    """The best order is that of all judged items, not of those that the list happens to hold."""
    assert ndcg(["a"], {"a": 1, "b": 1}) == pytest.approx(1 / (1 + 1 / np.log2(3)))
    assert ndcg(["a"], {"a": 1, "b": 1}, k=1) == pytest.approx(1.0)


def test_recall_and_reciprocal_rank_by_hand():
    assert recall_at(["a", "b", "c"], {"b", "c", "d"}, k=2) == pytest.approx(1 / 3)
    assert recall_at(["a"], set()) == 0.0
    assert reciprocal_rank(["x", "y", "b"], {"b"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x", "y", "b"], {"b"}, k=2) == 0.0
