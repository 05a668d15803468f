"""Every factor of transfer-fine-tuning reaches what is trained: encoder, stage, rows, rate, seeds, scores.

What is expected of a cell is read from its name, never from its settings.
"""

import math
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tenor.metrics.judge import Judge
from tenor.metrics.outcomes import Outcome
from tenor.metrics.verdicts import Claim, Contrast
from tenor.recipes.recipe import Context
from tenor.recipes.results import Results
from tenor.recipes.rows import read_rows
from tenor.recipes.transfer_fine_tuning import data, encoders, fine_tuning, pretraining, rates, seen
from tenor.recipes.transfer_fine_tuning.recipe import RECIPE
from tenor.tasks.phrases.kind import PhrasesSpec
from tenor.tasks.table import task_config
from tenor.training import paraphrase_stage, running
from tenor.training.config import TrainingConfig
from tenor.training.early_stopping import StopAtDecrease

CELLS = {scale: RECIPE.plan(scale).names for scale in ("small", "full")}
ENCODERS = ("starter", "vanilla", "random", "paired")
TUNED = [
    (scale, name)
    for scale, names in CELLS.items()
    for name in names
    if name.split("-")[0] in ENCODERS and not re.search("rate|pretraining|cosine|frozen", name)
]
KINDS = {
    "sst2": "classify", "sst2-all": "classify", "cola": "classify", "stsb": "similarity",
    "stsb-all": "similarity",
}  # fmt: skip
LABELS = {
    "rte": ("not_entailment", "entailment"),
    "sick": ("NEUTRAL", "ENTAILMENT", "CONTRADICTION"),
}
SPECS = {
    "transferred": PhrasesSpec(),
    "in-task": PhrasesSpec(),
    "sentence": PhrasesSpec(sentential=True, phrasal="none"),
    "3way": PhrasesSpec(sentential=False, phrasal="three_way", features="elaborate"),
    "3way-simple": PhrasesSpec(sentential=False, phrasal="three_way", features="simple"),
    "binary": PhrasesSpec(sentential=False, phrasal="binary", features="elaborate"),
    "simple": PhrasesSpec(sentential=True, phrasal="three_way", features="simple"),
}
# The whole of a training: what the recipe does not name must not come from a default that may change.
PLAIN: dict[str, Any] = {
    "epochs": 10, "steps": None, "micro_batch_tokens": 4096, "task_sampling": "joint",
    "epoch_end": "longest", "examples_per_epoch": None, "temperature": 2.0, "bucket_batches": 0,
    "encoder_lr": 1e-5, "head_lr": 1e-3, "optimizer": "adamw", "weight_decay": 0.01, "layer_decay": 1.0,
    "freeze": "none", "freeze_first": 0, "train_last": None, "schedule": "linear", "warmup": 0.1,
    "plateau_patience": 1, "plateau_factor": 0.5, "max_grad_norm": 1.0, "dropout": None,
    "gradient_balancing": "none", "loss_weighting": "fixed", "eval_steps": 0, "ema": 0.0,
    "eval_on_start": False, "monitor": "mean", "patience": 0, "checkpoint_steps": 0,
    "checkpoint_minutes": 5.0, "precision": "auto",
}  # fmt: skip


def _parts(name: str) -> tuple[str, str, str]:
    """Take the name of a cell apart: encoder, stage, rows; a task of its own stays with the rows."""
    encoder, rest = name.split("-", 1)
    found = re.fullmatch(r"(.+?)-(\d+|all)(-.+)?", rest)
    assert found is not None
    return encoder, found[1], found[2]


def _stage(name: str) -> tuple[str | None, int | None]:
    """Return the stage behind a cell, if any, and how many of it there are where the plan does not say."""
    stage = _parts(name)[1]
    if stage in ("plain", "siamese"):
        return None, None
    return stage.removesuffix("-x3"), 3 if stage.endswith("-x3") or stage in ("simple", "format") else None


def _tasks(name: str) -> list[str]:
    encoder, stage, rows = _parts(name)
    if own := re.search(r"-1000-(.+)$", name):
        return [own[1]]
    if encoder == "random":
        return ["mrpc", "stsb", "sst2"]
    if stage in ("in-task", "simple", "format"):
        return ["mrpc", "stsb", "quora", "rte"]
    if stage == "siamese":
        return ["mrpc", "stsb", "quora"]
    if stage not in ("plain", "transferred"):
        return ["mrpc", "stsb", "rte"]
    every = ["mrpc", "stsb", "quora", *(["rte", "sst2", "cola"] if rows == "1000" else [])]
    return [task for task in every if encoder != "paired" or task != "cola"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """Name encoders in place of making them, choose a rate of 0.5, and list what was asked for."""
    given: list[Any] = []

    def encoder_folder(context: Context, encoder: str, stage: str | None, stages: int | None) -> Path:
        given.append((encoder, stage, stages))
        return tmp_path / f"{encoder}-{stage}" / "plain"

    def with_rate(context: Context, encoder: str, tuning: Any) -> tuple[dict[str, Any], str]:
        given.append(("rate", encoder))
        own = dict(tuning)
        return (own | {"encoder_lr": 0.5}, "chosen") if own.pop("learning_rates", None) else (own, "")

    monkeypatch.setattr(fine_tuning, "encoder_folder", encoder_folder)
    monkeypatch.setattr(fine_tuning, "with_rate", with_rate)
    monkeypatch.setattr(fine_tuning, "aligned_folder", lambda *_, **told: given.append(told) or tmp_path)
    monkeypatch.setattr(fine_tuning, "counts_note", lambda folder: "counted")
    monkeypatch.setattr(fine_tuning, "stage_note", lambda folder: "learned")
    monkeypatch.setattr(fine_tuning, "starter", lambda context: tmp_path / "starter")
    return given


DEFAULT_FEATURES = ("abs", "product", "cosine")


def _task_settings(task: str, *, siamese: bool = False) -> dict[str, Any]:
    """Return all settings of a task as BERT is fine-tuned on it, without its files and its batch."""
    kind = KINDS.get(task, "pair")
    roles = {"classify": ("text", "label"), "similarity": ("first", "second", "score")}
    own: dict[str, Any] = {"columns": {role: role for role in roles.get(kind, ("first", "second", "label"))}}
    own |= {"range": (0.0, 5.0), "loss": "mse", "output": "linear"} if kind == "similarity" else {}
    own |= {} if kind == "similarity" else {"labels": LABELS.get(task, ("0", "1"))}
    if siamese:
        if kind == "similarity":
            return asdict(task_config(kind, head="cosine", **own | {"output": None}))
        return asdict(task_config(kind, head="linear", dropout=0.1, **own | {"features": DEFAULT_FEATURES}))
    own |= {} if kind == "classify" else {"encoding": "cross"}
    return asdict(task_config(kind, head="linear", dropout=0.1, pooling="pooler", **own))


@pytest.mark.parametrize(("scale", "name"), TUNED)
def test_a_cell_fine_tunes_what_its_name_says(
    scale: str,
    name: str,
    run_cell: Callable[..., Any],
    recorded: Any,
    asked: list[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(data, "MADE_UP", {"train": 300, "test": 40, "pairs": 120, "texts": 80})
    run_cell(RECIPE, name, scale=scale, seed=3)
    encoder, _, rows = _parts(name)
    stage, stages = _stage(name)
    staged = [] if stage is None else [{"in_task": stage == "in-task"}]
    assert asked == [("rate", encoder), (encoder, stage, stages), *staged]
    assert [list(run.tasks) for run in recorded.runs.values()] == [[task] for task in _tasks(name)]

    count = min(300, 300 if rows == "all" else int(rows))
    if scale == "small":
        # At least 187 batches of 16, however few rows there are.
        own = {"epochs": max(2, math.ceil(187 * 16 / count)), "encoder_lr": 0.5, "head_lr": 1e-3}
        batch, tokens = 16, 64
    else:
        own, batch, tokens = {"epochs": 4, "encoder_lr": 3e-5, "head_lr": 3e-5}, 32, 128
    for folder, run in recorded.runs.items():
        ((task, config),) = run.tasks.items()
        assert run.encoder == str(tmp_path / f"{encoder}-{stage}" / "plain")
        assert run.training == TrainingConfig(**PLAIN | own)
        assert (run.seed, run.max_tokens, run.pooling, run.objectives) == (3, tokens, "mean", {})
        shown = {key: value for key, value in asdict(config).items() if key != "train"}
        expected = _task_settings(task, siamese="siamese" in name) | {
            "batch_size": batch,
            "dev": None,
        }  # nothing chooses a checkpoint
        assert shown == {key: value for key, value in expected.items() if key != "train"}
        assert len(recorded.files[folder][f"{task}.train"]) == count


@pytest.mark.parametrize("seed", [1, 2])
def test_rows_are_drawn_by_the_seed_alone_from_the_train_rows(
    seed: int,
    run_cell: Callable[..., Any],
    recorded: Any,
    asked: list[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(data, "MADE_UP", {"train": 1100, "test": 40, "pairs": 120, "texts": 80})
    names = ("starter-plain-250", "starter-transferred-250", "starter-plain-1000", "vanilla-plain-250")
    drawn = {}
    for name in names:
        run_cell(RECIPE, name, scale="small", seed=seed)
        drawn[name] = [rows["mrpc.train"] for rows in recorded.files.values() if "mrpc.train" in rows][-1]
    few, transferred, more, vanilla = drawn.values()
    assert few == transferred == vanilla == more[:250]
    (folder,) = tmp_path.glob("shared/rows-*[0-9a-f]")
    pool = read_rows(folder / "mrpc.train.jsonl")
    order = np.random.default_rng(seed).permutation(len(pool))
    assert more == [pool[place] for place in order[:1000].tolist()]


def test_the_test_rows_are_scored_by_what_was_fine_tuned(
    run_cell: Callable[..., Any], recorded: Any, asked: list[Any], tmp_path: Path
) -> None:
    result = run_cell(RECIPE, "starter-plain-1000", scale="small")
    (folder,) = tmp_path.glob("shared/rows-*[0-9a-f]")
    metrics = {
        "mrpc": {"MRPC F1": "f1", "MRPC accuracy": "mean", "MRPC AUC": "auc"},
        "stsb": {"STS-B Pearson": "pearson", "STS-B Spearman": "spearman"},
        "quora": {"Quora F1": "f1", "Quora accuracy": "mean", "Quora AUC": "auc"},
        "rte": {"RTE accuracy": "mean"},
        "sst2": {"SST-2 accuracy": "mean"},
        "cola": {"CoLA Matthews": "matthews"},
    }
    assert [task for _, task, _ in recorded.asked] == list(metrics)
    for (run, task, texts), said in zip(recorded.asked, recorded.said, strict=True):
        assert list(recorded.runs[run].tasks) == [task]
        rows = read_rows(folder / f"{task}.test.jsonl")
        assert texts == [[row[key] for key in ("text", "first", "second") if key in row] for row in rows]
        for name, statistic in metrics[task].items():
            outcome = result.outcomes[name]
            assert outcome.statistic == statistic
            if task == "stsb":
                np.testing.assert_allclose(outcome.columns, [[row["score"] for row in rows], said])
                continue
            truth = np.array([LABELS.get(task, ("0", "1")).index(row["label"]) for row in rows])
            chosen = said.argmax(axis=1)
            expected = {"mean": [chosen == truth], "auc": [truth, said[:, 1]]}.get(statistic, [truth, chosen])
            np.testing.assert_array_equal(outcome.columns, expected)
    assert list(result.outcomes) == [name for named in metrics.values() for name in named]


TESTED = {
    "mrpc": (["train"], ["test"]),
    "stsb": (["train"], ["dev"]),
    "rte": (["train"], ["dev"]),
    "sst2": (["train"], ["dev"]),
    "cola": (["train", "val"], ["dev"]),
    "stsb-all": (["train"], ["dev", "test"]),
    "sst2-all": (["train"], ["dev", "test"]),
    "sick": (["train", "trial"], ["test"]),
}


@pytest.mark.parametrize("task", list(TESTED))
def test_a_task_is_trained_and_tested_on_the_splits_that_the_page_names(
    task: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def read(folder: Path, split: str) -> list[Any]:
        assert folder.name == ("sentence-cls" if name == "sst2" else name)
        return [split]

    name = task.removesuffix("-all")
    monkeypatch.setattr(data, f"read_{name}", read)
    for as_row in ("labelled", "scored"):
        monkeypatch.setattr(data, as_row, lambda split: split)
    context: Any = SimpleNamespace(folder=lambda name: tmp_path / name)
    assert data._task_rows(context, task) == TESTED[task]


# --- rates ------------------------------------------------------------------------------------------------


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, str | None]]:
    """Name encoders in place of making them, and list those whose rates are tried."""
    given: list[Any] = []

    def encoder_folder(context: Context, encoder: str, stage: str | None = None) -> Path:
        given.append((encoder, stage))
        return tmp_path / encoder

    monkeypatch.setattr(rates, "encoder_folder", encoder_folder)
    return given


@pytest.mark.parametrize("encoder", ["starter", "vanilla", "random"])
def test_the_rate_is_that_of_the_best_mean_on_train_rows_with_the_plain_encoder(
    encoder: str,
    context_of: Callable[..., Context],
    recorded: Any,
    tried: list[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(data, "MADE_UP", {"train": 1600, "test": 40, "pairs": 120, "texts": 80})
    plan = RECIPE.plan("small")
    cell = plan.cell(f"{encoder}-rate")
    assert not cell.seeded
    monkeypatch.setattr(
        rates, "scored", lambda task, rows, said: {rates.MAIN[task]: Outcome.number(_score(recorded))}
    )
    context = context_of(plan.settings, seed=0)
    result = RECIPE.run(cell, context)
    # The middle rate is only best in the mean of both tasks.
    assert f"The learning rate of the {encoder} encoder is 0.0001," in result.notes[0]
    assert rates.read_json(result.files["rate.json"])["rate"] == 1e-4
    assert set(tried) == {(encoder, None)}
    assert [(run.training.encoder_lr, *run.tasks) for run in recorded.runs.values()] == [
        (rate, task) for rate in (3e-5, 1e-4, 3e-4) for task in ("stsb", "mrpc")
    ]
    (folder,) = tmp_path.glob("shared/rows-*[0-9a-f]")
    for (run, task, texts), files in zip(recorded.asked, recorded.files.values(), strict=True):
        pool = read_rows(folder / f"{task}.train.jsonl")
        order = np.random.default_rng(0).permutation(len(pool)).tolist()
        assert files[f"{task}.train"] == [pool[place] for place in order[:1000]]
        assert texts == [[pool[place]["first"], pool[place]["second"]] for place in order[1000:1500]]
        config = recorded.runs[run]
        assert (config.seed, config.encoder, config.training.epochs) == (1, str(tmp_path / encoder), 3)


def _score(recorded: Any) -> float:
    """Return a made-up score of what was asked last, by its rate and task."""
    folder, task, _ = recorded.asked[-1]
    by_rate = {"stsb": {3e-5: 0.9, 1e-4: 0.8, 3e-4: 0.1}, "mrpc": {3e-5: 0.1, 1e-4: 0.8, 3e-4: 0.9}}
    return by_rate[task][recorded.runs[folder].training.encoder_lr]


def test_a_rate_that_a_cell_has_chosen_is_that_of_all_cells_of_its_encoder(
    context_of: Callable[..., Context], tmp_path: Path
) -> None:
    named = ("starter-rate", "vanilla-rate", "random-rate", "paired-rate")
    for rate, encoder in zip((0.1, 0.2, 0.3, 0.4), named, strict=True):
        (tmp_path / encoder).mkdir()
        rates.write_json(tmp_path / encoder / "rate.json", {"rate": rate, "note": f"{rate}"})
    plan = RECIPE.plan("small")
    context = context_of(plan.settings, made_by=lambda cell: tmp_path / cell)
    for name in plan.names:
        settings = plan.cell(name).settings
        if "fine_tuning" in settings and "tasks" in settings:
            encoder = _parts(name)[0]
            tuning, note = rates.with_rate(context, encoder, settings["fine_tuning"])
            expected = {"starter": 0.1, "vanilla": 0.2, "random": 0.3, "paired": 0.4}[encoder]
            assert (tuning["encoder_lr"], note) == (expected, f"{expected}")
            assert "learning_rates" not in tuning


# --- encoders and stages ----------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", [None, "transferred", "binary"])
@pytest.mark.parametrize("encoder", ENCODERS)
def test_an_encoder_is_the_one_of_its_name_after_the_stage_of_its_name(
    encoder: str, stage: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, function in (
        ("starter", "starter"),
        ("vanilla", "vanilla"),
        ("random", "random_initialisation"),
        ("paired", "paired"),
    ):
        monkeypatch.setattr(encoders, function, lambda context, name=name: tmp_path / name)
    given: list[Any] = []

    def transferred(*told: Any) -> Path:
        given.append(told[1:])
        return tmp_path / "stage"

    monkeypatch.setattr(encoders, "transferred", transferred)
    found = encoders.encoder_folder(SimpleNamespace(), encoder, stage)  # type: ignore[arg-type]
    if stage is None:
        assert (found, given) == (tmp_path / encoder, [])
    else:
        assert (found, given) == (tmp_path / "stage" / "plain", [(encoder, tmp_path / encoder, stage, None)])


@pytest.fixture
def staged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """List what a stage was to train, in place of training it, and what was exported of it."""
    given: list[Any] = []

    def run_stage(stage: Any, *, out: Path, callbacks: Any, seed: int) -> Any:
        given.append((stage, seed))
        return SimpleNamespace(network="network", scores={"phrasal_accuracy": 0.5})

    def export(network: Any, told: Any, folder: Path, *, heads: bool, **_: Any) -> None:
        given.append((folder.name, heads))
        folder.mkdir()

    def aligned(context: Context, aligner: str, *, in_task: bool) -> Path:
        given.append((aligner, in_task))
        return tmp_path / "pairs"

    monkeypatch.setattr(paraphrase_stage, "run_stage", run_stage)
    monkeypatch.setattr("tenor.objectives.paraphrase.exporting.export_encoder", export)
    monkeypatch.setattr("tenor.model.folder.read_folder", lambda folder: folder)
    monkeypatch.setattr(encoders, "aligned_folder", aligned)
    monkeypatch.setattr(encoders, "starter", lambda context: tmp_path / "starter")
    return given


RATES = {"small": {"starter": 1e-4, "vanilla": 2e-4}, "full": {"starter": 5e-5, "vanilla": 2e-4}}


@pytest.mark.parametrize("stage", list(SPECS))
@pytest.mark.parametrize("encoder", ["starter", "vanilla", "paired"])
@pytest.mark.parametrize("scale", ["small", "full"])
def test_a_stage_learns_the_losses_of_its_name(
    scale: str,
    encoder: str,
    stage: str,
    context_of: Callable[..., Context],
    staged: list[Any],
    tmp_path: Path,
) -> None:
    context = context_of(RECIPE.plan(scale).settings, seed=2)
    encoders.transferred(context, encoder, tmp_path / "base", stage)
    (aligner, in_task), (given, seed), *exported = staged
    assert (aligner, in_task) == (str(tmp_path / "starter"), stage == "in-task")
    assert seed == (1 if scale == "small" and stage != "transferred" else 2)
    small = scale == "small"
    own = {
        "epochs": 1 if small else 3,
        "encoder_lr": RATES[scale]["starter" if encoder == "starter" else "vanilla"],
        "head_lr": 5e-4 if small else 5e-5,
    }
    expected = paraphrase_stage.StageRun(
        encoder=tmp_path / "base",
        train=tmp_path / "pairs" / "train.jsonl",
        dev=tmp_path / "pairs" / "dev.jsonl",
        config=SPECS[stage],
        training=TrainingConfig(**PLAIN | own),
        batch_size=50,
        max_tokens=64 if small else 128,
        evaluations=5 if small else 10,
        decreases=2,
    )
    for name in (each.name for each in fields(expected)):
        assert getattr(given, name) == getattr(expected, name), name
    # What is fine-tuned must hold no head of the stage.
    assert exported == [("explaining", True), ("plain", False)]


def test_a_stage_ends_at_the_second_decrease_of_its_slower_loss(
    context_of: Callable[..., Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []

    class Enough(Exception):
        pass

    def train_learner(learner: Any, training: TrainingConfig, **told: Any) -> None:
        given.append((training, told))
        raise Enough

    monkeypatch.setattr(paraphrase_stage, "train_learner", train_learner)
    context = context_of(RECIPE.plan("tiny").settings)
    for stage, metric in (("transferred", "phrasal_accuracy"), ("sentence", "sentential_accuracy")):
        with suppress(Enough):
            encoders.encoder_folder(context, "starter", stage)
        training, told = given.pop()
        assert (training.monitor, training.patience) == (f"stage.{metric}", 0)
        (stop,) = [each for each in told["callbacks"] if isinstance(each, StopAtDecrease)]
        assert (stop.monitor, stop.count) == (f"stage.{metric}", 2)
        assert told["seed"] == 1


def test_what_a_person_sees_is_the_starter_after_its_whole_stage(
    monkeypatch: pytest.MonkeyPatch, context_of: Callable[..., Context], tmp_path: Path
) -> None:
    given: list[Any] = []

    class Enough(Exception):
        pass

    def load(folder: Path, **_: Any) -> None:
        given.append(folder)
        raise Enough

    monkeypatch.setattr(seen, "starter", lambda context: tmp_path / "starter")
    monkeypatch.setattr(seen, "transferred", lambda context, *told: given.append(told) or tmp_path / "stage")
    monkeypatch.setattr("tenor.load", load)
    with pytest.raises(Enough):
        RECIPE.run(RECIPE.plan("small").cell("seen"), context_of(RECIPE.plan("small").settings))
    assert given == [("starter", tmp_path / "starter", "transferred"), tmp_path / "stage" / "explaining"]


# --- seeds that share a stage -----------------------------------------------------------------------------


def _results(scale: str, *names: str) -> Results:
    """Make results of five seeds in which a stage's luck is larger than all else."""
    random = np.random.default_rng(0)
    columns: dict[str, Any] = {}
    cells = []
    for name in names:
        for seed in range(1, 6):
            luck = {1: 0.6, 2: 0.75, 3: 0.9}[(seed - 1) % 3 + 1] if "plain" not in name else 0.6
            right = random.random(200) < luck
            key = str(len(columns))
            columns[key] = right.astype(np.float64)
            outcome = Outcome.of("mean", right, items="rte").as_dict() | {"columns": [key]}
            cells.append(
                {
                    "cell": name, "seed": seed, "origin": 0, "seconds": 1, "notes": [], "series": {},
                    "extras": {}, "outcomes": {"RTE accuracy": outcome},
                }
            )  # fmt: skip
    return Results(RECIPE, {"scale": scale, "seeds": 5, "cells": cells}, columns)


@pytest.mark.parametrize(
    ("scale", "stage", "groups"),
    [
        ("small", "transferred", [[0, 3], [1, 4], [2]]),
        ("small", "binary", [[0, 1, 2, 3, 4]]),  # all seeds have the one stage
        ("small", "binary-x3", [[0, 3], [1, 4], [2]]),
        ("full", "transferred", [[0, 3], [1, 4], [2]]),
        ("full", "binary", [[0, 3], [1, 4], [2]]),
    ],
)
def test_seeds_of_one_stage_are_one_draw(scale: str, stage: str, groups: list[list[int]]) -> None:
    names = (f"vanilla-{stage}-1000", "vanilla-plain-1000")
    judge = _results(scale, *names).judge
    seeds: list[int | None] = [1, 2, 3, 4, 5]
    assert sorted(judge._groups(names, seeds)) == groups
    contrast = Contrast.difference(*names, metric="RTE accuracy")
    scores, _ = judge._by_draw(contrast, seeds)
    assert len(scores) == len(groups)
    assert judge._groups(["vanilla-plain-1000"], seeds) == [[0], [1], [2], [3], [4]]


def test_shared_stages_widen_an_interval() -> None:
    names = ("vanilla-transferred-1000", "vanilla-plain-1000")
    found = _results("small", *names)
    contrast = Contrast.difference(*names, metric="RTE accuracy")
    claim = Claim(text="", contrast=contrast, paper="–")
    shared, alone = found.judge(claim).interval, Judge(found.measured)(claim).interval
    assert shared is not None
    assert alone is not None
    assert shared.high - shared.low > alone.high - alone.low


@pytest.mark.parametrize(
    ("scale", "stage"),
    [("small", "transferred"), ("full", "transferred"), ("full", "binary"), ("small", "simple")],
)
def test_what_counts_as_one_draw_is_what_was_trained_once(
    scale: str, stage: str, context_of: Callable[..., Context], staged: list[Any], tmp_path: Path
) -> None:
    plan = RECIPE.plan(scale)
    cell = plan.cell(f"vanilla-{stage}-1000")
    draws = RECIPE.draws
    assert draws is not None
    folders = {}
    for seed in range(1, 6):
        context = context_of(plan.settings, seed=seed)
        stages = cell.settings.get("stages")
        folders[seed] = encoders.transferred(context, "vanilla", tmp_path / "base", stage, stages)
    drawn = {seed: draws(cell, seed, plan.settings) for seed in folders}
    for one in folders:
        for other in folders:
            assert (folders[one] == folders[other]) == (drawn[one] == drawn[other])
    trained = [each[1] for each in staged if isinstance(each[0], paraphrase_stage.StageRun)]
    assert trained == [1, 2, 3]


# --- pre-training -----------------------------------------------------------------------------------------


def test_the_paired_encoder_learns_next_sentences_of_half_as_long_paragraphs(
    context_of: Callable[..., Context], recorded: Any
) -> None:
    context = context_of(dict(RECIPE.plan("small").settings))
    for pairs in (False, True):
        pretraining.pretrained(context, pairs=pairs)
    plain, paired = recorded.runs.values()
    (one,), (two,) = plain.tasks.values(), paired.tasks.values()
    assert (one.next_sentence, two.next_sentence) == (None, True)
    # Rows of two paragraphs: made-up paragraphs are not packed, so that a row has twice the words.
    assert paired.training.steps == pytest.approx(plain.training.steps / 2, rel=0.1)
    every, held = (recorded.files[list(recorded.runs)[1]][f"text.{part}"] for part in ("train", "dev"))
    texts = list(data.pretraining_texts(context))
    places = [texts.index(row["text"]) for row in held]
    assert places == list(range(places[0], places[0] + 8)), "neighbours measure next sentences"
    assert len(every) + len(held) == len(texts)


@pytest.mark.parametrize("seed", [0, 4])
def test_pretraining_is_of_the_settings_of_the_plan_whatever_the_seed(
    seed: int, context_of: Callable[..., Context], recorded: Any
) -> None:
    settings = dict(RECIPE.plan("small").settings)
    context = context_of(settings, seed=seed)
    pretraining.pretrained(context)
    (run,) = recorded.runs.values()
    (config,) = run.tasks.values()
    assert (config.kind, config.batch_size, run.seed, run.encoder) == ("mlm", 32, 1, "from_scratch")
    fresh: Any = run.from_scratch
    sizes = {"num_layers": 4, "hidden_size": 256, "num_heads": 4, "vocab_size": 10_000, "max_positions": 128}
    assert {name: getattr(fresh, name) for name in sizes} == sizes
    (files,) = recorded.files.values()
    steps = run.training.steps
    assert steps is not None
    words = [len(row["text"].split()) for row in files["text.train"]]
    assert steps == math.ceil(60_000_000 / (32 * min(90.0, 1.25 * sum(words) / len(words))))
    own = {
        "epochs": 1000, "steps": steps, "eval_steps": steps // 20, "checkpoint_steps": steps // 6,
        "dropout": 0.0, "encoder_lr": 8e-4, "head_lr": 8e-4,
    }  # fmt: skip
    assert run.training == TrainingConfig(**PLAIN | own)
    held = files["text.dev"]
    assert held
    assert len(files["text.train"]) + len(held) == data.MADE_UP["texts"]


@pytest.mark.parametrize("piece", range(1, 7))
def test_a_piece_of_the_pretraining_ends_after_the_checkpoint_of_its_share(
    piece: int, context_of: Callable[..., Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = RECIPE.plan("small")
    name = "pretraining" if piece == 6 else f"pretraining-{piece}"
    given: list[Any] = []

    def train_run(run: Any, *, out: Path, callbacks: Any) -> None:
        (pausing,) = callbacks
        given.extend((run.training, 0))
        for step in range(1, run.training.steps + 1):
            progress = SimpleNamespace(steps=run.training.steps)
            pausing.on_step_end(None, progress, SimpleNamespace(step=step))
            given[-1] = step

    monkeypatch.setattr(running, "train_run", train_run)
    settings = dict(plan.settings) | {"pretraining": {**plan.settings["pretraining"], "tokens": 60_000}}
    pretraining.pretrained(context_of(settings), share=plan.cell(name).settings["share"])
    training, last = given
    assert training.checkpoint_steps == training.steps // 6 > 1
    assert last == (training.steps if piece == 6 else piece * training.checkpoint_steps)
