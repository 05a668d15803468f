"""Writing rows of any columns to Parquet: the type of a column is known only when all its values were seen.

So the rows are first kept as JSON lines in a temporary file, and copied from there into the Parquet file.
"""

import json
import tempfile
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Self

from tenor.extras import require

_GROUP = 8192  # rows of a row group


class ColumnTypes:
    """Finds the type of every column: boolean, integer, number, else text; text of a CSV stays text.

    >>> types = ColumnTypes()
    >>> types.see({"year": 1999, "code": "007", "seen": None}); types.see({"year": 2.5, "code": 8})
    >>> types.found()
    {'year': 'number', 'code': 'text', 'seen': 'text'}
    """

    def __init__(self) -> None:
        self._types: dict[str, str | None] = {}  # None: no value so far

    def see(self, row: Mapping[str, Any]) -> None:
        """Take one row into account."""
        for name, value in row.items():
            before = self._types.setdefault(name, None)
            if value is None or before == "text":
                continue
            own = _type_of(value)
            numbers = {before, own} <= {"integer", "number"}
            self._types[name] = own if before in (None, own) else "number" if numbers else "text"

    def found(self) -> dict[str, str]:
        """Return the types in the order in which the columns came."""
        return {name: kind or "text" for name, kind in self._types.items()}


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if -(2**63) <= value < 2**63 else "text"
    return "number" if isinstance(value, float) else "text"


class ParquetRows:
    """Takes rows, and writes them to a Parquet file when it is finished."""

    nested = False

    def __init__(self, path: Path) -> None:
        self._arrow = require("pyarrow", extra="tables", purpose="Writing Parquet")
        self._parquet = require("pyarrow.parquet", extra="tables", purpose="Writing Parquet")
        self._path, self._types = path, ColumnTypes()

    def __enter__(self) -> Self:
        self._spool = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        return self

    def __exit__(self, *_: object) -> None:
        self._spool.close()

    def write(self, row: Mapping[str, Any]) -> None:
        """Take the next row."""
        self._types.see(row)
        self._spool.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")

    def finish(self) -> None:
        """Write all rows, a group at a time."""
        types = self._types.found()
        schema = self._arrow.schema(arrow_fields(self._arrow, types))
        self._spool.flush()
        self._spool.seek(0)
        with self._parquet.ParquetWriter(self._path, schema, compression="zstd") as writer:
            lines = iter(self._spool)
            while group := [json.loads(line) for line in islice(lines, _GROUP)]:
                columns = arrow_columns(self._arrow, group, types)
                writer.write_table(self._arrow.table(columns, schema=schema))


def arrow_fields(arrow: Any, types: Mapping[str, str]) -> list[Any]:
    """Return the fields of a schema for columns by their types."""
    known = {
        "boolean": arrow.bool_(),
        "integer": arrow.int64(),
        "number": arrow.float64(),
        "text": arrow.string(),
    }
    return [arrow.field(name, known[kind]) for name, kind in types.items()]


def arrow_columns(arrow: Any, rows: Sequence[Mapping[str, Any]], types: Mapping[str, str]) -> list[Any]:
    """Return the columns of some rows in their types."""
    columns = []
    for field, kind in zip(arrow_fields(arrow, types), types.values(), strict=True):
        values = [row.get(field.name) for row in rows]
        if kind == "text":
            values = [_as_text(value) for value in values]
        elif kind == "number":
            values = [None if value is None else float(value) for value in values]
        columns.append(arrow.array(values, type=field.type))
    return columns


def _as_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
