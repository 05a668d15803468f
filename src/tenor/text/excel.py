"""Rows of Excel workbooks (.xlsx): the first sheet, streamed."""

import zipfile
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from tenor.errors import TenorError
from tenor.extras import require
from tenor.text.examples import Origin, Row
from tenor.text.header import is_header, unique_names
from tenor.text.jsonl import as_text
from tenor.text.lines import readable
from tenor.text.problems import Problems

_HEAD = 500  # rows to judge by whether the first is a header
_ZIP = b"PK\x03\x04"
_MOST_BYTES = 1_000_000_000  # of a workbook, unpacked
_MOST_ROWS = 1_048_576  # of a sheet, as Excel has it; a file may claim billions


def is_excel(head: bytes) -> bool:
    """Whether a file is a workbook: an archive whose parts are named as those of Excel.

    >>> is_excel(b"PK" + bytes(28) + b"notes.txt")
    False
    """
    return head.startswith(_ZIP) and (b"[Content_Types].xml" in head or b"xl/workbook.xml" in head)


def excel_rows(
    path: str, *, header: bool | None, named: Collection[str], problems: Problems
) -> Iterator[Row]:
    """Yield the rows of the first sheet that has any; empty rows are passed over, formulas give their values.

    ``named`` are columns that were asked for by their names.
    """
    excel = require("openpyxl", extra="excel", purpose="Reading Excel files")
    _check_size(path)
    try:
        book = excel.load_workbook(path, read_only=True, data_only=True)
    except Exception as error:  # openpyxl lets through what its many parsers raise
        raise TenorError(f"{path} is not a readable Excel file ({_reason(error)}).") from error
    try:
        yield from _table(path, _filled_sheet(path, book, problems), header, named, problems)
    except (OSError, ValueError, LookupError, SyntaxError) as error:  # broken XML is a SyntaxError
        raise TenorError(f"{path} is not a readable Excel file ({_reason(error)}).") from error
    finally:
        book.close()


def _check_size(path: str) -> None:
    """Refuse a workbook that would unpack to more than memory should hold."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except (OSError, zipfile.BadZipFile) as error:
        raise TenorError(f"{path} is not a readable Excel file ({_reason(error)}).") from error
    if size > _MOST_BYTES:
        raise TenorError(
            f"{path} unpacks to {size / 1e9:,.1f} GB; at most {_MOST_BYTES / 1e9:g} GB are read. Save the "
            "sheet as CSV."
        )


def _reason(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


Numbered = tuple[int, Sequence[Any]]  # a row by its number, from 1, and its values


def _filled_sheet(path: str, book: Any, problems: Problems) -> Iterator[Numbered]:
    names = [sheet.title for sheet in book.worksheets]
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # some writers state too few columns
        rows = _rows(sheet)
        first = next(rows, None)
        if first is not None:
            if len(names) > 1:
                others = ", ".join(repr(name) for name in names if name != sheet.title)
                problems.note(f"{path}: only the sheet {sheet.title!r} was read, not {others[:200]}.")
            return chain([first], rows)
    return iter(())


def _rows(sheet: Any) -> Iterator[Numbered]:
    for number, values in enumerate(sheet.iter_rows(max_row=_MOST_ROWS, values_only=True), start=1):
        filled = max((place for place, value in enumerate(values, 1) if value is not None), default=0)
        if filled:
            yield number, values[:filled]


def _table(
    path: str, rows: Iterator[Numbered], header: bool | None, named: Collection[str], problems: Problems
) -> Iterator[Row]:
    head = list(islice(rows, _HEAD))
    shown = [[_text(value) for value in values] for _, values in head]
    names: tuple[str, ...] | None = None
    if shown and (is_header(_squared(shown), named) if header is None else header):
        names = unique_names(shown[0])
        head = head[1:]
    for number, values in chain(head, rows):
        origin = Origin(path, number)
        if names is not None and len(values) > len(names):
            problems.add(origin, f"{len(values)} cells where the header has {len(names)}; row left out")
            continue
        columns = names or [str(column) for column in range(len(values))]
        original = dict(zip(columns, values, strict=False))
        filled = {name: value for name, value in original.items() if value is not None}
        # A column of formulas without stored values is there too, but empty.
        cells = dict.fromkeys(names or (), "") | {name: _text(value) for name, value in filled.items()}
        yield Row(cells, origin, original=filled)


def _squared(rows: list[list[str]]) -> list[list[str]]:
    """Fill short rows up with empty cells: a sheet does not store those at its right."""
    width = len(rows[0])
    return [row + [""] * (width - len(row)) for row in rows]


def _text(value: Any) -> str:
    return "" if value is None else readable(as_text(value))
