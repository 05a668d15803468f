"""`tenor check` and `tenor init` as a person calls them."""

import io
import json
import subprocess
import sys

import pytest

from tenor.cli.main import run

ROWS = [("A fine film with a heart.", "good"), ("It is dull and too long.", "bad")]


@pytest.fixture
def tenor(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [f"{text} {n},{label}" for n in range(10) for text, label in ROWS]
    (tmp_path / "films.csv").write_text("sentence,mood\n" + "\n".join(lines) + "\nlast row\n")

    def run_here(*arguments):
        try:
            run(list(arguments))
            code = 0
        except SystemExit as end:
            code = end.code or 0
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return code, printed.out, printed.err

    return run_here


def test_check_of_a_data_file(tenor):
    code, printed, _ = tenor("check", "films.csv")
    assert code == 0
    assert 'films.csv: comma-separated, quoted with ", header, utf-8' in printed
    assert "texts in sentence, label in mood" in printed
    assert "good: 10 (50%), bad: 10 (50%)" in printed
    assert "films.csv:22: one cell where the header has 2; row left out" in printed
    assert "Nothing here would stop a training run." in printed


def test_check_as_json_and_strict(tenor):
    code, printed, _ = tenor("check", "films.csv", "--json")
    told = json.loads(printed)
    assert (code, told["rows"], told["labels"], told["problems"]) == (0, 20, {"good": 10, "bad": 10}, 1)
    code, printed, noted = tenor("check", "films.csv", "--strict")
    assert code == 2
    assert noted.startswith("tenor: films.csv:22: ")


def test_check_against_and_from_standard_input(tenor, monkeypatch):
    code, printed, _ = tenor("check", "films.csv", "--against", "films.csv")
    assert code == 0
    assert "20 of 20 also appear in films.csv" in printed
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one line\nanother line\n")))
    code, printed, _ = tenor("check", "-")
    assert code == 0
    assert "standard input\n  rows      2" in printed
    assert "texts in column 0" in printed


def test_large_counts_are_written_out(tenor, tmp_path):
    (tmp_path / "long.txt").write_text("word " * 210_000 + "\nA short line.\n")
    assert "words     3 to 210,000" in tenor("check", "long.txt")[1]


def test_init_then_check_then_a_broken_run(tenor, tmp_path):
    assert tenor("init", "films.csv")[0] == 0
    code, printed, _ = tenor("check", "run.toml")
    assert code == 0
    assert "task films (classify)" in printed
    code, _, noted = tenor("init", "films.csv")
    assert code == 2
    assert "run.toml exists already" in noted
    text = (tmp_path / "run.toml").read_text()
    (tmp_path / "run.toml").write_text(text.replace('label = "mood"', 'label = "moood"'))
    code, printed, _ = tenor("check", "run.toml")
    assert code == 1
    assert "wrong: task films: films.csv has no column 'moood'" in printed


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04", "zip archive"),
        (None, "does not exist"),
        (b"\x1f\x8bxx", "damaged gzip"),
    ],
)
def test_bad_files_get_one_sentence(tenor, tmp_path, content, said):
    if content is not None:
        (tmp_path / "bad").write_bytes(content)
    for command in ("check", "init"):
        code, printed, noted = tenor(command, "bad")
        assert code == 2
        assert said in noted
        assert noted.count("\n") == 1
        assert printed == ""


def test_nothing_heavy_is_imported(tenor):
    code = "import sys, tenor.cli.main as m\ntry: m.run(['check', 'films.csv'])\n"
    code += "finally: print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["check"], 2, "Missing argument"),
        (["check", "--nosuch", "x"], 2, "No such option"),
        (["init", "a", "b"], 2, "unexpected extra argument"),
        (["check", "--help"], 0, "exit code is 1"),
    ],
)
def test_wrong_usage_is_told_without_a_traceback(tenor, arguments, code, said):
    found, printed, noted = tenor(*arguments)
    assert found == code
    assert said in printed + noted
