"""Files of rows, in the format that their name says: CSV, TSV, JSON lines, a JSON array or Parquet.

Every row keeps the columns of the row that it was made from, and gets ours beside them, under names that are
free. Rows are written as they come, in memory that does not grow with them, and the file takes its name when
it is whole. The columns of a table need not be known before: later rows may have more, and the table is
squared at the end.
"""

import csv
import gzip
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Protocol, cast

from tenor.errors import TenorError
from tenor.extras import require
from tenor.files import atomic_file
from tenor.text.examples import Row
from tenor.text.jsonl import flat
from tenor.use.parquet_rows import ParquetRows

ENDINGS = (".csv", ".tsv", ".jsonl", ".json", ".parquet")
STDOUT = Path("-")
_LARGEST_CELL = 1 << 25
_TABS = (".tsv", ".tab", ".txt", "")
_JSON = (".jsonl", ".ndjson", ".json")


class RowWriter(Protocol):
    """Takes the rows of one output."""

    nested: bool
    """Whether values may be objects and lists."""

    def write(self, row: Mapping[str, Any]) -> None:
        """Take the next row."""

    def finish(self) -> None:
        """Make the output whole."""


def ending(path: Path) -> str:
    """Return the ending that says the format, without that of gzip.

    >>> ending(Path("a.csv.gz")), ending(Path("b.Parquet"))
    ('.csv', '.parquet')
    """
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def check_out(path: Path | None, source: str | Path | None = None, *, also: tuple[str, ...] = ()) -> None:
    """Refuse, before the work, a name that cannot be written to or is that of the source.

    ``also`` are further endings that a command writes.
    """
    if path is None or path == STDOUT:
        return
    known = (*ENDINGS, *also)
    if ending(path) in (".xlsx", ".xls", ".ods"):
        raise TenorError(
            f"Cannot write {str(path)!r}: workbooks are read, not written. Give a name in .csv, which "
            "spreadsheet programs open."
        )
    if ending(path) not in (*known, *_TABS, ".ndjson"):
        raise TenorError(
            f"Cannot tell the format of {str(path)!r} by its ending; expected {', '.join(known[:-1])} or "
            f"{known[-1]}."
        )
    if ending(path) == ".parquet":
        if path.suffix == ".gz":
            raise TenorError(f"Cannot write {path}: Parquet is compressed already; leave out .gz.")
        require("pyarrow.parquet", extra="tables", purpose="Writing Parquet")
    if path.is_dir():
        raise TenorError(f"Cannot write {path}: it is a folder.")
    if not path.parent.is_dir():
        raise TenorError(f"Cannot write {path}: its folder does not exist ({str(path.parent)!r}).")
    if source is not None and path.exists() and Path(source).exists() and path.samefile(source):
        raise TenorError(f"Cannot write {path}: it is the file that is to be read. Choose another name.")


@contextmanager
def row_file(path: Path, *, as_json: bool = False, lines: bool = False) -> Iterator["Rows"]:
    """Yield what takes the rows of a file; on standard output ("-") they are CSV, or JSON lines.

    With ``lines``, rows that were plain lines are written as such to a name in .txt, without columns of ours.
    """
    with ExitStack() as stack:
        if path == STDOUT:
            rows = Rows(_JsonLines(sys.stdout) if as_json else _Table(sys.stdout, ","))
            yield rows
            rows.finish()
            return
        aside = stack.enter_context(atomic_file(path))
        if ending(path) == ".parquet":
            with ParquetRows(aside) as parquet:
                rows = Rows(parquet)
                yield rows
                rows.finish()
            return
        with _opened(aside, packed=path.suffix == ".gz") as file:
            rows = Rows(_Lines(file) if lines and ending(path) == ".txt" else _writer(path, file))
            yield rows
            rows.finish()


def _opened(aside: Path, *, packed: bool) -> IO[str]:
    settings: dict[str, Any] = {"encoding": "utf-8", "errors": "replace", "newline": ""}
    return cast(IO[str], gzip.open(aside, "wt", **settings) if packed else aside.open("w", **settings))


def _writer(path: Path, file: IO[str]) -> RowWriter:
    kind = ending(path)
    if kind in _JSON:
        return _JsonArray(file) if kind == ".json" else _JsonLines(file)
    return _Table(file, "\t" if kind in _TABS else ",")


class Rows:
    """Joins the columns of the input with ours, and hands the rows to a writer."""

    def __init__(self, writer: RowWriter) -> None:
        self._writer = writer
        self._names: dict[str, str] | None = None  # ours by what they are called where nothing is in the way
        self.count = 0

    @property
    def nested(self) -> bool:
        """Whether values may be objects and lists."""
        return self._writer.nested

    def write(self, row: Row | None, added: Mapping[str, Any]) -> None:
        """Write what a row has, and what is added to it."""
        given = {} if row is None else columns_of(row, nested=self.nested)
        if self._names is None:
            self._names = {}
        for name in added:
            if name not in self._names:
                self._names[name] = free_name(name, [*given, *self._names.values()])
        ours = {self._names[name]: value for name, value in added.items()}
        # A column that comes only in later rows may bear a name that is taken by now.
        kept = {(f"{name}_input" if name in ours else name): value for name, value in given.items()}
        self._writer.write(kept | ours)
        self.count += 1

    def finish(self) -> None:
        """Make the file whole."""
        self._writer.finish()


def free_name(name: str, taken: list[str]) -> str:
    """Return a name for a column of ours that is not among those of the input, whatever their capitals.

    >>> free_name("label", ["text", "Label"]), free_name("line", ["text"])
    ('tenor_label', 'line')
    """
    lower = {each.casefold() for each in taken}
    candidates = (name, f"tenor_{name}", *(f"tenor_{name}_{number}" for number in range(2, len(taken) + 3)))
    return next(each for each in candidates if each.casefold() not in lower)


def is_plain(row: Row) -> bool:
    """Whether a row was a line of a file of plain lines."""
    return list(row.values) == ["0"] and row.original is None


def columns_of(row: Row, *, nested: bool) -> dict[str, Any]:
    """Return the values of a row as its file has them; unless ``nested``, objects are flattened."""
    if is_plain(row):
        return {"text": row.values["0"]}  # plain lines, which have no names
    if row.original is None:
        return dict(row.values)
    return dict(row.original) if nested else flat(row.original)


class _Lines:
    nested = False

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, row: Mapping[str, Any]) -> None:
        self._file.write(f"{row['text']}\n")

    def finish(self) -> None:
        """Nothing is missing."""


class _JsonLines:
    nested = True

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, row: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")

    def finish(self) -> None:
        """Nothing is missing."""


class _JsonArray:
    nested = True

    def __init__(self, file: IO[str]) -> None:
        self._file, self._before = file, "[\n"

    def write(self, row: Mapping[str, Any]) -> None:
        self._file.write(self._before + json.dumps(row, ensure_ascii=False, default=str))
        self._before = ",\n"

    def finish(self) -> None:
        """Close the array."""
        self._file.write(("[" if self._before == "[\n" else "\n") + "]\n")


class _Table:
    """CSV or TSV; rows are kept in a file of their own until the last one has told all columns."""

    nested = False

    def __init__(self, file: IO[str], delimiter: str) -> None:
        self._file, self._delimiter = file, delimiter
        self._columns: dict[str, int] = {}
        self._spool = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace", newline="")  # noqa: SIM115
        self._writer = csv.writer(self._spool, delimiter=delimiter, lineterminator="\n")
        self._ragged = False

    def write(self, row: Mapping[str, Any]) -> None:
        new = [name for name in row if name not in self._columns]
        self._ragged = self._ragged or bool(new and self._columns)
        for name in new:
            self._columns[name] = len(self._columns)
        self._writer.writerow([_cell(row.get(name)) for name in self._columns])

    def finish(self) -> None:
        """Write the header, and below it the rows, as long as it."""
        with self._spool as spool:
            spool.flush()
            spool.seek(0)
            writer = csv.writer(self._file, delimiter=self._delimiter, lineterminator="\n")
            if self._columns:
                writer.writerow(self._columns)
            if not self._ragged:
                shutil.copyfileobj(spool, self._file)
                return
            csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_CELL))
            for cells in csv.reader(spool, delimiter=self._delimiter):
                writer.writerow(cells + [""] * (len(self._columns) - len(cells)))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
