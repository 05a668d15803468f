"""Whole runs through `train_run`: what a folder holds, what is continued and what refused, and bad input."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import tenor
from small_runs import MATCH, logged, write_run
from tenor.errors import TenorError
from tenor.tasks.table import task_config
from tenor.tasks.texts.sharing import check_shares
from tenor.training.api import train
from tenor.training.automatic import choose_settings
from tenor.training.building import with_found_encoder
from tenor.training.callbacks import Callback
from tenor.training.config_dump import difference, to_toml
from tenor.training.distributed import DistributedContext
from tenor.training.reading import read_tasks
from tenor.training.run_folder import RunFolder
from tenor.training.runfile import read_run
from tenor.training.running import train_run


class Heard(Callback):
    def __init__(self):
        self.notes = []

    def note(self, text):
        self.notes.append(text)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    match = MATCH.replace("{{", "{").replace("}}", "}")
    run = write_run(folder, more=match + 'dev = "near-dev.tsv"')
    heard = Heard()
    return run, train(run, out=folder / "out", callbacks=[heard]), heard


def test_a_run_folder_holds_all_of_it(finished):
    run, done, _ = finished
    names = {path.name for path in done.folder.iterdir()}
    assert names >= {"run.toml", "data.json", "log.jsonl", "model", "metrics.json", "predictions.jsonl"}
    config = with_found_encoder(read_run(run), run.parent)
    chosen = choose_settings(config, read_tasks(config.tasks)).run
    assert difference((done.folder / "run.toml").read_text(), to_toml(chosen)) is None
    assert read_run(done.folder / "run.toml").training == chosen.training
    lines = logged(done.folder)
    assert [line["step"] for line in lines if "losses" in line] == list(range(1, 11))
    assert set(lines[1]["losses"]) == {"mood", "near", "pairs"}
    assert [line["step"] for line in lines if "evaluation" in line] == [0, 5, 10]
    assert set(done.metrics["tasks"]) == {"mood", "near", "pairs"}
    assert done.metrics["tokens"] == sum(line.get("tokens", 0) for line in lines)
    predictions = [json.loads(line) for line in (done.folder / "predictions.jsonl").read_text().splitlines()]
    assert [row["task"] for row in predictions] == ["mood"] * 8 + ["near"] * 8
    assert sum(predictions[0]["probabilities"].values()) == pytest.approx(1)
    assert predictions[0]["origin"].endswith("mood-dev.tsv:2")
    assert not list((done.folder / "checkpoints").glob("last*"))
    text = json.dumps(done.metrics)
    assert str(done.folder.parent) not in text, "metrics and model name no folder of this machine"


def test_the_model_is_the_best_checkpoint_and_opens(finished):
    _, done, _ = finished
    model = tenor.load(done.model)
    vectors = model.encode(["the cat sat", "a dog"])
    assert vectors.shape == (2, 32)
    assert np.isfinite(vectors).all()
    assert set(model.tasks) >= {"mood", "near"}


def test_a_finished_or_other_run_is_refused_with_advice(finished, tmp_path):
    run, done, _ = finished
    with pytest.raises(TenorError, match=r"is finished; its model is in .*another --out"):
        train(run, out=done.folder)
    with pytest.raises(TenorError, match=r"another run: training.epochs was 2 and is now 3"):
        train(run, out=done.folder, overrides=["training.epochs=3"])
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(TenorError, match="not a run's"):
        train(run, out=tmp_path)
    with pytest.raises(TenorError, match="is a file"):
        train(run, out=tmp_path / "mine.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


class Stop(Exception):
    """As if killed."""


class StopAt(Callback):
    def __init__(self, step):
        self.step = step

    def on_step_end(self, learner, progress, report):
        if progress.step == self.step:
            raise Stop


def test_an_unfinished_run_is_continued_unless_its_data_changed(tmp_path):
    run_file = write_run(tmp_path / "run", training="checkpoint_steps = 2")
    run = with_found_encoder(read_run(run_file), run_file.parent)
    with pytest.raises(Stop):
        train_run(run, out=tmp_path / "out", callbacks=[StopAt(4)])
    lines = len(logged(tmp_path / "out"))
    data = tmp_path / "run" / "mood-train.tsv"
    content = data.read_text()
    data.write_text(content + "one more\tgood\n")
    with pytest.raises(TenorError, match=r"mood-train.tsv has changed since the run"):
        train_run(run, out=tmp_path / "out", callbacks=[StopAt(0)])
    data.write_text(content)
    heard = Heard()
    # How often checkpoints are written may change: it changes no result.
    other = replace(run, training=replace(run.training, checkpoint_steps=5))
    done = train_run(other, out=tmp_path / "out", callbacks=[StopAt(0), heard])
    assert any("Resuming at step 3" in note for note in heard.notes)
    assert lines == 4, "the start and three steps: the step that was not finished is not logged"
    assert [line["step"] for line in logged(done.folder) if "losses" in line] == list(range(1, 11))


def test_nothing_to_watch_is_told(tmp_path):
    run = write_run(tmp_path / "run", training="patience = 2")
    text = run.read_text()
    run.write_text("\n".join(line for line in text.splitlines() if not line.startswith("dev =")))
    with pytest.raises(TenorError, match="No task has a dev file"):
        train(run, out=tmp_path / "out")
    done = train(run, out=tmp_path / "other", overrides=["training.patience=0", "training.steps=2"])
    assert (done.metrics["steps"], done.metrics["tasks"]) == (2, {})


def test_two_processes_do_not_share_a_folder(tmp_path):
    one, two = RunFolder(tmp_path / "run"), RunFolder(tmp_path / "run")
    one.lock()
    with pytest.raises(TenorError, match="Another process is training"):
        two.lock()
    one.unlock()
    two.lock()
    two.unlock()


def mend(run: Path, name: str, old: str, new: str, count: int = -1) -> None:
    path = run.parent / name
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new, count))


def rows(run: Path, name: str, *lines: str) -> None:
    (run.parent / name).write_text("\n".join(lines) + "\n")


FIRST, SCORES = "text\tlabel", "first\tsecond\tscore"
BAD = {
    "a label not seen in training": (
        mend, ("mood-dev.tsv", "\tgood", "\tgreat", 1), "labels that do not occur in the train file: 'great'"
    ),
    "a score that is no number": (rows, ("near-train.tsv", SCORES, *["a b\tc d\tnan"] * 5), "score"),
    "a score out of range": (mend, ("near-train.tsv", "\t5.00", "\t50"), "outside of the range 0 to 5"),
    "one class": (rows, ("mood-train.tsv", FIRST, *["a text\tgood"] * 5), "every label is 'good'"),
    "one row": (rows, ("mood-train.tsv", FIRST, "one text\tgood"), "every label is 'good'"),
    "an empty dev file": (rows, ("mood-dev.tsv", FIRST), "mood-dev.tsv"),
    "swapped columns": (
        mend, ("run.toml", 'text = "text", label = "label"', 'text = "label", label = "text"'), "swapped"
    ),
    "swapped score": (
        mend,
        ("run.toml", 'second = "second", score = "score"', 'second = "score", score = "second"'),
        "problems",
    ),
    "a misspelt key": (mend, ("run.toml", "encoder_lr", "encoder_rat"), "Did you mean 'encoder_lr'"),
    "a misspelt task": (
        mend, ("run.toml", "[training]", '[training]\nmonitor = "mod"'), "Did you mean 'mood'"
    ),
    "a misspelt score": (
        mend, ("run.toml", "[training]", '[training]\nmonitor = "mood.acuracy"'), "no score 'acuracy'"
    ),
    "too few layers": (mend, ("run.toml", "[training]", "[training]\ntrain_last = 9"), "has 2 layers"),
    "an unknown encoder": (mend, ("run.toml", 'encoder = "model"', 'encoder = "nothing"'), "nothing"),
    "a dot in a name": (mend, ("run.toml", "[tasks.mood]", '[tasks."a.b"]'), "leave the dot out"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_in_a_sentence(tmp_path, case):
    spoil, how, said = BAD[case]
    run = write_run(tmp_path / "run")
    spoil(run, *how)
    with pytest.raises(TenorError, match=said) as told:
        train(run, out=tmp_path / "out")
    assert str(told.value).count("\n") <= 6


def test_dev_rows_in_train_are_a_warning_with_their_count(tmp_path):
    run = write_run(tmp_path / "run", training="steps = 1")
    dev = (run.parent / "mood-dev.tsv").read_text().splitlines()[1:4]
    (run.parent / "mood-train.tsv").open("a").write("\n".join(dev) + "\n")
    heard = Heard()
    train(run, out=tmp_path / "out", callbacks=[heard])
    assert any("3 of 8 dev rows also appear in train" in note for note in heard.notes)


def test_a_loss_that_is_no_number_leaves_the_last_checkpoint(tmp_path):
    class Break(Callback):
        def on_step_end(self, learner, progress, report):
            if progress.step == 4:
                with torch.no_grad():
                    next(iter(learner.network.task("mood").parameters())).fill_(float("inf"))

    run_file = write_run(tmp_path / "run", training="checkpoint_steps = 1")
    run = with_found_encoder(read_run(run_file), run_file.parent)
    with pytest.raises(TenorError, match=r"At step 5 the .*mood-train.tsv:\d+.*the last checkpoint stays"):
        train_run(run, out=tmp_path / "out", callbacks=[Break()])
    assert (tmp_path / "out" / "checkpoints" / "last.safetensors").is_file()
    assert not (tmp_path / "out" / "metrics.json").exists()


def test_overrides(tmp_path):
    run = write_run(tmp_path / "run")
    read = read_run(
        run,
        overrides=["training.epochs=7", "tasks.mood.batch_size=2", "pooling=cls", "training.schedule=cosine"],
    )
    assert (read.training.epochs, read.tasks["mood"].batch_size, read.pooling) == (7, 2, "cls")
    assert read.training.schedule == "cosine"
    wrong = {"epochs": "not understood", "tasks.moo.batch_size=2": "it has mood, near", "seed.x=1": "a value"}
    for override, said in wrong.items():
        with pytest.raises(TenorError, match=said):
            read_run(run, overrides=[override])


def test_one_process_where_no_launcher_is():
    assert DistributedContext.from_environment() == DistributedContext()


def test_a_calibrated_head_is_the_plain_one_rescaled(tmp_path):
    """The same run with and without: what the heads say differs by the fitted slope and offsets alone."""
    plain, calibrated = (
        train(write_run(tmp_path / name, dropout=0.0, training="steps = 6"), out=tmp_path / f"{name}-out",
              overrides=overrides)
        for name, overrides in (("plain", ()), ("calibrated", ("tasks.mood.calibrate=true",)))
    )  # fmt: skip
    fitted = calibrated.metrics["tasks"]["mood"]["calibration"]
    assert "calibration" not in plain.metrics["tasks"]["mood"]
    shares = [
        np.array([
            list(row["probabilities"].values())
            for row in map(json.loads, (done.folder / "predictions.jsonl").read_text().splitlines())
            if row["task"] == "mood"
        ])
        for done in (plain, calibrated)
    ]  # fmt: skip
    lifted = np.exp(fitted["slope"] * np.log(shares[0]) + np.array(fitted["offsets"]))
    np.testing.assert_allclose(shares[1], lifted / lifted.sum(axis=1, keepdims=True), atol=1e-5)
    opened = tenor.load(calibrated.model).tasks["mood"]
    assert opened.spec == tenor.load(plain.model).tasks["mood"].spec
    assert "calibrated on these very rows" in calibrated.report.read_text()


def test_a_head_that_another_task_shares_is_not_calibrated():
    columns = {"first": 0, "second": 1}
    same = task_config("pair", train=Path("a"), dev=Path("b"), columns=columns | {"label": 2}, calibrate=True)
    near = task_config("similarity", train=Path("a"), columns=columns | {"score": 2}, share_head_with="same")
    chances = replace(near, loss="cross_entropy", scale=1.0)  # what a teacher says of the same
    check_shares({"same": same, "near": chances})
    with pytest.raises(TenorError, match=r"Task same: calibrate would change the head that 'near' shares"):
        check_shares({"near": near, "same": same})
