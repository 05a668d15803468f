"""Laws of the readers: what is written comes back, and no bytes whatever make them fall over."""

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tenor.errors import TenorError
from tenor.text import Problems, read_pairs, read_rows, read_texts
from tenor.text.columns import guess_roles
from tenor.text.file_profile import profile_file
from tenor.text.overlap import normalise, overlap

# Whatever a file of text can hold: no NUL (reported), no surrogates (not encodable).
cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
tables = st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=8)
relaxed = settings(max_examples=60, deadline=None)


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def read_back(path, **asked):
    problems = Problems()
    rows = [list(row.values.values()) for row in read_rows(path, problems=problems, **asked)]
    return rows, problems


@relaxed
@given(table=tables, delimiter=st.sampled_from(",\t;|"), end=st.sampled_from(["\n", "\r\n"]))
@example(table=[["a\rb", '"', "\r\n"]], delimiter=",", end="\n")
def test_what_csv_writes_comes_back(folder, table, delimiter, end):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([["one", "two", "three"], *table])
    (folder / "t.csv").write_bytes(text.getvalue().encode())
    rows, problems = read_back(folder / "t.csv", delimiter=delimiter, quote='"', header=True)
    assert (rows, problems.count) == (table, 0)


@relaxed
@given(
    table=st.lists(
        st.lists(cells.filter(lambda c: not set(c) & set("\t\n\r")), min_size=3, max_size=3), min_size=1
    )
)
def test_unquoted_tsv_comes_back(folder, table):
    lines = ["\t".join(row) for row in [["one", "two", "three"], *table]]
    (folder / "t.tsv").write_bytes(("\n".join(lines) + "\n").encode())
    rows, problems = read_back(folder / "t.tsv", delimiter="\t", quote="", header=True)
    assert (rows, problems.count) == (table, 0)


@relaxed
@given(table=tables)
def test_jsonl_comes_back(folder, table):
    lines = [json.dumps(dict(zip("abc", row, strict=True))) for row in table]
    (folder / "t.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    rows, problems = read_back(folder / "t.jsonl.gz")
    assert (rows, problems.count) == (table, 0)


@settings(max_examples=25, deadline=None)
@given(table=tables)
def test_parquet_comes_back(folder, table):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = dict(zip("abc", map(list, zip(*table, strict=True)), strict=True))
    parquet.write_table(pa.table(columns), folder / "t.parquet")
    rows, problems = read_back(folder / "t.parquet")
    assert (rows, problems.count) == (table, 0)


@relaxed
@given(
    lines=st.lists(cells.filter(lambda c: not set(c) & set("\n\r")), min_size=1),
    encoding=st.sampled_from(["utf-8", "utf-16"]),
)
def test_lines_come_back_with_their_numbers(folder, lines, encoding):
    (folder / "t.txt").write_bytes("".join(f"{line}\n" for line in lines).encode(encoding))
    problems = Problems()
    rows = list(read_rows(folder / "t.txt", format="lines", encoding=encoding, problems=problems))
    assert [row.values["0"] for row in rows] == lines
    assert [row.origin.line for row in rows] == list(range(1, len(lines) + 1))


pieces = st.sampled_from(
    [
        b'"',
        b",",
        b"\t",
        b"\n",
        b"\r",
        b";",
        b"text",
        b"1",
        b"label",
        b"{",
        b"}",
        b'{"a": 1}',
        b"\0",
        b"\xff",
        b"\xe9",
        b" ",
    ]
)
hostile = st.one_of(
    st.binary(max_size=300),
    st.lists(pieces, max_size=60).map(b"".join),
    st.binary(max_size=60).map(lambda rest: b"\x1f\x8b\x08\x00" + rest),
    st.binary(max_size=60).map(lambda rest: b"PAR1" + rest + b"PAR1"),
    st.binary(max_size=60).map(lambda rest: b"\xff\xfe" + rest),
)


@settings(max_examples=300, deadline=None)
@example(content=b"{}", name="t.csv")
@given(content=hostile, name=st.sampled_from(["t.csv", "t.tsv", "t.jsonl", "t.txt", "t.json", "t"]))
def test_no_bytes_break_the_readers(folder, content, name):
    path = folder / name
    path.write_bytes(content)
    for read in (read_rows, read_texts, read_pairs, profile_file):
        problems = Problems()
        try:
            found = read(path, problems=problems)
            for item in found if read is not profile_file else ():
                assert item.origin.line >= 1
        except TenorError:
            pass  # one clear sentence is the right answer; any other exception fails the test
        assert len(problems.first) == min(5, problems.count)


@relaxed
@given(lines=st.lists(pieces.filter(lambda p: p != b"\r"), max_size=80).map(b"".join))
def test_no_quote_can_swallow_more_rows_than_lines(folder, lines):
    """Every line is a row, part of a quoted cell, or reported."""
    body = lines.replace(b"\0", b"").replace(b"\xff", b"").replace(b"\xe9", b"")
    (folder / "t.csv").write_bytes(b"first,second\n" + body + b"\nlast,row\n")
    problems = Problems()
    rows = list(read_rows(folder / "t.csv", delimiter=",", header=True, problems=problems))
    inside = sum(cell.count("\n") for row in rows for cell in row.values.values())
    taken = len(rows) + inside + problems.count
    assert taken >= len([line for line in body.split(b"\n") if line.strip()])


@given(rows=st.lists(st.tuples(cells, cells), max_size=20))
def test_guessing_roles_never_fails(rows):
    from tenor.text import Origin, Row

    guess_roles([Row({"a": one, "b": two}, Origin("a", 1)) for one, two in rows])


@given(cells)
def test_normalising_twice_changes_nothing_and_ignores_case_and_spaces(text):
    once = normalise(text)
    # "5 < 3 > 2" loses its spaces and then looks like a name in pointed brackets.
    assert normalise(once) == once or ("<" in text and ">" in text)
    assert overlap([text], [f"  {text} "]).tolist() == [True]
