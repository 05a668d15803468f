"""word2vec's binary files: a first line of two numbers, then a word, a space and its float32 numbers each.

Some writers put a line break behind each vector and some do not; both are read, as word2vec itself does.
"""

from collections.abc import Callable
from typing import IO

import numpy as np

from tenor.errors import TenorError
from tenor.text.examples import Origin
from tenor.text.problems import Problems
from tenor.words.growable_array import GrowableArray
from tenor.words.text_format import Table

_BLOCK = 1 << 24
_LONGEST_WORD = 1 << 16  # bytes before the space


def read_binary(
    stream: IO[bytes],
    *,
    name: str,
    header: tuple[int, int],
    limit: int | None,
    problems: Problems,
    progress: Callable[[int], None] | None = None,
) -> Table:
    """Read the records after the first line; the file must hold as many as that line says."""
    promised, vector_size = header
    count = promised if limit is None else min(limit, promised)
    table, rows, rest = Table(), GrowableArray(vector_size), b""
    taken = 0
    while taken < count:
        block = stream.read(_BLOCK)
        rest = rest + block if rest else block
        words, numbers, used = _records(rest, 4 * vector_size, count - taken)
        if not words and (not block or len(rest) > _LONGEST_WORD + 4 * vector_size):
            raise TenorError(
                f"{name} is cut short or is no word2vec file: its first line promises {promised:,} vectors "
                f"of {vector_size} numbers, and {taken:,} are there; get it again."
            )
        _keep(words, numbers, rows, table, name, taken, problems)
        taken += len(words)
        rest = rest[used:]
        if progress is not None:
            progress(len(words))
    table.vectors = rows.finish()
    return table


def _records(data: bytes, size: int, most: int) -> tuple[list[bytes], bytes, int]:
    """Cut whole records off: their words, their numbers behind one another, and how many bytes they took."""
    words: list[bytes] = []
    numbers: list[memoryview] = []
    view, position = memoryview(data), 0
    while len(words) < most:
        space = data.find(b" ", position, position + _LONGEST_WORD)
        end = space + 1 + size
        if space < 0 or end > len(data):
            break
        words.append(data[position:space].lstrip(b"\n"))
        numbers.append(view[space + 1 : end])
        position = end
    return words, b"".join(numbers), position


def _keep(
    words: list[bytes],
    numbers: bytes,
    rows: GrowableArray,
    table: Table,
    name: str,
    taken: int,
    problems: Problems,
) -> None:
    vectors = (
        np.frombuffer(numbers, dtype="<f4").reshape(len(words), rows.width).astype(np.float32, copy=False)
    )
    good = np.asarray(np.isfinite(vectors).all(axis=1))
    for position in np.flatnonzero(~good | ~vectors.any(axis=1)).tolist():
        what = "is all zeros: near no other word" if good[position] else "is not finite; it is left out"
        origin = Origin(name, taken + position + 1)
        problems.add(origin, f"the vector of {words[position].decode(errors='replace')!r} {what}")
    rows.extend(vectors[good])
    kept = np.flatnonzero(good).tolist()
    table.words += [words[position] for position in kept]
    table.lines += [taken + position + 1 for position in kept]
