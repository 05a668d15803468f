"""Teachers of paraphrase: which pairs they are asked about, and what is kept of their word."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

import tenor
from tenor.model.predicting import predict
from tenor.recipes.minbert import best, data
from tenor.recipes.minbert.teaching import NEAR, Teachers, near_pairs
from tenor.training.callbacks import Callback


def test_pairs_are_near_new_and_as_close_as_the_labelled_ones():
    generator = np.random.default_rng(3)
    # Groups around centres: cosines within a group are high, between groups low.
    centres = np.repeat(generator.normal(size=(120, 12)), 6, axis=0)
    vectors = (centres + generator.normal(size=centres.shape) * 0.5).astype(np.float32)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit.T
    close = np.array([(6 * group, 6 * group + 1) for group in range(90)])
    apart = np.array([(6 * group + 2, 6 * ((group + 7) % 120) + 3) for group in range(30)])
    labelled = np.concatenate([close, apart[:, ::-1]])
    found = near_pairs(vectors, labelled, 300, generator=np.random.default_rng(0))

    assert 200 <= len(found) <= 310
    as_sets = {frozenset(pair) for pair in found.tolist()}
    assert len(as_sets) == len(found)
    assert all(len(pair) == 2 for pair in as_sets)
    assert not as_sets & {frozenset(pair) for pair in labelled.tolist()}
    np.fill_diagonal(cosines, -2)
    ranks = (-cosines).argsort(axis=1).argsort(axis=1)
    assert all(min(ranks[one, other], ranks[other, one]) < NEAR for one, other in found.tolist())
    # Near pairs alone would all be closer than most labelled ones; drawn by their cosines, they are not.
    wanted, drawn = (cosines[pairs[:, 0], pairs[:, 1]] for pairs in (labelled, found))
    for share in (0.5, 0.75, 0.9):
        assert np.quantile(drawn, share) == pytest.approx(np.quantile(wanted, share), abs=0.06)


def test_teachers_are_trained_once_and_their_mean_is_kept(tiny_folder, tmp_path):
    generator = np.random.default_rng(0)
    words = ["film", "good", "bad", "walk", "house", "the", "a", "dog"]

    def rows(count):
        texts = [" ".join(generator.choice(words, size=4)) for _ in range(2 * count)]
        return [
            {"first": one, "second": other, "label": str(number % 2)}
            for number, (one, other) in enumerate(zip(texts[:count], texts[count:], strict=True))
        ]

    for name, count in (("own", 24), ("more", 8), ("choose", 12)):
        data.write_rows(tmp_path / f"{name}.jsonl", rows(count))
    teachers = Teachers(
        count=2,
        task=best._paraphrase(dict.fromkeys(best.MODEL_PARTS, True)) | {"calibrate": True, "batch_size": 8},
        training={"epochs": 9, "steps": 3, "eval_steps": 3, "encoder_lr": 1e-3},
        pairs=20,
        student={"batch_size": 4, "weight": 1.5},
    )
    steps = []

    class Counting(Callback):
        def on_step_end(self, learner, progress, report):
            steps.append(report.step)

    asked = {}

    def lasting(name, *, settings):
        asked[name] = settings
        return nullcontext(tmp_path)

    told = []
    context = SimpleNamespace(lasting=lasting, progress=lambda *far: told.append(far))

    def teach():
        return teachers.teach(
            context, [tmp_path / "own.jsonl", tmp_path / "more.jsonl"],
            tmp_path / "choose.jsonl", encoder=str(tiny_folder), callback=Counting(),
        )  # fmt: skip

    first, before = teach(), (tmp_path / "taught.jsonl").read_bytes()
    again = teach()
    assert (again, steps) == (first, [1, 2, 3] * 2)  # nothing is done twice
    assert (tmp_path / "taught.jsonl").read_bytes() == before
    # What students make of it does not concern the teachers: all students share them.
    assert set(asked["teachers"]) == {"name", "count", "task", "training", "pairs"}

    labelled = data.read_rows(tmp_path / "own.jsonl") + data.read_rows(tmp_path / "more.jsonl")
    given = {text for row in labelled for text in (row["first"], row["second"])}
    said = data.read_rows(first.file)
    assert 5 < len(said) <= 28
    assert told[-1] == (len(said), len(said))
    assert {text for row in said for text in (row["first"], row["second"])} <= given
    models = [tenor.load(tmp_path / f"run-{number}/model", precision="fp32") for number in range(2)]
    texts = [(row["first"], row["second"]) for row in said]
    chances = [predict(model, model.tasks["paraphrase"], texts)[:, 1] for model in models]
    assert np.abs(chances[0] - chances[1]).max() > 1e-3  # they differ
    assert [row["score"] for row in said] == pytest.approx(np.mean(chances, axis=0).tolist(), abs=2e-4)
    assert f"judged {len(said)} pairs" in first.note
    assert teachers.student_task(first.file).share_head_with == "paraphrase"


def test_without_teachers_labelled_pairs_take_the_place_of_theirs(monkeypatch):
    setups = []

    def note(context, setup):
        setups.append(setup)
        raise InterruptedError

    monkeypatch.setattr(best, "train_and_score", note)
    cells = {cell.name: cell for cell in best.WITHOUT} | {"best": best.BEST}
    context = SimpleNamespace(settings=best.RECIPE.plan("small").settings)
    for name in ("best", "no-teachers"):
        with pytest.raises(InterruptedError):
            best.run(cells[name], context)
    whole, without = setups
    rows = whole.tasks["paraphrase"]["batch_size"] + whole.teachers.student["batch_size"]
    assert (without.teachers, without.tasks["paraphrase"]["batch_size"]) == (None, rows)
