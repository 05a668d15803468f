"""Does the first row name the columns? Judged by comparing it with the rows below it."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from tenor.text.names import is_couple, is_known

_LONGEST_NAME = 60
_NAME = re.compile(r"[^\W\d][\w.#-]{0,24}")
_NUMBERED = re.compile(r"[^\W\d_]{1,20}[_ .-]?1")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+", re.ASCII)
_COUPLED = 2  # votes
_ENOUGH = 500  # rows to compare with


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Judge the first of some rows by the others, column by column.

    A well-known name, two that go together (first, second), or a word above a column of numbers, speaks for a
    header; a number above numbers, or a value that occurs again below, speaks against it.

    >>> has_header([["sentence", "mood"], ["I like it.", "4"], ["Dull.", "1"]])
    True
    >>> has_header([["5.0", "A plane takes off."], ["3.8", "A man plays."]])
    False
    """
    if not rows:
        return False
    first, rest = rows[0], rows[1:_ENOUGH]
    named = [cell.strip() for cell in first if cell.strip()]
    if not named or max(map(len, named)) > _LONGEST_NAME:
        return False
    repeated = {name for name, count in Counter(named).items() if count > 1}
    if repeated:  # joined tables have names twice; but a row of data may, too
        if any(list(row) == list(first) for row in rest):
            return False
        if all(map(is_known, named)):
            return True
        if repeated.issuperset(named) or any(cell.strip() in repeated for row in rest for cell in row):
            return False
    columns = zip(first, zip(*_same_length(rest, len(first)), strict=True), strict=False)
    votes = [_vote(cell.strip(), [below.strip() for below in column]) for cell, column in columns]
    # A lone word above sentences may be a short sentence, so a single column needs a well-known name.
    if len(first) == 1 or not votes:
        return any(map(is_known, named)) and not any(map(is_number, named))
    coupled = any(is_couple(one, two) or _are_numbered(one, two) for one, two in pairwise(first))
    return sum(votes) + _COUPLED * coupled > 0


def _are_numbered(one: str, two: str) -> bool:
    """Whether two cells are one word with a 1 and a 2 behind it.

    >>> _are_numbered("q1", "q2"), _are_numbered("Answer_1", "answer_2"), _are_numbered("2021", "2022")
    (True, True, False)
    """
    one, two = one.strip().casefold(), two.strip().casefold()
    return _NUMBERED.fullmatch(one) is not None and two == one[:-1] + "2"


def is_header(rows: Sequence[Sequence[str]], named: Collection[str]) -> bool:
    """Whether the first row names the columns: it does if it has one that was asked for by ``named``."""
    first = {cell.strip().casefold() for cell in rows[0]} if rows else set()
    return not first.isdisjoint(name.casefold() for name in named) or has_header(rows)


def unique_names(header: Sequence[str]) -> tuple[str, ...]:
    """Give nameless columns, and the later of two with one name, their number as name."""
    seen: set[str] = set()
    result = []
    for column, name in enumerate(cell.strip() for cell in header):
        chosen = name if name and name not in seen else str(column)
        seen.add(chosen)
        result.append(chosen)
    return tuple(result)


def _same_length(rows: Sequence[Sequence[str]], length: int) -> list[Sequence[str]]:
    return [row for row in rows if len(row) == length]


def _vote(name: str, below: list[str]) -> int:
    """Give the evidence of one column, positive for a header."""
    filled = [cell for cell in below if cell]
    if not name:
        return 0
    vote = 2 if is_known(name) else 0
    if filled and sum(as_number(cell) is not None for cell in filled) >= 0.95 * len(filled):
        return vote + (-3 if is_number(name) else 2)
    if name in filled:
        return vote - 1 if vote else -2
    long_below = sum(map(len, filled)) >= 20 * max(1, len(filled))
    return vote + int(bool(filled) and long_below and _NAME.fullmatch(name) is not None)


def is_number(text: str) -> bool:
    """Whether a cell is a finite number, written plainly.

    >>> is_number("4.20"), is_number(" -3 "), is_number("nan"), is_number("2012test"), is_number("1_000")
    (True, True, False, False, False)
    """
    return _finite(text) is not None


def as_number(text: str) -> float | None:
    """Return the number of a cell, also one with a decimal comma; None where it holds none.

    >>> as_number("4.20"), as_number("3,8"), as_number("1,2,3"), as_number("about 3,8")
    (4.2, 3.8, None, None)
    """
    comma = _DECIMAL_COMMA.fullmatch(text.strip())
    return _finite(text if comma is None else text.replace(",", "."))


def _finite(text: str) -> float | None:
    if len(text) > 40 or "_" in text:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None
