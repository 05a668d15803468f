"""Pairs of evaluated tasks are found in a stage's data, however they are written."""

import pytest

from tenor.errors import TenorError
from tenor.objectives.paraphrase.leaks import Measured, check_leaks, find_leaks

EVALUATED = {
    "mrpc": [('He said "no" .', "No, he said."), ("One", "Two")],
    "rte": [("It's raining.", "It rains.")],
}


STAGE = [
    ("It rains .", "It 's raining ."),
    ("One", "Three"),
    ("no , he said", "He said `` no ''"),
    ("Something else entirely", "It is raining hard now"),
]


def test_leaks_are_found_and_refused():
    assert [(leak.task, leak.row) for leak in find_leaks(STAGE, EVALUATED)] == [("mrpc", 2), ("rte", 0)]
    with pytest.raises(TenorError, match="2 pairs of the stage also appear in tasks"):
        check_leaks(STAGE, EVALUATED)
    check_leaks([], EVALUATED)


def test_what_is_measured_on_is_known_as_pairs_and_as_texts():
    pairs = [pair for known in EVALUATED.values() for pair in known]
    texts = ["Something else, entirely!", "It is raining hard now."]
    assert Measured(pairs).holds(STAGE).tolist() == [True, False, True, False]
    assert Measured(pairs, texts=texts[1:]).holds(STAGE).tolist() == [True, False, True, True]
    assert Measured(pairs, texts=texts[:1]).holds(STAGE).tolist() == [True, False, True, False], "3 words"
    assert Measured(pairs, texts=texts, fewest_words=None).holds(STAGE).tolist() == [True, False, True, False]
    assert Measured(pairs, texts=texts, fewest_words=1).holds(STAGE).tolist() == [True, True, True, True]
    check_leaks(
        [pair for pair, no in zip(STAGE, Measured(pairs).holds(STAGE), strict=True) if not no], EVALUATED
    )
    assert Measured([]).holds(STAGE).tolist() == [False] * 4
    assert Measured(pairs).holds([]).tolist() == []
