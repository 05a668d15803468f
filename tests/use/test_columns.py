"""Kinds of columns found from text values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenor.use.search.columns import Column, Kind, KindFinder, store_columns


def kind_of(*values: str) -> Kind:
    finder = KindFinder()
    for value in values:
        finder.see({"x": value})
    return finder.kinds()["x"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "0", ""], Kind.integer),
        (["1", "2.5"], Kind.number),
        (["2.5", "1"], Kind.number),
        (["1e-5", ".5", "3."], Kind.number),
        (["true", "False", ""], Kind.boolean),
        (["true", "1"], Kind.text),
        (["1", "true"], Kind.text),
        (["007", "8"], Kind.text),
        (["1,5"], Kind.text),
        (["nan"], Kind.text),
        (["inf"], Kind.text),
        (["1e999"], Kind.text),
        (["9223372036854775807"], Kind.integer),
        (["9223372036854775808"], Kind.text),
        (["٣"], Kind.text),
        (["2020-01-31"], Kind.text),
        (["1", "n/a", "2"], Kind.text),
        (["", ""], Kind.text),
    ],
)
def test_kind_of_a_column(values, kind):
    assert kind_of(*values) is kind


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_whole_numbers_come_back_the_same(numbers):
    assert kind_of(*map(str, numbers)) is Kind.integer
    assert [Column("x", "c0", Kind.integer).parse(str(number)) for number in numbers] == numbers


@given(st.lists(st.text(max_size=8), min_size=1))
def test_every_value_fits_the_kind_that_was_found(values):
    column = Column("x", "c0", kind_of(*values))
    for value in values:
        assert (column.parse(value) is None) == (value == "")


def test_a_value_that_does_not_fit_is_named():
    with pytest.raises(ValueError, match=r"'soon' in column 'year' is not an integer"):
        Column("year", "c0", Kind.integer).parse("soon")


def test_columns_that_come_later_and_the_way_through_json():
    finder = KindFinder()
    finder.see({"a b": "1"})
    finder.see({"a b": "2", "late": "x"})
    columns = store_columns(finder.kinds())
    assert [(column.name, column.field) for column in columns] == [("a b", "c0"), ("late", "c1")]
    assert tuple(Column.from_json(column.to_json()) for column in columns) == columns
