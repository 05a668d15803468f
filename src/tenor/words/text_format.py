"""Word vectors as text: word2vec and fastText .vec (with a first line of two numbers) and GloVe (without).

One line is a word and its numbers. Numbers are read by numpy, a line at a time, straight into a table that
grows as lines come, so that a wrong header allocates nothing. A line that does not fit
is reported and left out; one with too many parts is looked at again: GloVe's files have words with spaces.
"""

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.progress import Progress
from tenor.text.examples import Origin
from tenor.text.problems import Problems
from tenor.words.growable_array import GrowableArray

_BLOCK = 1 << 22  # bytes read at once
_LONGEST = 1 << 26  # bytes of a line
_HEAD_LINES = 100  # lines that decide how many numbers a line has


@dataclass(slots=True)
class Table:
    """What a reader of any format found, before words are checked for duplicates."""

    words: list[bytes] = field(default_factory=list)
    vectors: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), dtype=np.float32))
    lines: list[int] = field(default_factory=list)  # where each word stands; records are counted like lines


def parse_header(line: bytes) -> tuple[int, int] | None:
    """Read a header of two whole numbers, words and dimensions; None for any other line.

    >>> parse_header(b"3 2"), parse_header(b"the 0.1")
    ((3, 2), None)
    """
    parts = line.split()
    if len(parts) == 2 and all(part.isdigit() and len(part) < 16 for part in parts):
        return int(parts[0]), int(parts[1])
    return None


def vector_size_of(head: bytes) -> int:
    """Guess how many numbers a line has, from the first lines of a file without header."""
    lines = [line.split() for line in head.split(b"\n")[:_HEAD_LINES] if line.strip()]
    counts = Counter(len(parts) - 1 for parts in lines)
    return counts.most_common(1)[0][0] if counts else 0


def is_text(line: bytes, vector_size: int) -> bool:
    """Tell whether a line is a word and ``vector_size`` numbers."""
    return _numbers(line, vector_size) is not None


def read_text(
    stream: IO[bytes],
    *,
    name: str,
    vector_size: int,
    first: int,
    limit: int | None,
    problems: Problems,
    progress: Progress | None = None,
) -> Table:
    """Read lines of a word and ``vector_size`` numbers; ``first`` is the number of the first line."""
    table, rows, number = Table(), GrowableArray(vector_size), first - 1
    with warnings.catch_warnings():
        # A number with something behind it, as 0.5x, is told by numpy in a warning only.
        warnings.simplefilter("error", DeprecationWarning)
        for lines in _blocks(stream, name):
            for line in lines:
                number += 1
                _add(line, rows, table, Origin(name, number), problems)
                if len(table.words) == limit:
                    break
            if progress is not None:
                progress(len(lines))
            if len(table.words) == limit:
                break
    table.vectors = rows.finish()
    return table


def _add(line: bytes, rows: GrowableArray, table: Table, origin: Origin, problems: Problems) -> None:
    parts = line.split(None, 1)
    if not parts:
        return
    row: NDArray[np.float32] | None
    try:
        row = np.fromstring(parts[1], dtype=np.float32, sep=" ") if len(parts) == 2 else None
    except (DeprecationWarning, ValueError):
        row = None
    word = parts[0]
    if row is None or len(row) != rows.width:
        again = _numbers(line, rows.width)
        if again is None:
            problems.add(origin, _what_is_wrong(line, rows.width))
            return
        word, row = again
    if not np.isfinite(row).all():
        problems.add(origin, f"the vector of {_shown(word)} has numbers that are not finite; it is left out")
        return
    if not row.any():
        problems.add(origin, f"the vector of {_shown(word)} is all zeros: near no other word")
    rows.add(row)
    table.words.append(word)
    table.lines.append(origin.line)


def _numbers(line: bytes, vector_size: int) -> tuple[bytes, NDArray[np.float32]] | None:
    """Take the last parts of a line as numbers and what is before them as the word, spaces and all."""
    parts = line.strip().rsplit(None, vector_size)
    if len(parts) != vector_size + 1:
        return None
    try:
        if any(_is_number(extra) for extra in parts[0].split()[1:]):
            return None  # A line with a number too many, not a word with a space.
        with np.errstate(over="ignore"):  # what is too big for float32 becomes infinite and is reported
            return parts[0], np.array([float(part) for part in parts[1:]], dtype=np.float32)
    except (ValueError, OverflowError):
        return None


def _is_number(part: bytes) -> bool:
    try:
        float(part)
    except ValueError:
        return False
    return True


def _what_is_wrong(line: bytes, vector_size: int) -> str:
    parts = line.split()
    if len(parts) == vector_size + 1:
        wrong = next((part for part in parts[1:] if not _is_number(part)), b"")
        return f"{_shown(wrong)} in the vector of {_shown(parts[0])} is not a number; the line is left out"
    return (
        f"the line has {len(parts) - 1} numbers after {_shown(parts[0])}, not {vector_size}; it is left out"
    )


def _shown(word: bytes) -> str:
    text = word.decode(errors="replace")
    return repr(text if len(text) <= 40 else text[:39] + "…")


def _blocks(stream: IO[bytes], name: str) -> Iterator[list[bytes]]:
    """Yield whole lines, many at a time."""
    rest = b""
    while block := stream.read(_BLOCK):
        *lines, rest = (rest + block).split(b"\n")
        if len(rest) > _LONGEST:
            raise TenorError(
                f"{name} has a line of more than {_LONGEST:,} bytes; it is no file of word vectors."
            )
        yield lines
    if rest:
        yield [rest]
