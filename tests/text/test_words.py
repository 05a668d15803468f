"""Splitting texts into words: examples people would agree with, and laws that hold for any text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenor.text.words import join_words, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ()),
        (" \t\n ", ()),
        ("A man eats.", ("A", "man", "eats", ".")),
        ("It's John's, isn't it?", ("It", "'s", "John", "'s", ",", "isn't", "it", "?")),
        ("we’ll they've I'm", ("we", "’ll", "they", "'ve", "I", "'m")),
        ("'s", ("'", "s")),
        ("rock 'n' roll", ("rock", "'", "n", "'", "roll")),
        ("1,234.5 and 3.", ("1,234.5", "and", "3", ".")),
        ("the U.S. army", ("the", "U.S.", "army")),
        ("state-of-the-art", ("state", "-", "of", "-", "the", "-", "art")),
        ("a@b.com", ("a", "@", "b", ".", "com")),
        ("naïve cafe\u0301!", ("naïve", "cafe\u0301", "!")),
        ("東京タワー", ("東", "京", "タワー")),
        ("हिन्दी में", ("हिन्दी", "में")),
        ("soft\u00adhyphen", ("soft\u00adhyphen",)),
        ("a\0b \0 c", ("a\0b", "c")),
        ("👍🏽ok", ("👍", "🏽", "ok")),
        ("x\ud800y", ("x\ud800y",)),
    ],
)
def test_examples(text, words):
    assert split_words(text).words == words


@given(st.text())
def test_spans_are_the_words_in_order_without_overlap(text):
    words = split_words(text)
    assert words.words == tuple(text[begin:end] for begin, end in words.spans)
    flat = words.spans.ravel()
    assert np.all(np.diff(flat) >= 0)
    assert np.all(words.spans[:, 0] < words.spans[:, 1])


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Co", "Cn"])))
def test_every_visible_character_is_in_exactly_one_word(text):
    covered = np.zeros(len(text), dtype=int)
    for begin, end in split_words(text).spans:
        covered[begin:end] += 1
    assert covered.tolist() == [0 if char.isspace() else 1 for char in text]


@given(st.text(), st.text())
def test_a_text_splits_alike_whatever_follows_after_a_line(first, second):
    joined = split_words(first + " \n " + second).words
    assert joined == split_words(first).words + split_words(second).words


@given(st.lists(st.text()))
def test_joined_words_stand_where_their_spans_say(words):
    placed = join_words(words)
    text = " ".join(words)
    assert [text[begin:end] for begin, end in placed.spans] == words


def test_a_megabyte_without_a_space_is_one_word():
    assert len(split_words("x" * 1_000_000)) == 1
