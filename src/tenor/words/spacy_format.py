"""The vocabulary folder of a spaCy pipeline: vectors as .npy, rows by the hash of a word, and all strings.

``vectors`` is an array [rows, d], ``key2row`` a msgpack map from 64-bit hashes (MurmurHash2, seed 1) of words
to rows, ``strings.json`` a list of strings. Pruned tables give many rare words the row of a frequent one that
is near; only the first word of each row, to which the vector belongs, is taken. Nothing is unpickled.
"""

import json
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tenor.errors import TenorError
from tenor.files import why
from tenor.tensors import map_npy
from tenor.words.vectors import WordVectors

FILES = ("vectors", "key2row", "strings.json")
_MULTIPLIER, _MASK = 0xC6A4A7935BD1E995, 0xFFFFFFFFFFFFFFFF
# first byte of a msgpack integer -> format of what follows
_INTEGERS = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q"}


def read_spacy(folder: Path) -> WordVectors:
    """Read the words of a vocabulary folder that have vectors of their own, in the order of their rows."""
    try:
        vectors = map_npy(folder / "vectors")
        packed = (folder / "key2row").read_bytes()
        strings = json.loads((folder / "strings.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise TenorError(f"Cannot read {folder}: {why(error)}.") from error
    except ValueError as error:
        raise TenorError(f"{folder} is damaged ({error}); fetch it again.") from error
    rows: dict[int, int] = {}  # hash of the first word of each row -> row
    seen = np.zeros(len(vectors), dtype=bool)
    for key, row in unpack_map(packed, str(folder / "key2row")):
        if 0 <= row < len(seen) and not seen[row]:
            seen[row], rows[key] = True, row
    found = {rows[key]: word for word in strings if (key := murmur(word.encode())) in rows}
    if not found:
        raise TenorError(f"{folder} has no word whose vector could be found; floret tables are not read.")
    order = sorted(found)
    return WordVectors([found[row] for row in order], np.asarray(vectors[order], dtype=np.float32))


def unpack_map(packed: bytes, name: str) -> Iterator[tuple[int, int]]:
    """Yield keys and values of a msgpack map from integers to integers.

    >>> list(unpack_map(bytes([0x81, 0xCC, 0xFF, 0x07]), "map"))
    [(255, 7)]
    """
    try:
        count, position = _count(packed)
        for _ in range(count):
            key, position = _integer(packed, position)
            value, position = _integer(packed, position)
            yield key, value
    except (IndexError, KeyError, struct.error) as error:
        raise TenorError(f"{name} is no msgpack map of numbers; it is damaged, so fetch it again.") from error


def _count(packed: bytes) -> tuple[int, int]:
    if packed[0] >> 4 == 8:
        return packed[0] & 15, 1
    form = {0xDE: ">H", 0xDF: ">I"}[packed[0]]
    return struct.unpack_from(form, packed, 1)[0], 1 + struct.calcsize(form)


def _integer(packed: bytes, position: int) -> tuple[int, int]:
    first = packed[position]
    if first < 0x80:
        return first, position + 1
    form = _INTEGERS[first]
    return struct.unpack_from(form, packed, position + 1)[0], position + 1 + struct.calcsize(form)


def murmur(data: bytes, seed: int = 1) -> int:
    """Return MurmurHash2 of 64 bits (variant A), by which spaCy knows strings.

    >>> murmur("apple".encode())
    8566208034543834098
    """
    value = seed ^ (len(data) * _MULTIPLIER & _MASK)
    whole = len(data) & ~7
    for (word,) in struct.iter_unpack("<Q", data[:whole]):
        word = word * _MULTIPLIER & _MASK
        word = (word ^ word >> 47) * _MULTIPLIER & _MASK
        value = (value ^ word) * _MULTIPLIER & _MASK
    if rest := data[whole:]:
        value = (value ^ int.from_bytes(rest, "little")) * _MULTIPLIER & _MASK
    value = (value ^ value >> 47) * _MULTIPLIER & _MASK
    return value ^ value >> 47
