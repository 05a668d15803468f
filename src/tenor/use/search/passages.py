"""The table behind an index: texts, vectors and columns in a LanceDB table of many versions.

Every change makes a new version and leaves the older ones as they were; a version either exists whole or
not at all. The index card (``card.py``) names the one version that counts, so a change of many steps shows
itself at once, when the card is replaced, and a change that was interrupted is undone by going back.

Fields: id (text), text, vector (unit length, float32 [dimensions]), and c0, c1, … for the columns of the
source.
"""

import math
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tenor.errors import TenorError
from tenor.extras import require
from tenor.files import sync
from tenor.use.search.columns import Column, Kind, Value
from tenor.use.search.queries import StoreQueries
from tenor.use.search.vector_index import MOST_SEGMENTS, HnswConfig

TABLE = "passages"
_NEVER = timedelta(days=10_000)
Vectors = npt.NDArray[np.float32]
StoredRow = dict[str, Any]


@dataclass(frozen=True)
class Passage:
    """One text to store, with its id and the values of the index's columns, in their order."""

    id: str
    text: str
    values: tuple[Value, ...]


class Passages:
    """A handle on the table in an index folder, at its newest version or read-only at a given one."""

    def __init__(
        self, folder: Path, columns: Sequence[Column], *, dimensions: int, version: int | None = None
    ) -> None:
        self._folder = folder
        self._columns = tuple(columns)
        self._dimensions = dimensions
        self._at = version
        self._kept_queries: StoreQueries | None = None
        with _storing(folder):
            self._table = _database(folder).open_table(TABLE, version=version)

    @classmethod
    def create(cls, folder: Path, columns: Sequence[Column], *, dimensions: int) -> "Passages":
        """Make an empty table, in place of one that may be there."""
        with _storing(folder):
            shutil.rmtree(folder / f"{TABLE}.lance", ignore_errors=True)
            _database(folder).create_table(TABLE, schema=_schema(columns, dimensions))
        return cls(folder, columns, dimensions=dimensions)

    @property
    def version(self) -> int:
        """The version that this handle stands at."""
        return int(self._table.version)

    def count(self, condition: str | None = None) -> int:
        """Return how many rows there are, or how many meet a compiled filter."""
        with _storing(self._folder):
            return int(self._table.count_rows(condition))

    def extend(self, columns: Sequence[Column]) -> None:
        """Add the columns that the table does not have yet; rows that are there get no value in them."""
        new = columns[len(self._columns) :]
        if new:
            with _storing(self._folder):
                self._table.add_columns(
                    _schema(columns, self._dimensions).empty_table().select([c.field for c in new]).schema
                )
        self._columns = tuple(columns)

    def append(self, passages: Sequence[Passage], vectors: Vectors) -> int:
        """Store passages whose ids are known to be new. Return how many took the place of another: none."""
        with _storing(self._folder):
            self._table.add(self._arrow(passages, vectors))
        return 0

    def upsert(self, passages: Sequence[Passage], vectors: Vectors) -> int:
        """Store passages; one whose id is there already takes its place. Return how many did."""
        with _storing(self._folder):
            merge = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            return int(merge.execute(self._arrow(passages, vectors)).num_updated_rows)

    def remove(self, condition: str) -> int:
        """Remove the rows that meet a compiled filter and return how many there were."""
        before = self.count()
        with _storing(self._folder):
            self._table.delete(condition)
        return before - self.count()

    def return_to(self, version: int) -> None:
        """Make the table what it was at an older version; nothing happens when it stands there."""
        if self.version != version:
            with _storing(self._folder):
                self._table.restore(version)

    def refresh(self, hnsw: HnswConfig | None, *, rebuild: bool, stem: bool) -> bool:
        """Bring the lexical index and the vector index up to date with the rows, and merge small files.

        The vector index is built anew where that is asked for, or where many additions have left it in many
        segments; return whether it was.
        """
        from lancedb.index import FTS

        # Stop words stay in: BM25 gives them next to no weight, and "The Who" or "to be" must be found.
        lexical = FTS(with_position=False, stem=stem, remove_stop_words=False, max_token_length=None)
        with _storing(self._folder):
            # Left alone it would drop versions older than a week, perhaps the one that counts.
            self._table.optimize(cleanup_older_than=_NEVER)
            indexes = {index.columns[0]: index for index in self._table.list_indices()}
            if "text" not in indexes and self._table.count_rows():
                self._table.create_index("text", config=lexical)
            segments = indexes["vector"].num_segments if "vector" in indexes else 0
            rebuild = hnsw is not None and (rebuild or segments > MOST_SEGMENTS)
            if hnsw is not None and rebuild:
                self._table.create_index("vector", config=hnsw.index_config(), replace=True)
        return rebuild

    def prune(self, *, older_than: timedelta) -> None:
        """Free the space of older versions and of changes that were interrupted; the newest version stays.

        The store may merge files on this occasion, which makes a new version with the same rows.
        """
        with _storing(self._folder):
            self._table.optimize(cleanup_older_than=older_than, delete_unverified=True)

    def sync(self) -> None:
        """Make sure that what was written is on the disk, before the card names it."""
        with _storing(self._folder):
            for file in (self._folder / f"{TABLE}.lance").rglob("*"):
                sync(file)

    def sample(self, count: int) -> Vectors:
        """Return the vectors of some rows [n, dimensions], the same ones for the same table."""
        rows = self.count()
        offsets = np.random.default_rng(0).choice(rows, size=min(count, rows), replace=False)
        with _storing(self._folder):
            return self._matrix(
                self._table.take_offsets(sorted(offsets.tolist())).select(["vector"]).to_arrow()
            )

    def some_texts(self, count: int) -> list[str]:
        """Return a few texts, spread over the table."""
        rows = self.count()
        offsets = sorted({rows * number // count for number in range(count)} if rows else ())
        with _storing(self._folder):
            found = self._table.take_offsets(offsets).select(["text"]).to_arrow() if offsets else None
            return [] if found is None else [str(text) for text in found["text"].to_pylist()]

    def nearest(
        self, vector: Vectors, k: int, *, condition: str | None, hnsw: HnswConfig | None
    ) -> list[StoredRow]:
        """Return the ``k`` rows of highest cosine, through the vector index or, without one, exactly."""
        fields = self._fields("_distance")
        with _storing(self._folder):
            table = self._queries().nearest(vector, k, fields=fields, condition=condition, hnsw=hnsw)
            rows: list[StoredRow] = table.select(fields).to_pylist()
        return self._finite([{**row, "cosine": 1.0 - row["_distance"]} for row in rows])

    def matching(
        self, words: str, k: int, *, condition: str | None, vector: Vectors | None = None
    ) -> list[StoredRow]:
        """Return the ``k`` rows whose words match best (BM25); a query is words, never syntax.

        With a vector each row also gets its cosine to it.
        """
        fields = self._fields("_score")
        asked = fields if vector is None else [*fields, "vector"]
        with _storing(self._folder):
            table = self._queries().matching(words, k, fields=asked, condition=condition)
            rows: list[StoredRow] = table.select(fields).to_pylist()
        if vector is not None and rows:
            vectors = (
                table["vector"].combine_chunks().flatten().to_numpy().reshape(len(rows), -1)
            )  # [n, dimensions]
            with np.errstate(invalid="ignore"):  # it is refused below
                cosines = (vectors @ vector).tolist()
            for row, cosine in zip(rows, cosines, strict=True):
                row["cosine"] = cosine
            self._finite(rows)
        return rows

    def _fields(self, score: str) -> list[str]:
        return ["id", "text", *(column.field for column in self._columns), score]

    def _queries(self) -> StoreQueries:
        """Return the table for queries, kept open where this handle stands at one version."""
        queries = self._kept_queries
        if queries is None:
            version = self.version if self._at is None else self._at
            queries = StoreQueries(self._folder, TABLE, version)
            if self._at is not None:
                self._kept_queries = queries
        return queries

    def _finite(self, rows: list[StoredRow]) -> list[StoredRow]:
        """Refuse a stored vector that is not finite: it would be near everything, or nothing."""
        for row in rows:
            if not math.isfinite(row["cosine"]):
                raise TenorError(
                    f"The index {self._folder} is damaged: the vector of id {row['id']!r} has numbers that "
                    "are not finite. Build the index again."
                )
        return rows

    def _matrix(self, table: Any) -> Vectors:
        flat: Vectors = table["vector"].combine_chunks().flatten().to_numpy()
        return flat.reshape(len(table), self._dimensions)

    def _arrow(self, passages: Sequence[Passage], vectors: Vectors) -> Any:
        import pyarrow as pa

        flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).ravel())
        arrays = [
            pa.array([passage.id for passage in passages], pa.string()),
            pa.array([passage.text for passage in passages], pa.string()),
            pa.FixedSizeListArray.from_arrays(flat, self._dimensions),
        ]
        for index, column in enumerate(self._columns):
            arrays.append(pa.array([passage.values[index] for passage in passages], _type(column.kind)))
        return pa.Table.from_arrays(arrays, schema=_schema(self._columns, self._dimensions))


def _database(folder: Path) -> Any:
    # The store's own log goes to stderr; what matters of it reaches us as an error.
    os.environ.setdefault("LANCEDB_LOG", "error")
    return require("lancedb", extra="search", purpose="An index").connect(str(folder))


def _schema(columns: Sequence[Column], dimensions: int) -> Any:
    import pyarrow as pa

    own = [("id", pa.string()), ("text", pa.string()), ("vector", pa.list_(pa.float32(), dimensions))]
    return pa.schema([*own, *((column.field, _type(column.kind)) for column in columns)])


def _type(kind: Kind) -> Any:
    import pyarrow as pa

    return {Kind.boolean: pa.bool_, Kind.integer: pa.int64, Kind.number: pa.float64, Kind.text: pa.string}[
        kind
    ]()


@contextmanager
def _storing(folder: Path) -> Iterator[None]:
    """Turn what the store throws into one sentence; its messages end in places of its own source code."""
    try:
        yield
    except BaseException as error:
        # Its panics over damaged files are no RuntimeErrors, and in some versions no Exceptions.
        if not isinstance(error, OSError | RuntimeError | ValueError) and "Panic" not in type(error).__name__:
            raise
        lines = str(error).strip().splitlines() or [type(error).__name__]
        reason = lines[0].partition(", /")[0].removeprefix("lance error: ")[:300]
        for mark, words in _KNOWN.items():
            if mark in str(error):
                reason = words
        raise TenorError(f"The store in {folder} failed: {reason}.") from error


_KNOWN = {
    "No space left": "the disk is full; free some space and run the command again to resume",
    "os error 28": "the disk is full; free some space and run the command again to resume",
    "File too large": "a file would grow beyond the limit of this system",
    "Permission denied": "permission is denied",
    "Read-only file system": "the file system is read-only",
}
