"""Filters on columns: a small language of conditions, checked here before the store sees anything.

    year > 2000 and lang = 'en'
    (lang in ('en', 'de') or lang is null) and not title like '%draft%'
    "publication year" between 1990 and 1999

Comparisons are = != < <= > >=, further `in`, `like` (% any characters, _ one), `between … and …` and
`is null`, joined by `and`, `or`, `not` and parentheses. Names with spaces stand in double quotes, text in
single ones (a quote inside it is doubled). As in SQL, a missing value meets no condition but `is null`.

The store's own parser drops what it does not understand at the end of a filter ("year > 3) …"), which is
dangerous where a filter says what to remove. So the filter is parsed and typed here, and the store gets
a condition that is rebuilt from the parsed parts, on field names of ours: nothing of the person's text
reaches it but literals, escaped.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tenor.errors import TenorError, did_you_mean
from tenor.use.search.columns import Column, Kind, fits

_LONGEST = 20_000
_DEEPEST = 50
_EXAMPLE = "Write for example: year > 2000 and lang = 'en'."
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")+"|`[^`]+`)
    |(?P<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?!\w))
    |(?P<word>[^\W\d]\w*(?:\.\w+)*)
    |(?P<sign><=|>=|!=|<>|==|=|<|>|\(|\)|,))""",
    re.VERBOSE,
)
_SIGNS = {"=": "=", "==": "=", "!=": "<>", "<>": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@dataclass(frozen=True)
class _Token:
    kind: str  # text, quoted, number, word, sign, end
    text: str
    position: int

    def says(self, *words: str) -> bool:
        return self.kind in ("word", "sign") and self.text.lower() in words


def compile_filter(text: str, columns: Sequence[Column]) -> str:
    """Check a filter against the columns and return the store's condition for it.

    >>> compile_filter("year >= 1999 and not lang = 'en'", [Column("year", "c0", Kind.integer),
    ...                                                     Column("lang", "c1", Kind.text)])
    "(c0 >= 1999 AND (NOT c1 = 'en'))"
    """
    if len(text) > _LONGEST:
        raise TenorError(f"The filter is {len(text):,} characters long; at most {_LONGEST:,} are taken.")
    parser = _Parser(text, columns)
    condition = parser.either(0)
    parser.expect_end()
    return condition


class _Parser:
    """Recursive descent: either > both > negated > condition."""

    def __init__(self, text: str, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._tokens = _tokens(text)
        self._next = 0

    def either(self, depth: int) -> str:
        return self._joined("or", self._both, depth)

    def expect_end(self) -> None:
        if self._peek().kind != "end":
            raise _unclear(self._peek(), "'and', 'or' or the end")

    def _both(self, depth: int) -> str:
        return self._joined("and", self._negated, depth)

    def _joined(self, word: str, part: Callable[[int], str], depth: int) -> str:
        parts = [part(depth)]
        while self._peek().says(word):
            self._take()
            parts.append(part(depth))
        return parts[0] if len(parts) == 1 else "(" + f" {word.upper()} ".join(parts) + ")"

    def _negated(self, depth: int) -> str:
        if depth > _DEEPEST:
            raise TenorError(f"The filter is nested more than {_DEEPEST} deep; use fewer parentheses.")
        if self._peek().says("not"):
            self._take()
            return f"(NOT {self._negated(depth + 1)})"
        if self._peek().says("("):
            self._take()
            inner = self.either(depth + 1)
            self._require(")")
            return inner
        return self._condition()

    def _condition(self) -> str:
        column = self._column()
        token = self._take()
        if token.kind == "sign" and token.text in _SIGNS:
            return f"{column.field} {_SIGNS[token.text]} {self._value(column, token.text)}"
        if token.says("is"):
            return f"{column.field} IS {self._maybe_not()}{self._require('null').text.upper()}"
        negation = ""
        if token.says("not"):
            negation, token = "NOT ", self._take()
        if token.says("in"):
            return f"{column.field} {negation}IN ({', '.join(self._list(column))})"
        if token.says("like"):
            return f"{column.field} {negation}LIKE {self._pattern(column)}"
        if token.says("between"):
            low = self._value(column, ">=")
            self._require("and")
            return f"({negation}({column.field} >= {low} AND {column.field} <= {self._value(column, '<=')}))"
        raise _unclear(token, f"a comparison such as = or > after {column.name!r}")

    def _maybe_not(self) -> str:
        if not self._peek().says("not"):
            return ""
        self._take()
        return "NOT "

    def _column(self) -> Column:
        token = self._take()
        if token.kind not in ("word", "quoted"):
            raise _unclear(token, "the name of a column")
        name = token.text
        if token.kind == "quoted":
            name = name[1:-1].replace('""', '"') if name[0] == '"' else name[1:-1]
        return find_column(name, self._columns)

    def _list(self, column: Column) -> list[str]:
        self._require("(")
        values = [self._value(column, "=")]
        while self._peek().says(","):
            self._take()
            values.append(self._value(column, "="))
        self._require(")")
        return values

    def _pattern(self, column: Column) -> str:
        token = self._take()
        if column.kind is not Kind.text:
            raise TenorError(
                f"In the filter, 'like' needs a text column, and {column.name!r} is {column.kind.noun}."
            )
        if token.kind != "text":
            raise _unclear(token, "a pattern in single quotes after 'like'")
        return token.text

    def _value(self, column: Column, sign: str) -> str:
        token = self._take()
        if token.kind == "text":
            value = token.text[1:-1].replace("''", "'")
        elif token.kind == "number" or token.says("true", "false"):
            value = token.text
        else:
            raise _unclear(token, f"a value to compare {column.name!r} with (text stands in single quotes)")
        return _literal(column, sign, value, quoted=token.kind == "text")

    def _require(self, word: str) -> _Token:
        token = self._take()
        if not token.says(word):
            raise _unclear(token, repr(word))
        return token

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._tokens[self._next]
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token


def find_column(name: str, columns: Sequence[Column]) -> Column:
    """Return the column of that name (in any letter case where that is clear), or say which there are."""
    exact = [column for column in columns if column.name == name]
    matches = exact or [column for column in columns if column.name.casefold() == name.casefold()]
    if len(matches) == 1:
        return matches[0]
    known = ", ".join(f"{column.name} ({column.kind})" for column in columns) or "none"
    hint = did_you_mean(name, [column.name for column in columns])
    raise TenorError(f"The index has no column {name!r}.{hint} Its columns: {known}.")


def quote_text(value: str) -> str:
    """Return a text literal of the store; a quote is doubled, and there is no other escape."""
    return "'" + value.replace("'", "''") + "'"


def _literal(column: Column, sign: str, value: str, *, quoted: bool) -> str:
    if column.kind is Kind.text:
        if not quoted and sign not in ("=", "==", "!=", "<>"):
            raise TenorError(
                f"In the filter, column {column.name!r} holds text; put {value} in single quotes to compare "
                "it letter by letter."
            )
        return quote_text(value)
    if column.kind is Kind.integer and re.fullmatch(r"-?\d+\.0*", value):
        value = value.partition(".")[0]
    if not fits(value, column.kind):
        raise TenorError(
            f"In the filter, {value[:60]!r} is compared with {column.name!r}, which is {column.kind.noun}."
        )
    return value.upper() if column.kind is Kind.boolean else value


def _tokens(text: str) -> list[_Token]:
    tokens, position = [], 0
    text = text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            rest = text[position:].lstrip()
            what = "a quoted text that is not closed" if rest[0] in "'\"`" else repr(rest[:20])
            raise TenorError(
                f"The filter cannot be read from character {len(text) - len(rest) + 1}: {what}. {_EXAMPLE}"
            )
        tokens.append(_Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
        position = match.end()
    return [*tokens, _Token("end", "", len(text))]


def _unclear(token: _Token, expected: str) -> TenorError:
    found = "the end" if token.kind == "end" else repr(token.text[:40])
    where = f"{found} at character {token.position + 1}"
    return TenorError(f"The filter has {where} where {expected} is expected. {_EXAMPLE}")
