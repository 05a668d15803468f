"""Pairs that are held out share no text with the others, whatever the order of rows."""

import numpy as np
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from tenor.text.grouped_split import components, hold_out

texts = st.sampled_from([f"text {letter}" for letter in "abcdefghijklmnop"])
some_pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=30)


@given(some_pairs)
def test_groups_are_those_of_scipy(pairs):
    names = sorted({text for pair in pairs for text in pair})
    rows, columns = ([names.index(pair[side]) for pair in pairs] for side in (0, 1))
    graph = scipy.sparse.coo_matrix((np.ones(len(pairs)), (rows, columns)), shape=(len(names),) * 2)
    theirs = connected_components(graph, directed=False)[1][rows]
    ours = components(pairs)
    assert len(set(zip(ours.tolist(), theirs.tolist(), strict=True))) == len(set(theirs.tolist()))
    assert len(set(ours.tolist())) == len(set(theirs.tolist()))


@given(some_pairs, st.integers(0, 30), st.randoms(use_true_random=False))
def test_no_text_stands_on_both_sides_and_order_does_not_matter(pairs, count, random):
    held = hold_out(pairs, count)
    inside = {text for pair, chosen in zip(pairs, held, strict=True) if chosen for text in pair}
    outside = {text for pair, chosen in zip(pairs, held, strict=True) if not chosen for text in pair}
    assert held.sum() <= count
    assert not inside & outside
    order = random.sample(range(len(pairs)), len(pairs))
    assert hold_out([pairs[number] for number in order], count).tolist() == held[order].tolist()


def test_as_many_as_asked_where_groups_are_small():
    pairs = [(f"left {number}", f"right {number}") for number in range(50)]
    assert hold_out(pairs, 20).sum() == 20
    assert hold_out(pairs, 99).all()
    assert not hold_out(pairs, 0).any()


def test_large_groups_are_chosen_no_more_often_than_small_ones():
    small = [(f"left {number}", f"right {number}") for number in range(2000)]
    large = [(f"hub {number // 4}", f"spoke {number}") for number in range(8000)]
    held = hold_out(small + large, 3000)
    assert abs(held[:2000].mean() - 0.3) < 0.04
    assert abs(held[2000:].mean() - 0.3) < 0.04


def test_choosing_again_from_what_is_left_takes_another_turn():
    first = [(f"left {number}", f"right {number}") for number in range(4000)]
    added = [(f"new {number}", f"other {number}") for number in range(2000)]
    left = [pair for pair, out in zip(first, hold_out(first, 1000), strict=True) if not out]
    both = left + added
    again = hold_out(both, 500, turn=4)
    assert abs(again[: len(left)].mean() - 0.1) < 0.02
    assert abs(again[len(left) :].mean() - 0.1) < 0.03
    same_turn = hold_out(both, 500)
    assert same_turn[: len(left)].mean() < 0.02
