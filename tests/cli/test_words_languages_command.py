"""`tenor words languages`: from texts to a ranking, and what can go wrong."""

import json
from pathlib import Path

import numpy as np
import pytest

from tenor.cli.main import run


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    for name, letters in (("one", "abcde"), ("two", "abcdf"), ("far", "uvwxy")):
        rng = np.random.default_rng(len(letters))
        words = ["".join(rng.choice(list(letters), 3)) for _ in range(30)]
        lines = [" ".join(words[k] for k in rng.integers(0, 30, 6)) for _ in range(40)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as end:
        run(["words", "languages", *map(str, arguments)])
    return int(end.value.code or 0)


def files(folder: Path) -> list[Path]:
    return [folder / f"{name}.txt" for name in ("one", "two", "far")]


def test_languages_are_ranked_for_the_first(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*files(texts)) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["one", "vote", "char", "perplexity", "word", "perplexity", "overlap"]
    assert {rows[1][0], rows[2][0]} == {"two", "far"}
    assert rows[3][0] == "itself"


def test_each_language_in_turn_as_json(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*files(texts), "--json") == 0
    one = json.loads(capsys.readouterr().out)
    assert one["target"] == "one"
    assert call(*files(texts), "--each", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["target"] for each in found] == ["one", "two", "far"]
    assert found[0] == one
    assert call(*files(texts), "--symmetric", "--words", "100", "--json") == 0
    other = json.loads(capsys.readouterr().out)
    assert other["distances"]["char perplexity"] != one["distances"]["char perplexity"]


def test_what_is_wrong_is_a_sentence(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*files(texts)[:2]) == 2
    assert "two or more other languages" in capsys.readouterr().err
    (texts / "empty.txt").write_text("")
    assert call(*files(texts), texts / "empty.txt") == 2
    assert "has no words" in capsys.readouterr().err
    assert call(*files(texts), texts / "nosuch.txt") == 2
    assert "does not exist" in capsys.readouterr().err
