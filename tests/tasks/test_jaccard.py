"""The overlap of tokens, against Python's sets (spec 01)."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tenor.tasks.texts.jaccard import jaccard, special_ids
from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import Tokens

SPECIALS = np.array([0, 1], dtype=np.int32)
texts = st.lists(st.lists(st.integers(0, 9), max_size=8), min_size=1, max_size=6)


@given(st.lists(st.tuples(*[st.lists(st.integers(0, 9), max_size=8)] * 2), min_size=1, max_size=6))
def test_it_is_the_overlap_of_sets(pairs):
    found = jaccard(*(Tokens.from_lists(list(side)) for side in zip(*pairs, strict=True)), specials=SPECIALS)
    for (first, second), value in zip(pairs, found, strict=True):
        one, two = set(first) - {0, 1}, set(second) - {0, 1}
        expected = len(one & two) / len(one | two) if one | two else 1.0
        assert value == np.float32(expected)


def test_what_spec_01_asks(tiny_folder):
    tokenizer = Tokenizer.load(tiny_folder, max_tokens=40)
    measure = lambda a, b: jaccard(  # noqa: E731
        tokenizer.tokenize(a), tokenizer.tokenize(b), specials=special_ids(tokenizer)
    )
    ones = ["the cat sat", "the cat sat", "", "the cat"]
    twos = ["the cat sat", "blue river", "", "cat cat the the"]
    np.testing.assert_array_equal(measure(ones, twos), [1, 0, 1, 1])
    np.testing.assert_array_equal(measure(ones, twos), measure(twos, ones))
    # Longer texts elsewhere in the batch, which would bring padding, change nothing.
    longer = measure([*ones, "the man " * 9], [*twos, "water"])
    np.testing.assert_array_equal(longer[:4], measure(ones, twos))
