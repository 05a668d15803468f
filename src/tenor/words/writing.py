"""Writing word vectors: our own format, or word2vec's text and binary for other programs."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tenor.errors import TenorError
from tenor.files import atomic_file
from tenor.words.storage import refuse_infinite, store

if TYPE_CHECKING:
    from tenor.words.vectors import WordVectors

_ROWS = 4096
_ENDINGS = (".safetensors", ".txt", ".vec", ".bin")


def save(vectors: "WordVectors", path: str | Path) -> None:
    """Write vectors in the format that the name's ending asks for."""
    path = Path(path)
    if path.suffix == ".safetensors":
        store(vectors, path)
    elif path.suffix in (".txt", ".vec"):
        _write_text(vectors, path)
    elif path.suffix == ".bin":
        _write_binary(vectors, path)
    else:
        raise _unknown_ending(path)


def check_target(path: str | Path) -> Path:
    """Refuse a name that could not be written, before hours are spent on what should be written there."""
    path = Path(path)
    if path.suffix not in _ENDINGS:
        raise _unknown_ending(path)
    if path.is_dir():
        raise TenorError(f"{path} is a folder; expected the name of a file to write.")
    above = path.absolute().parent
    if not above.exists():
        raise TenorError(f"{path} cannot be written: its folder does not exist. Make it, or name another.")
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise TenorError(f"{path} cannot be written: {above} is no folder that can be written to.")
    return path


def _unknown_ending(path: Path) -> TenorError:
    return TenorError(
        f"{path}: the format is chosen by the ending; expected .safetensors (opens at once), "
        ".txt or .vec (word2vec text) or .bin (word2vec binary)."
    )


def _write_text(vectors: "WordVectors", path: Path) -> None:
    refuse_infinite(vectors, path)
    _refuse_spaces(vectors, path)
    with atomic_file(path) as aside, aside.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"{len(vectors)} {vectors.vector_size}\n")
        for begin in range(0, len(vectors), _ROWS):
            words = vectors.words[begin : begin + _ROWS]
            # Nine digits bring every float32 back exactly.
            numbers = np.char.mod("%.9g", vectors.vectors[begin : begin + _ROWS]).tolist()
            file.writelines(f"{word} {' '.join(row)}\n" for word, row in zip(words, numbers, strict=True))


def _write_binary(vectors: "WordVectors", path: Path) -> None:
    refuse_infinite(vectors, path)
    _refuse_spaces(vectors, path)
    with atomic_file(path) as aside, aside.open("wb") as file:
        file.write(f"{len(vectors)} {vectors.vector_size}\n".encode())
        for begin in range(0, len(vectors), _ROWS):
            rows = vectors.vectors[begin : begin + _ROWS].astype("<f4")
            for number, row in enumerate(rows, begin):
                file.write(vectors.words.encoded(number) + b" " + row.tobytes() + b"\n")


def _refuse_spaces(vectors: "WordVectors", path: Path) -> None:
    """Refuse words that the format could not tell from numbers."""
    blob = vectors.words.blob
    spaces = np.flatnonzero((blob == 32) | ((blob >= 9) & (blob <= 13)))
    empty = np.flatnonzero(np.diff(vectors.words.offsets) == 0)
    if len(spaces) or len(empty):
        position = (
            np.searchsorted(vectors.words.offsets, spaces[0], side="right") - 1 if len(spaces) else empty[0]
        )
        raise TenorError(
            f"{path}: the word {vectors.words[int(position)]!r} is empty or has a space in it, which this "
            "format cannot hold; write .safetensors."
        )
