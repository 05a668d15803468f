"""Every factor of the minBERT recipes reaches the run that is trained, and the rows that are scored.

What is expected of a cell is read from its name, never from its settings.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tenor.layers.pooling_config import PoolingConfig
from tenor.recipes.minbert import best, concat, shared, softening
from tenor.recipes.minbert.training import TASKS
from tenor.recipes.rows import read_rows
from tenor.tasks.table import task_config
from tenor.training.building import Built, build_learner
from tenor.training.config import RunConfig, TrainingConfig
from tenor.training.reading import read_tasks

GRID = [
    f"{pooling}-{network}-{losses}{extra}"
    for pooling in ("cls", "mean")
    for network in ("shared", "separate")
    for losses in ("weighted", "plain")
    for extra in ("", "-extra")
]
BESIDE = ["baseline-frozen", "baseline-trained", "last-layers", "no-jaccard", "all-rows"]
KINDS = {"sentiment": "classify", "paraphrase": "pair", "similarity": "similarity", "taught": "similarity"}
COLUMNS = {"classify": ("text", "label"), "pair": ("first", "second", "label")}
LABELS = {"sentiment": tuple("01234"), "paraphrase": ("0", "1")}
# The whole of a training: what a recipe does not name must not come from a default that may change.
PLAIN: dict[str, Any] = {
    "epochs": 10, "steps": None, "micro_batch_tokens": 4096, "task_sampling": "joint",
    "epoch_end": "longest", "examples_per_epoch": None, "temperature": 2.0, "bucket_batches": 0,
    "encoder_lr": 1e-5, "head_lr": 1e-3, "optimizer": "adamw", "weight_decay": 0.0, "layer_decay": 1.0,
    "freeze": "none", "freeze_first": 0, "train_last": None, "schedule": "constant", "warmup": 0.1,
    "plateau_patience": 1, "plateau_factor": 0.5, "max_grad_norm": 0.0, "dropout": None,
    "gradient_balancing": "none", "loss_weighting": "fixed", "eval_steps": 0, "ema": 0.0,
    "eval_on_start": False, "monitor": "mean", "patience": 0, "checkpoint_steps": 0,
    "checkpoint_minutes": 5.0, "precision": "auto",
}  # fmt: skip


@pytest.fixture
def trained(recorded: Any, run_cell: Callable[..., Any]) -> Callable[..., RunConfig]:
    """Return a function that runs a cell and gives the run that it was to train, the student's of several."""

    def train(recipe: Any, name: str, **settings: Any) -> RunConfig:
        run_cell(recipe, name, **settings)
        return list(recorded.runs.values())[-1]

    return train


def _files(recorded: Any) -> dict[str, list[Any]]:
    """Return the rows that the last run was to train on and to choose by."""
    return list(recorded.files.values())[-1]


def _settings(run: RunConfig, name: str) -> dict[str, Any]:
    """Return a task's settings without its files, all of them."""
    return {key: value for key, value in asdict(run.tasks[name]).items() if key not in ("train", "dev")}


def _task(name: str, **settings: Any) -> dict[str, Any]:
    """Return all settings of a task, in which only those given differ from the defaults."""
    kind = KINDS[name]
    roles = COLUMNS.get(kind, ("first", "second", "score"))
    labels = {"labels": LABELS[name]} if name in LABELS else {}
    whole = asdict(task_config(kind, columns={role: role for role in roles}, **labels, **settings))
    return {key: value for key, value in whole.items() if key not in ("train", "dev")}


def _assert_tasks(run: RunConfig, expected: Mapping[str, Mapping[str, Any]]) -> None:
    assert list(run.tasks) == list(expected)
    for name, settings in expected.items():
        assert _settings(run, name) == _task(name, **settings), name


def _made_up(tmp_path: Path, name: str) -> list[Any]:
    (folder,) = tmp_path.glob("shared/made-up-*[0-9a-f]")
    return read_rows(folder / f"{name}.jsonl")


# --- minbert-shared ---------------------------------------------------------------------------------------


def test_the_grid_has_all_cells() -> None:
    for scale in ("small", "full"):
        assert set(shared.RECIPE.plan(scale).names) == {*GRID, *BESIDE}


def _networks(name: str) -> dict[str, dict[str, Any]]:
    """Return what the tasks of a cell with networks are, by its name."""
    grid = name in GRID
    one_network = "separate" not in name
    weights = dict(zip(TASKS, (1 / 3,) * 3 if "plain" in name else (0.5, 0.25, 0.25), strict=True))
    features = ("diff",) if name == "no-jaccard" else ("diff", "jaccard")
    network = {"head": "residual", "blocks": 2, "dropout": 0.3}
    own = (
        {"share_head_with": "paraphrase"}
        if one_network
        else network | {"features": features, "output": "sigmoid"}
    )
    assert grid or name in BESIDE
    return {
        "sentiment": network | {"weight": weights["sentiment"]},
        "paraphrase": network | {"features": features, "weight": weights["paraphrase"]},
        "similarity": own | {"scale": 5.0, "loss": "mse", "weight": weights["similarity"]},
    }


BASELINE: dict[str, dict[str, Any]] = {
    "sentiment": {"head": "linear", "dropout": 0.0, "weight": 1 / 3},
    "paraphrase": {"head": "linear", "dropout": 0.0, "weight": 1 / 3, "features": ("diff",)},
    "similarity": {"head": "affine", "scale": 5.0, "loss": "mse", "weight": 1 / 3},
}


@pytest.mark.parametrize("name", [*GRID, *BESIDE])
def test_a_cell_of_the_grid_is_what_its_name_says(
    name: str, trained: Callable[..., RunConfig], recorded: Any, tmp_path: Path
) -> None:
    run = trained(shared.RECIPE, name, seed=2)
    tasks = BASELINE if name.startswith("baseline") else _networks(name)
    _assert_tasks(run, {task: own | {"batch_size": 16} for task, own in tasks.items()})
    first_token = name.startswith(("cls", "baseline"))
    assert run.pooling == ("pooler" if first_token else "mean")
    assert (run.seed, run.encoder, run.max_tokens) == (2, "hub:bert-base-uncased", 128)
    assert (run.objectives, run.updates, run.from_scratch) == ({}, {}, None)
    own: dict[str, Any] = {"epochs": 25, "examples_per_epoch": 4096, "encoder_lr": 1e-5}
    own |= {
        "baseline-frozen": {"freeze": "encoder"},
        "last-layers": {"train_last": 2},
        # 4,096 rows are 256 batches of 16; as many steps as the others make in their epochs.
        "all-rows": {"examples_per_epoch": None, "steps": 256 * 25, "eval_steps": 256},
    }.get(name, {})
    assert run.training == TrainingConfig(**PLAIN | own)

    files = _files(recorded)
    for task in TASKS:
        rows = _made_up(tmp_path, f"{task}.train")
        if name.endswith("extra") and task != "paraphrase":
            rows += _made_up(tmp_path, f"{task}.extra")
        assert files[f"{task}.train"] == rows
        assert files[f"{task}.dev"] == _made_up(tmp_path, f"{task}.choose")


def test_the_small_scale_has_settings_of_its_own(trained: Callable[..., RunConfig]) -> None:
    run = trained(shared.RECIPE, "mean-shared-weighted", scale="small")
    own = {"epochs": 2, "examples_per_epoch": 1024, "encoder_lr": 5e-5}
    assert run.training == TrainingConfig(**PLAIN | own)
    assert (run.encoder, run.max_tokens) == ("minilm", None)


# --- what is scored ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", [shared, concat, best], ids=["shared", "concat", "best"])
def test_the_test_rows_are_scored_once_by_what_was_trained_and_no_other_rows(
    recipe: Any, run_cell: Callable[..., Any], recorded: Any, tmp_path: Path
) -> None:
    name = recipe.RECIPE.plan("full").names[0]
    result = run_cell(recipe.RECIPE, name)
    asked = [(*each, said) for each, said in zip(recorded.asked, recorded.said, strict=True)][-3:]
    assert [task for _, task, *_ in asked] == list(result.outcomes) == list(TASKS)
    for folder, task, texts, said in asked:
        assert folder == list(recorded.runs)[-1]
        rows = _made_up(tmp_path, f"{task}.test")
        assert texts == [[row[key] for key in ("text", "first", "second") if key in row] for row in rows]
        columns = result.outcomes[task].columns
        if task == "similarity":
            np.testing.assert_allclose(columns[0], [row["score"] for row in rows])
            np.testing.assert_allclose(columns[1], said)
            assert result.outcomes[task].statistic == "pearson"
        else:
            right = [
                int(row["label"]) == choice for row, choice in zip(rows, said.argmax(axis=1), strict=True)
            ]
            np.testing.assert_array_equal(columns[0], right)
            assert result.outcomes[task].statistic == "mean"


def test_the_curves_are_the_main_scores_on_the_rows_that_choose(
    run_cell: Callable[..., Any], recorded: Any
) -> None:
    result = run_cell(best.RECIPE, "best", scale="small")
    curve = {"step": [3, 7], "score": [0.3, 0.7]}
    assert result.series == {f"{task} while training": curve for task in TASKS}


@pytest.mark.parametrize("seed", [1, 3])
@pytest.mark.parametrize("recipe", [shared, concat, best], ids=["shared", "concat", "best"])
def test_each_seed_trains_by_itself(recipe: Any, seed: int, trained: Callable[..., RunConfig]) -> None:
    assert trained(recipe.RECIPE, recipe.RECIPE.plan("full").names[0], seed=seed).seed == seed
    assert recipe.RECIPE.draws is None
    assert all(cell.seeded for plan in recipe.RECIPE.scales.values() for cell in plan.cells)


# --- minbert-concat ---------------------------------------------------------------------------------------

DIFFERENCE = {"head": "linear", "dropout": 0.1, "features": ("diff",)}
GRADED = {"scale": 5.0, "loss": "mse"}
# step -> what it changes: settings of tasks, then pooling, then settings of training.
STEPS: dict[str, tuple[dict[str, dict[str, Any]], dict[str, Any]]] = {
    "sentiment-only": (
        {
            "sentiment": {"head": "linear", "dropout": 0.1},
            "paraphrase": DIFFERENCE | {"weight": 0.0},
            "similarity": DIFFERENCE | GRADED | {"output": "linear", "weight": 0.0},
        },
        {"pooling": "pooler", "task_sampling": "sequential"},
    ),
    "three-sets": (
        {"paraphrase": DIFFERENCE, "similarity": DIFFERENCE | GRADED | {"output": "linear"}},
        {},
    ),
    "cosine": ({"similarity": {"head": "cosine"} | GRADED}, {}),
    "mean-pooling": ({}, {"pooling": "mean"}),
    "summed-losses": ({}, {"task_sampling": "joint"}),
    "concatenation": (
        {"paraphrase": {"head": "mlp", "dropout": 0.1, "features": ("abs", "product")}},
        {},
    ),
    "more-epochs": ({}, {"epochs": 15}),
}  # fmt: skip


@pytest.mark.parametrize("name", list(STEPS))
def test_a_step_of_the_ladder_is_the_one_before_with_one_change(
    name: str, trained: Callable[..., RunConfig], recorded: Any, tmp_path: Path
) -> None:
    assert concat.RECIPE.plan("full").names == list(STEPS)
    tasks: dict[str, dict[str, Any]] = {}
    own: dict[str, Any] = {"epochs": 10, "encoder_lr": 1e-5, "head_lr": 1e-5, "epoch_end": "shortest"}
    for step in list(STEPS)[: list(STEPS).index(name) + 1]:
        changed, training = STEPS[step]
        tasks, own = tasks | changed, own | training
    pooling = own.pop("pooling")
    run = trained(concat.RECIPE, name)
    _assert_tasks(run, {task: settings | {"batch_size": 8} for task, settings in tasks.items()})
    assert run.pooling == pooling
    assert run.training == TrainingConfig(**PLAIN | own)
    assert (run.max_tokens, run.objectives, run.updates) == (128, {}, {})
    for task in TASKS:
        assert _files(recorded)[f"{task}.train"] == _made_up(tmp_path, f"{task}.train")
        assert _files(recorded)[f"{task}.dev"] == _made_up(tmp_path, f"{task}.choose")


def test_the_last_step_has_half_as_many_epochs_more_at_the_small_scale_too(
    trained: Callable[..., RunConfig],
) -> None:
    runs = [trained(concat.RECIPE, name, scale="small").training for name in ("concatenation", "more-epochs")]
    assert [run.epochs for run in runs] == [2, 3]
    assert {run.examples_per_epoch for run in runs} == {1024}
    assert {(run.encoder_lr, run.head_lr) for run in runs} == {(5e-5, 5e-4)}


# --- minbert-best -----------------------------------------------------------------------------------------

FEATURES = ("abs", "product", "cosine", "jaccard")
READ = {"head": "mlp", "dropout": 0.1, "features": (*FEATURES, "whole"), "encoding": "cross"}
# The part that a cell leaves out -> how paraphrase is read then.
PARAPHRASE: dict[str, dict[str, Any]] = {
    "side-by-side": {"head": "mlp", "dropout": 0.1, "features": FEATURES},
    "one-vector": {"head": "linear", "dropout": 0.1, "encoding": "cross", "symmetrize": True},
    "one-order": READ | {"symmetrize": False},
}
PARTS = [
    "best", "no-phrases", "no-valence", "no-pairs", "no-teachers", "no-implied", "side-by-side",
    "one-vector", "one-order", "no-calibration", "no-average",
]  # fmt: skip
SCHEDULE: dict[str, Any] = {
    "epochs": 1000, "schedule": "linear", "warmup": 0.06, "max_grad_norm": 1.0, "weight_decay": 0.01,
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_a_part_that_is_left_out_is_left_out_and_no_other(
    name: str, trained: Callable[..., RunConfig], recorded: Any, tmp_path: Path
) -> None:
    assert best.RECIPE.plan("small").names == PARTS
    run = trained(best.RECIPE, name, scale="small", seed=2)
    calibrate = name != "no-calibration"
    taught = name != "no-teachers"
    tasks: dict[str, dict[str, Any]] = {
        "sentiment": {"head": "linear", "dropout": 0.1, "calibrate": calibrate, "batch_size": 32},
        "paraphrase": PARAPHRASE.get(name, READ | {"symmetrize": True})
        | {"calibrate": calibrate, "batch_size": 16 if taught else 32},
        "similarity": {"head": "cosine", "scale": 5.0, "loss": "mse", "weight": 0.3, "batch_size": 12},
    }
    shown = replace(run, tasks={task: run.tasks[task] for task in TASKS})
    _assert_tasks(shown, tasks)
    assert ("valence" in run.tasks, "taught" in run.tasks) == (name != "no-valence", taught)
    ema = 0.0 if name == "no-average" else 0.99
    own = {"steps": 400, "eval_steps": 66, "ema": ema, "encoder_lr": 2e-4, "head_lr": 1e-3}
    assert run.training == TrainingConfig(**PLAIN | SCHEDULE | own)
    assert (run.seed, run.pooling, run.encoder, run.objectives) == (2, "mean", "minilm", {})

    files = _files(recorded)
    times = {"sentiment": 3, "paraphrase": 1, "similarity": 2}
    without = {"no-phrases": "sentiment", "no-pairs": "similarity", "no-implied": "paraphrase"}.get(name)
    for task in TASKS:
        rows = _made_up(tmp_path, f"{task}.train")
        if task != without:  # with made-up rows the further ones are the extra ones
            rows = rows * times[task] + _made_up(tmp_path, f"{task}.extra")
        assert files[f"{task}.train"] == rows
        assert files[f"{task}.dev"] == _made_up(tmp_path, f"{task}.choose")


def test_rated_texts_are_a_task_of_their_own_that_is_not_scored(
    trained: Callable[..., RunConfig], recorded: Any, tmp_path: Path
) -> None:
    run = trained(best.RECIPE, "best", scale="small")
    config: Any = run.tasks["valence"]
    assert (config.kind, config.head, config.weight, config.batch_size) == ("classify", "linear", 0.5, 14)
    assert config.labels == tuple(str(rating) for rating in range(-4, 5))
    assert config.dev is None
    rows = _made_up(tmp_path, "sentiment.extra")
    assert [row["text"] for row in _files(recorded)["valence.train"]] == [row["text"] for row in rows]


def test_teachers_have_seeds_and_labelled_rows_of_their_own_and_the_student_their_mean(
    trained: Callable[..., RunConfig], recorded: Any, tmp_path: Path
) -> None:
    run = trained(best.RECIPE, "no-average", scale="small", seed=2)
    *teachers, student = recorded.runs
    assert [recorded.runs[folder].seed for folder in teachers] == [0, 100]
    training = TrainingConfig(
        **PLAIN | SCHEDULE | {"steps": 1000, "eval_steps": 250, "ema": 0.995, "encoder_lr": 1e-4}
    )
    labelled = _made_up(tmp_path, "paraphrase.train") + _made_up(tmp_path, "paraphrase.extra")
    for folder in teachers:
        teacher = recorded.runs[folder]
        assert list(teacher.tasks) == ["paraphrase"]
        read = READ | {"symmetrize": True, "calibrate": True, "batch_size": 32}
        assert _settings(teacher, "paraphrase") == _task("paraphrase", **read)
        # Nothing that is told of the schedule of plain runs is told of theirs.
        assert teacher.training == training
        assert (teacher.encoder, teacher.pooling) == ("minilm", "mean")
        assert recorded.files[folder] == {
            "paraphrase.train": labelled,
            "paraphrase.dev": _made_up(tmp_path, "paraphrase.choose"),
        }
    expected = {
        "range": (0.0, 1.0), "loss": "cross_entropy", "share_head_with": "paraphrase", "weight": 1.5,
        "batch_size": 16,
    }  # fmt: skip
    assert _settings(run, "taught") == _task("taught", **expected)
    assert run.tasks["taught"].dev is None
    said = [
        said for (folder, *_), said in zip(recorded.asked, recorded.said, strict=True) if folder in teachers
    ]
    assert len(said) == 2
    scores = [row["score"] for row in recorded.files[student]["taught.train"]]
    assert scores == pytest.approx(((said[0] + said[1]) / 2)[:, 1].tolist(), abs=2e-4)


def test_teachers_are_the_same_whatever_the_student_lacks(
    trained: Callable[..., RunConfig], recorded: Any
) -> None:
    for name in ("best", "side-by-side", "no-calibration", "no-average", "no-phrases"):
        trained(best.RECIPE, name, scale="small")
    assert len([folder for folder in recorded.runs if folder.parent.name.startswith("teachers")]) == 2


LEAN_TRIALS = [
    "lean-trial", "lean-no-whole-sentences", "lean-no-softening", "lean-no-graders", "lean-no-teachers",
    "lean-no-lower-rate", "lean-no-layer-decay", "lean-no-joint-similarity",
]  # fmt: skip


@pytest.mark.parametrize("name", ["lean", *LEAN_TRIALS])
def test_the_second_plan_is_what_its_name_says_but_for_one_part(
    name: str, trained: Callable[..., RunConfig], recorded: Any, tmp_path: Path, run_cell: Callable[..., Any]
) -> None:
    assert best.RECIPE.plan("full").names == ["best", "lean", *LEAN_TRIALS]
    result = run_cell(best.RECIPE, name, seed=2)
    *teachers, student = recorded.runs
    run, part = recorded.runs[student], name.removeprefix("lean-no-")
    read = READ | {"symmetrize": True}
    graded = {**read, "range": (0.0, 5.0), "loss": "mse", "output": "sigmoid"}
    cosine = {"head": "cosine", "scale": 5.0, "loss": "mse"}
    tasks: dict[str, dict[str, Any]] = {
        "sentiment": {"head": "linear", "dropout": 0.1, "calibrate": True, "batch_size": 40},
        "paraphrase": read | {"calibrate": True, "batch_size": 18 if part == "teachers" else 9},
        "similarity": (cosine if part == "joint-similarity" else graded)
        | {"weight": 0.3, "batch_size": 22 if part == "graders" else 14},
    }
    _assert_tasks(replace(run, tasks={task: run.tasks[task] for task in TASKS}), tasks)
    steps = 1400 if name == "lean" else 470
    own = {"steps": steps, "eval_steps": steps // 6, "ema": 0.995, "head_lr": 1e-3}
    own |= {"encoder_lr": 1.5e-4 if part == "lower-rate" else 7e-5}
    own |= {"layer_decay": 1.0 if part == "layer-decay" else 0.9}
    assert run.training == TrainingConfig(**PLAIN | SCHEDULE | own)
    assert (run.seed, run.encoder, run.pooling) == (2, "minilm", "mean")
    assert set(run.tasks) - set(TASKS) == {"valence", "taught", "graded"} - {
        {"teachers": "taught", "graders": "graded"}.get(part, "")
    }
    asked = [
        task for recorded_run in (recorded.runs[folder] for folder in teachers) for task in recorded_run.tasks
    ]
    kinds = {"teachers": "paraphrase", "graders": "similarity", "softening": "sentiment"}
    assert sorted(asked) == sorted(2 * [kind for lacks, kind in kinds.items() if lacks != part])

    files, scored = _files(recorded), "test" if name == "lean" else "choose"
    sentences, phrases = _made_up(tmp_path, "sentiment.train"), _made_up(tmp_path, "sentiment.extra")
    copies = 1 if part == "softening" else 4  # a sentence stands there so often with its soft label
    times = 3 if part == "whole-sentences" else max(1, round(len(phrases) / (copies * len(sentences))))
    assert len(files["sentiment.train"]) == times * copies * len(sentences) + len(phrases)
    suffix = "" if name == "lean" else " (validation)"
    assert list(result.outcomes) == [f"{task}{suffix}" for task in TASKS]
    for _, task, texts in recorded.asked[-3:]:
        rows = _made_up(tmp_path, f"{task}.{scored}")
        assert texts == [[row[key] for key in ("text", "first", "second") if key in row] for row in rows]


def test_graders_give_near_graded_pairs_the_mean_of_their_scores(
    trained: Callable[..., RunConfig], recorded: Any, tmp_path: Path
) -> None:
    run = trained(best.RECIPE, "lean", seed=2)
    *teachers, student = recorded.runs
    graders = [folder for folder in teachers if list(recorded.runs[folder].tasks) == ["similarity"]]
    assert [recorded.runs[folder].seed for folder in graders] == [0, 100]
    assert {recorded.runs[folder].training.steps for folder in graders} == {500}
    labelled = _made_up(tmp_path, "similarity.train") + _made_up(tmp_path, "similarity.extra")
    assert all(recorded.files[folder]["similarity.train"] == labelled for folder in graders)
    expected = {
        "range": (0.0, 5.0), "loss": "mse", "share_head_with": "similarity", "weight": 0.3, "batch_size": 8,
    }  # fmt: skip
    assert _settings(run, "graded") == _task("taught", **expected)
    said = [
        said for (folder, *_), said in zip(recorded.asked, recorded.said, strict=True) if folder in graders
    ]
    scores = [row["score"] for row in recorded.files[student]["graded.train"]]
    assert scores == pytest.approx(np.mean(said, axis=0).tolist(), abs=2e-4)


def test_soft_labels_are_half_the_label_and_half_what_teachers_say() -> None:
    random = np.random.default_rng(0)
    said = random.dirichlet(np.ones(5), size=400)
    rows = [{"text": str(n), "label": str(label)} for n, label in enumerate(random.integers(0, 5, 400))]
    made = softening.softened(rows, said, LABELS["sentiment"], copies=20)
    assert [row["text"] for row in made] == [str(n) for n in range(400) for _ in range(20)]
    counts = np.zeros((400, 5))
    for row in made:
        counts[int(row["text"]), int(row["label"])] += 1
    wanted = said / 2
    wanted[np.arange(400), [int(row["label"]) for row in rows]] += 0.5
    assert np.abs(counts / 20 - wanted).max() < 1 / 20
    np.testing.assert_array_equal(softening.apportioned(np.array([[0.5, 0.25, 0.25]]), 4), [[2, 1, 1]])


# --- what is built of a run -------------------------------------------------------------------------------


@pytest.fixture
def built(trained: Callable[..., RunConfig]) -> Callable[..., Built]:
    """Return a function that builds what a cell trains, on a new small encoder."""

    def build(recipe: Any, name: str, scale: str = "small") -> Built:
        tiny = recipe.RECIPE.plan("tiny").settings
        run = trained(recipe.RECIPE, name, scale=scale, encoder=tiny["encoder"])
        return build_learner(run, read_tasks(run.tasks))

    return build


def _step(found: Built) -> tuple[dict[str, Any], Any]:
    """Return the first batch of an epoch and what the network sees of it."""
    generator = np.random.default_rng(0)
    found.learner.begin_epoch(0, generator)
    batch = found.learner.batch(0, generator)
    found.network.eval()
    return batch, found.network.see(batch)


@pytest.mark.parametrize("network", ["shared", "separate"])
def test_a_shared_network_is_one_and_separate_ones_are_two(network: str, built: Callable[..., Built]) -> None:
    tasks = built(shared, f"mean-{network}-weighted").network.tasks
    pair, graded = (list(tasks[name].head.parameters()) for name in ("paraphrase", "similarity"))
    same = [one is two for one, two in zip(pair, graded, strict=True)]
    assert same == [network == "shared"] * len(pair)
    assert all(one is not two for one in tasks["sentiment"].head.parameters() for two in pair)


@pytest.mark.parametrize(
    ("recipe", "name"),
    [
        (shared, "mean-shared-weighted"),
        (shared, "mean-separate-weighted"),
        (shared, "baseline-trained"),
        (concat, "three-sets"),
        (concat, "summed-losses"),
        (best, "no-teachers"),
    ],
    ids=["shared", "separate", "baseline", "difference", "cosine", "best"],
)
def test_similarity_is_learned_on_the_scale_of_its_scores(
    recipe: Any, name: str, built: Callable[..., Built]
) -> None:
    found = built(recipe, name)
    task = found.network.task("similarity")
    with torch.no_grad():
        if name == "three-sets":  # one task after the other
            data = found.learner.train["similarity"]
            batch = {"similarity": task.collate(data, np.arange(40))}
            found.network.eval()
            seen = found.network.see(batch)
        else:
            batch, seen = _step(found)
        output = task(seen["similarity"], batch["similarity"])
        (loss,) = task.losses(output, batch["similarity"]).values()
        predicted = task.predict(output, batch["similarity"])
    gold = batch["similarity"].targets.numpy()
    assert gold.max() == 5
    assert float(loss) == pytest.approx(float(np.mean((predicted - gold) ** 2)), rel=1e-4)


@pytest.mark.parametrize(
    ("recipe", "name", "pooling"),
    [
        (shared, "cls-shared-plain", "pooler"),
        (shared, "mean-shared-plain", "mean"),
        (shared, "baseline-trained", "pooler"),
        (concat, "cosine", "pooler"),
        (concat, "mean-pooling", "mean"),
        (best, "best", "mean"),
    ],
)
def test_tasks_read_the_pooling_of_the_cell(
    recipe: Any, name: str, pooling: str, built: Callable[..., Built]
) -> None:
    found = built(recipe, name)
    assert found.settings.pooling == PoolingConfig.parse(pooling)
    for task in found.network.all_tasks():
        assert task.vectors.pooling == PoolingConfig.parse(pooling)


def test_losses_are_weighed_as_the_cell_says(built: Callable[..., Built]) -> None:
    for name, expected in (("weighted", (0.5, 0.25, 0.25)), ("plain", (1 / 3,) * 3)):
        found = built(shared, f"mean-shared-{name}")
        weights = [found.network.task(task).weight for task in TASKS]
        assert weights == pytest.approx(expected)
        alone = [found.learner.loss_weighting({task: torch.tensor(1.0)}) for task in TASKS]
        assert [float(loss) for loss in alone] == pytest.approx(expected)


def test_the_first_step_trains_sentiment_alone_and_scores_all(built: Callable[..., Built]) -> None:
    learner = built(concat, "sentiment-only").learner
    assert list(learner.train) == ["sentiment"]
    assert list(learner.dev) == list(TASKS)


@pytest.mark.parametrize(("name", "joint"), [("mean-pooling", False), ("summed-losses", True)])
def test_a_step_holds_one_task_or_all(name: str, joint: bool, built: Callable[..., Built]) -> None:
    learner = built(concat, name).learner
    generator = np.random.default_rng(0)
    steps = [list(learner.batch(place, generator)) for place in range(learner.begin_epoch(0, generator))]
    if joint:
        assert all(step == list(TASKS) for step in steps)
    else:
        order = [name for step in steps for name in step]
        assert all(len(step) == 1 for step in steps)
        assert list(dict.fromkeys(order)) == list(TASKS)
        assert order == sorted(order, key=TASKS.index)


@pytest.mark.parametrize(
    ("name", "trained_layers"), [("baseline-frozen", 0), ("last-layers", 2), ("no-jaccard", 3)]
)
def test_only_what_the_cell_trains_of_the_encoder_is_trained(
    name: str, trained_layers: int, built: Callable[..., Built]
) -> None:
    encoder = built(shared, name).network.encoder
    moved = {key for key, value in encoder.named_parameters() if value.requires_grad}
    if trained_layers == 0:
        assert not moved
    # The new encoder has two layers, so that "the last two" leaves out the embeddings alone.
    assert any("embedding" in key for key in moved) == (trained_layers == 3)
    assert bool(moved) == (trained_layers > 0)


def test_the_student_of_teachers_has_the_head_of_paraphrase(built: Callable[..., Built]) -> None:
    tasks = built(best, "best").network.tasks
    assert tasks["taught"].head is tasks["paraphrase"].head
    assert tasks["taught"].spec.symmetrize
    assert tasks["taught"].spec.encoding == "cross"


def test_pairs_in_both_orders_are_averaged_in_scoring_and_drawn_in_training(
    built: Callable[..., Built],
) -> None:
    for name, ways in (("best", 2), ("one-order", 1)):
        found = built(best, name)
        task, data = found.network.task("paraphrase"), found.learner.dev["paraphrase"]
        assert data.sides == ways
        batch = task.collate(data, np.arange(6))
        assert len(batch.tokens) == 6 * ways
        drawn = task.collate(data, np.arange(6), generator=np.random.default_rng(0))
        assert len(drawn.tokens) == 6
