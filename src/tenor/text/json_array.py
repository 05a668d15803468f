"""Rows of a JSON file that is one array, element by element, in memory that does not grow with it."""

import codecs
import json
from collections.abc import Iterator
from typing import Any

from tenor.errors import TenorError
from tenor.text.examples import Origin, Row
from tenor.text.jsonl import jsonl_row
from tenor.text.lines import GUESSED, LONGEST, UNREADABLE, note_guess
from tenor.text.opening import Opened
from tenor.text.problems import Problems

_CHUNK = 1 << 18  # bytes that are read at once
_SPACE = " \t\r\n\ufeff"


def json_array_rows(opened: Opened, *, encoding: str, problems: Problems) -> Iterator[Row]:
    """Yield one row per element: objects by their keys, strings as the single column "0".

    The line of a row is that on which its element begins; other elements are reported and left out.
    """
    if encoding == GUESSED:
        note_guess(opened.name, problems)
    for line, value in _elements(_Text(opened, encoding), opened.name):
        origin = Origin(opened.name, line)
        row = Row({"0": value}, origin) if isinstance(value, str) else jsonl_row(value, origin, problems)
        if row is not None:
            yield row


class _Text:
    """The text of a file from a moving position on, and the number of the line there."""

    def __init__(self, opened: Opened, encoding: str) -> None:
        self._stream = opened.stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self.text, self.position, self.line, self.ended = "", 0, 1, False

    def more(self) -> bool:
        """Drop what lies behind, read on, and say whether there was anything to read."""
        data = b"" if self.ended else self._stream.read(max(_CHUNK, len(self.text) - self.position))
        self.ended = not data
        self.text = self.text[self.position :] + self._decoder.decode(data, final=self.ended)
        self.position = 0
        return not self.ended

    def move(self, position: int) -> None:
        """Go to a later position, counting lines."""
        self.line += self.text.count("\n", self.position, position)
        self.position = position

    def next_sign(self) -> str:
        """Go to the next character that is no white space and return it, "" at the end."""
        while True:
            rest = self.position
            while rest < len(self.text) and self.text[rest] in _SPACE:
                rest += 1
            self.move(rest)
            if rest < len(self.text) or (not self.more() and self.position >= len(self.text)):
                return self.text[self.position : self.position + 1]


def _elements(text: _Text, file: str) -> Iterator[tuple[int, Any]]:
    """Yield the elements of the array with their lines."""
    if text.next_sign() != "[":
        raise TenorError(
            f"{file} is one JSON document; expected an array of objects, [{{…}}, {{…}}], or JSON lines: one "
            "object {…} on each line."
        )
    text.move(text.position + 1)
    sign = text.next_sign()
    while sign != "]":
        line = text.line
        yield line, _value(text, file)
        sign = text.next_sign()
        if sign == ",":
            text.move(text.position + 1)
            sign = text.next_sign()
        elif sign != "]":
            found = "the file ends" if not sign else f"{sign!r} stands"
            raise TenorError(f"{file}:{text.line}: {found} where a comma or ] was expected. {_REST}")
    text.move(text.position + 1)
    if sign := text.next_sign():
        raise TenorError(
            f"{file}:{text.line}: {sign!r} follows the end of the array; expected one array in the file."
        )


_REST = "What comes after it cannot be read; check that the file is whole."


def _value(text: _Text, file: str) -> Any:
    """Read one element, and on until it is whole."""
    while True:
        try:
            value, end = json.JSONDecoder().raw_decode(text.text, text.position)
            if end < len(text.text) or not text.more():  # a number may go on in the next part
                text.move(end)
                return value
        except (ValueError, RecursionError) as error:
            size = len(text.text) - text.position
            if size > LONGEST or not text.more():
                what = getattr(error, "msg", "too deeply nested, or a number too long").lower()
                raise TenorError(f"{file}:{text.line}: not valid JSON ({what}). {_REST}") from error


def is_json_array(head: str, *, named: bool) -> bool:
    """Whether a file is one array of objects; of strings only where its ``name`` says JSON.

    >>> is_json_array('[\\n {"text": "a"}]', named=False), is_json_array("[Music] la la", named=False)
    (True, False)
    """
    start = head[: 1 << 12].lstrip(_SPACE + UNREADABLE)
    if not start.startswith("["):
        return False
    inside = start[1:].lstrip(_SPACE)
    return inside.startswith("{") or (named and inside[:1] in ('"', "]", ""))
