"""Categories as trees, and whether they span a sentence."""

import pytest

from tenor.text.ccg_categories import parse_category
from tenor.text.ccg_chart import Chart, combine


@pytest.mark.parametrize("label", ["N", r"(S[dcl]\NP)/NP", r"((S\NP)\(S\NP))/NP", ",", "NP[nb]/N"])
def test_categories_are_parsed_and_written_alike(label):
    assert str(parse_category(label)) == label


@pytest.mark.parametrize(
    "label", ["", "(N", "N)", "N/", "/N", "N/N/N", "(N)", "N N", "S[dcl", "((N/N))", "(N/N)"]
)
def test_malformed_categories_have_no_tree(label):
    assert parse_category(label) is None


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ("X/Y", "Y", "X"), ("Y", r"X\Y", "X"), ("X/Y", "Y/Z", "X/Z"), (r"Y\Z", r"X\Y", r"X\Z"),
        ("X/Y", r"Y\Z", r"X\Z"), ("Y/Z", r"X\Y", "X/Z"), ("X/Y", "(Y/Z)/W", "(X/Z)/W"),
        (r"S[ng]\NP", r"(S\NP)\(S\NP)", r"S[ng]\NP"), ("conj", "N", r"N\N"), ("N", ".", "N"), (",", "N", "N"),
    ],
)  # fmt: skip
def test_binary_rules(left, right, result):
    assert result in [str(each) for each in combine(parse_category(left), parse_category(right))]


def test_features_that_differ_do_not_match():
    assert combine(parse_category("X/S[ng]"), parse_category("S[pt]")) == []


@pytest.mark.parametrize(
    ("labels", "spans", "sentence"),
    [
        (["NP[nb]/N", "N", r"S[dcl]\NP"], True, True),
        (["N", r"(S[dcl]\NP)/NP", "N", "."], True, True),
        ([r"(S[dcl]\NP)/NP", "NP"], True, False),
        (["N/N", "conj"], False, False),
        (["NP", "(N"], False, False),
        ([], False, False),
    ],
)
def test_what_spans_a_sentence(labels, spans, sentence):
    chart = Chart()
    assert (chart.spans(labels), chart.is_sentence(labels)) == (spans, sentence)
