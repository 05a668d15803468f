"""Rows of transfer-fine-tuning that train no encoder, and the stage that teaches the joint format alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

from tenor.recipes.recipe import Context
from tenor.recipes.rows import read_rows
from tenor.recipes.transfer_fine_tuning import data, encoders, joint_format, untrained
from tenor.recipes.transfer_fine_tuning.recipe import RECIPE
from tenor.training.config import TrainingConfig


def _vectors(random: np.random.Generator, rows: int, truth: np.ndarray) -> np.ndarray:
    first = random.normal(size=(rows, 8))
    second = np.where(truth[:, None] == 1, first, 0) + random.normal(size=(rows, 8))
    return np.stack([first, second], axis=1)


def test_the_threshold_of_the_cosine_is_the_best_on_the_rows_learned_from() -> None:
    random = np.random.default_rng(0)
    truth, tested = random.integers(0, 2, 200), random.integers(0, 2, 300)
    learned, known = _vectors(random, 200, truth), _vectors(random, 300, tested)
    rows = [{"first": "a", "second": "b", "label": str(label)} for label in truth]
    told = untrained.by_cosine("mrpc", rows, learned, known)

    def cosine(vectors: np.ndarray) -> np.ndarray:
        return np.array([u @ v / np.sqrt(u @ u * (v @ v)) for u, v in vectors])

    best = max(cosine(learned), key=lambda cut: f1_score(truth, cosine(learned) >= cut))
    np.testing.assert_array_equal(told.argmax(axis=1), cosine(known) >= best)
    assert roc_auc_score(tested, told[:, 1]) == pytest.approx(roc_auc_score(tested, cosine(known)))
    np.testing.assert_allclose(told.sum(axis=1), 1)
    assert told.min() >= 0
    np.testing.assert_allclose(untrained.by_cosine("stsb", rows, learned, known), cosine(known))


def test_the_logistic_regression_reads_difference_and_product() -> None:
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, 300)
    learned, known = _vectors(random, 300, truth), _vectors(random, 100, random.integers(0, 2, 100))
    rows = [{"first": "a", "second": "b", "label": str(label)} for label in truth]
    told = untrained.by_logistic_regression("mrpc", rows, learned, known)

    def features(vectors: np.ndarray) -> np.ndarray:
        return np.hstack([np.abs(vectors[:, 0] - vectors[:, 1]), vectors[:, 0] * vectors[:, 1]])

    scale = np.linalg.norm(features(learned), axis=1).mean()
    fits = []
    for strength in (1.0, 10.0, 100.0):
        for weights in ("balanced", None):
            # Of two outputs w and -w the penalty is half that of their difference 2w: twice the strength.
            peer = LogisticRegression(C=2 * strength, class_weight=weights, tol=1e-8, max_iter=2000)
            peer.fit(features(learned) / scale, truth)
            fits.append(np.abs(peer.predict_proba(features(known) / scale) - told).max())
    assert min(fits) < 0.01


@pytest.mark.parametrize("name", ["starter-cosine-1000", "vanilla-frozen-1000"])
def test_an_untrained_cell_sees_the_rows_that_fine_tuning_sees(
    name: str,
    run_cell: Callable[..., Any],
    recorded: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(data, "MADE_UP", {"train": 1100, "test": 40, "pairs": 120, "texts": 80})
    folders: list[tuple[str, str | None]] = []

    def encoder_folder(context: Context, encoder: str, stage: str | None = None) -> Path:
        folders.append((encoder, stage))
        return tmp_path / encoder

    monkeypatch.setattr(untrained, "encoder_folder", encoder_folder)
    given: dict[str, list[Any]] = {}

    def predict(task: str, train: list[Any], learned: np.ndarray, tested: np.ndarray) -> np.ndarray:
        given[task] = train
        assert (len(learned), len(tested)) == (0 if task == "stsb" else 1000, 40)
        scores = np.random.default_rng(0).random((40, len(untrained.LABELS.get(task, "12"))))
        return scores[:, 0] if task == "stsb" else scores

    for function in ("by_cosine", "by_logistic_regression"):
        monkeypatch.setattr(untrained, function, predict)
    assert not RECIPE.plan("small").cell(name).seeded
    result = run_cell(RECIPE, name, scale="small", seed=0)
    encoder, what, _ = name.split("-")
    assert folders == [(encoder, None)]
    tasks = ["mrpc", "stsb", "quora"] if what == "cosine" else ["mrpc", "quora", "rte", "sst2", "cola"]
    assert list(given) == tasks
    assert not recorded.runs, "nothing is trained"
    (folder,) = tmp_path.glob("shared/rows-*[0-9a-f]")
    pool = read_rows(folder / "mrpc.train.jsonl")
    order = np.random.default_rng(0).permutation(len(pool))[:1000].tolist()
    assert given["mrpc"] == [pool[place] for place in order]
    assert "MRPC AUC" in result.outcomes


def test_the_format_stage_learns_the_encoders_own_cosine_of_pairs_and_random_partners(
    context_of: Callable[..., Context], recorded: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs"
    pairs.mkdir()
    for part, count in (("train", 6), ("dev", 4)):
        lines = ({"s": [f"{part}{n}", "x"], "t": [f"y{n}"], "alignments": []} for n in range(count))
        (pairs / f"{part}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr(encoders, "aligned_folder", lambda *_, in_task: pairs)
    monkeypatch.setattr(encoders, "starter", lambda context: tmp_path / "base")
    train_run = recorded.train_run

    def trained(run: Any, *, out: Path, callbacks: Any) -> None:
        train_run(run, out=out)
        scores = {"pearson": {"estimate": 0.75}}
        (out / "metrics.json").write_text(json.dumps({"tasks": {"cosine": {"scores": scores}}}))
        (out / "model").mkdir()
        (out / "model" / "config.json").write_text("{}")

    monkeypatch.setattr("tenor.training.running.train_run", trained)
    plan = RECIPE.plan("small")
    cell = plan.cell("starter-format-1000")
    context = context_of(plan.settings, seed=2)
    folder = encoders.transferred(context, "starter", tmp_path / "base", "format", cell.settings["stages"])
    assert (folder / "plain" / "config.json").is_file()
    assert "correlation of 0.750" in encoders.stage_note(folder / "plain")
    (run,), (files,) = recorded.runs.values(), recorded.files.values()
    (task,) = run.tasks.values()
    assert (run.seed, run.encoder, task.encoding) == (2, str(tmp_path / "base"), "cross")
    assert (task.batch_size, run.max_tokens, task.loss, task.range) == (100, 64, "mse", (0.0, 1.0))
    expected = {"epochs": 1, "encoder_lr": 1e-4, "head_lr": 5e-4, "precision": "auto"}
    assert all(getattr(run.training, key) == value for key, value in expected.items())
    assert isinstance(run.training, TrainingConfig)
    rows = files["cosine.train"]
    texts = [(row["first"], row["second"]) for row in rows]
    assert texts[::2] == [(f"train{n} x", f"y{n}") for n in range(6)]
    for (first, partner), (own, other) in zip(texts[::2], texts[1::2], strict=True):
        assert (own, other != partner) == (first, True)
    encode = recorded.load(tmp_path, precision="fp32").encode
    for row in rows:
        u, v = encode([row["first"], row["second"]])
        assert row["score"] == pytest.approx(max(0.0, u @ v / np.sqrt(u @ u * (v @ v))), abs=1e-4)


def test_more_quora_pairs_share_no_question_with_those_trained_on(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    pairs = [
        data.Pair(f"q{a} is asked", f"q{b} is asked", None, str(n % 2))
        for n, (a, b) in enumerate(random.integers(0, 20_000, (9_000, 2)).tolist())
    ]
    monkeypatch.setattr(data, "read_quora", lambda folder: iter(pairs[:6_000]))
    monkeypatch.setattr(data, "read_quora_10k", lambda folder: iter(pairs[6_000:]))
    context: Any = type("Context", (), {"folder": lambda self, name: Path(name)})()
    sizes = {}
    for task in ("quora", "quora-6000"):
        train, test = data._task_rows(context, task)
        questions = [{row[side] for row in rows for side in ("first", "second")} for rows in (train, test)]
        assert not questions[0] & questions[1]
        sizes[task] = len(test)
        assert len(train) + len(test) == 9_000
    assert sizes["quora"] == 2_000
    assert sizes["quora-6000"] == 6_000


def test_the_format_stage_draws_partners_that_are_other_pairs() -> None:
    pairs = [(f"a{n}", f"b{n}") for n in range(50)]
    given = joint_format.with_random_partners(pairs, np.random.default_rng(3))
    assert given[::2] == pairs
    assert all(
        one == other and second[1:] != one[1:]
        for (one, _), (other, second) in zip(given[::2], given[1::2], strict=True)
    )
