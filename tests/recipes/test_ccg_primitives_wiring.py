"""Every factor of ccg-primitives reaches what it names, and the generated corpus holds out what it says."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from scipy.stats import chi2

from tasks.test_tag import settled
from tenor.recipes.ccg_primitives.data import CORPORA
from tenor.recipes.ccg_primitives.figures import matched_cmh
from tenor.recipes.ccg_primitives.grammar import FORMS, FRAMES, HELD_OUT, Sampler, held_out_categories
from tenor.recipes.ccg_primitives.recipe import RECIPE, run
from tenor.recipes.ccg_primitives.scoring import packed, scored, unpacked
from tenor.recipes.ccg_primitives.tagging import encoder_settings, task_of, training_settings
from tenor.tasks.tag.heads.spelled_module import SpelledHead
from tenor.text.ccg_chart import Chart
from tenor.training import running
from word_recipe_data import StubContext

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
    assert (task.beam, task.decoder_size, task.decoder_dropout) == (5, 96, 0.2)
    built = SpelledHead(settled([(["a", "b"], ["N", "N/N"])], **_given(task)), 192).decoder
    assert (built.whole, built.history) == (units == "whole", history)
    assert (built.lstm is None) == (name == "whole")  # the paper's BiLSTM is a softmax on c_i
    assert built.out.out_features == (3 if units == "whole" else 4 - 1)


def _given(task):
    """Return the settings of the head."""
    keys = ("scheme", "head", "label_units", "history", "decoder_size", "decoder_dropout", "beam", "casing")
    return {key: getattr(task, key) for key in keys}


def test_the_encoder_is_the_same_for_all_cells_but_the_frozen_one():
    settings = {
        cell.name: training_settings(PLAN.settings, cell.settings, epochs=7)
        for cell in PLAN.cells
        if "units" in cell.settings
    }
    assert [name for name, each in settings.items() if each["freeze"] == "encoder"] == ["untrained"]
    others = [each | {"freeze": "none"} for each in settings.values()]
    assert all(each == others[0] for each in others)
    assert others[0]["epochs"] == 7
    assert len(settings) == 5


@pytest.mark.parametrize(("cell", "seed"), [("parts-history", 2), ("untrained", 1), ("whole", 1)])
def test_a_run_trains_what_the_cell_says(tmp_path, monkeypatch, cell, seed):
    plan = RECIPE.plan("tiny")
    runs = {}
    real = running.train_run

    def train_run(run, *, out, callbacks):
        result = real(run, out=out, callbacks=callbacks)
        runs[out.name] = (run, out)
        return result

    monkeypatch.setattr(running, "train_run", train_run)
    sizes = {"train": 24, "dev": 4, "test": 6, "epochs": 3}
    settings = plan.settings | {"corpora": {"generated": sizes}}
    context = StubContext(tmp_path, seed=seed, settings=settings)
    result = run(plan.cell(cell), context)
    (trained, out) = runs["generated"]
    assert (trained.seed, trained.training.epochs) == (seed, 3)
    assert len(Path(trained.tasks["labels"].train).read_text().splitlines()) == 24
    assert len(Path(trained.tasks["labels"].dev).read_text().splitlines()) == 4
    assert len(result.outcomes["generated: accuracy"].columns[0]) == 6
    begun, ended = (load_file(out / folder / "model.safetensors") for folder in ("from_scratch", "model"))
    moved = any(not np.array_equal(begun[name], ended[name]) for name in begun if name in ended)
    assert moved == (cell != "untrained")
    if cell == "whole":
        assert result.outcomes["generated: unseen labels"].score == 0


def test_splits_do_not_overlap():
    context = StubContext(Path(), settings={})
    splits = CORPORA["generated"].read(context, {"train": 80, "dev": 20, "test": 20})
    again = CORPORA["generated"].read(context, {"train": 80, "dev": 20, "test": 20})
    assert splits == again
    train, dev, test = ({tuple(words) for words, _ in splits[part]} for part in ("train", "dev", "test"))
    assert (len(train), len(dev), len(test)) == (80, 20, 20)
    assert not train & dev
    assert not train & test


def test_the_test_over_runs_is_mcnemar_s_for_one_run():
    random = np.random.default_rng(0)
    one, two = random.random((1, 60)) < 0.7, random.random((1, 60)) < 0.5
    only_one, only_two = int((one & ~two).sum()), int((two & ~one).sum())
    expected = chi2.sf((only_one - only_two) ** 2 / (only_one + only_two), 1)
    assert matched_cmh(one, two) == pytest.approx(expected)
    assert matched_cmh(np.repeat(one, 5, axis=0), np.repeat(two, 5, axis=0)) < expected
    assert matched_cmh(one, one) == 1.0


def test_words_survive_their_packing():
    words = [[True, False, True], [], [False] * 9]
    assert unpacked(packed(words), 12).tolist() == [*words[0], *words[2]]


@pytest.mark.slow
def test_held_out_categories_are_spelled_out(tmp_path):
    settings = PLAN.settings | {"corpora": {"generated": PLAN.settings["corpora"]["generated"]}}
    scores = {}
    for name in ("whole", "parts-history"):
        context = StubContext(tmp_path / name, settings=settings)
        outcomes = run(PLAN.cell(name), context).outcomes
        scores[name] = {metric: outcome.score for metric, outcome in outcomes.items()}
    assert scores["whole"]["generated: unseen labels"] == 0
    assert scores["parts-history"]["generated: unseen labels"] > 0.3
    coverage = "generated: CKY coverage"
    assert scores["parts-history"][coverage] > scores["whole"][coverage] + 0.03


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
        "x: accuracy": pytest.approx(2 / 3), "x: unseen labels": 1.0, "x: known labels": 0.5,
        "x: CKY coverage": 0.5, "x: CKY coverage, known labels": 0.0, "x: parsed as a sentence": 0.5,
        "x: malformed": pytest.approx(1 / 3),
    }  # fmt: skip
