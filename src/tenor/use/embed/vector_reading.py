"""Reading files of vectors, and refusing those that another model made."""

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from tenor.errors import TenorError
from tenor.extras import require
from tenor.files import read_json
from tenor.model import Model
from tenor.tensors import map_npy
from tenor.use.embed.vector_files import Floats, Lines, Record, beside

_ROWS = 8_192  # looked through at once
_MOST_DIMENSIONS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class VectorFile:
    """Vectors [n, d], memory-mapped where the format allows it, the lines of their source, and the record."""

    vectors: Floats
    lines: Lines
    record: Record

    def check(self, model: Model) -> None:
        """Refuse the vectors where ``model`` would not have made them."""
        record = self.record
        if (record.fingerprint, record.precision) != (model.fingerprint, model.precision):
            raise TenorError(
                f"These vectors of {record.source} were made by {record.model} in {record.precision} "
                f"({record.fingerprint[:12]}), not by {model.name} in {model.precision} "
                f"({model.fingerprint[:12]}): vectors of different models do not mix. Embed the texts again."
            )


def read_vectors(path: str | Path) -> VectorFile:
    """Read a file that `tenor embed` wrote, with what is known about it."""
    path = Path(path)
    readers = {".npy": _numpy, ".safetensors": _safetensors, ".parquet": _parquet, ".jsonl": _jsonl}
    if path.suffix not in readers:
        raise TenorError(f"{path} is not a file of vectors; expected {', '.join(readers)}.")
    if not path.is_file():
        raise TenorError(f"{path} does not exist.")
    try:
        file = readers[path.suffix](path)
    except (OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        raise TenorError(f"{path} cannot be read as vectors of `tenor embed` ({error}).") from error
    shape = (file.record.rows, file.record.dimensions)
    if file.vectors.shape != shape or len(file.lines) != file.record.rows:
        raise TenorError(
            f"{path} holds an array of shape {file.vectors.shape} where its record says {shape}: "
            "the two do not belong together. Embed the texts again."
        )
    _refuse_not_finite(file, path)
    return file


def _refuse_not_finite(file: VectorFile, path: Path) -> None:
    """Refuse rows with NaN or infinity: they would seem equal to every other one."""
    for begin in range(0, len(file.vectors), _ROWS):
        wrong = np.flatnonzero(~np.isfinite(file.vectors[begin : begin + _ROWS]).all(axis=1))
        if len(wrong):
            line = int(file.lines[begin + int(wrong[0])])
            raise TenorError(
                f"{path} is damaged: the vector of line {line:,} has numbers that are not finite. "
                "Embed the texts again."
            )


def _numpy(path: Path) -> VectorFile:
    metadata = read_json(beside(path))
    record = _record(metadata)
    vectors = map_npy(path)
    _check_rows(record, len(vectors) if vectors.ndim else 0)
    return VectorFile(vectors, _lines(metadata["lines"], record.rows), record)


def _safetensors(path: Path) -> VectorFile:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            metadata: dict[str, Any] = file.metadata() or {}
            lines = file.get_tensor("lines")
        with open(path, "rb") as raw:
            head = 8 + int.from_bytes(raw.read(8), "little")
    except SafetensorError as error:
        raise ValueError(error) from error
    record = _record(metadata)
    # safetensors would copy the vectors into memory; they stand in the file as a map needs them.
    shape = (record.rows, record.dimensions)
    return VectorFile(np.memmap(path, np.float32, "r", offset=head, shape=shape), lines, record)


def _parquet(path: Path) -> VectorFile:
    require("pyarrow", extra="tables", purpose="Reading Parquet")
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.read_table(path, columns=["line", "vector"])
    except pyarrow.ArrowException as error:
        raise ValueError(error) from error
    record = _record(json.loads(table.schema.metadata[b"tenor"]))
    flat = table["vector"].combine_chunks().flatten().to_numpy()
    return VectorFile(flat.reshape(-1, record.dimensions), table["line"].to_numpy(), record)


def _jsonl(path: Path) -> VectorFile:
    record = _record(read_json(beside(path)))
    _check_rows(record, path.stat().st_size)  # a row takes a byte at the very least
    vectors = np.empty((record.rows, record.dimensions), dtype=np.float32)
    lines = np.empty(record.rows, dtype=np.int64)
    count = 0
    with open(path, encoding="utf-8") as file:
        for count, line in enumerate(file, start=1):
            row = json.loads(line)
            if count <= record.rows:
                vectors[count - 1], lines[count - 1] = row["vector"], row["line"]
    if count != record.rows:
        raise ValueError(f"{count} rows where the record says {record.rows}")
    return VectorFile(vectors, lines, record)


def _check_rows(record: Record, most: int) -> None:
    """Refuse a record of more rows than can be there, before memory is taken for them."""
    if not 0 <= record.rows <= most or not 0 < record.dimensions <= _MOST_DIMENSIONS:
        raise ValueError(f"its record says {record.rows} rows of {record.dimensions} numbers")


def _record(metadata: dict[str, Any]) -> Record:
    """Build a record from JSON, or from metadata in which every value is text."""
    if "width" in metadata:  # the name of older files
        metadata = {"dimensions": metadata["width"], **metadata}
    values: dict[str, Any] = {}
    for field in fields(Record):
        if field.name in metadata:
            value = metadata[field.name]
            values[field.name] = int(value) if field.type is int else value
    return Record(**values)


def _lines(runs: list[list[int]], rows: int) -> Lines:
    """Undo the runs: [[0, 1]] is lines 1, 2, 3, …"""
    starts = np.array([row for row, _ in runs], dtype=np.int64)
    first = np.array([line for _, line in runs], dtype=np.int64)
    counts = np.diff(starts, append=rows)
    return np.arange(rows) + np.repeat(first - starts, counts)
