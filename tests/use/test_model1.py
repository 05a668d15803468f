"""IBM Model 1 against a plain implementation with dictionaries."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenor.use.align.model1 import _ITERATIONS, _NULL, fit_word_table

texts = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4)


def plain(pairs):
    """Return t[second, first] after the same number of rounds."""
    together = {(f, e) for first, second in pairs for f in second for e in first}
    seen = {e: len({f for f, other in together if other == e}) for _, e in together}
    t = {(f, e): 1 / seen[e] for f, e in together}
    for _ in range(_ITERATIONS):
        counts, totals = defaultdict(float), defaultdict(float)
        for first, second in pairs:
            for f in second:
                whole = _NULL + sum(t[f, e] for e in first)
                for e in first:
                    counts[f, e] += t[f, e] / whole
                    totals[e] += t[f, e] / whole
        t = {(f, e): counts[f, e] / totals[e] for f, e in together}
    return t


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_chances_equal_the_plain_implementation(pairs):
    table = fit_word_table(pairs)
    forward, backward = plain(pairs), plain([(two, one) for one, two in pairs])
    for first, second in pairs:
        found = table.chances(first, second)
        for i, e in enumerate(first):
            for j, f in enumerate(second):
                by_second = forward[f, e] / (_NULL + sum(forward[f, other] for other in first))
                by_first = backward[e, f] / (_NULL + sum(backward[e, other] for other in second))
                assert found[i, j] == pytest.approx(np.sqrt(by_second * by_first), abs=1e-5)


def test_unknown_words_and_empty_texts_have_no_chance():
    table = fit_word_table([(["one"], ["eins"])])
    assert table.chances(["one", "two"], ["Eins", "zwei"]).round(2).tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert table.chances([], ["eins"]).shape == (0, 1)
    assert fit_word_table([]).chances(["a"], ["b"]).tolist() == [[0.0]]


def test_no_more_cells_than_asked_for_are_read():
    def endless():
        while True:
            yield ["a", "b"], ["c", "d"]

    assert len(fit_word_table(endless(), most_cells=100).keys) == 4
