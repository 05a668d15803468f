"""Overlap by normal form: the ways of writing one sentence down, and what must stay apart."""

import numpy as np
import pytest

from tenor.text.overlap import fingerprints, normalise, overlap, shares_passage


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It 's a `` lovely '' film -LRB- really -RRB- .", "It's a “lovely” film (really)."),
        ("Straße", "STRASSE"),
        ("ﬁne café", "fine cafe\u0301"),
        ("full　width ＡＢＣ", "Full width abc"),
        ("don’t — stop", "don't - stop"),
        ("the S&P 500 Index <.SPX> fell", "the S&P 500 Index .SPX fell"),
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


def test_passages_against_every_substring():
    generator = np.random.default_rng(1)
    one, two = (
        ["".join("abc"[n] for n in generator.integers(0, 3, generator.integers(1, 25))) for _ in range(60)]
        for _ in range(2)
    )

    def shared(row, other):
        if row == other:
            return True
        if min(len(row), len(other)) < 8:
            return min(len(row), len(other)) >= 5 and (row in other or other in row)
        return any(row[at : at + 8] in other for at in range(len(row) - 7))

    expected = [any(shared(row, other) for other in two) for row in one]
    assert 0 < sum(expected) < 60
    assert shares_passage(one, two, letters=8, least=5).tolist() == expected
    assert shares_passage([], two).tolist() == []


@pytest.mark.parametrize(
    ("row", "seen", "found"),
    [
        ("Under 15? A giggle a minute. Over age 15? A waste.", "A giggle a minute.", True),
        ("A giggle a minute.", "Under 15? A giggle a minute, and over 15 a waste of time.", True),
        ("A film. Fun.", "Fun.", False),  # too short to say anything
        ("fun", "Fun.", True),
    ],
    ids=["short within long", "long around short", "a word", "whole"],
)
def test_a_short_text_is_looked_for_as_a_whole(row, seen, found):
    assert shares_passage([row], [seen]).tolist() == [found]
