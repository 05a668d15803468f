"""The columns that an index keeps beside each text: their names, their kinds, and values of those kinds.

Files give text only, so the kind of a column is found from all of its values: booleans, integers,
numbers, else text. What looks like a number but is a code stays text ("007", "1,5", integers too long for
64 bits). Dates in ISO form stay text, and compare rightly as such. An empty value is a missing one.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,18})", re.ASCII)
_NUMBER = re.compile(r"-?((0|[1-9][0-9]{0,17})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", re.ASCII)
_BOOLEANS = {"true": True, "false": False}

# What format 1 of the index card called the kinds.
_OLD_KINDS = {"truth value": "boolean", "whole number": "integer"}

Value = str | int | float | bool | None


class Kind(StrEnum):
    """What a column holds."""

    boolean = "boolean"
    integer = "integer"
    number = "number"
    text = "text"

    @property
    def noun(self) -> str:
        """The kind with its article, for messages."""
        return f"an {self}" if self is Kind.integer else f"a {self}"


@dataclass(frozen=True)
class Column:
    """A column by the name a person writes, the field it is stored in, and its kind.

    >>> Column("year", "c0", Kind.integer).parse("1999")
    1999
    """

    name: str
    field: str
    kind: Kind

    def parse(self, value: str) -> Value:
        """Return the value in the column's kind, None for an empty one; ValueError where it does not fit."""
        if value == "":
            return None
        if not fits(value, self.kind):
            raise ValueError(f"{value[:40]!r} in column {self.name!r} is not {self.kind.noun}")
        if self.kind is Kind.boolean:
            return _BOOLEANS[value.lower()]
        if self.kind is Kind.integer:
            return int(value)
        return float(value) if self.kind is Kind.number else value

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the index card."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Column":
        """Read back what :meth:`to_json` gave."""
        return cls(
            str(value["name"]), str(value["field"]), Kind(_OLD_KINDS.get(value["kind"], value["kind"]))
        )


def fits(value: str, kind: Kind) -> bool:
    """Say whether a non-empty value can be held by a column of that kind."""
    if kind is Kind.boolean:
        return value.lower() in _BOOLEANS
    if kind is Kind.integer:
        return bool(_INTEGER.fullmatch(value)) and -(2**63) <= int(value) < 2**63
    if kind is Kind.number:
        return bool(_NUMBER.fullmatch(value)) and math.isfinite(float(value))
    return True


class KindFinder:
    """Finds the kind of each column by looking at its values one after another.

    >>> finder = KindFinder()
    >>> finder.see({"year": "1999", "code": "007"}); finder.see({"year": "", "code": "8"})
    >>> finder.kinds()["year"].value, finder.kinds()["code"].value
    ('integer', 'text')
    """

    def __init__(self) -> None:
        self._kinds: dict[str, Kind | None] = {}  # None: only empty values so far

    def see(self, values: Mapping[str, str]) -> None:
        """Take one row into account."""
        for name, value in values.items():
            kind = self._kinds.get(name)
            if value and kind is not Kind.text and not (kind and fits(value, kind)):
                self._kinds[name] = _widened(kind, value)
            elif kind is None:
                self._kinds[name] = None

    def kinds(self) -> dict[str, Kind]:
        """Return the kinds found so far, in the order in which the columns came; always empty means text."""
        return {name: kind or Kind.text for name, kind in self._kinds.items()}


def _widened(kind: Kind | None, value: str) -> Kind:
    """Return the narrowest kind that holds what was seen before and this value."""
    wider = {
        None: (Kind.boolean, Kind.integer, Kind.number),
        Kind.integer: (Kind.number,),
    }.get(kind, ())
    return next((kind for kind in wider if fits(value, kind)), Kind.text)


def store_columns(kinds: Mapping[str, Kind]) -> tuple[Column, ...]:
    """Give every column a field of ours, so that no person's name can clash or need quoting in the store."""
    return tuple(Column(name, f"c{number}", kind) for number, (name, kind) in enumerate(kinds.items()))
