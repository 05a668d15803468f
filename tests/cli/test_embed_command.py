"""`tenor embed` as a person calls it."""

import json
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest

from tenor.use.embed.vector_reading import read_vectors


@pytest.fixture
def tenor(tiny_folder, run_command):
    return lambda *arguments: run_command(*arguments, "--model", tiny_folder, "--precision", "fp32")


def test_embeds_a_column_and_reports_empty_rows(tenor, tmp_path):
    (tmp_path / "in.csv").write_text("id,text\n1,the cat sat\n2,\n3,a dog ran home\n")
    code, printed, noted = tenor("embed", "in.csv", "--out", "o.npy", "--column", "text")
    assert code == 0, noted
    assert "3 vectors of 32 dimensions in o.npy" in printed
    assert "in.csv:3: the text is empty" in noted
    assert np.load(tmp_path / "o.npy").shape == (3, 32)
    assert json.loads((tmp_path / "o.npy.json").read_text())["problems"] == 1


def test_standard_input_and_prompts_in_a_process_of_its_own(tiny_folder, tmp_path):
    command = [sys.executable, "-m", "tenor.cli.main", "embed", "-", "--out", "o.jsonl", "--prompt", "query"]
    command += ["--quiet", "--model", str(tiny_folder)]
    texts = "a cat\na dog\n"
    done = subprocess.run(command, input=texts, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [row["text"] for row in rows] == ["a cat", "a dog"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["missing.txt", "--out", "o.npy"], "missing.txt does not exist"),
        (["in.csv", "--out", "o.xyz"], "expected .npy"),
        (["in.csv", "--out", "no/o.npy"], "does not exist"),
        (["in.csv", "--out", "o.npy", "--column", "txt"], "has no column 'txt'"),
        (["empty.txt", "--out", "o.npy"], "empty.txt"),
        (["in.csv", "--out", "o.npy", "--column", "text", "--strict"], "in.csv:3"),
        (["in.csv", "--out", "o.npy", "--column", "text", "--encoding", "klingon"], "klingon"),
    ],
)
def test_mistakes_are_told_in_one_sentence(tenor, tmp_path, arguments, says):
    (tmp_path / "in.csv").write_text("id,text\n1,the cat sat\n2,\n3,a dog ran home\n")
    (tmp_path / "empty.txt").write_text("")
    code, printed, noted = tenor("embed", *arguments)
    assert (code, printed) == (2, "")
    assert says in noted
    assert noted.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.txt", "in.csv"]


def test_the_columns_of_the_input_stand_beside_the_vectors(on_tiny, tmp_path):
    rows = [
        {"id": 7, "line": "own", "doc": {"title": "the cat"}},
        {"id": 8, "doc": {"title": "a dog"}, "x": 0.5},
    ]
    (tmp_path / "in.json").write_text(json.dumps(rows))
    for name in ("o.jsonl", "o.parquet"):
        assert on_tiny("embed", "in.json", "--column", "doc.title", "--out", name)[0] == 0
    lines = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [{**line, "vector": len(line["vector"])} for line in lines] == [
        {"id": 7, "input_line": "own", "doc": {"title": "the cat"}, "line": 1, "vector": 32},
        {"id": 8, "doc": {"title": "a dog"}, "x": 0.5, "line": 1, "vector": 32},
    ]
    table = pq.read_table(tmp_path / "o.parquet")
    assert {field.name: str(field.type) for field in table.schema}["id"] == "int64"
    kept = table.drop_columns(["vector"]).to_pylist()
    assert kept == [
        {"id": 7, "input_line": "own", "doc.title": "the cat", "x": None, "line": 1},
        {"id": 8, "input_line": None, "doc.title": "a dog", "x": 0.5, "line": 1},
    ]
    parquet, json_lines = (read_vectors(tmp_path / name).vectors for name in ("o.parquet", "o.jsonl"))
    assert parquet.tolist() == json_lines.tolist()


def test_vectors_go_to_standard_output(on_tiny, tmp_path):
    (tmp_path / "in.csv").write_bytes(b"id,text\n1,the caf\xe9\n2,\n")
    assert on_tiny("embed", "in.csv", "--out", "o.jsonl")[0] == 0
    code, printed, noted = on_tiny("embed", "in.csv", "--out", "-", "--quiet")
    assert (code, printed) == (0, (tmp_path / "o.jsonl").read_text())
    assert "in.csv is not UTF-8" in noted
    assert "in.csv:3: the text is empty" in noted
