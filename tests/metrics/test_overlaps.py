"""Strict, relaxed and type F1 counted by hand, and the accuracy on labels that were never trained on."""

import math

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.metrics.outcomes import Outcome
from tenor.metrics.overlaps import KINDS, count_overlaps, f1_of_matches, overlap_scores, unseen_accuracy


def test_the_three_scores_counted_by_hand():
    gold = [["B-DATE", "I-DATE", "O", "B-TIME", "O"], ["B-SET", "O", "O", "O", "O"]]
    given = [["B-DATE", "O", "O", "B-DATE", "O"], ["O", "O", "B-SET", "O", "O"]]
    scores = {name: score.estimate for name, score in overlap_scores(gold, given).items()}
    # 3 gold, 3 predicted; strict: the 4th word; relaxed: two of three; type: the first alone
    assert scores == pytest.approx({"f1_strict": 1 / 3, "f1_relaxed": 2 / 3, "f1_type": 1 / 3})


def test_one_long_span_over_two_gold_ones_is_one_right_prediction_and_two_found_spans():
    gold, given = [["B-DATE", "B-DATE"]], [["B-DATE", "I-DATE"]]
    assert count_overlaps(gold, given).tolist() == [[2, 1, 0, 0, 1, 2, 1, 2]]
    assert overlap_scores(gold, given)["f1_relaxed"].estimate == 1


def test_intervals_hold_the_estimate_and_nothing_is_zero_not_an_error():
    score = overlap_scores([["B-X", "O"], ["O", "B-X"]] * 30, [["B-X", "O"], ["O", "O"]] * 30)["f1_strict"]
    assert score.low < score.estimate < score.high
    assert overlap_scores([["O"]], [["O"]])["f1_type"].estimate == 0
    with pytest.raises(TenorError, match="2 gold sentences and 1"):
        count_overlaps([["O"], ["O"]], [["O"]])


def test_unseen_labels():
    gold, given = [["N", "S/NP", "N/N"]], [["N", "S/NP", "N"]]
    assert unseen_accuracy(gold, given, {"N"}) == (0.5, 2)
    accuracy, count = unseen_accuracy(gold, given, {"N", "S/NP", "N/N"})
    assert math.isnan(accuracy)
    assert count == 0


@pytest.mark.parametrize(
    ("given", "scores"),
    [
        (["O", "B-DATE", "I-DATE", "O"], (1, 1, 1)),
        (["O", "B-DATE", "O", "O"], (0, 1, 1)),
        (["O", "B-TIME", "I-TIME", "O"], (1, 1, 0)),
        (["B-SET", "O", "O", "O"], (0, 0, 0)),
    ],
)
def test_right_spans_right_words_and_right_types(given, scores):
    found = overlap_scores([["O", "B-DATE", "I-DATE", "O"]], [given])
    assert tuple(found[f"f1_{kind}"].estimate for kind in KINDS) == scores


def test_strict_and_type_never_exceed_relaxed_and_an_outcome_gives_the_same_figures():
    random = np.random.default_rng(0)
    tags = ["O", "O", "B-DATE", "I-DATE", "B-TIME", "I-TIME"]
    for _ in range(20):
        gold, given = (random.choice(tags, size=(12, 7)).tolist() for _ in range(2))
        found = {name: one.estimate for name, one in overlap_scores(gold, given, repeats=10).items()}
        assert found["f1_strict"] <= found["f1_relaxed"]
        assert found["f1_type"] <= found["f1_relaxed"]
        counts = count_overlaps(gold, given)
        for n, kind in enumerate(KINDS):
            columns = counts[:, [0, 1, 2 + 2 * n, 3 + 2 * n]].T
            outcome = Outcome.of("f1_of_matches", *columns, items="x")
            assert outcome.score == pytest.approx(found[f"f1_{kind}"])
            drawn = random.integers(0, 12, size=(3, 12))
            expected = [float(f1_of_matches(*columns[:, draw])) for draw in drawn]
            assert outcome.on(drawn).tolist() == pytest.approx(expected)
