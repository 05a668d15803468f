"""Shapes of words: which bits are set, and that a sentence's casing is part of them."""

import pytest

from tenor.text.word_shapes import SHAPES, shape_bits, word_shapes


def named(words):
    return [{SHAPES[bit] for bit in range(len(SHAPES)) if shape >> bit & 1} for shape in word_shapes(words)]


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("Rome", "initial capital"), ("NATO", "all capitals"), ("iPhone", "inner capital"),
        ("B2B", "digit"), ("!?", "no letter or digit"), ("1999", "digits only"), ("@ann", "handle"),
        ("#ner", "hashtag"), ("https://x.org", "address"), ("well-known", "inner mark"), ("at", "short"),
    ],
)  # fmt: skip
def test_what_a_word_tells_by_itself(word, shape):
    assert shape in named(["so", word])[1]
    assert shape not in named(["so", "plainly"])[1]


def test_capitals_tell_only_where_casing_is_ordinary():
    assert "telling capital" in named(["we", "saw", "Rome", "burn"])[2]
    assert "telling capital" not in named(["WE", "SAW", "ROME", "BURN"])[2]
    assert "telling capital" not in named(["Rome", "did", "burn"])[0], "every sentence begins with one"
    assert "capitals nowhere" in named(["we", "saw", "rome"])[0]
    assert "begins a sentence" in named(["ok", ".", "Rome"])[2]
    before, _, behind = named(["in", "Rome", "now"])
    assert "capital behind" in before
    assert "capital before" in behind


def test_odd_words_have_shapes_too():
    assert word_shapes([]).shape == (0,)
    assert shape_bits(word_shapes([])).shape == (0, len(SHAPES))
    assert shape_bits(word_shapes(["", "漢", "\u0301", "x" * 10_000])).shape == (4, len(SHAPES))
