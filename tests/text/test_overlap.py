"""Overlap by normal form: the ways of writing one sentence down, and what must stay apart."""

import numpy as np
import pytest

from tenor.text.overlap import fingerprints, normalise, overlap


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It 's a `` lovely '' film -LRB- really -RRB- .", "It's a “lovely” film (really)."),
        ("Straße", "STRASSE"),
        ("ﬁne café", "fine cafe\u0301"),
        ("full　width ＡＢＣ", "Full width abc"),
        ("don’t — stop", "don't - stop"),
        ("a ban of ₹500 notes", "a ban of \ufffd500 notes"),
    ],
)
def test_same_sentence_written_differently(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("?!", "..."), ("😀", "😢"), ("résumé", "resume"), ("C++", "C"), ("कि", "का"), ("5 > 3", "5 < 3")],
)
def test_different_texts_stay_apart(one, other):
    assert normalise(one) != normalise(other)


def test_overlap_against_sets():
    generator = np.random.default_rng(0)
    one = [f"Sentence number {n}." for n in generator.integers(0, 300, 200)]
    two = [f"sentence number {n}" for n in generator.integers(0, 300, 200)]
    known = {text.lower().rstrip(".") for text in one}
    assert overlap(two, seen=one).tolist() == [text in known for text in two]
    assert len(overlap([], seen=one)) == 0
    assert overlap(["x"], seen=[]).tolist() == [False]


def test_pairs_are_compared_whatever_their_order_but_as_pairs():
    pairs = [("A cat.", "A dog."), ("a dog", "a cat"), ("a cat", "a cow"), ("acat", "adog")]
    one, two, three, four = fingerprints(pairs)
    assert one == two == four
    assert one != three
    assert fingerprints(["A cat. A dog."])[0] != one
