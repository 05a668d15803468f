"""`tenor --import FILE.py COMMAND`: things of a person's own from the command line, and only from there."""

import re
import sys
from pathlib import Path

import pytest

from tenor.cli.main import run
from tenor.tasks.table import KINDS
from tiny import write_tiny_model

GUIDE = Path(__file__).parents[2] / "docs" / "python.md"
RUN = """
encoder = "model"
[tasks.stars]
kind = "rating"
train = "stars.tsv"
dev = "stars.tsv"
columns = { text = "text", label = "label" }
[training]
epochs = 1
precision = "fp32"
"""
ROWS = [("a fine film", 5), ("so very dull", 1), ("it was all right", 3), ("rather good", 4)] * 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The kind of the guide in a file, a run that has it, rows, and a model to begin with."""
    folder = tmp_path_factory.mktemp("own")
    (text,) = re.findall(
        r"^```python\n((?:(?!```).)*class RatingKind.*?register_kind\(RatingKind\(\)\)\n)",
        GUIDE.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    (folder / "ratings.py").write_text("from dataclasses import dataclass\n" + text, encoding="utf-8")
    (folder / "run.toml").write_text(RUN, encoding="utf-8")
    lines = ["text\tlabel", *(f"{text}\t{stars}" for text, stars in ROWS)]
    (folder / "stars.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_tiny_model(folder / "model")
    return folder


@pytest.fixture
def call(folder, monkeypatch, capsys):
    """Return a function that runs a command in the folder and gives its code, output and errors."""

    def called(*arguments, at=folder):
        monkeypatch.chdir(at)
        with pytest.raises(SystemExit) as end:
            run(list(map(str, arguments)))
        KINDS.pop("rating", None)  # as in a new process
        sys.modules.pop("own_code_ratings", None)
        return end.value.code, *capsys.readouterr()

    return called


def test_a_kind_of_one_s_own_is_checked_trained_evaluated_and_used(call):
    own = ("--import", "ratings.py")
    for command in (
        ("check", "run.toml"),
        ("train", "run.toml", "--out", "out", "--quiet"),
        ("evaluate", "stars.tsv", "--model", "out/model", "--task", "stars"),
        ("classify", "stars.tsv", "--model", "out/model", "--column", "text", "--json"),
    ):
        code, out, errors = call(*own, *command)
        assert code == 0, errors
    assert "stars" in out
    for command in (("train", "run.toml", "--out", "other"), ("classify", "fine", "--model", "out/model")):
        code, _, errors = call(*command)
        assert code == 2
        assert "--import FILE.py" in errors


def test_no_file_can_ask_for_code(call, tmp_path):
    """Whoever opens a run of somebody else's runs no code of theirs."""
    (tmp_path / "ratings.py").write_text("raise SystemExit(7)\n", encoding="utf-8")
    for line in ('import = "ratings.py"', 'own = ["ratings.py"]'):
        (tmp_path / "run.toml").write_text(line + RUN.replace("rating", "ratings"), encoding="utf-8")
        code, _, errors = call("train", "run.toml", "--out", "out", at=tmp_path)
        assert code == 2
        assert line.split()[0] in errors


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import os\n\nfoo(1)\n", "mine.py:3 cannot be imported: NameError: name 'foo' is not defined"),
        ("import os\nfoo(\n", "mine.py:2 cannot be imported: SyntaxError"),
        (
            "from tenor.extend import register_objective\nregister_objective('smart', dict)\n",
            "mine.py:2 cannot be imported: There is an objective with the method 'smart' already",
        ),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_line(text, told, tmp_path, capsys):
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit, match="2"):
        run(["--import", str(tmp_path / "mine.py"), "models"])
    assert told in capsys.readouterr().err
    sys.modules.pop("own_code_mine", None)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--import", "none.py", "models"], "none.py does not exist"),
        (["--import", str(GUIDE), "models"], "is not a Python file"),
        (["models", "--import", "none.py"], "stands before the command"),
    ],
)
def test_what_is_no_file_of_code_and_what_stands_in_the_wrong_place(arguments, told, capsys):
    with pytest.raises(SystemExit, match="2"):
        run(arguments)
    assert told in capsys.readouterr().err
