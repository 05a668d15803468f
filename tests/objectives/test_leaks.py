"""Pairs of evaluated tasks are found in a stage's data, however they are written."""

import pytest

from tenor.errors import TenorError
from tenor.objectives.paraphrase.leaks import as_texts, check_leaks, find_leaks, without_leaks
from tenor.text.alignments import AlignedPair

EVALUATED = {
    "mrpc": [('He said "no" .', "No, he said."), ("One", "Two")],
    "rte": [("It's raining.", "It rains.")],
}


def test_leaks_are_found_and_left_out():
    stage = [
        AlignedPair(("It", "rains", "."), ("It", "'s", "raining", ".")),
        AlignedPair(("One",), ("Three",)),
        AlignedPair(("no", ",", "he", "said"), ("He", "said", "``", "no", "''")),
    ]
    assert [(leak.task, leak.row) for leak in find_leaks(as_texts(stage), EVALUATED)] == [
        ("mrpc", 2),
        ("rte", 0),
    ]
    with pytest.raises(TenorError, match="2 pairs of the stage also stand in tasks"):
        check_leaks(as_texts(stage), EVALUATED)
    kept, count = without_leaks(stage, EVALUATED)
    assert (kept, count) == ([stage[1]], 2)
    check_leaks(as_texts(kept), EVALUATED)
    check_leaks([], EVALUATED)
