"""A part of the rows kept for measuring: stratified, without leaks, by seed; from files and from memory."""

from collections import Counter

import pytest

from tenor.errors import TenorError
from tenor.tasks.table import task_config
from tenor.text.examples import Origin, Sentence
from tenor.training.api import train
from tenor.training.reading import given_task, read_task
from tenor.training.runfile import read_run
from tenor.training.running import train_run
from tenor.training.validation_split import split_rows


def sentences(labels, text="text {}"):
    return [Sentence(text.format(row), Origin("a", row), label=label) for row, label in enumerate(labels)]


def test_every_class_gives_its_part_and_keeps_a_row():
    rows = sentences(["a"] * 60 + ["b"] * 35 + ["c"] * 4 + ["d"])
    train_rows, dev = split_rows(rows, 0.2, seed=1)
    assert Counter(rows[row].label for row in dev) == {"a": 12, "b": 7, "c": 1}
    assert sorted(train_rows + dev) == list(range(100))


def test_texts_that_say_the_same_stay_on_one_side():
    rows = [
        Sentence(text, Origin("a", row), label=str(row % 2))
        for row in range(60)
        for text in (f"Some text, {row}!", f"some  text {row}")
    ]
    train_rows, dev = split_rows(rows, 0.3, seed=1)
    plain = lambda row: "".join(filter(str.isalnum, rows[row].text.lower()))  # noqa: E731
    assert not {plain(row) for row in train_rows} & {plain(row) for row in dev}
    assert 30 <= len(dev) <= 42


def test_the_seed_chooses_and_chooses_the_same_again():
    rows = sentences(["a", "b"] * 30)
    assert split_rows(rows, 0.2, seed=1) == split_rows(rows, 0.2, seed=1)
    assert split_rows(rows, 0.2, seed=1) != split_rows(rows, 0.2, seed=2)


def test_the_seed_of_a_run_chooses_what_is_kept(tmp_path):
    rows = [(f"day {row}", "ab"[row % 2]) for row in range(60)]
    (tmp_path / "a.tsv").write_text("text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in rows))
    columns = {"text": "text", "label": "label"}
    file = task_config("classify", train=tmp_path / "a.tsv", columns=columns, dev=0.2)
    memory = task_config("classify", dev=0.2)
    kept = [
        [[each.text for each in found.dev] for found in (
            read_task("mood", file, seed=seed), given_task("mood", memory, rows, seed=seed)
        )]
        for seed in (1, 1, 2)
    ]  # fmt: skip
    assert kept[0] == kept[1]
    assert kept[0][0] == kept[0][1]
    assert kept[0][0] != kept[2][0]
    assert kept[0][1] != kept[2][1]


def test_a_run_in_memory_is_measured_on_what_it_keeps(tiny_folder):
    rows = [(f"good day {row}", "good") for row in range(20)] + [
        (f"bad day {row}", "bad") for row in range(20)
    ]
    task = {"mood": {"kind": "classify", "train": rows, "dev": 0.25}}
    run = train(tiny_folder, task, epochs=1, fit_heads="never")
    assert run.metrics["tasks"]["mood"]["rows"] == 10
    assert run.metrics["data"]["mood"]["train"]["rows"] == 30


def test_a_run_file_may_say_it_too(tiny_folder, tmp_path):
    lines = [f"{'good' if row % 2 else 'bad'} day {row}\t{'g' if row % 2 else 'b'}" for row in range(20)]
    (tmp_path / "a.tsv").write_text("text\tlabel\n" + "\n".join(lines) + "\n")
    section = (
        '[tasks.mood]\nkind = "classify"\ntrain = "a.tsv"\ncolumns = { text = "text", label = "label" }\n'
    )
    (tmp_path / "run.toml").write_text(
        f'encoder = "{tiny_folder}"\n{section}dev = 0.2\n[training]\nsteps = 1\n'
    )
    done = train_run(read_run(tmp_path / "run.toml"), out=tmp_path / "out")
    assert done.metrics["tasks"]["mood"]["rows"] == 4


@pytest.mark.parametrize("part", [1.5, 0.0, -0.2])
def test_what_is_no_part_is_refused(tiny_folder, part):
    with pytest.raises(TenorError, match=r"dev is .*such as 0.2"):
        train(tiny_folder, {"mood": {"kind": "classify", "train": [("a", "b"), ("c", "d")], "dev": part}})


def test_rows_that_all_say_the_same_cannot_be_split(tiny_folder):
    task = {"mood": {"kind": "classify", "train": [("a day", "x"), ("A day.", "y")], "dev": 0.5}}
    with pytest.raises(TenorError, match="keeps no row"):
        train(tiny_folder, task)


@pytest.mark.parametrize(("classes", "each", "part"), [(150, 2, 0.2), (60, 5, 0.1), (100, 3, 0.2)])
def test_many_small_classes_give_the_part_that_was_asked_for(classes, each, part):
    rows = [
        Sentence(f"text {label} {n}", Origin("a", label * each + n), label=str(label))
        for label in range(classes)
        for n in range(each)
    ]
    train, dev = split_rows(rows, part, seed=1)
    assert abs(len(dev) - part * len(rows)) <= 1
    assert {rows[n].label for n in train} == {str(label) for label in range(classes)}
