"""Settings that were left out: what is chosen, that given ones stay, that nothing ends below its start."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from task_battery import network_of, tokenizer_of
from tenor.encoders.from_scratch import from_scratch_config
from tenor.errors import TenorError
from tenor.model import load
from tenor.tasks.table import kind_of, task_config
from tenor.tasks.task import Reads
from tenor.tasks.texts.logistic import fit_logistic
from tenor.text.examples import Origin, Sentence
from tenor.training.api import train
from tenor.training.automatic import choose_settings
from tenor.training.callbacks import Callback
from tenor.training.config import RunConfig, TrainingConfig
from tenor.training.head_fitting import fit_heads
from tenor.training.reading import TaskExamples
from tenor.training.runfile import read_run
from tenor.training.running import train_run

ROWS = [(f"good fine day {row}", "good") for row in range(12)] + [
    (f"bad old city {row}", "bad") for row in range(12)
]
PAIRS = [("a cat", f"a dog {row}", "yes" if row % 2 else "no") for row in range(12)]
NEAR = [("a cat", f"the day {row}", float(row % 3)) for row in range(12)]


class Heard(Callback):
    """Keeps notes."""

    def __init__(self):
        self.notes = []

    def note(self, text):
        self.notes.append(text)


class Stop(Exception):
    """What ends a run."""


class StopAt(Callback):
    def __init__(self, step):
        self.step = step

    def on_step_end(self, learner, progress, report):
        if progress.step == self.step:
            raise Stop


def read_run_text(folder, text):
    """Read the run file of a run in memory, with a file for its rows."""
    (folder / "a.csv").write_text("text,label\na,b\n")
    columns = 'train = "a.csv"\ncolumns = { text = "text", label = "label" }\n'
    lines = [line for line in text.splitlines() if not line.startswith("columns")]
    text = "\n".join(lines).replace('kind = "classify"\n', f'kind = "classify"\n{columns}')
    (folder / "again.toml").write_text(text)
    return read_run(folder / "again.toml")


def chosen(folder, rows, *, given=(), kind="classify", **training):
    """Return the plan of a run with so many rows."""
    run = RunConfig(
        encoder=str(folder), tasks={"mood": task_config(kind)}, training=TrainingConfig(**training),
        given=frozenset({f"training.{key}" for key in training} | set(given)),
    )  # fmt: skip
    train = [Sentence(f"text {row}", Origin("a", row), label=str(row % 3)) for row in range(rows)]
    return choose_settings(run, {"mood": TaskExamples(train=train)})


def test_few_rows_of_classes_get_a_contrastive_stage_and_fitted_heads(tiny_folder):
    plan = chosen(tiny_folder, 64)
    assert list(plan.run.objectives) == ["contrast"]
    assert plan.run.training.fit_heads == "always"
    assert plan.run.updates["encoder"].losses == ("mood.contrast",)
    assert plan.run.tasks["mood"].batch_size == 32
    assert plan.run.training.steps * 32 < 1000
    assert "64 rows of 3 classes" in plan.notes()[0]


@pytest.mark.parametrize(("rows", "most"), [(2000, 8000), (50_000, 50_000)])
def test_more_rows_are_fine_tuned_for_fewer_epochs(tiny_folder, rows, most):
    plan = chosen(tiny_folder, rows)
    assert not plan.run.objectives
    assert plan.run.training.fit_heads == "start"
    assert plan.run.training.epochs * rows <= most


def test_taggers_get_the_settings_of_their_kind_unless_other_kinds_stand_beside(tiny_folder):
    tags = chosen(tiny_folder, 2000, kind="tag").run.training
    asked = kind_of("tag").suggested_training(2000)
    assert {key: getattr(tags, key) for key in asked} == asked
    assert chosen(tiny_folder, 2000, kind="tag", encoder_lr=3e-3).run.training.encoder_lr == 3e-3
    both = RunConfig(
        encoder=str(tiny_folder), tasks={"mood": task_config("classify"), "names": task_config("tag")},
        training=TrainingConfig(), given=frozenset(),
    )  # fmt: skip
    train = [Sentence(f"text {row}", Origin("a", row), label=str(row % 3)) for row in range(2000)]
    examples = {"mood": TaskExamples(train=train), "names": TaskExamples(train=train)}
    assert choose_settings(both, examples).run.training.encoder_lr != asked["encoder_lr"]


def test_given_settings_stay(tiny_folder):
    plan = chosen(tiny_folder, 64, given=["tasks.mood.batch_size"], encoder_lr=3e-3, epochs=2)
    training = plan.run.training
    assert (training.encoder_lr, training.epochs, training.steps) == (3e-3, 2, None)
    assert plan.run.tasks["mood"].batch_size == 16
    assert not {"encoder_lr", "epochs", "steps", "mood.batch_size"} & {each.key for each in plan.choices}


@pytest.mark.parametrize("own", [{"freeze": "encoder"}, {"fit_heads": "never"}, {"ema": 0.9}])
def test_ways_of_ones_own_keep_the_contrastive_stage_out(tiny_folder, own):
    plan = chosen(tiny_folder, 64, **own)
    assert not plan.run.objectives
    assert all(getattr(plan.run.training, key) == value for key, value in own.items())


def test_a_run_that_says_all_is_left_alone(tiny_folder):
    run = RunConfig(encoder=str(tiny_folder), tasks={"mood": task_config("classify")})
    assert choose_settings(run, {"mood": TaskExamples(train=[])}).run == run


def test_the_run_says_what_it_chose_and_the_folder_can_be_run_again(tiny_folder, tmp_path):
    heard = Heard()
    done = train(
        tiny_folder, {"mood": {"kind": "classify", "train": ROWS}}, out=tmp_path / "out", callbacks=[heard]
    )
    assert any("Settings chosen: mood has 24 rows of 2 classes" in note for note in heard.notes)
    assert any("head starts from logistic regression" in note for note in heard.notes)
    assert done.metrics["plan"]["chosen"]["fit_heads"] == "always"
    text = (tmp_path / "out" / "run.toml").read_text()
    assert 'method = "supervised_contrastive"' in text
    assert 'fit_heads = "always"' in text
    assert text.startswith("# Settings chosen: mood has 24 rows of 2 classes")
    assert read_run_text(tmp_path, text).training.fit_heads == "always"


def test_a_run_that_was_stopped_goes_on_to_the_same_weights(tiny_folder, tmp_path):
    task = {"mood": {"kind": "classify", "train": ROWS, "dev": ROWS[::5]}}
    whole = train(tiny_folder, task, out=tmp_path / "whole", checkpoint_steps=2, precision="fp32")
    with pytest.raises(Stop):
        train(
            tiny_folder,
            task,
            out=tmp_path / "cut",
            checkpoint_steps=2,
            precision="fp32",
            callbacks=[StopAt(5)],
        )
    resumed = train(tiny_folder, task, out=tmp_path / "cut", checkpoint_steps=2, precision="fp32")
    one, two = whole.network.state_dict(), resumed.network.state_dict()
    assert all(torch.equal(one[key], two[key]) for key in one)
    lines = [json.loads(line) for line in (tmp_path / "cut" / "log.jsonl").read_text().splitlines()]
    assert sum(line["step"] == 0 for line in lines) == 1


def test_training_that_only_harms_ends_with_the_fitted_start(tiny_folder):
    task = {"mood": {"kind": "classify", "train": ROWS, "dev": ROWS[:8] + ROWS[-8:]}}
    settings = {
        "fit_heads": "start",
        "epochs": 2,
        "precision": "fp32",
        "schedule": "constant",
        "max_grad_norm": 0,
    }
    harmed = train(tiny_folder, task, encoder_lr=3.0, head_lr=30.0, **settings)
    assert harmed.metrics["best_step"] == 0
    start = harmed.metrics["best"]
    assert harmed.scores["mood"]["accuracy"] == pytest.approx(start, abs=1e-6)


def test_a_fitted_start_is_what_scikit_learn_says_of_the_same_vectors(tiny_folder):
    task = {"mood": {"kind": "classify", "train": ROWS}}
    run = train(tiny_folder, task, fit_heads="start", encoder_lr=0.0, head_lr=0.0, epochs=1, precision="fp32")
    assert (
        run.load().predict("mood", [(text,) for text, _ in ROWS]).argmax(axis=1).tolist()
        == [1] * 12 + [0] * 12
    )


def test_heads_are_fitted_to_each_row_s_own_vector(tiny_folder, monkeypatch):
    words = ["the", "cat", "sat", "and", "a", "dog", "ran", "by"] * 2
    texts = [" ".join(words[row % 5 : row % 5 + 1 + row * 7 % 11]) for row in range(24)]
    examples = [Sentence(text, Origin("a", row), label="ab"[row % 2]) for row, text in enumerate(texts)]
    network = network_of(tiny_folder, {"mood": task_config("classify")}, examples={"mood": examples})
    task = network.task("mood")
    data = task.prepare(examples, tokenizer_of(tiny_folder))
    assert len(set(data.costs().tolist())) > 5  # rows are encoded by length, not in their order
    given = []
    monkeypatch.setattr(task, "fit", lambda inputs, targets: given.append((inputs, targets)) or "nothing")
    assert fit_heads(network, {"mood": data}) == {"mood": "nothing"}
    ((inputs, targets),) = given
    assert targets.tolist() == [0, 1] * 12
    for row in range(24):
        batch = task.collate(data, np.array([row]))
        with torch.no_grad():
            alone = task.fit_inputs(network.see({"mood": batch}, reads=Reads())["mood"], batch)
        np.testing.assert_allclose(inputs[row], alone[0].numpy(), atol=1e-5)


def test_several_tasks_at_once_begin_fitted(tiny_folder):
    tasks = {
        "mood": {"kind": "classify", "train": ROWS},
        "same": {"kind": "pair", "train": PAIRS},
        "near": {"kind": "similarity", "train": NEAR, "head": "affine"},
    }
    heard = Heard()
    run = train(tiny_folder, tasks, epochs=1, callbacks=[heard])
    fitted = [note.split(":")[0] for note in heard.notes if "the head starts from" in note]
    assert fitted == ["Task mood", "Task same", "Task near"]
    assert run.metrics["plan"]["chosen"]["same.head"] == "linear"


def test_two_classifications_share_a_contrastive_stage(tiny_folder):
    other = [(text, "even" if place % 2 else "odd") for place, (text, _) in enumerate(ROWS)]
    tasks = {"mood": {"kind": "classify", "train": ROWS}, "side": {"kind": "classify", "train": other[:15]}}
    run = train(tiny_folder, tasks)
    assert run.metrics["plan"]["chosen"]["objectives.contrast"]
    assert np.isfinite(run.load().predict("side", [("a day",)])).all()


@pytest.mark.parametrize("kind", ["lstm", "cnn", "static"])
def test_new_encoders_of_other_types_train_with_nothing_set(kind):
    small = {"model_type": kind, "vocab_size": 60}
    try:
        config = from_scratch_config(small)
    except TenorError:
        pytest.skip(f"{kind} cannot be made from scratch")
    run = train(None, {"mood": {"kind": "classify", "train": ROWS}}, from_scratch=config, epochs=1)
    assert run.metrics["steps"] >= 1


def test_a_start_that_failed_leaves_a_folder_for_the_corrected_command(tiny_folder, tmp_path):
    (tmp_path / "a.csv").write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in ROWS))
    section = (
        '[tasks.mood]\nkind = "classify"\ntrain = "a.csv"\ncolumns = { text = "text", label = "label" }\n'
    )
    (tmp_path / "run.toml").write_text(section + "[training]\nsteps = 1\n")
    with pytest.raises(TenorError, match="nosuch"):
        train(tmp_path / "run.toml", out=tmp_path / "out", overrides=["encoder=nosuch"])
    run = replace(read_run(tmp_path / "run.toml"), encoder="nosuch", given=None)
    with pytest.raises(TenorError, match="nosuch"):  # also where nothing is chosen before the folder is begun
        train_run(run, out=tmp_path / "out")
    done = train(tmp_path / "run.toml", out=tmp_path / "out", overrides=[f"encoder={tiny_folder}"])
    assert done.metrics["steps"] == 1


def test_a_labelled_file_is_enough(tiny_folder, tmp_path):
    (tmp_path / "a.csv").write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in ROWS))
    heard = Heard()
    done = train(
        tmp_path / "a.csv", out=tmp_path / "out", overrides=[f"encoder={tiny_folder}"], callbacks=[heard]
    )
    assert done.metrics["tasks"]["a"]["rows"] == 5
    told = "\n".join(heard.notes)
    assert 'kind = "classify"' in told
    assert "kept for evaluation" in told


def test_what_is_no_file_is_no_run(tmp_path):
    with pytest.raises(TenorError, match="is not a file, where a run file or a data file is expected"):
        train(tmp_path / "nothing", out=tmp_path / "out")


def test_steps_that_are_given_are_all_made(tiny_folder):
    training = chosen(tiny_folder, 40, steps=500).run.training
    assert training.steps == 500
    assert training.epochs * 2 >= 500  # two batches of 32 go through 40 rows


@pytest.mark.parametrize("settings", ['fit_heads = "never"', ""], ids=["heads at random", "a new encoder"])
@pytest.mark.parametrize("dev", [True, False])
def test_a_run_without_fitted_heads_scores_its_start_for_the_report(tiny_folder, tmp_path, settings, dev):
    (tmp_path / "a.csv").write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in ROWS))
    encoder = f'encoder = "{tiny_folder}"' if settings else ""
    scratch = "" if settings else "[from_scratch]\nhidden_size = 16\nnum_layers = 1\nnum_heads = 2\n"
    (tmp_path / "run.toml").write_text(
        f"{encoder}\n[training]\nepochs = 1\n{settings}\n{scratch}[tasks.mood]\n"
        'kind = "classify"\ntrain = "a.csv"\ncolumns = { text = "text", label = "label" }\n'
        + ('dev = "a.csv"\n' if dev else "")
    )
    train_run(read_run(tmp_path / "run.toml"), out=tmp_path / "out")
    lines = [json.loads(line) for line in (tmp_path / "out" / "log.jsonl").read_text().splitlines()]
    scored = [line["step"] for line in lines if "evaluation" in line]
    assert scored == ([0, scored[-1]] if dev else [])
    assert (">before training</th>" in (tmp_path / "out" / "report.html").read_text()) is dev


def test_too_few_pairs_without_dev_rows_keep_the_encoder_and_a_fitted_head(tiny_folder):
    rows = [("a cat", "a cat sat", "yes"), ("a cat", "the river is long", "no")] * 6
    run = train(tiny_folder, {"same": {"kind": "pair", "train": rows}}, precision="fp32")
    chosen = run.metrics["plan"]["chosen"]
    assert (chosen["freeze"], chosen["fit_heads"], chosen["epochs"]) == ("encoder", "always", 1)
    model, start = load(run.model, precision="fp32"), load(tiny_folder, precision="fp32")
    texts = ["a cat", "a dog 3", "the day"]
    np.testing.assert_allclose(model.encode(texts), start.encode(texts), atol=1e-5)
    u, v = (start.encode([row[side] for row in rows]) for side in (0, 1))
    inputs = np.concatenate([np.abs(u - v), u * v, (u * v).sum(axis=1, keepdims=True)], axis=1)
    labels = model.tasks["same"].spec.labels_shown
    fit = fit_logistic(inputs, np.array([labels.index(row[2]) for row in rows]), outputs=1)
    raw = inputs @ fit.weight.T + fit.bias
    told = model.predict("same", [row[:2] for row in rows])
    np.testing.assert_allclose(told[:, 1], 1 / (1 + np.exp(-raw[:, 0])), atol=0.02)


@pytest.mark.parametrize("given", [{"epochs": 1}, {"encoder_lr": 1e-4}, {"steps": 2}])
def test_few_pairs_are_fine_tuned_where_a_person_says_how_or_dev_rows_measure(tiny_folder, given):
    task = {"kind": "pair", "train": PAIRS}
    assert "freeze" not in train(tiny_folder, {"same": task}, **given).metrics["plan"]["chosen"]
    measured = train(tiny_folder, {"same": task | {"dev": PAIRS[:4]}}, steps=1)
    assert "freeze" not in measured.metrics["plan"]["chosen"]
