"""Word vectors in numpy's .npz files: an array of words and an array of vectors, under the usual names.

A list of words that was saved as Python objects would have to be unpickled, which runs code: it is refused.
"""

import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.text_format import Table

MAGIC = b"PK\x03\x04"
_WORDS = ("words", "vocab", "vocabulary", "tokens", "keys", "index_to_key", "w")
_VECTORS = ("vectors", "embeddings", "matrix", "arr", "v")


def read_npz(path: Path, *, limit: int | None) -> Table:
    """Read the words and vectors of a file."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            words, vectors = _array(arrays, _WORDS, path, "words"), _array(arrays, _VECTORS, path, "vectors")
    except (OSError, zipfile.BadZipFile, EOFError) as error:
        raise TenorError(f"{path} cannot be read as numpy's .npz: {error}.") from error
    if (
        words.ndim != 1
        or words.dtype.kind not in "US"
        or vectors.ndim != 2
        or vectors.dtype.kind not in "fiu"
    ):
        raise TenorError(
            f"{path}: words have the shape {words.shape} and type {words.dtype}, vectors {vectors.shape} and "
            f"{vectors.dtype}; expected a list of texts and a table of numbers."
        )
    if len(words) != len(vectors):
        raise TenorError(f"{path} has {len(words):,} words and {len(vectors):,} vectors; expected as many.")
    listed = words[:limit].tolist()
    encoded = [word if isinstance(word, bytes) else word.encode() for word in listed]
    return Table(words=encoded, vectors=np.asarray(vectors[:limit], dtype=np.float32))


def _array(
    arrays: "np.lib.npyio.NpzFile", names: tuple[str, ...], path: Path, what: str
) -> NDArray[np.generic]:
    found = next((name for name in names if name in arrays.files), None)
    if found is None:
        raise TenorError(
            f"{path} has no array of {what}: it holds {', '.join(arrays.files) or 'nothing'}; expected one "
            f"called {names[0]}."
        )
    try:
        return np.asarray(arrays[found])
    except ValueError as error:
        raise TenorError(
            f"{path}: {found} is stored as Python objects, which are not opened as they can run code; save "
            f"it as np.array({found}, dtype=str)."
        ) from error
