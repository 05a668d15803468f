"""`tenor evaluate` finds the task and the columns by itself, where only one can be meant."""

import pytest

import tenor
from tenor.errors import TenorError
from tenor.text.problems import Problems
from tenor.use.evaluate import evaluate

ROWS = [("the cat", "news of a house", "a"), ("an old dog", "the river is long", "b")] * 6
PAIRS = [
    ("the cat sat", "a cat sat", "4.5"),
    ("the dog", "a long river", "0.5"),
    ("we read", "we eat", "2"),
] * 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("files")
    lines = [f"{title},{body},{mood}" for title, body, mood in ROWS]
    (place / "train.csv").write_text("\n".join(["heading,story,mood", *lines]) + "\n")
    (place / "other.csv").write_text("label,text\na,the cat is old\nb,the river was long\n")
    (place / "sts.tsv").write_text("".join("\t".join(row) + "\n" for row in [("s1", "s2", "score"), *PAIRS]))
    return place


@pytest.fixture(scope="module")
def one(tiny_folder, folder):
    task = {"kind": "classify", "train": folder / "train.csv", "columns": {"text": "story", "label": "mood"}}
    return tenor.train(tiny_folder, {"mood": task}, epochs=1, encoder_lr=1e-4).load()


@pytest.fixture(scope="module")
def two(tiny_folder, folder):
    mood = {"kind": "classify", "train": folder / "train.csv", "columns": {"text": "story", "label": "mood"}}
    columns = {"first": "s1", "second": "s2", "score": "score"}
    alike = {"kind": "similarity", "train": folder / "sts.tsv", "columns": columns}
    return tenor.train(tiny_folder, {"mood": mood, "alike": alike}, epochs=1, encoder_lr=1e-4).load()


def test_the_only_task_and_the_columns_of_training_need_no_naming(one, folder):
    found = evaluate(one, folder / "train.csv", problems=Problems(), repeats=2)
    columns = {"text": "story", "label": "mood"}
    named = evaluate(one, folder / "train.csv", task="mood", columns=columns, problems=Problems(), repeats=2)
    assert found.to_json() == named.to_json()
    assert (found.task, found.rows) == ("mood", 12)
    other = evaluate(one, folder / "other.csv", problems=Problems(), repeats=2)
    assert (other.task, other.rows) == ("mood", 2)


def test_saving_keeps_the_columns_of_training(one, folder, tmp_path):
    one.save(tmp_path / "again")
    found = evaluate(tenor.load(tmp_path / "again"), folder / "train.csv", problems=Problems(), repeats=2)
    assert (found.task, found.rows) == ("mood", 12)


def test_rows_in_memory_are_of_the_only_task(one):
    assert tenor.evaluate(one, None, [("the cat", "a"), ("the river", "b")], repeats=2).task == "mood"


def test_the_plain_cosine_can_be_asked_for(one, folder):
    columns = {"first": "s1", "second": "s2", "score": "score"}
    found = evaluate(one, folder / "sts.tsv", task="cosine", columns=columns, problems=Problems(), repeats=2)
    assert (found.task, found.metric) == ("cosine", "spearman")


def test_of_several_tasks_the_one_that_the_file_fits(two, folder, tmp_path):
    for file, task in {"train.csv": "mood", "other.csv": "mood", "sts.tsv": "alike"}.items():
        assert evaluate(two, folder / file, problems=Problems(), repeats=2).task == task
    (tmp_path / "x.csv").write_text("label,text\nx,the cat is old\ny,the river was long\n")
    with pytest.raises(TenorError, match=r"fits no task .* Name a task with --task \(mood, alike\)"):
        evaluate(two, tmp_path / "x.csv", problems=Problems())


def test_a_file_that_fits_several_tasks_is_told(tiny_folder, folder):
    task = {"kind": "classify", "train": folder / "train.csv", "columns": {"text": "story", "label": "mood"}}
    other = task | {"columns": {"text": "heading", "label": "mood"}}
    both = tenor.train(tiny_folder, {"one": task, "two": other}, epochs=1, encoder_lr=1e-4).load()
    with pytest.raises(TenorError, match=r"fits several tasks of .*: one, two. Choose with --task"):
        evaluate(both, folder / "train.csv", problems=Problems())
