"""Our own file of word vectors: safetensors, memory-mapped, ready in milliseconds whatever its size.

Tensors of the file, of which only ``vectors``, ``words`` and ``offsets`` must be there:

    vectors [n, d] F32    words [bytes] U8, offsets [n + 1] I64    hashes [n] U64, order [n] I64 (the index)
    counts [n] I64        contexts [n, d] F32                      subwords [buckets, d] F32

A file from elsewhere is not trusted: offsets of words must rise, indices must lie inside, every number must
be finite. That is looked at once, as it means reading all of a big table, and again when it was touched.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tenor.assets.untouched import remembered
from tenor.errors import TenorError
from tenor.tensors import Stored, read_with_metadata, refuse_not_finite, write_safetensors
from tenor.words.subwords import Subwords
from tenor.words.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tenor.words.vectors import WordVectors

KIND, FORMAT = "tenor words", 1
_ROWS = 65_536  # looked through at once


def open_stored(path: str | Path) -> "WordVectors":
    """Map a file that :func:`store` wrote."""
    from tenor.words.vectors import WordVectors

    tensors, metadata = read_with_metadata(path)
    _check_kind(metadata, path)
    _check_numbers(tensors, Path(path))
    vectors = _tensor(tensors, "vectors", "F32", 2, path)
    words = _vocabulary(tensors, len(vectors), path)
    contexts = _tensor(tensors, "contexts", "F32", 2, path) if "contexts" in tensors else None
    counts = _tensor(tensors, "counts", "I64", 1, path) if "counts" in tensors else None
    subwords = _subwords(tensors, metadata, vectors.shape[1], path)
    noise = _noise_exponent(metadata, path)
    return WordVectors(
        words, vectors, counts, contexts, subwords=subwords, noise_exponent=noise, name=Path(path).name
    )


def store(vectors: "WordVectors", path: str | Path) -> None:
    """Write word vectors as one file; a number that is not finite is refused."""
    refuse_infinite(vectors, path)
    words = vectors.words
    tensors = {
        "vectors": Stored("F32", vectors.vectors),
        "words": Stored("U8", words.blob),
        "offsets": Stored("I64", words.offsets),
        "hashes": Stored("U64", words.hashes),
        "order": Stored("I64", words.order),
    }
    metadata = {"kind": KIND, "version": str(FORMAT)}
    if vectors.counts is not None:
        tensors["counts"] = Stored("I64", vectors.counts)
    if vectors.contexts is not None:
        tensors["contexts"] = Stored("F32", vectors.contexts)
    if vectors.contexts is not None and vectors.noise_exponent is not None:
        metadata["noise_exponent"] = repr(float(vectors.noise_exponent))
    if vectors.subwords is not None:
        tensors["subwords"] = Stored("F32", vectors.subwords.table)
        metadata |= {"shortest": str(vectors.subwords.min_n), "longest": str(vectors.subwords.max_n)}
    write_safetensors(path, tensors, metadata=metadata)


def _noise_exponent(metadata: dict[str, str], path: str | Path) -> float | None:
    if "noise_exponent" not in metadata:
        return None
    try:
        value = float(metadata["noise_exponent"])
    except ValueError:
        value = np.nan
    if not 0 <= value <= 10:
        raise TenorError(f"{path} is damaged: its noise exponent is no number from 0 to 10; make it again.")
    return value


def refuse_infinite(vectors: "WordVectors", path: str | Path) -> None:
    """Refuse to write numbers that are not finite, which would spoil whatever is computed from the file."""
    for begin in range(0, len(vectors), _ROWS):
        wrong = np.flatnonzero(~np.isfinite(vectors.vectors[begin : begin + _ROWS]).all(axis=1))
        if len(wrong):
            word = vectors.words[begin + int(wrong[0])]
            raise TenorError(
                f"{path} is not written: the vector of {word!r} has numbers that are not finite."
            )


def _check_kind(metadata: dict[str, str], path: str | Path) -> None:
    if metadata.get("kind") != KIND:
        raise TenorError(
            f"{path} is a safetensors file, but not one of word vectors (its header does not say {KIND!r})."
        )
    version = metadata.get("version", "")
    if not version.isdecimal() or int(version) > FORMAT:
        raise TenorError(f"{path} has the format {version!r}; this Tenor reads up to {FORMAT}; upgrade.")


def _check_numbers(tensors: dict[str, Stored], path: Path) -> None:
    def look_through() -> str:
        refuse_not_finite(tensors, path)
        return "finite"

    remembered([path], what="finite", find_out=look_through)


def _vocabulary(tensors: dict[str, Stored], rows: int, path: str | Path) -> Vocabulary:
    blob = _tensor(tensors, "words", "U8", 1, path)
    offsets = _tensor(tensors, "offsets", "I64", 1, path)
    rises = len(offsets) == rows + 1 and offsets[0] == 0 and offsets[-1] == len(blob)
    if not rises or np.any(offsets[1:] < offsets[:-1]):
        raise TenorError(
            f"{path} is damaged: its offsets of words do not fit {rows:,} vectors; make it again."
        )
    if "hashes" not in tensors or "order" not in tensors:
        return Vocabulary(blob, offsets)
    hashes, order = _tensor(tensors, "hashes", "U64", 1, path), _tensor(tensors, "order", "I64", 1, path)
    whole = len(hashes) == len(order) == rows and (not rows or 0 <= order.min() <= order.max() < rows)
    if not whole:
        raise TenorError(f"{path} is damaged: its index does not fit {rows:,} words; make it again.")
    return Vocabulary(blob, offsets, hashes=hashes, order=order)


def _subwords(
    tensors: dict[str, Stored], metadata: dict[str, str], vector_size: int, path: str | Path
) -> Subwords | None:
    if "subwords" not in tensors:
        return None
    table = _tensor(tensors, "subwords", "F32", 2, path)
    shortest, longest = metadata.get("shortest", ""), metadata.get("longest", "")
    if (
        not shortest.isdecimal()
        or not longest.isdecimal()
        or table.shape[1] != vector_size
        or len(shortest + longest) > 6
    ):
        raise TenorError(f"{path} is damaged: its subwords do not fit its vectors; make it again.")
    return Subwords(table, min_n=int(shortest), max_n=int(longest))


def _tensor(tensors: dict[str, Stored], name: str, format_: str, axes: int, path: str | Path) -> NDArray[Any]:
    if name not in tensors:
        raise TenorError(f"{path} holds no {name!r}, which a file of word vectors needs.")
    found = tensors[name]
    if found.format != format_ or found.bits.ndim != axes:
        raise TenorError(
            f"{path}: {name!r} is {found.format} with {found.bits.ndim} axes; expected {format_} with {axes}."
        )
    return found.bits
