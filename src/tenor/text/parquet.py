"""Rows of Parquet files, streamed batch by batch."""

from collections.abc import Iterator
from typing import Any

from tenor.errors import TenorError
from tenor.extras import require
from tenor.text.examples import Origin, Row
from tenor.text.jsonl import as_text, flat
from tenor.text.lines import UNREADABLE
from tenor.text.problems import Problems

_BATCH = 4096


def parquet_rows(path: str, *, problems: Problems) -> Iterator[Row]:
    """Yield one row per record; missing values are left out of it, fields of structs are ``doc.title``."""
    arrow = require("pyarrow", extra="tables", purpose="Reading Parquet")
    parquet = require("pyarrow.parquet", extra="tables", purpose="Reading Parquet")
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH):
                names, columns = batch.schema.names, [_texts(arrow, column) for column in batch.columns]
                for cells in zip(*columns, strict=True):
                    number += 1
                    yield _row(dict(zip(names, cells, strict=True)), Origin(path, number), problems)
    except (arrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TenorError(f"{path} is not a readable Parquet file after row {number} ({reason}).") from error


def _texts(arrow: Any, column: Any) -> list[Any]:
    """Turn a column into Python values; text comes as bytes, so that bad UTF-8 can be reported by row."""
    kind = column.type
    if arrow.types.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if arrow.types.is_string(kind) or arrow.types.is_large_string(kind):
        column = column.cast(arrow.large_binary())
    values: list[Any] = column.to_pylist()
    return values


def _row(values: dict[str, Any], origin: Origin, problems: Problems) -> Row:
    cells = {
        name: _cell(value, origin, problems) for name, value in flat(values).items() if value is not None
    }
    # Text came as bytes; of what else there is, the values themselves are kept.
    typed = {name: cells.get(name) if isinstance(value, bytes) else value for name, value in values.items()}
    return Row(cells, origin, original=typed)


def _cell(value: Any, origin: Origin, problems: Problems) -> str:
    if not isinstance(value, bytes):
        return as_text(value)
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError as error:
        problems.add(origin, f"bytes that are not UTF-8 (0x{value[error.start]:02x} first)")
        text = value.decode("utf-8", errors="replace")
    if "\0" in text:
        problems.add(origin, "a NUL character in the text")
        text = text.replace("\0", UNREADABLE)
    return text
