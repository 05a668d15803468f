"""The filter language: what it accepts, what it means, and how it refuses."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenor.errors import TenorError
from tenor.use.search.columns import Column, Kind
from tenor.use.search.filters import compile_filter

pa = pytest.importorskip("pyarrow")
lancedb = pytest.importorskip("lancedb")

COLUMNS = [
    Column("year", "c0", Kind.integer),
    Column("lang", "c1", Kind.text),
    Column("weight", "c2", Kind.number),
    Column("Open Access", "c3", Kind.boolean),
    Column("0", "c4", Kind.text),
]
ROWS = [
    {"c0": 1999, "c1": "en", "c2": 0.5, "c3": True, "c4": "a'b"},
    {"c0": 2005, "c1": "de", "c2": -1.0, "c3": False, "c4": "back\\slash"},
    {"c0": 2020, "c1": None, "c2": None, "c3": None, "c4": "100%"},
    {"c0": None, "c1": "EN", "c2": 3.25, "c3": True, "c4": "--drop"},
]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    types = [pa.int64(), pa.string(), pa.float64(), pa.bool_(), pa.string()]
    schema = pa.schema([(f"c{number}", kind) for number, kind in enumerate(types)])
    return lancedb.connect(tmp_path_factory.mktemp("filters")).create_table(
        "rows", pa.Table.from_pylist(ROWS, schema=schema)
    )


def matches(table, text: str) -> list[int]:
    found = table.search().where(compile_filter(text, COLUMNS)).limit(10).to_list()
    return sorted(ROWS.index({name: row[name] for name in ROWS[0]}) for row in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("year > 2000", [1, 2]),
        ("YEAR >= 1999 AND lang == 'en'", [0]),
        ("year > 2000 and lang = 'de' or weight > 3", [1, 3]),
        ("year > 2000 and (lang = 'de' or weight > 3)", [1]),
        ("not year > 2000", [0]),
        ("not not year > 2000", [1, 2]),
        ("lang != 'en'", [1, 3]),
        ("lang in ('en', 'de')", [0, 1]),
        ("lang not in ('en')", [1, 3]),
        ("lang is null", [2]),
        ("lang is not null", [0, 1, 3]),
        ("year between 1999 and 2005", [0, 1]),
        ("year not between 1999 and 2005", [2]),
        ("weight = -1", [1]),
        ("weight>.4 and weight<1e0", [0]),
        ("year = 2005.0", [1]),
        ("year = '2005'", [1]),
        ('"Open Access" = true', [0, 3]),
        ('"open access" <> true', [1]),
        ("`Open Access` in (false)", [1]),
        ("\"0\" = 'a''b'", [0]),
        ("\"0\" = 'back\\slash'", [1]),
        ("\"0\" like '%\\%'", [2]),
        ("\"0\" like '--%'", [3]),
        ("lang = 5", []),
        ("lang = 'x'' or 1=1 --'", []),
    ],
)
def test_what_a_filter_means(table, text, expected):
    assert matches(table, text) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the end at character 1 where the name of a column"),
        (
            "yeer > 3",
            r"no column 'yeer'. Did you mean 'year'\? Its columns: year \(integer\), lang \(text\)",
        ),
        ("year >", "the end at character 7 where a value to compare 'year'"),
        ("year > 3)", r"'\)' at character 9 where 'and', 'or' or the end"),
        ("year > 3; drop table rows", "cannot be read from character 9"),
        ("year > 3 -- rest", "cannot be read"),
        ("year > (select 1)", "where a value"),
        ("delete from rows", "no column 'delete'"),
        ("year > 'x'", "'x' is compared with 'year', which is an integer"),
        ("year > 2000.5", "which is an integer"),
        ("lang > 5", "put 5 in single quotes"),
        ("lang = en", "where a value to compare 'lang' with"),
        ("lang = 'en", "a quoted text that is not closed"),
        ("year like '2%'", "'like' needs a text column"),
        ("lang like 2", "a pattern in single quotes"),
        ("year in ()", "where a value"),
        ("year between 1 or 2", "where 'and' is expected"),
        ("year", "a comparison such as = or > after 'year'"),
        ("year 3", "a comparison"),
        ("1 = 1", "the name of a column"),
        ("random() > 1", "no column 'random'"),
        ("(" * 500 + "year > 1" + ")" * 500, "nested more than 50"),
        ("not " * 500 + "year > 1", "nested more than 50"),
        ("year > 1 or " * 5000, "characters long"),
    ],
)
def test_a_bad_filter_is_told_in_a_sentence(text, says):
    with pytest.raises(TenorError, match=says):
        compile_filter(text, COLUMNS)


@settings(max_examples=40, deadline=None)
@given(value=st.text(max_size=12))
def test_any_text_is_only_ever_a_value(table, value):
    quoted = "'" + value.replace("'", "''") + "'"
    assert matches(table, f"lang = {quoted}") == [i for i, row in enumerate(ROWS) if row["c1"] == value]


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="yearlng =<>!()',\"`and or not in like null 0123.-;\\\n", max_size=40))
def test_no_filter_ever_ends_in_another_error(text):
    with contextlib.suppress(TenorError):
        compile_filter(text, COLUMNS)


condition = st.one_of(
    st.tuples(st.just("year"), st.sampled_from(["<", "<=", "=", ">"]), st.integers(1998, 2021)),
    st.tuples(st.just("weight"), st.sampled_from([">=", "!="]), st.integers(-1, 4)),
)
tree = st.recursive(
    condition, lambda part: st.tuples(st.sampled_from(["and", "or"]), part, part), max_leaves=6
)


def written(node) -> str:
    if node[0] in ("and", "or"):
        return f"({written(node[1])} {node[0]} {written(node[2])})"
    return " ".join(map(str, node))


def holds(node, row) -> bool:
    if node[0] in ("and", "or"):
        return (all if node[0] == "and" else any)(holds(part, row) for part in node[1:])
    value = row["c0" if node[0] == "year" else "c2"]
    if value is None:
        return False
    return {"<": value < node[2], "<=": value <= node[2], "=": value == node[2], ">": value > node[2],
            ">=": value >= node[2], "!=": value != node[2]}[node[1]]  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(tree)
def test_nested_filters_mean_what_python_says(table, node):
    assert matches(table, written(node)) == [i for i, row in enumerate(ROWS) if holds(node, row)]
