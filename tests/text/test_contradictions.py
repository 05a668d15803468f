"""Texts with different labels are found, and nothing else is."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from tenor.text.contradictions import LabelledTexts
from tenor.text.examples import Origin


def find(rows):
    seen = LabelledTexts()
    for line, (texts, label) in enumerate(rows, start=1):
        seen.add(texts, label, Origin("a.csv", line))
    return seen.contradictions()


@given(st.lists(st.tuples(st.tuples(st.sampled_from(["x", "y", "z"])), st.sampled_from(["1", "2", "3"]))))
def test_counts_agree_with_a_dictionary(rows):
    labels = defaultdict(set)
    for texts, label in rows:
        labels[texts].add(label)
    several = {texts for texts in labels if len(labels[texts]) > 1}
    found = find(rows)
    if not several:
        assert found is None
        return
    assert (found.texts, found.rows) == (len(several), sum(texts in several for texts, _ in rows))
    one, two = (rows[origin.line - 1] for origin in found.first)
    assert one[0] == two[0]
    assert one[1] != two[1]


def test_case_and_spacing_make_no_other_text_but_the_order_of_a_pair_does():
    assert find([(("So good",), "a"), (("so  good ",), "b")]).rows == 2
    assert find([(("a man", "a dog"), "yes"), (("a dog", "a man"), "no")]) is None
    assert find([(("a man",), "yes"), (("a man!",), "no")]) is None


def test_the_order_of_several_labels_in_a_cell_says_nothing():
    assert find([(("a man",), "x|y"), (("a man",), "y | x")]) is None
    assert find([(("a man",), "x|y"), (("a man",), "x")]).texts == 1
