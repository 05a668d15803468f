"""Readers: every kind of file, and every kind of damage, by file and line."""

import gzip
import io
import sys
import tracemalloc
from pathlib import Path

import pytest

from tenor.errors import TenorError
from tenor.text import Problems, read_pairs, read_rows, read_texts
from tenor.text.lines import LONGEST


@pytest.fixture
def make(tmp_path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def rows_of(path, **asked):
    """The cells of each row with its line, and what was wrong as (line, words)."""
    problems = Problems()
    rows = [
        (row.origin.line, list(row.values.values())) for row in read_rows(path, problems=problems, **asked)
    ]
    return rows, [(each.origin.line, each.what) for each in problems.first]


# --- kinds of files -------------------------------------------------------------------------------------


def test_csv_with_quoted_line_breaks_keeps_the_numbers_of_lines(make):
    path = make("a.csv", 'id,text\n1,"two\nlines, ""quoted"""\n2,after\n3,"x\n\ny"\n4,end\n')
    rows, wrong = rows_of(path)
    assert rows == [
        (2, ["1", 'two\nlines, "quoted"']), (4, ["2", "after"]), (5, ["3", "x\n\ny"]), (8, ["4", "end"]),
    ]  # fmt: skip
    assert wrong == []


def test_tab_separated_file_named_csv_without_quoting(make):
    path = make("sts.csv", 'score\tfirst\tsecond\n1.5\t"Go," he said.\tA "b" c\n2.0\tHe left."\t"Then\n')
    rows, wrong = rows_of(path)
    assert rows == [(2, ["1.5", '"Go," he said.', 'A "b" c']), (3, ["2.0", 'He left."', '"Then'])]
    assert wrong == []


def test_tsv_that_is_quoted(make):
    lines = ["label\ttext"] + [f'{n % 2}\t"a ""word"" {n}"' for n in range(20)]
    rows, wrong = rows_of(make("a.tsv", "\n".join(lines)))
    assert rows[3] == (5, ["1", 'a "word" 3'])
    assert wrong == []


def test_semicolons_crlf_and_empty_trailing_cells(make):
    rows, wrong = rows_of(make("a.csv", "text;mood\r\nFine, really.;4\r\nDull.;1;;\r\n"))
    assert rows == [(2, ["Fine, really.", "4"]), (3, ["Dull.", "1"])]
    assert wrong == []


def test_one_column_csv_may_hold_commas(make):
    rows, wrong = rows_of(make("a.csv", 'text\nYes, of course.\n"No, ""never"""\nMaybe\n'))
    assert rows == [(2, ["Yes, of course."]), (3, ['No, "never"']), (4, ["Maybe"])]
    assert wrong == []


def test_plain_lines_with_commas_are_plain_lines(make):
    rows, _ = rows_of(make("a.txt", "Hello, world\nWell, yes\n\nlast"))
    assert rows == [(1, ["Hello, world"]), (2, ["Well, yes"]), (3, [""]), (4, ["last"])]


def test_jsonl_values_and_bad_lines(make):
    lines = [
        '{"t": "a", "n": 0.5, "b": true, "l": [1], "x": null}',
        "",
        "[1]",
        "{bad",
        '{"t": "\\ud800\\u0000"}',
    ]
    problems = Problems()
    rows = list(read_rows(make("a.data", "\n".join([lines[0], lines[0], *lines[1:]])), problems=problems))
    assert dict(rows[0].values) == {"t": "a", "n": "0.5", "b": "true", "l": "[1]"}
    assert dict(rows[2].values) == {"t": "\ufffd\ufffd"}
    assert [each.origin.line for each in problems.first] == [4, 5, 6]
    assert "array" in problems.first[0].what
    assert "not valid JSON" in problems.first[1].what


def test_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    strings = pa.array(["a", None, "c\0"])
    table = pa.table(
        {"t": strings, "n": [1, 2, None], "d": strings.dictionary_encode(), "l": [[1], [], None]}
    )
    parquet.write_table(table, tmp_path / "a.bin")
    problems = Problems()
    rows = list(read_rows(tmp_path / "a.bin", problems=problems))
    assert dict(rows[0].values) == {"t": "a", "n": "1", "d": "a", "l": "[1]"}
    assert dict(rows[1].values) == {"n": "2", "l": "[]"}
    assert rows[2].values["t"] == "c\ufffd"
    assert rows[2].origin.line == 3
    assert problems.count == 2  # the NUL, in two columns


def test_gzip_is_known_by_content(make):
    rows, _ = rows_of(make("a.csv", gzip.compress(b"text,n\nhello,1\n", mtime=0)))
    assert rows == [(2, ["hello", "1"])]


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"one\ntwo\n", mtime=0))))
    texts = list(read_texts("-", problems=Problems()))
    assert [(str(each.origin), each.text) for each in texts] == [("<stdin>:1", "one"), ("<stdin>:2", "two")]


def test_what_is_asked_for_is_taken_as_given(make):
    path = make("a.txt", "a b|c\nd|e\n")
    assert rows_of(path, delimiter="|", header=False)[0] == [(1, ["a b", "c"]), (2, ["d", "e"])]
    assert rows_of(path, delimiter="|", header=True)[0] == [(2, ["d", "e"])]
    assert rows_of(path, format="lines")[0] == [(1, ["a b|c"]), (2, ["d|e"])]
    quoted = make("b.csv", "'a,b',c\n'd',e\n")
    assert rows_of(quoted, quote="'", header=False)[0] == [(1, ["a,b", "c"]), (2, ["d", "e"])]


# --- encodings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_known_by_content(make, encoding):
    rows, wrong = rows_of(make("a.csv", "text,n\nhéllo wörld,1\nanother line,2\n".encode(encoding)))
    assert rows == [(2, ["héllo wörld", "1"]), (3, ["another line", "2"])]
    assert wrong == []


def test_undecodable_bytes_and_nuls_are_replaced_and_reported(make):
    path = make("a.txt", b"\xc3\xa9t\xc3\xa9\ncaf\xe9\nnul\0l\n")
    rows, wrong = rows_of(path)
    assert rows == [(1, ["été"]), (2, ["caf\ufffd"]), (3, ["nul\ufffdl"])]
    assert [line for line, _ in wrong] == [2, 3]
    assert rows_of(path, encoding="latin-1")[0][1] == (2, ["café"])


def test_old_mac_line_ends(make):
    assert rows_of(make("a.txt", b"one\rtwo\rthree"))[0] == [(1, ["one"]), (2, ["two"]), (3, ["three"])]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"text,label\n", "no rows"),
        ("a.txt", b"PK\x03\x04rest", "zip"),
        ("a.txt", bytes(range(32)) * 10, "not text"),
        ("a.txt", "только русский текст тут, и больше ничего нет вообще".encode("cp1251"), "encoding"),
        ("a.json", b'{\n "a": [1]\n}\n', "one JSON document"),
        ("a.gz", gzip.compress(b"hello world\n" * 50, mtime=0)[:-12], "damaged gzip"),
        ("a.parquet", b"PAR1 but no more", "not a readable Parquet"),
        ("a.jsonl", b"nothing\nlike it\n", "no rows"),
    ],
)
def test_hopeless_files_get_one_sentence(make, name, content, said):
    with pytest.raises(TenorError, match=said):
        list(read_rows(make(name, content), problems=Problems()))


def test_missing_files_and_folders(tmp_path):
    for path, said in ((tmp_path / "no.csv", "does not exist"), (tmp_path, "folder"), ("a\0b", "file name")):
        with pytest.raises(TenorError, match=said):
            list(read_rows(path, problems=Problems()))


@pytest.mark.parametrize(
    "asked", [{"delimiter": "ab"}, {"quote": "ab"}, {"format": "xls"}, {"encoding": "hex"}]
)
def test_impossible_wishes_get_one_sentence(make, asked):
    with pytest.raises(TenorError):
        list(read_rows(make("a.csv", "a,b\n1,2\n"), problems=Problems(), **asked))


# --- damage ---------------------------------------------------------------------------------------------


def test_a_stray_quote_does_not_swallow_the_file(make):
    lines = [f'{n},"text, {n}"' for n in range(5000)]
    lines[2000] = '2000,"never closed'
    lines[3000] = '3000,"closed too early" here'
    rows, wrong = rows_of(make("a.csv", "id,text\n" + "\n".join(lines) + "\n"))
    assert [int(cells[0]) for _, cells in rows] == list(range(5000))
    assert rows[2000] == (2002, ["2000", '"never closed'])
    assert rows[3000] == (3002, ["3000", '"closed too early" here'])
    assert [line for line, _ in wrong] == [2002, 3002]


def test_a_stray_quote_far_from_the_end_is_given_up_early(make):
    lines = ['1,"good, one"', *['7,"open'], *[f"{n},plain" for n in range(50_000)]]
    rows, wrong = rows_of(make("a.csv", "id,text\n" + "\n".join(lines)))
    assert len(rows) == 50_002
    assert [line for line, _ in wrong] == [3]


def test_quotes_in_two_places_do_not_join_rows_of_a_tsv(make):
    # Lone quotes as tokens, as in CoNLL files: each would open a cell that the next one closes.
    rows, wrong = rows_of(make("a.tsv", 'He\tO\n"\tO\nyes\tO\n"\tO\nsaid\tO\n' * 3))
    assert len(rows) == 15
    assert wrong == []


def test_rows_of_the_wrong_width_are_left_out_and_reported(make):
    rows, wrong = rows_of(make("a.csv", "id,text\n1,a\n2\n3,b,c\n\n4,d\n\n\n"))
    assert rows == [(2, ["1", "a"]), (6, ["4", "d"])]
    assert [line for line, _ in wrong] == [3, 4, 5]  # also the blank line, but not those at the end
    assert wrong[0][1] == "one cell where the header has 2; row left out"


def test_without_a_header_short_rows_are_kept_and_reported(make):
    rows, wrong = rows_of(make("a.tsv", "1\tone text\n2\ttwo text\n3\n"))
    assert len(rows) == 3
    assert [line for line, _ in wrong] == [3]


def test_strict_stops_at_the_first_problem(make):
    rows = read_rows(make("a.csv", "id,text\n1,a\n2\n3,b\n"), problems=Problems(strict=True))
    assert next(rows).values["text"] == "a"
    with pytest.raises(TenorError, match=r"a\.csv:3: one cell"):
        next(rows)


def test_lines_of_a_megabyte_and_lines_without_end(make):
    assert len(rows_of(make("a.csv", "text,n\n" + "x" * (1 << 20) + ",1\n"))[0][0][1][0]) == 1 << 20
    quoted = 'text,n\n"' + "a, b " * 200_000 + '",1\nx,2\n'
    assert [line for line, _ in rows_of(make("b.csv", quoted))[0]] == [2, 3]
    with pytest.raises(TenorError, match=r"a\.txt:1: the line is longer than 16 MiB"):
        rows_of(make("a.txt", "x" * (LONGEST + 10)))


# --- texts and pairs ------------------------------------------------------------------------------------


def test_texts_find_their_column(make):
    path = make("a.csv", "id,sentence,sentiment\n1,A fine film indeed.,4\n2,   ,3\n3,Dull and very long.,1\n")
    problems = Problems()
    texts = list(read_texts(path, label="sentiment", problems=problems))
    assert [(each.text, each.label, each.origin.line) for each in texts] == [
        ("A fine film indeed.", "4", 2), ("Dull and very long.", "1", 4),
    ]  # fmt: skip
    assert str(problems.first[0]).endswith("a.csv:3: the text is empty; row left out")
    kept = list(read_texts(path, column=1, empty="keep", problems=Problems()))
    assert [each.text for each in kept] == ["A fine film indeed.", "", "Dull and very long."]


def test_a_missing_column_names_the_columns_and_the_nearest(make):
    path = make("a.csv", "id,sentence\n1,A fine film indeed.\n")
    with pytest.raises(TenorError, match=r"no column 'sentense'.*id, sentence.*Did you mean 'sentence'"):
        read_texts(path, column="sentense", problems=Problems())


def test_two_text_columns_are_ambiguous_for_texts_but_a_pair(make):
    rows = "\n".join(f"{n / 4},A man is number {n}.,A woman is number {n}." for n in range(9))
    path = make("a.csv", f"score,left side,right side\n{rows}\n")
    with pytest.raises(TenorError, match="'left side' or 'right side'"):
        read_texts(path, problems=Problems())
    pairs = list(read_pairs(path, problems=Problems()))
    assert (pairs[2].first, pairs[2].second, pairs[2].score) == (
        "A man is number 2.",
        "A woman is number 2.",
        0.5,
    )


def test_pairs_by_number_and_rows_without_their_score(make):
    path = make(
        "a.tsv", "4.5\tone text here\tanother text\nx\tthird text\tfourth text\n\tfifth\tsixth\n1\t\tlast\n"
    )
    columns = {"first": 1, "second": 2, "score": 0}
    problems = Problems()
    pairs = list(read_pairs(path, columns=columns, header=False, problems=problems))
    assert [pair.score for pair in pairs] == [4.5]
    assert [each.origin.line for each in problems.first] == [2, 3, 4]
    with pytest.raises(TenorError, match="'first' is missing"):
        read_pairs(path, columns={"second": 2}, problems=Problems())


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.tsv", "{rows}only one\n{rows}", "one cell where other rows have 2"),
        ("a.tsv", "{rows}one\ttwo\tthree\n{rows}", "3 cells where other rows have 2"),
        (
            "a.csv",
            'sentence1,sentence2\n{rows}"only one\n{rows}',
            "one cell where the header has 2; row left out",
        ),
        ("a.tsv", "{rows} \t \n{rows}", "the first text is empty and the second text is empty"),
        ("a.jsonl", '{rows}{{"left": "x y", "b": ""}}\n{rows}', "no column 'a' in the row and the second"),
    ],
    ids=["short", "wide", "quote", "empty", "keys"],
)
@pytest.mark.parametrize("before", [60, 1100], ids=["in the head", "after it"])
def test_a_row_of_pairs_is_one_problem(make, name, content, says, before):
    part = {"tsv": "{n} a text\t{n} its other\n", "csv": "{n} a text,{n} its other\n",
            "jsonl": '{{"a": "{n} a text", "b": "{n} its other"}}\n'}[name[2:]]  # fmt: skip
    rows = "".join(part.format(n=n) for n in range(before))
    problems = Problems()
    pairs = list(read_pairs(make(name, content.format(rows=rows)), problems=problems))
    kept = says.startswith("3 cells")
    assert len(pairs) == 2 * before + kept
    assert problems.count == 1
    assert problems.first[0].origin.line == before + 1 + (name == "a.csv")
    assert says in problems.first[0].what


def test_a_row_without_text_and_label_is_one_problem(make):
    problems = Problems()
    path = make("a.tsv", "a text here\tgood\nanother text\tbad\n \t \nlast text\tbad\n\nlonely text\n")
    texts = list(read_texts(path, column=0, label=1, header=False, problems=problems))
    assert [each.origin.line for each in texts] == [1, 2, 4]
    assert sorted(each.origin.line for each in problems.first) == [3, 5, 6]


@pytest.mark.parametrize("empty", ["skip", "keep"])
def test_a_file_of_empty_texts_says_so(make, empty):
    with pytest.raises(TenorError, match=r"no texts that could be read. The first of 2 problems: .*a.txt:1"):
        list(read_texts(make("a.txt", "\n \n"), empty=empty, problems=Problems()))


def test_lines_that_are_no_pairs_are_told_as_such(make):
    with pytest.raises(TenorError, match=r"a\.txt has one text in a row, where pairs are expected"):
        read_pairs(make("a.txt", "the cat sat\nthe dog ran\n"), problems=Problems())


@pytest.mark.parametrize("length", [10_000, 1_000_000])
def test_memory_does_not_grow_with_the_file(tmp_path, length):
    path = tmp_path / "a.csv"
    with path.open("w") as file:
        file.write("id,text\n")
        file.writelines(f'{n},"{"a, b " * (length // 5)}"\n' for n in range(30_000_000 // length))
    tracemalloc.start()
    count = sum(1 for _ in read_texts(path, column="text", problems=Problems()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 30_000_000 // length
    assert peak < 20_000_000


def test_columns_that_are_named_make_a_header(make):
    short = "one,two\nHi,Hello\nBye,Farewell\nYes,Sure\n"
    asked = {"first": "one", "second": "two"}
    found = list(read_pairs(make("a.csv", short), columns=asked, problems=Problems()))
    assert [each.texts for each in found] == [("Hi", "Hello"), ("Bye", "Farewell"), ("Yes", "Sure")]
    (text, *_) = read_texts(make("a.csv", short), column="two", problems=Problems())
    assert text.text == "Hello"
    by_number = read_pairs(make("a.csv", short), columns={"first": 0, "second": "1"}, problems=Problems())
    assert len(list(by_number)) == 4
    with pytest.raises(TenorError, match="no column 'three'"):
        list(
            read_pairs(make("a.csv", short), columns={"first": "one", "second": "three"}, problems=Problems())
        )


@pytest.mark.parametrize("names", ["first,second", "Query,Passage", "source,target"])
def test_two_names_that_go_together_are_a_header(make, names):
    rows = list(read_pairs(make("a.csv", f"{names}\nHi,Hello\nBye,Farewell\n"), problems=Problems()))
    assert [each.texts for each in rows] == [("Hi", "Hello"), ("Bye", "Farewell")]


def test_a_header_alone_is_called_so(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\n")
    with pytest.raises(TenorError, match=r"a.csv has a header, but no rows below it"):
        list(read_rows(tmp_path / "a.csv", problems=Problems()))


def test_a_text_and_its_label_are_no_pair(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\ngreat stuff,pos\nawful stuff,neg\n")
    with pytest.raises(TenorError, match="the columns with the two texts were not found"):
        list(read_pairs(tmp_path / "a.csv", problems=Problems()))
