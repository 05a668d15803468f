"""Scores of entities against seqeval, and their intervals against a bootstrap done by hand."""

import json

import numpy as np
import pytest
from seqeval.metrics import accuracy_score, classification_report, f1_score, precision_score, recall_score

from tenor.errors import TenorError
from tenor.metrics.intervals import bootstrap, resampled_sums
from tenor.metrics.outcomes import Outcome
from tenor.metrics.spans import (
    count_spans,
    f1_of_counts,
    span_figures,
    span_scores,
    type_figures,
    type_scores,
)

LABELS = ["O", "O", "O", *(f"{prefix}-{kind}" for prefix in "BIES" for kind in ("PER", "LOC", "ORG"))]
BIO = [label for label in LABELS if label[0] in "OBI"]


def some_tags(seed, labels=LABELS, sentences=40, right=0.7):
    """Random sequences, most of them illegal, and predictions that are right in part."""
    random = np.random.default_rng(seed)
    gold = [random.choice(labels, random.integers(1, 12)).tolist() for _ in range(sentences)]
    told = [[tag if random.random() < right else str(random.choice(labels)) for tag in tags] for tags in gold]
    return gold, told


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("labels", [LABELS, BIO])
@pytest.mark.parametrize("right", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_every_figure_is_that_of_seqeval(seed, right, labels):
    gold, told = some_tags(seed, labels, right=right)
    figures = span_figures(gold, told)
    assert figures["precision"] == pytest.approx(precision_score(gold, told))
    assert figures["recall"] == pytest.approx(recall_score(gold, told))
    assert figures["f1"] == pytest.approx(f1_score(gold, told))
    assert figures["f1_macro"] == pytest.approx(f1_score(gold, told, average="macro"))
    assert figures["accuracy"] == pytest.approx(accuracy_score(gold, told))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(5))
def test_figures_of_types_are_those_of_seqeval(seed):
    gold, told = some_tags(seed)
    report = classification_report(gold, told, output_dict=True)
    for kind, figures in type_figures(gold, told).items():
        theirs = {name.replace("-score", ""): value for name, value in report[kind].items()}
        assert figures == pytest.approx(theirs)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(5))
def test_boundaries_are_scored_as_entities_of_one_type(seed):
    gold, told = some_tags(seed)
    one_type = [[relabelled(tags) for tags in sequences] for sequences in (gold, told)]
    figures = span_figures(gold, told)
    assert figures["f1_boundary"] == pytest.approx(f1_score(*one_type))
    assert figures["f1_boundary"] >= figures["f1"]


def relabelled(tags):
    """The entities that seqeval finds, written anew as BIO with one type."""
    from seqeval.metrics.sequence_labeling import get_entities

    new = ["O"] * len(tags)
    for _, begin, end in get_entities(tags):
        new[begin : end + 1] = ["B-X", *["I-X"] * (end - begin)]
    return new


def test_intervals_are_those_of_drawing_sentences():
    gold, told = some_tags(0, sentences=60)
    found = span_scores(gold, told, repeats=300, seed=3)
    assert {name: score.estimate for name, score in found.items()} == pytest.approx(span_figures(gold, told))
    columns = count_spans(gold, told).entities.T
    assert found["f1"] == bootstrap(f1_of_counts, *columns, repeats=300, seed=3)
    # By hand: every repeat scores the sentences that were drawn.
    random = np.random.default_rng(3)
    drawn = random.integers(0, 60, size=(300, 60), dtype=np.int32)
    by_hand = [span_figures([gold[n] for n in row], [told[n] for n in row]) for row in drawn]
    for name, score in found.items():
        expected = np.quantile([figures[name] for figures in by_hand], [0.025, 0.975])
        assert (score.low, score.high) == pytest.approx(tuple(expected))


def test_intervals_of_types():
    gold, told = some_tags(1, sentences=80)
    figures, scores = type_figures(gold, told), type_scores(gold, told, repeats=200)
    assert figures.keys() == scores.keys() == {"PER", "LOC", "ORG"}
    for kind, by_name in scores.items():
        for name, score in by_name.items():
            assert score.estimate == pytest.approx(figures[kind][name])
            assert score.low < score.estimate < score.high
    assert type_scores([["O"]], [["O"]]) == type_scores([], []) == {}


def test_sums_do_not_depend_on_how_many_draws_are_held_at_once(monkeypatch):
    counts = np.random.default_rng(0).integers(0, 9, size=(7, 2))
    whole = resampled_sums(counts, repeats=50, seed=1)
    assert whole.mean(axis=0) == pytest.approx(counts.sum(axis=0), rel=0.2)
    monkeypatch.setattr("tenor.metrics.intervals._ITEMS_AT_ONCE", 21)
    assert resampled_sums(counts, repeats=50, seed=1).shape == whole.shape
    assert resampled_sums(np.zeros((0, 2)), repeats=3).tolist() == [[0, 0]] * 3


def test_nothing_and_no_entities():
    assert all(np.isnan(score.estimate) for score in span_scores([], []).values())
    figures = span_figures([["O", "O"]], [["O", "O"]])
    assert (figures["f1"], figures["f1_macro"], figures["accuracy"]) == (0, 0, 1)
    perfect = span_scores([["B-X"]], [["B-X"]])["f1"]
    assert (perfect.estimate, perfect.low, perfect.high) == (1, 1, 1)


def test_sequences_of_other_lengths_are_refused():
    with pytest.raises(TenorError, match="2 gold sentences and 1 predicted"):
        span_figures([["O"], ["O"]], [["O"]])
    with pytest.raises(TenorError, match="Sentence 2 has 1 gold tags and 2 predicted"):
        span_figures([["O"], ["O"]], [["O"], ["O", "O"]])


def test_an_outcome_of_counts_is_resampled_by_sentences_and_comes_back():
    gold, told = some_tags(2)
    counts = count_spans(gold, told).entities
    outcome = Outcome.of("f1_of_counts", *counts.T, items="dev")
    assert outcome.score == pytest.approx(span_figures(gold, told)["f1"])
    rows = np.random.default_rng(0).integers(0, len(gold), size=(4, len(gold)), dtype=np.int32)
    expected = [span_figures([gold[n] for n in row], [told[n] for n in row])["f1"] for row in rows]
    assert outcome.on(rows) == pytest.approx(expected)
    back = Outcome.from_dict(json.loads(json.dumps(outcome.as_dict())))
    assert back.score == outcome.score
    np.testing.assert_array_equal(back.on(rows), outcome.on(rows))
    with pytest.raises(TenorError, match="3 column"):
        Outcome.of("f1_of_counts", [1], [1], items="dev")
