"""Files of vectors: what `tenor embed` writes, window by window, and how they are read back.

| suffix | holds | what is known about it stands in |
| --- | --- | --- |
| .npy | float32 [n, d] | ``OUT.npy.json`` |
| .safetensors | ``vectors`` float32 [n, d], ``lines`` int64 [n] | the file's metadata |
| .parquet | the columns of the source, line, vector | the schema's metadata, key ``tenor`` |
| .jsonl | objects with the columns of the source, line, vector | ``OUT.jsonl.json`` |

Every row remembers the line of the source that it came from (in Parquet sources: the row), so that rows that
could not be read shift nothing unnoticed. A writer works in a folder of its own whose files only grow; the
record of what made the vectors is given at the end.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tenor.extras import require
from tenor.files import write_json
from tenor.text.examples import Sentence
from tenor.use.parquet_rows import ColumnTypes, arrow_columns, arrow_fields
from tenor.use.row_files import columns_of

Floats = NDArray[np.float32]
Lines = NDArray[np.int64]

_GROUP = 8192  # rows of a Parquet row group
_ROW = "row"  # the column of a part that holds rows as JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What made a file of vectors; vectors of another model or precision must not be mixed with them."""

    model: str
    fingerprint: str
    precision: str
    dimensions: int
    rows: int
    source: str
    digest: str  # sha256 of the texts, see ``digest_texts``
    prompt: str | None = None
    long: str = "truncate"
    beyond_limit: int = 0  # texts longer than the model takes
    problems: int = 0  # rows with something wrong, among them empty texts, which have a vector
    tenor: str = ""  # the version that wrote it


class Writer(Protocol):
    """Writes the rows of one output into a folder."""

    keeps_rows: bool
    """Whether it writes the columns of the source, too."""

    def room(self, rows: int) -> Floats:
        """Give an array [rows, d] for the vectors of the next window."""

    def add(self, vectors: Floats, rows: Sequence[Sentence], lines: Lines) -> None:
        """Take the next rows; ``vectors`` is what ``room`` gave, filled."""

    def finish(self, record: Record, out: Path) -> Path:
        """Make the rows whole and give the file that is to become ``out``."""


class _Numbers:
    """Bare numbers after room for a header, which is written last because it tells their count."""

    head: int  # bytes before the numbers
    keeps_rows = False

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._dimensions = dimensions
        self._vectors, self._lines = folder / "vectors", folder / "lines"

    def room(self, rows: int) -> Floats:
        """Map the next rows of the file, so that they never take anonymous memory."""
        start = max(self.head, self._vectors.stat().st_size if self._vectors.exists() else 0)
        with open(self._vectors, "ab") as file:
            # Writing to a map for which the disk has no room would kill the process: take the room first.
            _reserve(file.fileno(), start, 4 * rows * self._dimensions)
        return np.memmap(self._vectors, np.float32, "r+", offset=start, shape=(rows, self._dimensions))

    def add(self, vectors: Floats, rows: Sequence[Sentence], lines: Lines) -> None:
        """Flush the mapped rows and append their lines."""
        if isinstance(vectors, np.memmap):
            vectors.flush()
        with open(self._lines, "ab") as file:
            file.write(lines.astype("<i8").tobytes())

    def _read_lines(self) -> Lines:
        return np.fromfile(self._lines, dtype="<i8") if self._lines.exists() else np.empty(0, dtype=np.int64)

    def _write_header(self, header: bytes) -> None:
        with open(self._vectors, "r+b") as file:
            file.write(header)


class NumpyWriter(_Numbers):
    """One .npy, and beside it what is known about it."""

    head = 128

    def finish(self, record: Record, out: Path) -> Path:
        """Write the header, and the record beside the output."""
        shape = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({record.rows}, {self._dimensions}), }}"
        text = shape.ljust(self.head - 11).encode() + b"\n"
        self._write_header(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)
        write_json(beside(out), {**asdict(record), "lines": _runs(self._read_lines())})
        return self._vectors


class SafetensorsWriter(_Numbers):
    """One .safetensors with the vectors, then the lines, and the record as its metadata."""

    head = 1 << 14

    def finish(self, record: Record, out: Path) -> Path:
        """Append the lines and write the header; JSON may be padded with spaces to a size fixed before."""
        lines, size = self._read_lines(), 4 * record.rows * self._dimensions
        with open(self._vectors, "r+b") as file:
            file.seek(self.head + size)
            file.write(lines.astype("<i8").tobytes())
        metadata = {key: _short(value) for key, value in asdict(record).items() if value is not None}
        header = {
            "__metadata__": metadata,
            "vectors": {"dtype": "F32", "shape": [record.rows, self._dimensions], "data_offsets": [0, size]},
            "lines": {"dtype": "I64", "shape": [record.rows], "data_offsets": [size, size + 8 * record.rows]},
        }
        text = json.dumps(header, ensure_ascii=False).encode().ljust(self.head - 8)
        assert len(text) == self.head - 8  # else it would run into the vectors
        self._write_header(len(text).to_bytes(8, "little") + text)
        return self._vectors


class JsonlWriter:
    """One JSON object per row; numbers have nine digits, which give every float32 back."""

    keeps_rows = True

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._file, self._dimensions = folder / "rows", dimensions

    def room(self, rows: int) -> Floats:
        """Give an array in memory."""
        return np.empty((rows, self._dimensions), dtype=np.float32)

    def add(self, vectors: Floats, rows: Sequence[Sentence], lines: Lines) -> None:
        """Append the rows, a few at a time: written out they take ten times their memory."""
        with open(self._file, "a", encoding="utf-8", errors="replace", newline="\n") as file:
            file.writelines(json_lines(vectors, rows))

    def finish(self, record: Record, out: Path) -> Path:
        """Write the record beside the output."""
        self._file.touch()
        write_json(beside(out), asdict(record))
        return self._file


class ParquetWriter:
    """One file per window, as a Parquet file cannot be continued; they are joined at the end.

    The types of the source's columns are known only then, so the parts hold each row as JSON.
    """

    keeps_rows = True

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._arrow = require("pyarrow", extra="tables", purpose="Writing Parquet")
        self._parquet = require("pyarrow.parquet", extra="tables", purpose="Writing Parquet")
        self._folder, self._dimensions = folder, dimensions
        vector = self._arrow.list_(self._arrow.float32(), dimensions)
        self._own = [self._arrow.field("line", self._arrow.int64()), self._arrow.field("vector", vector)]
        self._schema = self._arrow.schema([self._arrow.field(_ROW, self._arrow.large_string()), *self._own])

    def room(self, rows: int) -> Floats:
        """Give an array in memory."""
        return np.empty((rows, self._dimensions), dtype=np.float32)

    def add(self, vectors: Floats, rows: Sequence[Sentence], lines: Lines) -> None:
        """Write the next part, in row groups small enough to be joined in little memory."""
        part = self._folder / f"part-{len(self._parts()):06d}"
        with self._writer(part, self._schema) as writer:
            for start in range(0, len(rows), _GROUP):
                some = slice(start, start + _GROUP)
                flat = self._arrow.array(vectors[some].ravel())
                kept = [_dumped(kept_columns(row, nested=False)) for row in rows[some]]
                columns = [
                    self._arrow.array(kept, type=self._arrow.large_string()),
                    self._arrow.array(lines[some]),
                    self._arrow.FixedSizeListArray.from_arrays(flat, self._dimensions),
                ]
                writer.write_table(self._arrow.table(columns, schema=self._schema))

    def finish(self, record: Record, out: Path) -> Path:
        """Copy the row groups of all parts into one file whose schema carries the record."""
        whole = self._folder / "whole"
        types = ColumnTypes()
        for group in self._groups([_ROW]):
            for row in group[_ROW].to_pylist():
                types.see(json.loads(row))
        found = types.found()
        schema = self._arrow.schema([*arrow_fields(self._arrow, found), *self._own])
        schema = schema.with_metadata({"tenor": json.dumps(asdict(record))})
        with self._writer(whole, schema) as writer:
            for group in self._groups():
                rows = [json.loads(row) for row in group[_ROW].to_pylist()]
                columns = [*arrow_columns(self._arrow, rows, found), group["line"], group["vector"]]
                writer.write_table(self._arrow.table(columns, schema=schema))
        return whole

    def _groups(self, columns: list[str] | None = None) -> Iterator[Any]:
        for part in self._parts():
            with self._parquet.ParquetFile(part) as file:
                for group in range(file.num_row_groups):
                    yield file.read_row_group(group, columns=columns)

    def _writer(self, path: Path, schema: Any) -> Any:
        # Vectors do not compress; a dictionary of them would only cost time.
        kinds = {name: "zstd" for name in schema.names if name != "vector"}
        return self._parquet.ParquetWriter(path, schema, use_dictionary=False, compression=kinds)

    def _parts(self) -> list[Path]:
        return sorted(self._folder.glob("part-*"))


WriterType = type[NumpyWriter] | type[SafetensorsWriter] | type[JsonlWriter] | type[ParquetWriter]
WRITERS: dict[str, WriterType] = {
    ".npy": NumpyWriter,
    ".safetensors": SafetensorsWriter,
    ".parquet": ParquetWriter,
    ".jsonl": JsonlWriter,
}


def kept_columns(sentence: Sentence, *, nested: bool) -> dict[str, Any]:
    """Return the columns of the source, with other names for those that are called as ours."""
    row = {"text": sentence.text} if sentence.row is None else columns_of(sentence.row, nested=nested)
    return {f"input_{name}" if name in ("line", "vector") else name: value for name, value in row.items()}


def json_lines(vectors: Floats, rows: Sequence[Sentence]) -> Iterator[str]:
    """Yield rows as JSON objects on a line each: the columns of the source, line, vector."""
    numbers = "[" + ", ".join(["%.9g"] * vectors.shape[1]) + "]"
    for vector, row in zip(vectors, rows, strict=True):
        start = _dumped({**kept_columns(row, nested=True), "line": row.origin.line})
        yield f'{start[:-1]}, "vector": {numbers % tuple(vector.tolist())}}}\n'


def _dumped(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, default=str)


def digest_texts(hasher: "hashlib._Hash", texts: Iterable[str]) -> str:
    """Add texts to a hash, each with its length so that none can run into the next, and give the digest."""
    for text in texts:
        data = text.encode("utf-8", errors="surrogatepass")
        hasher.update(len(data).to_bytes(8, "little") + data)
    return hasher.hexdigest()


def beside(out: Path) -> Path:
    """Name the file that says what is known about ``out``."""
    return out.with_name(out.name + ".json")


def _reserve(descriptor: int, start: int, size: int) -> None:
    """Make a file long enough on disk, or raise the error of a full disk."""
    allocate = getattr(os, "posix_fallocate", None)  # not on macOS
    if allocate is not None:
        allocate(descriptor, start, size)
        return
    os.lseek(descriptor, start, os.SEEK_SET)
    for done in range(0, size, 1 << 20):
        os.write(descriptor, bytes(min(1 << 20, size - done)))


def _short(value: object) -> str:
    """Cut to size, so that no prompt or path bursts a header of fixed size, and to what UTF-8 can hold."""
    return str(value)[:800].encode(errors="replace").decode()  # JSON may take 6 bytes for a character


def _runs(lines: Lines) -> list[list[int]]:
    """Tell lines as [row, line] pairs where they do not follow on: [[0, 1]] when row i is line i + 1."""
    starts = np.flatnonzero(np.diff(lines, prepend=lines[:1] - 2) != 1)
    return [[int(row), int(lines[row])] for row in starts]
