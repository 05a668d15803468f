"""Every factor of ccg-primitives reaches what it names, and the generated corpus holds out what it says."""

from pathlib import Path

import numpy as np
import pytest

from tenor.recipes.ccg_primitives.data import CORPORA
from tenor.recipes.ccg_primitives.grammar import FORMS, FRAMES, HELD_OUT, Sampler, held_out_categories
from tenor.recipes.ccg_primitives.recipe import RECIPE
from tenor.recipes.ccg_primitives.scoring import scored
from tenor.recipes.ccg_primitives.tagging import encoder_settings, task_of, training_settings
from tenor.text.ccg_chart import Chart

PLAN = RECIPE.plan("small")


@pytest.mark.parametrize(
    ("name", "units", "history"),
    [
        ("whole", "whole", False), ("whole-history", "whole", True), ("parts", "parts", False),
        ("parts-history", "parts", True),
    ],
)  # fmt: skip
def test_the_factors_of_the_grid_reach_the_head(name, units, history):
    task = task_of(PLAN.settings, PLAN.cell(name).settings, Path("files"))
    assert (task.head, task.label_units, task.history) == ("spelled", units, history)
    assert (task.beam, task.decoder_size, task.decoder_dropout) == (5, 64, 0.2)


def test_only_the_untrained_encoder_is_frozen():
    frozen = [
        cell.name
        for cell in PLAN.cells
        if training_settings(PLAN.settings, cell.settings)["freeze"] == "encoder"
    ]
    assert frozen == ["untrained"]


def test_the_embeddings_of_a_corpus_reach_the_encoder():
    for corpus in CORPORA.values():
        assert encoder_settings(PLAN.settings, corpus)["embeddings"] == corpus.embeddings


def test_the_generated_corpus_holds_out_combinations_only():
    sampler = Sampler(np.random.default_rng(0))
    train, test = sampler.sentences(400, without=held_out_categories()), sampler.sentences(200)
    seen = {category for sentence in train for _, category in sentence}
    assert not seen & held_out_categories()
    assert {category for sentence in test for _, category in sentence} & held_out_categories()
    assert {form for form in FORMS if any(f"S[{form}]" in category for category in seen)} == set(FORMS)
    assert all(len([1 for _, held in HELD_OUT if held == frame]) < len(FORMS) - 1 for frame in FRAMES)
    chart = Chart()
    assert all(chart.is_sentence([category for _, category in sentence]) for sentence in test)


def test_scores_count_words_unseen_labels_and_malformed_ones():
    test = [(["a", "b"], ["NP", r"S\NP"]), (["c"], ["N"])]
    outcomes = scored("x", test, [["NP", r"S\NP"], ["(N"]], seen={"NP", "N"}, categories=True)
    scores = {name: outcome.score for name, outcome in outcomes.items()}
    assert scores == {
        "x: accuracy": pytest.approx(2 / 3), "x: unseen labels": 1.0, "x: CKY coverage": 0.5,
        "x: parsed as a sentence": 0.5, "x: malformed": pytest.approx(1 / 3),
    }  # fmt: skip
