"""`tenor words align` and `tenor words translate`: from two files to a lexicon, and what can go wrong."""

import json
from pathlib import Path

import numpy as np
import pytest

from tenor.cli.main import run
from tenor.words import WordVectors


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 6)).astype(np.float32)
    rotation = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    WordVectors([f"E{number}" for number in range(60)], rows).save(tmp_path / "en.vec")
    WordVectors([f"d{number}" for number in range(60)], rows @ rotation).save(tmp_path / "de.vec")
    (tmp_path / "seed.tsv").write_text("".join(f"E{number}\td{number}\n" for number in range(30)))
    (tmp_path / "test.tsv").write_text("".join(f"e{number}\tD{number}\n" for number in range(25, 50)))
    return tmp_path


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as end:
        run(["words", *map(str, arguments)])
    return int(end.value.code or 0)


def align(files: Path, *more: object) -> int:
    inputs = [files / "en.vec", files / "de.vec", "--seed", files / "seed.tsv", "--out", files / "en-de"]
    return call("align", *inputs, *more)


@pytest.mark.parametrize("method", ["procrustes", "vecmap", "vecmap-self", "rcsls"])
def test_two_files_become_a_lexicon(files: Path, method: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert align(files, "--method", method, "--lowercase", "--test", files / "test.tsv") == 0
    told = capsys.readouterr()
    assert "30 of 30 seed pairs" in told.err
    assert "20 test words (5 pairs are in the seed, left out)" in told.err
    assert "mrr 100.0" in told.out
    assert call("translate", files / "en-de", "e41", "-k", 1) == 0
    assert capsys.readouterr().out.split()[1] == "d41"
    assert call("translate", files / "en-de", "d3", "e1", "--reverse", "--json") == 2
    assert "no vector for 'e1'" in capsys.readouterr().err
    assert call("translate", files / "en-de", "d3", "d4", "--reverse", "--json", "-k", 2) == 0
    found = json.loads(capsys.readouterr().out)
    assert [found[word][0]["word"] for word in ("d3", "d4")] == ["e3", "e4"]


def test_alpha_can_be_given_or_searched(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert align(files, "--alpha", "search", "--json", "--method", "procrustes") == 0
    made = json.loads(capsys.readouterr().out)
    assert len(made["alpha_search"]["grid"]) == 49
    assert json.loads((files / "en-de" / "alignment.json").read_text())["alpha"] == made["alpha"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--alpha", "small"], "expected two numbers as -0.25,0.15, or search"),
        (["--alpha", "nan,0"], "alpha is nan"),
        (["--alpha=-500,0"], "blows up"),
        (["--dim-reduction", "3", "--method", "rcsls"], "only vecmap and vecmap-self"),
        (["--limit", "0"], "at least one word"),
    ],
    ids=["words", "nan", "huge", "dim-reduction", "nothing"],
)
def test_bad_settings_are_told(
    files: Path, more: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert align(files, *more) == 2
    assert told in capsys.readouterr().err
    assert not (files / "en-de").exists()


def test_bad_files_are_told(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "seed.tsv").write_text("yes\tja\nno\tnein\n")
    assert align(files) == 2
    assert "None of the 2 seed pairs" in capsys.readouterr().err
    (files / "seed.tsv").write_text("")
    assert align(files) == 2
    assert call("translate", files, "e1") == 2
    assert "alignment.json does not exist" in capsys.readouterr().err


def test_a_capitalised_dictionary_gets_a_hint(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seed = files / "seed.tsv"
    WordVectors([f"e{n}" for n in range(60)], np.eye(60)[:, :6] + 0.1).save(files / "en.vec")
    seed.write_text("".join(f"{'E' if n > 14 else 'e'}{n}\td{n}\n" for n in range(30)))
    assert align(files, "--method", "procrustes") == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "15 of 30 seed pairs are in both vocabularies. In lower case 30 would be: try --lowercase." in told
