"""JSON with objects inside objects, JSON arrays, Excel workbooks, and columns in other capitals."""

import json
import sys
from datetime import date

import pytest

from tenor.errors import TenorError
from tenor.text import Problems, read_pairs, read_rows, read_texts
from tenor.text import json_array as json_array_module
from tenor.text.readers import find_format

BOOKS = [
    {"id": 1, "doc": {"title": "Emma is a novel", "year": 1815}, "tags": ["a", "b"]},
    {"id": 2, "doc": {"title": "Persuasion is another", "year": None}, "tags": []},
]


def rows_of(path, **asked):
    problems = Problems()
    rows = [(row.origin.line, dict(row.values)) for row in read_rows(path, problems=problems, **asked)]
    return rows, [(each.origin.line, each.what) for each in problems.first], problems


def texts_of(path, **asked):
    return [each.text for each in read_texts(path, problems=Problems(), **asked)]


@pytest.fixture
def nested(tmp_path):
    path = tmp_path / "books.jsonl"
    path.write_text("".join(json.dumps(book) + "\n" for book in BOOKS))
    return path


def test_fields_of_objects_are_columns_by_their_path(nested):
    assert rows_of(nested)[0][0] == (
        1, {"id": "1", "doc.title": "Emma is a novel", "doc.year": "1815", "tags": '["a", "b"]'},
    )  # fmt: skip
    assert texts_of(nested, column="doc.title") == ["Emma is a novel", "Persuasion is another"]
    assert texts_of(nested) == ["Emma is a novel", "Persuasion is another"]


def test_an_object_or_an_array_is_no_text(nested):
    with pytest.raises(TenorError, match=r"object with fields .* doc.title, doc.year"):
        texts_of(nested, column="doc")
    with pytest.raises(TenorError, match="'tags' holds arrays"):
        texts_of(nested, column="tags")


def test_a_row_keeps_its_values_as_the_file_has_them(nested):
    rows = list(read_rows(nested, problems=Problems()))
    assert [row.original for row in rows] == BOOKS


def test_a_key_with_a_dot_is_not_overwritten_by_a_field(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"a.b": "own", "a": {"b": "inner"}}\n')
    assert rows_of(tmp_path / "a.jsonl")[0] == [(1, {"a.b": "own"})]


def test_objects_nested_very_deeply_are_read_all_the_same(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"t": "hi", "x": ' + '{"y": ' * 100 + "1" + "}" * 100 + "}\n")
    assert texts_of(tmp_path / "a.jsonl", column="t") == ["hi"]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("chunk", [7, 1 << 18])
def test_an_array_of_objects_is_a_table(tmp_path, monkeypatch, indent, chunk):
    monkeypatch.setattr(json_array_module, "_CHUNK", chunk)  # elements lie across the parts that are read
    (tmp_path / "a.json").write_text(json.dumps(BOOKS * 3, indent=indent, ensure_ascii=False))
    rows, wrong, _ = rows_of(tmp_path / "a.json")
    assert [row["doc.title"] for _, row in rows] == [book["doc"]["title"] for book in BOOKS * 3]
    assert wrong == []
    lines = [1] * 6 if indent is None else [2, 13, 21, 32, 40, 51]
    assert [line for line, _ in rows] == lines


def test_an_array_needs_no_name_and_strings_are_texts(tmp_path):
    (tmp_path / "data").write_text('\ufeff[ {"text": "one two"}, 5, {"text": "three"} ]')
    rows, wrong, _ = rows_of(tmp_path / "data")
    assert [row for _, row in rows] == [{"text": "one two"}, {"text": "three"}]
    assert wrong == [(1, "a JSON number where an object {…} was expected; left out")]
    (tmp_path / "a.json").write_text('["first text",\n "second"]')
    assert texts_of(tmp_path / "a.json") == ["first text", "second"]
    assert find_format(tmp_path / "a.json").describe() == "a JSON array, utf-8"


def test_lines_that_begin_with_a_bracket_are_lines(tmp_path):
    (tmp_path / "a.txt").write_text("[Music] la la la\n[Applause] bravo\n")
    assert texts_of(tmp_path / "a.txt") == ["[Music] la la la", "[Applause] bravo"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"t": "a"}, {"t": "b"', r"a\.json:1: not valid JSON"),
        ('[{"t": "a"}\n', r"a\.json:2: the file ends where a comma"),
        ('[{"t": "a"}\n{"t": "b"}]', r"a\.json:2: '{' stands where a comma"),
        ('{\n "data": [{"t": "a"}]\n}', "expected an array of objects"),
        ("[]", "no rows"),
    ],
)
def test_arrays_that_are_broken_say_where(tmp_path, content, said):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(TenorError, match=said):
        rows_of(tmp_path / "a.json")


def test_columns_are_found_in_other_capitals_and_exactly_first(tmp_path):
    (tmp_path / "a.csv").write_text("ID,Review Text\n1,good food\n")
    assert texts_of(tmp_path / "a.csv", column="review text") == ["good food"]
    (tmp_path / "b.csv").write_text("Text,text\nupper,lower\n")
    assert texts_of(tmp_path / "b.csv", column="text") == ["lower"]
    with pytest.raises(TenorError, match="'Text' and 'text': name one"):
        texts_of(tmp_path / "b.csv", column="TEXT")
    (tmp_path / "c.csv").write_text("Anna,Bernd\nsome words,other words\n")
    pairs = read_pairs(tmp_path / "c.csv", columns={"first": "anna", "second": "BERND"}, problems=Problems())
    assert [pair.texts for pair in pairs] == [("some words", "other words")]


def workbook(path, *sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_is_read_by_its_first_filled_sheet(tmp_path):
    rows = [["Text", "Stars", "Day"], ["good food 😀", 4, date(2024, 5, 1)], [], ["bad\nwater", None, None]]
    path = workbook(tmp_path / "a.xlsx", ("Empty", []), ("Data", rows), ("Notes", [["x"]]))
    found, wrong, problems = rows_of(path)
    assert found == [
        (2, {"Text": "good food 😀", "Stars": "4", "Day": "2024-05-01 00:00:00"}),
        (4, {"Text": "bad\nwater", "Stars": "", "Day": ""}),
    ]
    assert wrong == []
    assert "only the sheet 'Data' was read, not 'Empty', 'Notes'" in problems.summary()
    assert texts_of(path, column="text") == ["good food 😀", "bad\nwater"]
    assert find_format(path).describe() == "Excel"


def test_a_workbook_without_a_header_numbers_its_columns(tmp_path):
    path = workbook(tmp_path / "a.xlsx", ("S", [["the cat sat on the mat", 1], ["a dog ran home fast", 2]]))
    assert rows_of(path)[0][1] == (2, {"0": "a dog ran home fast", "1": "2"})


def test_a_workbook_without_openpyxl_names_the_extra(tmp_path, monkeypatch):
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(TenorError, match=r"openpyxl.*tenor\[excel\]"):
        rows_of(path)


def test_a_broken_workbook_and_old_office_files_are_refused(tmp_path):
    pytest.importorskip("openpyxl")
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml")
    with pytest.raises(TenorError, match="not a readable Excel file"):
        rows_of(tmp_path / "a.xlsx")
    (tmp_path / "a.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(TenorError, match=r"save it as \.xlsx or CSV"):
        rows_of(tmp_path / "a.xls")


def test_a_header_may_name_a_column_twice(tmp_path):
    (tmp_path / "a.csv").write_text("text,text,label\nfirst words,second words,a\nothers,more,b\n")
    assert rows_of(tmp_path / "a.csv")[0][0] == (
        2,
        {"text": "first words", "1": "second words", "label": "a"},
    )
    (tmp_path / "b.csv").write_text("yes,yes,3\nno,yes,4\nyes,no,5\n")
    assert len(rows_of(tmp_path / "b.csv")[0]) == 3


def test_a_header_of_numbered_names_is_no_pair(tmp_path):
    (tmp_path / "a.csv").write_text("q1,q2\nHow are you?,How do you do?\nfine,good\n")
    pairs = list(read_pairs(tmp_path / "a.csv", problems=Problems()))
    assert [pair.texts for pair in pairs] == [("How are you?", "How do you do?"), ("fine", "good")]


def test_an_array_among_texts_is_reported_and_not_read_as_json(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "good"}\n{"text": ["x"]}\n{"text": "bad"}\n')
    problems = Problems()
    texts = [each.text for each in read_texts(tmp_path / "a.jsonl", column="text", problems=problems)]
    assert (texts, problems.count) == (["good", "bad"], 1)
    assert "a.jsonl:2: an array" in problems.summary()


def test_what_stands_after_an_array_is_not_lost_in_silence(tmp_path):
    (tmp_path / "two.json").write_text('[{"text": "a b"}, {"text": "c"}]\n[{"text": "d"}]')
    with pytest.raises(TenorError, match=r"two.json:2: '\[' follows the end of the array"):
        list(read_texts(tmp_path / "two.json", problems=Problems()))


def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["text"])
    book.save(tmp_path / "a.xlsx")
    monkeypatch.setattr("tenor.text.excel._MOST_BYTES", 100)
    with pytest.raises(TenorError, match="unpacks to"):
        list(read_texts(tmp_path / "a.xlsx", problems=Problems()))
