"""Rows of CSV and TSV files, also where their quotes are wrong.

Python's own ``csv`` does the parsing, in its strict mode. One stray quote would make it take the rest of the
file for one cell, so every record remembers the lines it has taken: when the quotes turn out not to balance,
or the record runs on for too long, its first line is read as it stands, the problem is reported, and
reading goes on with the second line. The number of a row is that of its first line.
"""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tenor.text.examples import Origin, Row
from tenor.text.problems import Problems

# A quoted cell may hold line breaks, but not endlessly many: beyond this the quote was never closed.
_MOST_LINES = 1000
_MOST_CHARACTERS = 1 << 20
_LARGEST_CELL = 1 << 25

Lines = Iterable[tuple[int, str]]
Record = tuple[int, list[str], str]  # the number of its first line, its cells, and what is wrong or ""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rows of a delimited file are written.

    ``names`` are those of the header, None without one. A row must have ``least`` to ``most`` cells; the two
    differ only where a file without a header has rows of several lengths. An empty ``quote`` means that
    quote characters are ordinary text.
    """

    delimiter: str
    quote: str
    names: tuple[str, ...] | None = None
    least: int = 1
    most: int = 1 << 30


def delimited_rows(lines: Lines, layout: Layout, *, file: str, problems: Problems) -> Iterator[Row]:
    """Yield the rows below the header; a wrong number of cells is reported and, under a header, left out."""
    records = parse(lines, layout, file=file, problems=problems)
    if layout.names is not None:
        next(records, None)
    for number, cells, fault in records:
        origin = Origin(file, number)
        wrong = _wrong_length(cells, layout)
        if fault or wrong:
            problems.add(origin, ": ".join(filter(None, (fault, wrong))))
        if layout.names is None:
            yield Row({str(column): cell for column, cell in enumerate(cells)}, origin, bool(wrong))
        elif not wrong:
            yield Row(dict(zip(layout.names, cells, strict=True)), origin)


def _wrong_length(cells: list[str], layout: Layout) -> str:
    """Say what is wrong with the number of cells, after dropping empty ones that make a row too long."""
    if layout.names is None:
        fits = layout.least <= len(cells) <= layout.most
        return "" if fits else f"{_cells(cells)} where other rows have {layout.least}"
    columns = len(layout.names)
    fits = len(cells) == columns or _trim(cells, columns)
    return "" if fits else f"{_cells(cells)} where the header has {columns}; row left out"


def _trim(cells: list[str], columns: int) -> bool:
    """Drop empty cells at the end that make a row too long, as spreadsheets write them."""
    if len(cells) > columns and not any(cells[columns:]):
        del cells[columns:]
    return len(cells) == columns


def _cells(cells: list[str]) -> str:
    return "one cell" if len(cells) == 1 else f"{len(cells)} cells"


def parse(lines: Lines, layout: Layout, *, file: str, problems: Problems) -> Iterator[Record]:
    """Yield the cells of every record with the number of its first line, and what is wrong with its quotes.

    Blank lines are no records; those before the last record are reported.
    """
    blank: list[int] = []
    records = _quoted(lines, layout) if layout.quote else _unquoted(lines, layout.delimiter)
    for number, cells, fault in records:
        if len(cells) <= 1 and not "".join(cells).strip():
            # Kept as first and last only: a file may end in a million blank lines.
            blank = [blank[0] if blank else number, number]
            continue
        for skipped in range(blank[0], blank[1] + 1) if blank else ():
            problems.add(Origin(file, skipped), "blank line")
        blank = []
        yield number, cells, fault


def _unquoted(lines: Lines, delimiter: str) -> Iterator[Record]:
    for number, text in lines:
        yield number, text.removesuffix("\r").split(delimiter), ""


def _quoted(lines: Lines, layout: Layout) -> Iterator[Record]:
    if csv.field_size_limit() < _LARGEST_CELL:  # one number for the whole process: only ever raised
        csv.field_size_limit(_LARGEST_CELL)
    feed = _Feed(lines)
    reader = _reader(feed, layout)
    while True:
        feed.taken.clear()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except (csv.Error, _Runaway):
            cells = []
        number, text = feed.taken[0]
        if (cells or not text.strip()) and not _swallowed(cells, feed.taken, layout):
            yield number, cells, ""
            continue
        what = "quotes that do not balance" if layout.quote in text else "a carriage return inside the row"
        feed.put_back(feed.taken[1:])
        reader = _reader(feed, layout)
        yield number, _as_it_stands(text, layout), f"{what}; the line was read as it stands"


def _reader(feed: "_Feed", layout: Layout) -> Iterator[list[str]]:
    return csv.reader(feed, delimiter=layout.delimiter, quotechar=layout.quote, strict=True)


def _swallowed(cells: list[str], taken: list[tuple[int, str]], layout: Layout) -> bool:
    """Whether a record of several lines is really a stray quote that happened to meet a later one.

    It is when the number of cells is wrong for the whole and right for the first line alone; in TSV, where
    texts hold no tabs, also when every line alone has the right one.
    """
    if len(taken) == 1:
        return False
    fits = [
        layout.least <= text.count(layout.delimiter) + 1 <= layout.most for _, text in taken if text.strip()
    ]
    if layout.least <= len(cells) <= layout.most:
        return layout.delimiter == "\t" and layout.least > 1 and all(fits)
    return fits[0]


def _as_it_stands(text: str, layout: Layout) -> list[str]:
    """Split a line with faulty quotes at every delimiter if that fits the other rows, else leniently."""
    text = text.removesuffix("\r")
    plain = text.split(layout.delimiter)
    if layout.least <= len(plain) <= layout.most:
        return plain
    try:
        forgiven = next(csv.reader([text], delimiter=layout.delimiter, quotechar=layout.quote), [])
    except csv.Error:
        return plain
    return forgiven if layout.least <= len(forgiven) <= layout.most else plain


class _Runaway(Exception):
    """A record has taken so many lines that its quote cannot have been meant."""


class _Feed:
    """Lines for ``csv.reader`` that remembers what the current record took and can take it back."""

    def __init__(self, lines: Lines) -> None:
        self._lines = iter(lines)
        self._again: deque[tuple[int, str]] = deque()
        self.taken: list[tuple[int, str]] = []
        self._size = 0

    def __iter__(self) -> "_Feed":
        return self

    def __next__(self) -> str:
        self._size = self._size + len(self.taken[-1][1]) if self.taken else 0
        too_big = self._size > _MOST_CHARACTERS and len(self.taken) > 1
        if too_big or len(self.taken) > _MOST_LINES:
            raise _Runaway
        line = self._again.popleft() if self._again else next(self._lines)
        self.taken.append(line)
        return line[1] + "\n"

    def put_back(self, lines: list[tuple[int, str]]) -> None:
        """Let the given lines come again, before all others."""
        self._again.extendleft(reversed(lines))
