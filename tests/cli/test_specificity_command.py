"""`tenor specificity` as a person calls it."""

import json

import pytest


@pytest.fixture
def pairs(tmp_path):
    """A file of pairs that share a rare word."""
    lines = [f"so it is name{n % 30}\tit was thus name{n % 30}" for n in range(90)]
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def model(pairs, tmp_path, run_command):
    folder = tmp_path / "operators"
    code, out, err = run_command("specificity", "--learn", pairs, "--out", folder, "--epochs", 2)
    assert code == 0, err
    assert "90 pairs" in out
    return folder


def test_texts_are_ranked_from_vague_to_concrete(model, tmp_path, run_command):
    (tmp_path / "texts.txt").write_text("so it is name3 name4\nit\nit was name7\n")
    code, out, err = run_command("specificity", tmp_path / "texts.txt", "--model", model)
    assert code == 0, err
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0] == ["score", "per word", "specific words", "line", "text"]
    scores = [float(row[0]) for row in rows[1:]]
    assert scores == sorted(scores)
    assert {row[3] for row in rows[1:]} == {"1", "2", "3"}


def test_json_names_every_word_and_per_word_ranks_by_the_mean(model, tmp_path, run_command):
    (tmp_path / "texts.txt").write_text("so it is name3 name4\nit\nname7\n")
    _code, out, _err = run_command("specificity", tmp_path / "texts.txt", "-m", model, "--json", "--per-word")
    records = [json.loads(line) for line in out.splitlines()]
    means = [record["per_word"] for record in records]
    assert means == sorted(means)
    for record in records:
        total = sum(word["specificity"] for word in record["words"])
        assert record["specificity"] == pytest.approx(total, abs=0.001)
        assert [word["word"] for word in record["words"]] == record["text"].split()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Expected texts and a model"),
        (("texts.txt",), "--learn tatoeba"),
        (("--learn", "pairs.tsv"), "needs --out"),
        (("texts.txt", "--model", "nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_done_is_said(arguments, message, run_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts.txt").write_text("a text\n")
    code, _out, err = run_command("specificity", *arguments)
    assert code == 2
    assert message in err


def test_a_folder_in_use_is_left_alone(pairs, tmp_path, run_command):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("mine")
    code, _out, err = run_command("specificity", "--learn", pairs, "--out", tmp_path / "taken")
    assert code == 2
    assert "not empty" in err
    assert (tmp_path / "taken" / "file").read_text() == "mine"


def test_files_are_read_in_the_encoding_that_is_named(model, tmp_path, run_command):
    (tmp_path / "a.txt").write_bytes("název3 žluť\n".encode("cp1250"))
    code, out, err = run_command("specificity", tmp_path / "a.txt", "-m", model, "--encoding", "cp1250")
    assert code == 0, err
    assert "název3 žluť" in out
    assert "UTF-8" not in err
