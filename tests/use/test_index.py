"""Building, adding and removing: what an index holds afterwards, and what is refused."""

import gzip
import json

import numpy as np
import pytest
from hashing_model import HashingModel

from tenor.errors import TenorError
from tenor.use.search import intake
from tenor.use.search.card import read_card, sole_writer
from tenor.use.search.index import add_to_index, build_index, remove_from_index
from tenor.use.search.searching import Searcher

pytest.importorskip("lancedb")

ROWS = [
    ("a1", "The cat sleeps on the warm roof.", 1999, "en", 0.5),
    ("a2", "Der Hund bellt im Garten.", 2005, "de", 1.0),
    ("a3", "A ship sails through the storm.", 2011, "en", 2.25),
    ("a4", "Boil the eggs for six minutes.", None, "en", None),
    ("a5", "The train to Vienna leaves at night.", 2020, None, 3.0),
]
HEADER = ("key", "text", "year", "lang", "weight")


@pytest.fixture
def model():
    return HashingModel()


@pytest.fixture
def source(tmp_path):
    return write_csv(tmp_path / "texts.csv", ROWS)


@pytest.fixture
def small_windows(monkeypatch):
    monkeypatch.setattr(intake, "WINDOW_ROWS", 2)


def write_csv(file, rows, header=HEADER):
    lines = [",".join(header), *(",".join("" if cell is None else str(cell) for cell in row) for row in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def contents(folder, model=None):
    """All that an index holds, by asking for more hits than it has rows."""
    hits = Searcher(folder, model=model or HashingModel()).search("the", k=1000, mode="vector")
    return {hit.id: (hit.text, *hit.columns.values()) for hit in hits}


def expected(rows=ROWS):
    return {row[0]: row[1:] for row in rows}


def test_all_columns_are_kept_with_their_kinds(tmp_path, source, model):
    report = build_index(source, tmp_path / "ix", model=model, id_column="key")
    assert (report.added, report.replaced, report.problems.count) == (5, 0, 0)
    assert contents(tmp_path / "ix") == expected()
    card = read_card(tmp_path / "ix")
    kinds = {column.name: str(column.kind) for column in card.filterable()}
    assert kinds == {
        "text": "text",
        "key": "text",
        "year": "integer",
        "lang": "text",
        "weight": "number",
    }
    assert (card.model, card.fingerprint, card.precision, card.rows) == ("hashing", "f" * 64, "fp32", 5)


@pytest.mark.parametrize("kind", ["tsv", "jsonl", "parquet", "csv.gz"])
def test_every_format_gives_the_same_index(tmp_path, model, kind):
    file = tmp_path / f"texts.{kind}"
    if kind == "tsv":
        cells = [["" if cell is None else str(cell) for cell in row] for row in [HEADER, *ROWS]]
        file.write_text("".join("\t".join(row) + "\n" for row in cells), encoding="utf-8")
    elif kind == "jsonl":
        file.write_text("".join(json.dumps(dict(zip(HEADER, row, strict=True))) + "\n" for row in ROWS))
    elif kind == "parquet":
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pa.Table.from_pylist([dict(zip(HEADER, row, strict=True)) for row in ROWS]), file)
    else:
        file.write_bytes(gzip.compress(write_csv(tmp_path / "plain.csv", ROWS).read_bytes()))
    build_index(file, tmp_path / "ix", model=model, id_column="key", column="text")
    assert contents(tmp_path / "ix") == expected()


def test_plain_lines_are_numbered_and_numbers_go_on(tmp_path, model):
    lines = tmp_path / "lines.txt"
    lines.write_text("one line\n\nanother line\n")
    report = build_index(lines, tmp_path / "ix", model=model)
    assert report.problems.count == 1
    assert "lines.txt:2: the text is empty" in report.problems.summary()
    add_to_index(lines, tmp_path / "ix", model=model)
    assert {key: text for key, (text,) in contents(tmp_path / "ix").items()} == {
        "1": "one line", "2": "another line", "3": "one line", "4": "another line",
    }  # fmt: skip


def test_one_row(tmp_path, model):
    file = tmp_path / "one.txt"
    file.write_text("only this")
    assert build_index(file, tmp_path / "ix", model=model).card.rows == 1
    assert [hit.text for hit in Searcher(tmp_path / "ix", model=model).search("this")] == ["only this"]


def test_stored_vectors_are_the_models_at_length_one(tmp_path, source, model):
    build_index(source, tmp_path / "ix", model=model, id_column="key")
    query = "The cat sleeps on the warm roof."
    vectors = model.encode([row[1] for row in ROWS])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    hits = Searcher(tmp_path / "ix", model=model).search(query, mode="vector")
    cosines = vectors @ vectors[0]
    assert [hit.id for hit in hits] == [ROWS[place][0] for place in np.argsort(-cosines)]
    np.testing.assert_allclose([hit.cosine for hit in hits], np.sort(cosines)[::-1], atol=1e-5)


def test_passage_prompt_and_long_texts_go_to_the_model_and_the_card(tmp_path, source):
    model = HashingModel(prompts={"passage": "passage: ", "query": "query: "})
    build_index(source, tmp_path / "ix", model=model, id_column="key", long="chunk")
    assert {call[1:] for call in model.calls} == {("passage", "chunk")}
    model.calls.clear()
    Searcher(tmp_path / "ix", model=model).search("cat")
    assert model.calls == [(1, "query", "chunk")]
    model.calls.clear()
    more = write_csv(tmp_path / "more.csv", [("b1", "A new text of some length.", 1, "en", 1)])
    add_to_index(more, tmp_path / "ix", model=model)
    assert model.calls == [(1, "passage", "chunk")]


def test_adding_replaces_known_ids_and_brings_new_columns(tmp_path, source, model):
    build_index(source, tmp_path / "ix", model=model, id_column="key")
    more = write_csv(
        tmp_path / "more.csv",
        [("a2", "Ein anderer Satz.", 2006, "yes"), ("b1", "A wholly new text.", 2007, "no")],
        header=("key", "text", "year", "checked"),
    )
    report = add_to_index(more, tmp_path / "ix", model=model)
    assert (report.added, report.replaced, report.card.rows) == (1, 1, 6)
    found = contents(tmp_path / "ix")
    assert found["a2"] == ("Ein anderer Satz.", 2006, None, None, "yes")
    assert found["b1"] == ("A wholly new text.", 2007, None, None, "no")
    assert found["a1"] == (*ROWS[0][1:], None)
    lexical = Searcher(tmp_path / "ix").search("Hund bellt anderer", mode="lexical")
    assert [hit.id for hit in lexical] == ["a2"]


def test_a_value_that_does_not_fit_is_reported_and_left_empty(tmp_path, source, model):
    build_index(source, tmp_path / "ix", model=model, id_column="key")
    more = write_csv(tmp_path / "more.csv", [("b1", "A text with a bad year.", "soon", "en", 1)])
    report = add_to_index(more, tmp_path / "ix", model=model)
    assert "more.csv:2: 'soon' in column 'year' is not an integer" in report.problems.summary()
    assert contents(tmp_path / "ix")["b1"] == ("A text with a bad year.", None, "en", 1.0)
    with pytest.raises(TenorError, match=r"more.csv:2: 'soon'"):
        add_to_index(more, tmp_path / "ix", model=model, strict=True)


def test_an_id_that_came_before_in_the_file_is_reported(tmp_path, model, small_windows):
    file = write_csv(
        tmp_path / "twice.csv", [*ROWS, ("a1", "Another text with that id.", 1, "en", 1), ROWS[1]]
    )
    report = build_index(file, tmp_path / "ix", model=model, id_column="key")
    assert report.problems.count == 2
    assert "twice.csv:7: the id 'a1' came before" in report.problems.summary()
    assert contents(tmp_path / "ix") == expected()


def test_removing_by_id_and_by_filter(tmp_path, source, model):
    build_index(source, tmp_path / "ix", model=model, id_column="key")
    assert remove_from_index(tmp_path / "ix", ids=["a1", "no such", "it's"]).removed == 1
    assert remove_from_index(tmp_path / "ix", where="year > 2000 and lang = 'de'").removed == 1
    assert set(contents(tmp_path / "ix")) == {"a3", "a4", "a5"}
    assert Searcher(tmp_path / "ix").search("Hund", mode="lexical") == []
    assert remove_from_index(tmp_path / "ix", where="text like '%'").card.rows == 0
    assert Searcher(tmp_path / "ix", model=model).search("train") == []
    assert add_to_index(source, tmp_path / "ix", model=model).card.rows == 5
    assert contents(tmp_path / "ix") == expected()


def test_a_bad_filter_removes_nothing(tmp_path, source, model):
    build_index(source, tmp_path / "ix", model=model, id_column="key")
    for bad in ("year > 0) or (1 = 1", "yaer > 0", "", "year > 0; lang = 'x'"):
        with pytest.raises(TenorError):
            remove_from_index(tmp_path / "ix", where=bad)
    with pytest.raises(TenorError, match="Nothing to remove was named"):
        remove_from_index(tmp_path / "ix")
    assert contents(tmp_path / "ix") == expected()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("\n\n \n", "has no text to index"),
    ],
)
def test_a_file_without_texts_leaves_nothing_behind(tmp_path, model, text, says):
    file = tmp_path / "empty.txt"
    file.write_text(text)
    with pytest.raises(TenorError, match=says):
        build_index(file, tmp_path / "ix", model=model)
    assert not (tmp_path / "ix").exists()


def test_a_strict_build_that_fails_leaves_nothing_behind(tmp_path, model):
    file = write_csv(tmp_path / "texts.csv", [ROWS[0], ("a1", "Same id.", 1, "", 1)])
    with pytest.raises(TenorError, match="came before"):
        build_index(file, tmp_path / "ix", model=model, id_column="key", strict=True)
    assert not (tmp_path / "ix").exists()


def test_missing_file_and_columns_are_named(tmp_path, source, model):
    with pytest.raises(TenorError, match=r"missing\.csv"):
        build_index(tmp_path / "missing.csv", tmp_path / "ix", model=model)
    with pytest.raises(TenorError, match=r"no column 'titel'.*key, text, year"):
        build_index(source, tmp_path / "ix", model=model, column="titel")
    with pytest.raises(TenorError, match=r"no column 'isbn'"):
        build_index(source, tmp_path / "ix", model=model, column="text", id_column="isbn")
    assert not (tmp_path / "ix").exists()


def test_folders_that_are_taken_are_refused_untouched(tmp_path, source, model):
    other = tmp_path / "photos"
    other.mkdir()
    (other / "cat.jpg").write_text("…")
    with pytest.raises(TenorError, match=r"holds other files \(cat.jpg"):
        build_index(source, other, model=model)
    assert [each.name for each in other.iterdir()] == ["cat.jpg"]
    with pytest.raises(TenorError, match="is a file"):
        build_index(source, source, model=model)
    build_index(source, tmp_path / "ix", model=model, id_column="key")
    with pytest.raises(TenorError, match=r"is an index already. Add to it with --add"):
        build_index(source, tmp_path / "ix", model=model, id_column="key")
    (tmp_path / "free").mkdir()
    build_index(source, tmp_path / "free", model=model, id_column="key")


def test_another_model_or_precision_is_refused(tmp_path, source, model):
    build_index(source, tmp_path / "ix", model=model, id_column="key")
    other = HashingModel(fingerprint="0" * 64)
    with pytest.raises(TenorError, match=r"made with the model hashing .*cannot be compared"):
        add_to_index(source, tmp_path / "ix", model=other)
    with pytest.raises(TenorError, match="cannot be compared"):
        Searcher(tmp_path / "ix", model=other).search("cat")
    with pytest.raises(TenorError, match="made with precision fp32, and int8 gives other vectors"):
        Searcher(tmp_path / "ix", model=model, precision="int8").search("cat")
    other = HashingModel()
    other.precision = "bf16"
    with pytest.raises(TenorError, match="made with precision fp32, and hashing runs here in bf16"):
        add_to_index(source, tmp_path / "ix", model=other)


def test_adding_to_what_is_no_index(tmp_path, source, model):
    with pytest.raises(TenorError, match="There is no index at"):
        add_to_index(source, tmp_path / "ix", model=model)
    with pytest.raises(TenorError, match=r"is not an index: it has no index\.json"):
        remove_from_index(tmp_path, ids=["1"])
    for text, says in [("[]", "not the card"), ("{", "not valid JSON"), ('{"format": 99}', "newer tenor"),
                       ('{"format": 1}', "damaged")]:  # fmt: skip
        (tmp_path / "index.json").write_text(text)
        with pytest.raises(TenorError, match=says):
            add_to_index(source, tmp_path, model=model)


def test_an_index_whose_table_is_gone_says_so(tmp_path, source, model):
    import shutil

    build_index(source, tmp_path / "ix", model=model, id_column="key")
    shutil.rmtree(tmp_path / "ix" / "passages.lance")
    with pytest.raises(TenorError, match=r"The store in .* failed"):
        Searcher(tmp_path / "ix", model=model).search("cat")


def test_a_card_of_format_1_opens_as_before(tmp_path, source, model):
    card = build_index(source, tmp_path / "index", model=model).card
    value = json.loads((tmp_path / "index" / "index.json").read_text())
    kinds = {"boolean": "truth value", "integer": "whole number"}
    for column in value["columns"]:
        column["kind"] = kinds.get(column["kind"], column["kind"])
    value |= {"format": 1, "width": value.pop("dimensions"), "spread": value.pop("cosine_std")}
    (tmp_path / "index" / "index.json").write_text(json.dumps(value))
    assert read_card(tmp_path / "index") == card
    assert Searcher(tmp_path / "index", model=model).search("ship", where="year > 0", k=1)


def test_two_writers_do_not_meet(tmp_path, source, model):
    build_index(source, tmp_path / "ix", model=model, id_column="key")
    with sole_writer(tmp_path / "ix"), pytest.raises(TenorError, match="Another program is writing"):
        remove_from_index(tmp_path / "ix", ids=["a1"])
    assert remove_from_index(tmp_path / "ix", ids=["a1"]).removed == 1


def test_progress_and_notes(tmp_path, source, model, small_windows):
    seen, notes = [], []
    build_index(
        source, tmp_path / "ix", model=model, id_column="key", note=notes.append,
        progress=lambda count, total: seen.append((count, total)),
    )  # fmt: skip
    # Told while a window is encoded, and after it of the rows that had no text.
    assert seen == [(0, 5), (2, 5), (0, 5), (2, 5), (0, 5), (1, 5), (0, 5)]
    assert notes == []


def test_seen_ids_beyond_the_recent_ones(monkeypatch):
    monkeypatch.setattr(intake.SeenIds, "_RECENT", 7)
    seen = intake.SeenIds()
    assert all(seen.is_new(str(number)) for number in range(50))
    assert not any(seen.is_new(str(number)) for number in range(50))


def test_windows_are_bounded_in_characters(monkeypatch):
    monkeypatch.setattr(intake, "WINDOW_CHARACTERS", 10)
    taken = [intake.Taken(intake.Passage(str(n), "x" * 6, ()), n) for n in range(5)]
    assert [len(window) for window in intake.windows(taken)] == [2, 2, 1]
