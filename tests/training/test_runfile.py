"""Run files: what they map to, and the sentence that each mistake gets."""

import pytest

from tenor.errors import TenorError
from tenor.training.runfile import looks_like_run, read_run

GOOD = """\
encoder = "minilm"
pooling = "cls+mean"
seed = 3

[tasks.mood]
kind = "classify"
train = "a.csv"
dev = "sub/b.csv"
columns = { text = "text", label = 1 }
weight = 2

[tasks."near ness"]
kind = "similarity"
train = "a.csv"
columns = { first = 0, second = 1, score = 2 }
delimiter = ","
quote = ""
header = true
batch_size = 4

[training]
epochs = 2
head_lr = 1
"""


@pytest.fixture
def write(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("a.csv", "sub/b.csv"):
        (tmp_path / name).write_text("text,label\nFine.,1\n")

    def run_file(text):
        (tmp_path / "run.toml").write_text(text)
        return tmp_path / "run.toml"

    return run_file


def test_a_whole_run_file(write, tmp_path):
    run = read_run(write(GOOD))
    assert (run.encoder, run.pooling, run.seed) == ("minilm", "cls+mean", 3)
    mood, nearness = run.tasks["mood"], run.tasks["near ness"]
    assert (mood.train, mood.dev) == (tmp_path / "a.csv", tmp_path / "sub" / "b.csv")
    assert dict(mood.columns) == {"text": "text", "label": 1}
    assert (mood.weight, mood.batch_size, mood.delimiter, mood.header) == (2.0, 16, None, None)
    assert (nearness.delimiter, nearness.quote, nearness.header, nearness.batch_size) == (",", "", True, 4)
    assert (run.training.epochs, run.training.head_lr, run.training.encoder_lr) == (2, 1.0, 1e-5)


MISTAKES = [
    ("seed = 3", "sede = 3", r"run.toml:3: the top of the file has no key 'sede'. Did you mean 'seed'"),
    ("weight = 2", "wieght = 2", r"run.toml:10: \[tasks.mood\] has no key 'wieght'. Did you mean 'weight'"),
    ("epochs = 2", "zzz = 2", r"run.toml:22: \[training\] has no key 'zzz'. Known are: epochs, "),
    ("epochs = 2", 'epochs = "2"', r"run.toml:22: epochs should be a whole number, not '2'"),
    ("epochs = 2", "epochs = true", r"run.toml:22: epochs should be a whole number, not True"),
    ("epochs = 2", "epochs = 0", r"run.toml:22: in \[training\], epochs is 0; it must be at least 1"),
    ("head_lr = 1", "head_lr = nan", r"run.toml:23: .*head_lr is nan"),
    ('"classify"', '"clasify"', r"run.toml:6: .*kind is 'clasify'; known are .*Did you mean 'classify'"),
    ('"sub/b.csv"', '"b.csv"', r"run.toml:8: the dev file .*b.csv does not exist"),
    ('"sub/b.csv"', '"sub"', r"run.toml:8: the dev file .*sub is a folder"),
    ("label = 1 }", "lable = 1 }", r"run.toml:9: .*columns names 'lable'.*Did you mean 'label'"),
    (", label = 1 }", "}", r"run.toml:9: .*columns does not name the column of label"),
    ("label = 1 }", "label = true }", r"run.toml:9: columns should be a table of column names"),
    ("label = 1 }", "label = -1 }", r"run.toml:9: .*negative number"),
    ("batch_size = 4", "batch_size = 0", r"run.toml:19: .*batch_size is 0"),
    ("weight = 2", "weight = -1", r"run.toml:10: .*weight is -1"),
    ('kind = "similarity"\n', "", r"run.toml:12: \[tasks.near ness\] lacks 'kind'"),
    ('"cls+mean"', '"men"', r"run.toml:2: .*'men'"),
    ("seed = 3", "seed = -3", r"run.toml:3: seed is -3"),
    ("seed = 3", f"seed = {2**32}", r"run.toml:3: seed is 4294967296; expected 0 to 4294967295"),
    ("seed = 3", f"seed = {10**30}", r"run.toml:3: seed is 10+; expected"),
    ('"minilm"', '" "', r"run.toml:1: encoder is empty"),
    ("seed = 3", "seed = ", r"run.toml is not valid TOML: .*line 3"),
    ("[training]", "[[training]]", r"training should be a section"),
    ("header = true", "header = 1", r"run.toml:18: header should be true or false, not 1"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), MISTAKES)
def test_mistakes_name_file_line_and_remedy(write, old, new, said):
    assert GOOD.count(old) == 1
    with pytest.raises(TenorError, match=said):
        read_run(write(GOOD.replace(old, new)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no task"),
        ("tasks = 3", "should be a section"),
        ("[tasks]\nmood = 3", r"expected a section \[tasks.mood\], not 3"),
    ],
)
def test_run_files_without_tasks(write, text, said):
    with pytest.raises(TenorError, match=said):
        read_run(write(text))


def test_files_that_are_no_run_files(tmp_path):
    (tmp_path / "latin").write_bytes(b"seed = 1 # caf\xe9")
    with pytest.raises(TenorError, match="not UTF-8"):
        read_run(tmp_path / "latin")
    with pytest.raises(TenorError, match="does not exist"):
        read_run(tmp_path / "none.toml")
    with pytest.raises(TenorError, match=r"folder|directory"):
        read_run(tmp_path)
    (tmp_path / "deep.toml").write_text("a = " + "[" * 100_000)
    with pytest.raises(TenorError, match="not valid TOML"):
        read_run(tmp_path / "deep.toml")


def test_run_files_are_known_by_content(write, tmp_path):
    path = write(GOOD)
    assert looks_like_run(path)
    assert looks_like_run(path.rename(tmp_path / "setup.txt"))
    assert not looks_like_run(tmp_path / "a.csv")
    assert not looks_like_run("-")
