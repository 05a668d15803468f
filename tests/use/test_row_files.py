"""Files of rows: every format, rows of different columns, names that are taken, and nothing half-written."""

import csv
import gzip
import json

import pyarrow.parquet as pq
import pytest

from tenor.errors import TenorError
from tenor.text import Origin, Problems, Row, read_rows
from tenor.use.row_files import check_out, row_file

HERE = Origin("in", 1)


def write(path, rows):
    with row_file(path) as out:
        for row, added in rows:
            out.write(row, added)


def row(original):
    return Row({name: str(value) for name, value in original.items()}, HERE, original=original)


RAGGED = [
    (row({"id": 1, "text": 'a "quoted"\nbreak,\tend'}), {"label": "x"}),
    (row({"id": 2, "more": {"deep": "z" * 200_000}, "Label": "own"}), {"label": "y", "score": 0.5}),
]


@pytest.mark.parametrize(("name", "delimiter"), [("a.csv", ","), ("a.tsv", "\t"), ("a.csv.gz", ",")])
def test_a_table_has_all_columns_also_those_that_come_late(tmp_path, name, delimiter):
    write(tmp_path / name, RAGGED)
    opened = gzip.open if name.endswith(".gz") else open
    with opened(tmp_path / name, "rt", newline="", encoding="utf-8") as file:
        first, second = csv.DictReader(file, delimiter=delimiter)
    assert first == {
        "id": "1", "text": 'a "quoted"\nbreak,\tend', "label": "x", "more.deep": "", "Label": "", "score": "",
    }  # fmt: skip
    assert (second["more.deep"], second["Label"], second["score"]) == ("z" * 200_000, "own", "0.5")
    again = [dict(each.values) for each in read_rows(tmp_path / name, problems=Problems())]
    assert [each["id"] for each in again] == ["1", "2"]


def test_json_keeps_objects_and_types(tmp_path):
    write(tmp_path / "a.jsonl", RAGGED)
    write(tmp_path / "a.json", RAGGED)
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert lines[0] == {"id": 1, "text": 'a "quoted"\nbreak,\tend', "label": "x"}
    assert lines[1]["more"]["deep"] == "z" * 200_000
    assert json.loads((tmp_path / "a.json").read_text()) == lines
    write(tmp_path / "none.json", [])
    assert json.loads((tmp_path / "none.json").read_text()) == []


def test_parquet_has_the_types_of_all_rows(tmp_path):
    rows = [(row({"n": number if number < 9000 else 0.5, "b": True, "t": "x"}), {}) for number in range(9001)]
    write(tmp_path / "a.parquet", [*rows, (row({"t": 7, "l": [1], "none": None}), {})])
    table = pq.read_table(tmp_path / "a.parquet")
    assert {field.name: str(field.type) for field in table.schema} == {
        "n": "double", "b": "bool", "t": "string", "l": "string", "none": "string",
    }  # fmt: skip
    assert table.num_rows == 9002
    assert table.slice(8999, 3).column("n").to_pylist() == [8999.0, 0.5, None]
    assert table.slice(9001).to_pylist() == [{"n": None, "b": None, "t": "7", "l": "[1]", "none": None}]


def test_names_that_are_taken_are_not_lost(tmp_path):
    taken = row({"line": "a", "Tenor_line": "b"})
    write(tmp_path / "a.jsonl", [(taken, {"line": 1}), (row({"tenor_line_2": "late"}), {"line": 2})])
    first, second = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    assert first == {"line": "a", "Tenor_line": "b", "tenor_line_2": 1}
    assert second == {"tenor_line_2_input": "late", "tenor_line_2": 2}


def test_plain_lines_are_called_text(tmp_path):
    write(tmp_path / "a.csv", [(Row({"0": "hello"}, HERE), {"line": 1})])
    assert (tmp_path / "a.csv").read_text() == "text,line\nhello,1\n"


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.json"])
def test_nothing_is_left_under_the_name_when_the_work_fails(tmp_path, name):
    def fail():
        yield RAGGED[0]
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        write(tmp_path / name, fail())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.docx", "expected .csv, .tsv, .jsonl, .json or .parquet"),
        ("a.xlsx", "workbooks are read, not written"),
        ("no/a.csv", "its folder does not exist"),
        ("a.parquet.gz", "compressed already"),
        ("in.csv", "is the file that is to be read"),
        ("", "is a folder"),
    ],
)
def test_names_are_refused_before_the_work(tmp_path, name, said):
    (tmp_path / "in.csv").write_text("x")
    with pytest.raises(TenorError, match=said):
        check_out(tmp_path / name, tmp_path / "in.csv")
