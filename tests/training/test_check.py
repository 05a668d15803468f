"""`check` and `draft`: a run file that is drafted passes, and what would stop training is found."""

import json
import os
from dataclasses import replace

import pytest

from tenor.errors import TenorError
from tenor.tasks.classify.kind import ClassifyConfig
from tenor.training.api import train
from tenor.training.check import DataReport, RunReport, check, check_run
from tenor.training.init_config import draft_run, write_draft
from tenor.training.reading import given_task, read_task
from tenor.training.runfile import read_run

WORDS = ["one red house", "two green trees", "three blue boats", "four old stones", "five new roads"]


@pytest.fixture
def make(tmp_path):
    def write(name, rows, header=None, delimiter="\t"):
        lines = [header, *rows] if header else rows
        (tmp_path / name).write_text("".join(delimiter.join(map(str, row)) + "\n" for row in lines))
        return tmp_path / name

    return write


def sentences(count, start=0):
    return [
        (f"here are {WORDS[n % 5]} of {n}", "good" if n % 3 else "bad") for n in range(start, start + count)
    ]


def pairs(count):
    return [
        (f"{n % 10 / 2}", f"I saw {WORDS[n % 5]} at {n}", f"there were {WORDS[n % 5]} {n}")
        for n in range(count)
    ]


RUN = """
[tasks.mood]
kind = "classify"
train = "train.csv"
dev = "dev.csv"
columns = { text = "text", label = "label" }
"""


def test_a_good_run(make, tmp_path):
    make("train.csv", sentences(40), ("text", "label"), ",")
    make(
        "dev.csv",
        [*sentences(10, start=100), ("HERE are one red house - of 0!", "bad")],
        ("text", "label"),
        ",",
    )
    (tmp_path / "run.toml").write_text(RUN)
    report = check(tmp_path / "run.toml")
    assert isinstance(report, RunReport)
    assert report.wrong == []
    task = report.tasks[0]
    assert (task.train.tally.count, task.dev.tally.count, task.shared) == (40, 11, 1)
    told = json.loads(json.dumps(report.as_dict()))
    assert told["tasks"][0]["train"]["labels"] == {"good": 26, "bad": 14}
    assert told["tasks"][0]["dev"]["words"]["most"] == 8


@pytest.mark.parametrize(
    ("train", "dev", "said"),
    [
        ([("a b c", "x")] * 3, sentences(3), "every label is 'x'"),
        (sentences(9), [("a b c", "unheard")], "labels that do not occur in the train file: 'unheard'"),
        ([(f"text {n}", f"label {n}") for n in range(1500)], sentences(3), "more than 1,000 values"),
        (
            [("a", "x"), ("b", "y"), ("", "x"), ("", "y"), ("", "x")],
            [("a", "x")],
            "3 problems in 2 usable rows",
        ),
        (sentences(9), [("", "")], "no texts that could be read"),
    ],
)
def test_what_would_stop_training_is_wrong(make, tmp_path, train, dev, said):
    make("train.csv", train, ("text", "label"), ",")
    make("dev.csv", dev, ("text", "label"), ",")
    (tmp_path / "run.toml").write_text(RUN)
    report = check_run(tmp_path / "run.toml")
    assert any(said in what for what in report.wrong), report.wrong


SAME = """
[tasks.same]
kind = "pair"
train = "train.csv"
encoding = "cross"
columns = { first = "one", second = "two", label = "label" }
"""


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        ('[from_scratch]\nmodel_type = "lstm"', "Task same is a cross-encoder, but an encoder of type lstm"),
        ('[from_scratch]\nmodel_type = "cnn"\nvectors = "none.txt"', "There is no file 'none.txt'"),
        ('[from_scratch]\nmodel_type = "cnn"\nvectors = "glove-50d"', "tenor fetch glove-50d"),
        ('[from_scratch]\nmodel_type = "lstm"\ntokenizer = "minilmm"', "minilmm"),
        ('encoder = "potion-8m"', "tenor fetch potion-8m"),
    ],
)
def test_check_refuses_the_encoders_that_train_refuses(make, tmp_path, monkeypatch, begin, said):
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path / "cache"))
    make("train.csv", [("a b", "c d", "yes"), ("e f", "g h", "no")] * 3, ("one", "two", "label"), ",")
    (tmp_path / "run.toml").write_text(begin + SAME)
    (wrong,) = check_run(tmp_path / "run.toml").wrong
    assert said in wrong
    with pytest.raises(TenorError) as error:
        train(tmp_path / "run.toml", out=tmp_path / "out", epochs=1)
    assert said in str(error.value)


def test_check_and_train_refuse_absurd_sizes_alike(make, tmp_path):
    make("train.csv", [("a b", "c d", "yes"), ("e f", "g h", "no")] * 3, ("one", "two", "label"), ",")
    (tmp_path / "run.toml").write_text("[from_scratch]\nhidden_size = 4000000\nnum_heads = 1\n" + SAME)
    for job in (check_run, lambda file: train(file, out=tmp_path / "out")):
        with pytest.raises(TenorError, match=r"run.toml.* parameters"):
            job(tmp_path / "run.toml")


def test_wrong_columns_scores_and_encoders(make, tmp_path):
    make("train.csv", [("1.0", "a b", "c d")] * 4, ("score", "one", "two"), ",")
    run = """encoder = "minilmm"
    [tasks.near]
    kind = "similarity"
    train = "train.csv"
    columns = { first = "one", second = "tow", score = "score" }"""
    (tmp_path / "run.toml").write_text(run)
    wrong = check_run(tmp_path / "run.toml").wrong
    assert any("no column 'tow'" in what and "Did you mean 'two'" in what for what in wrong)
    assert any("encoder 'minilmm'" in what for what in wrong)
    (tmp_path / "run.toml").write_text(run.replace("tow", "two").replace("minilmm", "minilm"))
    assert check_run(tmp_path / "run.toml").wrong == [
        "task near: every score is 1; at least two values are needed"
    ]


def test_texts_with_different_labels_are_reported_by_check_and_train(make, tmp_path):
    rows = [*sentences(20), ("HERE are one red  house of 0", "good"), ("a fine day", "good")]
    file = make("train.csv", rows, ("text", "label"), ",")
    said = f"1 text appears with different labels, in 2 rows (first: lines 2 and 22 of {file})"
    assert check(file).warnings == [f"{said}; which label is right?"]
    make("dev.csv", sentences(5, start=100), ("text", "label"), ",")
    (tmp_path / "run.toml").write_text(RUN)
    assert check(tmp_path / "run.toml").tasks[0].warnings == [f"{said}; which label is right?"]
    run = read_run(tmp_path / "run.toml")
    for dev in (run.tasks["mood"].dev, 0.2):
        examples = read_task("mood", replace(run.tasks["mood"], dev=dev))
        assert f"Warning: task mood: {said}; which label is right?" in examples.notes
    assert any("different labels" in note for note in given_task("m", ClassifyConfig(), rows, rows).notes)


def test_what_cannot_be_watched_is_wrong(make, tmp_path):
    make("train.csv", sentences(40), ("text", "label"), ",")
    make("dev.csv", sentences(10, start=100), ("text", "label"), ",")
    text = RUN + '[training]\nmonitor = "mod.accuracy"'
    (tmp_path / "run.toml").write_text(text)
    assert check_run(tmp_path / "run.toml").wrong == ["monitor is 'mod.accuracy', but 'mod' has no dev file"]
    (tmp_path / "run.toml").write_text(text.replace('monitor = "mod.accuracy"', "patience = 1"))
    assert check_run(tmp_path / "run.toml").wrong == []
    text = text.replace('monitor = "mod.accuracy"', "patience = 1").replace('dev = "dev.csv"', "")
    (tmp_path / "run.toml").write_text(text)
    assert "no task has a dev file" in check_run(tmp_path / "run.toml").wrong[0]


def test_heads_that_cannot_be_shared_are_wrong(make, tmp_path):
    rows = [(f"a {row}", f"b {row}", f"{row % 2}") for row in range(20)]
    make("train.csv", rows, ("one", "two", "same"), ",")
    make("dev.csv", [(f"dev {a}", b, c) for a, b, c in rows], ("one", "two", "same"), ",")
    run = """[tasks.same]
    kind = "pair"
    train = "train.csv"
    dev = "dev.csv"
    columns = { first = "one", second = "two", label = "same" }
    calibrate = true
    [tasks.near]
    kind = "similarity"
    train = "train.csv"
    columns = { first = "one", second = "two", score = "same" }
    share_head_with = "same\""""
    chances = run + '\nloss = "cross_entropy"\nrange = [0, 1]'
    misspelt = run.replace('share_head_with = "same"', 'share_head_with = "sam"')
    for text, said in (
        (run, "task same: calibrate would change the head that 'near' shares with it"),
        (misspelt, "task near: share_head_with names 'sam', which is no other task. Did you mean 'same'?"),
    ):
        (tmp_path / "run.toml").write_text(text)
        (wrong,) = check_run(tmp_path / "run.toml").wrong
        assert wrong.startswith(said)
    (tmp_path / "run.toml").write_text(chances)
    assert check_run(tmp_path / "run.toml").wrong == []


def test_strict_stops(make, tmp_path):
    make("train.csv", [*sentences(9), ("", "bad")], ("text", "label"), ",")
    make("dev.csv", sentences(3), ("text", "label"), ",")
    (tmp_path / "run.toml").write_text(RUN)
    with pytest.raises(TenorError, match=r"train.csv:11: the text is empty"):
        check_run(tmp_path / "run.toml", strict=True)


def test_data_file_against_another(make):
    one = make("one.tsv", pairs(20), ("score", "first", "second"))
    swapped = [(score, second.upper(), first) for score, first, second in pairs(5)]
    two = make(
        "two.tsv", [*swapped, *[("1.0", f"new {n} here", f"and new {n}") for n in range(20)]], ("s", "a", "b")
    )
    report = check(two, against=one)
    assert isinstance(report, DataReport)
    assert (report.shared, report.wrong) == (5, [])
    assert report.as_dict()["roles"]["pair"] == ("a", "b")


def test_a_file_of_numbers_has_no_text(make):
    report = check(make("n.csv", [(n, n * 2) for n in range(9)], delimiter=","))
    assert "could be taken for text" in report.wrong[0]


DRAFTS = {
    "classify": (sentences(40), ("text", "label")),
    "pair": (
        [(n % 2, first, second) for n, (_, first, second) in enumerate(pairs(40))],
        ("label", "s1", "s2"),
    ),
    "similarity": (pairs(40), None),
    "contrastive": ([row[1:] for row in pairs(40)], ("question", "answer")),
}


@pytest.mark.parametrize("kind", DRAFTS)
@pytest.mark.parametrize(("name", "delimiter"), [("my data.csv", ","), ("x.tsv", "\t"), ("y.txt", "\t")])
def test_a_drafted_run_file_passes_check(make, tmp_path, kind, name, delimiter):
    rows, header = DRAFTS[kind]
    data = make(name, rows, header, delimiter)
    out = tmp_path / "elsewhere" / "run.toml"
    out.parent.mkdir()
    write_draft(data, out=out)
    run = read_run(out)
    (task,) = run.tasks.values()
    assert (task.kind, task.train) == (kind, data)
    report = check_run(out, strict=True)
    assert report.wrong == []
    assert report.tasks[0].train.tally.count == 40


def test_a_draft_finds_the_dev_file_beside_a_train_file(make, tmp_path):
    data = make("sst-train.csv", sentences(40), ("text", "label"), ",")
    assert "\ndev = 0.2 " in draft_run(data, out=tmp_path / "run.toml")
    make("sst-dev.csv", [("other columns", 3)], ("x", "y"), ",")
    assert "\ndev = 0.2 " in draft_run(data, out=tmp_path / "run.toml")
    make("sst-dev.csv", sentences(10, start=50), ("text", "label"), ",")
    text = draft_run(data, out=tmp_path / "run.toml")
    assert "[tasks.sst]" in text
    assert '\ndev = "sst-dev.csv"\n' in text


def test_odd_names_survive_the_draft(make, tmp_path):
    data = make('tr"ain \\ ü.csv', sentences(40), ('te"xt \\', "label # 1"), ",")
    write_draft(data, out=tmp_path / "run.toml")
    assert check_run(tmp_path / "run.toml").wrong == []


def test_a_draft_refuses(make, tmp_path):
    plain = tmp_path / "lines.txt"
    plain.write_text("only a line\nand another\n")
    with pytest.raises(TenorError, match="no task could be guessed"):
        draft_run(plain, out=tmp_path / "run.toml")
    data = make("a.csv", sentences(40), ("text", "label"), ",")
    (tmp_path / "run.toml").write_text("mine")
    with pytest.raises(TenorError, match="exists already"):
        write_draft(data, out=tmp_path / "run.toml")
    assert (tmp_path / "run.toml").read_text() == "mine"
    with pytest.raises(TenorError, match="its folder does not exist"):
        write_draft(data, out=tmp_path / "no" / "run.toml")
    with pytest.raises(TenorError, match="standard input"):
        draft_run("-", out=tmp_path / "run.toml")


def test_a_name_that_no_run_file_can_hold(tmp_path):
    try:
        data = tmp_path / os.fsdecode(b"lab\xe9l.csv")
        data.write_text("text,label\n" + "a text,yes\nanother text,no\n" * 20)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    with pytest.raises(TenorError, match="not UTF-8"):
        write_draft(data, out=tmp_path / "run.toml")
    assert not (tmp_path / "run.toml").exists()
