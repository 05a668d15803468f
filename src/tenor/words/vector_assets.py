"""Word vectors that packages carry, each in the format of its package, by the names of the assets."""

from pathlib import Path

from tenor.assets.table import Kind
from tenor.errors import TenorError, did_you_mean
from tenor.extras import require
from tenor.files import why
from tenor.progress import Progress
from tenor.tensors import Stored, map_npy, refuse_not_finite
from tenor.text.problems import Problems
from tenor.words.spacy_format import FILES as SPACY_FILES
from tenor.words.spacy_format import read_spacy
from tenor.words.vectors import WordVectors

_KINDS: frozenset[Kind] = frozenset({"vectors"})


def read_asset(
    name: Path, *, limit: int | None, problems: Problems, progress: Progress | None
) -> WordVectors:
    """Read vectors by the name of an asset at hand, or from a folder laid out like one."""
    from tenor.assets import TABLE, find

    known = [row.name for row in TABLE.values() if row.kind in _KINDS]
    if not name.is_dir() and str(name) not in known:
        raise TenorError(
            f"There is no file {str(name)!r}, and no word vectors of that name are available."
            + (did_you_mean(str(name), known) or f" Known are: {', '.join(known)}.")
        )
    folder = find(name, kinds=_KINDS)
    row = TABLE.get(str(name))
    # The cache keeps a note of its own beside an asset's files, so the row says which files are meant.
    files = [folder / file.name for file in row.files] if row else sorted(folder.iterdir())
    vectors = _read_files(folder, files, limit, problems, progress)
    refuse_not_finite({"vectors": Stored("F32", vectors.vectors)}, folder)
    vectors.name = str(name)
    return vectors


def _read_files(
    folder: Path, files: list[Path], limit: int | None, problems: Problems, progress: Progress | None
) -> WordVectors:
    tables, indexes = ([file for file in files if file.suffix == end] for end in (".npy", ".parquet"))
    if len(tables) == len(indexes) == 1:
        return _array_with_index(tables[0], indexes[0])
    if {file.name for file in files} >= set(SPACY_FILES):
        return read_spacy(folder)
    if len(files) == 1:
        from tenor.words.reading import load

        return load(files[0], limit=limit, problems=problems, progress=progress)
    raise TenorError(f"{folder} holds {len(files)} files; give the file with the vectors itself.")


def _array_with_index(table: Path, index: Path) -> WordVectors:
    """Read a .npy array whose rows stand in the order of the words of a Parquet file."""
    parquet = require("pyarrow.parquet", extra="tables", purpose=f"Reading {index.name}")
    try:
        vectors = map_npy(table)
        columns = parquet.read_table(index)
    except OSError as error:
        raise TenorError(f"Cannot read {table.parent}: {why(error)}.") from error
    except ValueError as error:
        raise TenorError(f"{table.parent} is damaged ({error}); fetch it again.") from error
    words = next(
        (column for column in columns.columns if str(column.type) in ("string", "large_string")), None
    )
    if words is None or vectors.ndim != 2 or len(words) != len(vectors):
        raise TenorError(f"{index} does not name the {len(vectors):,} rows of {table.name}.")
    return WordVectors(words.to_pylist(), vectors)
