"""`tenor dedupe` as a person calls it."""

import csv
import io
import json
import sys

import pyarrow.parquet as pq
import pytest

TEXTS = [
    "the cat sat on a mat",
    "The cat sat on a mat",
    "a dog ran home",
    "the cat sat on a mat",
    "",
    "no money",
]
PAIRS = [
    ("the cat sat on a mat", "the cat sat on a mat", "1"),
    ("a dog ran home", "a dog ran home", "1"),
    ("the cat sat on a mat", "how old is this book", "0"),
    ("no money", "the big red tree", "0"),
]


@pytest.fixture
def tenor(tiny_folder, tmp_path, run_command):
    (tmp_path / "in.txt").write_text("".join(text + "\n" for text in TEXTS))
    rows = "".join("\t".join(row) + "\n" for row in 3 * PAIRS)
    (tmp_path / "pairs.tsv").write_text("first\tsecond\tsame\n" + rows)

    def run_here(*arguments, command="dedupe"):
        return run_command(command, *arguments, "--model", tiny_folder, "--precision", "fp32")

    return run_here


def test_prints_groups_for_people(tenor):
    code, printed, noted = tenor("in.txt", "--threshold", "0.999")
    assert code == 0, noted
    assert "Group 1: 3 texts" in printed
    assert "centre  line 1: the cat sat on a mat" in printed
    assert "1.000  line 2: The cat sat on a mat  (same but for case or spaces)" in printed
    assert "1.000  line 4: the cat sat on a mat  (same text)" in printed
    assert "5 texts, 1 group at or above 0.999; 2 duplicates." in printed
    assert "in.txt:5: the text is empty" in noted


def test_no_groups_are_told_with_what_to_try(tenor, tmp_path):
    (tmp_path / "two.txt").write_text("the cat sat on a mat\nno money\n")
    code, printed, _ = tenor("two.txt", "--threshold", "0.9999")
    assert code == 0
    assert printed.startswith("2 texts, 0 groups at or above 0.9999; 0 duplicates.\n")
    assert "a lower --threshold" in printed


def test_writes_groups_and_what_is_kept(tenor, tmp_path):
    code, printed, _ = tenor("in.txt", "--threshold", "0.999", "--out", "g.csv", "--keep", "k.jsonl")
    assert code == 0
    assert "Group 1" not in printed
    assert "The groups are in g.csv.\nThe texts without duplicates are in k.jsonl.\n" in printed
    with open(tmp_path / "g.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["group"], row["line"], row["role"], row["score"]) for row in rows] == [
        ("1", "1", "centre", "1.0"), ("1", "2", "member", "1.0"), ("1", "4", "member", "1.0"),
    ]  # fmt: skip
    kept = [json.loads(line) for line in (tmp_path / "k.jsonl").read_text().splitlines()]
    assert [(row["line"], row["texts"]) for row in kept] == [(1, 3), (3, 1), (6, 1)]


def test_groups_and_what_is_kept_have_the_columns_of_the_input(tenor, tmp_path):
    rows = ["Id;Line;Text", "7;x;the cat sat", "8;;a dog ran", '9;"y;z";the cat sat', "10;w;"]
    (tmp_path / "s.csv").write_text("\n".join(rows) + "\n")
    code, _, noted = tenor("s.csv", "--threshold", "0.999", "--out", "g.csv", "--keep", "k.parquet")
    assert (code, "s.csv:5: the text is empty" in noted) == (0, True)
    with open(tmp_path / "g.csv", encoding="utf-8", newline="") as file:
        groups = list(csv.DictReader(file))
    assert [(row["Id"], row["Line"], row["Text"], row["tenor_line"]) for row in groups] == [
        ("7", "x", "the cat sat", "2"), ("9", "y;z", "the cat sat", "4"),
    ]  # fmt: skip
    kept = pq.read_table(tmp_path / "k.parquet").to_pylist()
    assert kept == [
        {"Id": "7", "Line": "x", "Text": "the cat sat", "tenor_line": 2, "texts": 2},
        {"Id": "8", "Line": "", "Text": "a dog ran", "tenor_line": 3, "texts": 1},
    ]


def test_what_is_kept_of_standard_input_goes_to_standard_output(tenor, monkeypatch):
    given = b'[{"id": 1, "doc": {"title": "the cat sat"}}, {"id": 2, "doc": {"title": "the cat sat"}}]'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    code, printed, _ = tenor("-", "--threshold", "0.999", "--column", "doc.title", "--keep", "-", "--json")
    assert code == 0
    assert json.loads(printed) == {"id": 1, "doc": {"title": "the cat sat"}, "line": 1, "texts": 2}


def test_vectors_made_before_give_the_same_groups(tenor):
    assert tenor("in.txt", "--out", "v.npy", command="embed")[0] == 0
    _, fresh, _ = tenor("in.txt", "--threshold", "0.7")
    code, stored, _ = tenor("in.txt", "--threshold", "0.7", "--vectors", "v.npy")
    assert code == 0
    assert stored == fresh


def test_json(tenor):
    code, printed, _ = tenor("in.txt", "--threshold", "0.999", "--json", "--quiet")
    told = json.loads(printed)
    assert code == 0
    assert (told["texts"], told["threshold"], len(told["rows"])) == (5, 0.999, 3)


def test_calibrates_prints_a_table_and_uses_the_threshold(tenor):
    code, printed, noted = tenor("in.txt", "--calibrate", "pairs.tsv", "--pair-columns", "first,second,same")
    assert code == 0, noted
    assert "12 pairs, 6 of them say the same." in printed
    assert "<- picked" in printed
    assert "cross-validation: precision" in printed
    assert "Group 1: 3 texts" in printed


def test_calibrates_alone_as_json(tenor):
    code, printed, _ = tenor("--calibrate", "pairs.tsv", "--json")
    found = json.loads(printed)
    assert code == 0
    assert found["threshold"] in [row["threshold"] for row in found["table"]]
    assert 0 <= found["cross_validated"]["f1"] <= 1


def test_calibrates_alone(tenor):
    code, printed, _ = tenor("--calibrate", "pairs.tsv")
    assert code == 0
    assert "Picked" in printed
    assert "Group" not in printed


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Give a file"),
        (["missing.txt"], "missing.txt does not exist"),
        (["empty.txt"], "empty.txt"),
        (["in.txt", "--threshold", "2"], "threshold is 2"),
        (["in.txt", "--out", "g.docx"], "expected .csv, .tsv"),
        (["in.txt", "--out", "no/g.csv"], "does not exist"),
        (["in.txt", "--out", "g.csv", "--keep", "g.csv"], "both name g.csv"),
        (["blank.txt"], "blank.txt has no texts"),
        (["in.txt", "--strict"], "in.txt:5"),
        (["in.csv", "--keep", "in.csv"], "is to be read"),
        (["in.txt", "--vectors", "other.npy"], "vectors of other texts"),
        (["other.txt", "--vectors", "other.npy", "--long", "chunk"], "not with"),
        (["in.txt", "--calibrate", "pairs.tsv", "--threshold", "0.5"], "not both"),
        (["in.txt", "--precision-at", "0.9"], "--calibrate"),
        (["--calibrate", "missing.tsv"], "missing.tsv does not exist"),
        (["--calibrate", "few.tsv"], "no pair has a label"),
        (["--calibrate", "pairs.tsv", "--pair-columns", "a,b"], "FIRST,SECOND,LABEL"),
        (["--calibrate", "pairs.tsv", "--pair-columns", "first,second,label"], "has no column 'label'"),
    ],
)
def test_mistakes_are_told_in_one_sentence(tenor, tmp_path, arguments, says):
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "blank.txt").write_text("\n\n")
    (tmp_path / "in.csv").write_text("text\nthe cat\n")
    (tmp_path / "other.txt").write_text("the cat sat on a mat\na dog\n")
    if "other.npy" in arguments:
        assert tenor("other.txt", "--out", "other.npy", command="embed")[0] == 0
    (tmp_path / "few.tsv").write_text("first\tsecond\na big cat\ta big dog\n")
    code, printed, noted = tenor(*arguments)
    assert (code, printed) == (2, "")
    assert says in noted
    assert noted.count("\n") == 1
    assert not (tmp_path / "g.csv").exists()


def test_plain_lines_stay_plain_lines(tenor, tmp_path):
    code, _, noted = tenor("in.txt", "--threshold", "0.999", "--keep", "k.txt")
    assert code == 0, noted
    assert (tmp_path / "k.txt").read_text() == "the cat sat on a mat\na dog ran home\nno money\n"


def test_a_table_keeps_its_columns_also_in_txt(tenor, tmp_path):
    (tmp_path / "t.csv").write_text("id,text\n1,the cat sat on a mat\n2,The cat sat on a mat\n3,no money\n")
    code, _, noted = tenor("t.csv", "--column", "text", "--threshold", "0.999", "--keep", "k.txt")
    assert code == 0, noted
    assert [line.split("\t")[:2] for line in (tmp_path / "k.txt").read_text().splitlines()] == [
        ["id", "text"], ["1", "the cat sat on a mat"], ["3", "no money"],
    ]  # fmt: skip
