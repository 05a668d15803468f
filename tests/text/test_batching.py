"""Batches: every text once, budgets kept, neighbours alike; equal texts found exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenor.text.batching import distinct, plan_batches
from tenor.text.tokens import Tokens

lengths = st.lists(st.integers(0, 60), max_size=80).map(lambda values: np.array(values, dtype=np.int64))
texts = st.lists(st.lists(st.integers(0, 2), max_size=3), max_size=30)


@given(lengths, st.integers(1, 100), st.none() | st.integers(1, 9))
def test_each_text_once_longest_first_within_the_budget(lengths, budget, most):
    batches = plan_batches(lengths, budget, max_texts=most)
    order = np.concatenate([np.zeros(0, dtype=np.int64), *batches])
    assert sorted(order.tolist()) == list(range(len(lengths)))
    assert np.all(np.diff(lengths[order]) <= 0)
    for batch in batches:
        assert len(batch) == 1 or len(batch) * lengths[batch].max() <= budget
        assert most is None or len(batch) <= most


@given(lengths, st.integers(1, 100))
def test_no_batch_could_have_taken_the_next_text_as_well(lengths, budget):
    batches = plan_batches(lengths, budget)
    for batch in batches[:-1]:
        assert (len(batch) + 1) * max(1, lengths[batch[0]]) > budget


def test_a_budget_below_one_is_a_mistake():
    with pytest.raises(ValueError, match="at least 1"):
        plan_batches(np.array([1]), 0)


@given(texts, texts)
def test_distinct_texts_are_those_that_differ_in_ids_or_segments(first, second):
    rows = [
        (tuple(a), tuple(b[: len(a)]) + (0,) * (len(a) - len(b))) for a, b in zip(first, second, strict=False)
    ]
    ids = Tokens.from_lists([row[0] for row in rows])
    segments = Tokens.from_lists([row[1] for row in rows])
    chosen, of = distinct(Tokens(ids.ids, ids.starts, segments=segments.ids))
    assert [rows[number] for number in chosen] == list(dict.fromkeys(rows))
    assert [rows[chosen[number]] for number in of] == rows


def test_segments_tell_equal_ids_apart():
    tokens = Tokens(
        np.array([1, 2, 1, 2], dtype=np.int32), np.array([0, 2, 4]), np.array([0, 0, 0, 1], dtype=np.int32)
    )
    assert len(distinct(tokens)[0]) == 2
    assert len(distinct(Tokens(tokens.ids, tokens.starts))[0]) == 1
