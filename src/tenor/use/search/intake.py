"""From the rows of a file to the passages of an index.

The file is read twice: first to find the kinds of its columns and how many rows there are (reading costs
little beside encoding), then to take the passages, a few at a time. Standard input is kept in a temporary
file for that. A row without text or id, or whose id came before in the same file, is reported and left out;
a value that does not fit its column is reported and left empty.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from pathlib import Path

import numpy as np

from tenor.errors import TenorError
from tenor.files import writing
from tenor.text.columns import column_names, guess_roles, resolve, take_head
from tenor.text.examples import Row
from tenor.text.problems import Problems
from tenor.text.readers import read_rows
from tenor.use.search.columns import Column, Kind, KindFinder, Value
from tenor.use.search.passages import Passage
from tenor.use.windows import windows as cut

WINDOW_ROWS = 8_192  # what a killed job loses at most
WINDOW_CHARACTERS = 4_000_000


@dataclass(frozen=True)
class Survey:
    """What a first look at a file found; ``kinds`` is of all columns but the text's and the id's."""

    rows: int
    text_column: str
    id_column: str | None
    kinds: Mapping[str, Kind]


@dataclass(frozen=True)
class Taken:
    """A passage, and how many rows of the file are dealt with once it is stored."""

    passage: Passage
    rows_read: int


@contextmanager
def kept(source: str | Path) -> Iterator[Path]:
    """Yield a file that can be read twice: the source itself, or a copy of standard input."""
    if str(source) != "-":
        yield Path(source)
        return
    with tempfile.TemporaryDirectory(prefix="tenor-") as folder:
        file = Path(folder) / "stdin"
        with writing(file), file.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        yield file


def survey(file: Path, *, column: str | None, id_column: str | None, encoding: str | None = None) -> Survey:
    """Look through a file: its text column, the kinds of the others, and its number of rows."""
    # Problems are counted when the passages are taken; here they would be counted twice.
    rows = read_rows(file, encoding=encoding, problems=Problems())
    head = take_head(rows)
    names = column_names(head)
    text = resolve(column, names, str(file)) if column is not None else _text_column(head, names, file)
    identity = None if id_column is None else resolve(id_column, names, str(file))
    finder, count = KindFinder(), 0
    for row in chain(head, rows):
        count += 1
        finder.see(row.values)
    kinds = {name: kind for name, kind in finder.kinds().items() if name not in (text, identity)}
    return Survey(count, text, identity, kinds)


def _text_column(head: Sequence[Row], names: Sequence[str], file: Path) -> str:
    text = names[0] if len(names) == 1 else guess_roles(head).text
    if text is None:
        raise TenorError(
            f"{file} has several columns that may hold the text. Name one with --column; there are: "
            f"{', '.join(names[:20])}."
        )
    return text


def take_passages(
    file: Path,
    *,
    text_column: str,
    id_column: str | None,
    columns: Sequence[Column],
    first_number: int,
    encoding: str | None = None,
    problems: Problems,
) -> Iterator[Taken]:
    """Yield the passages of a file in their order; without an id column they are numbered."""
    seen, number = SeenIds(), first_number
    rows = read_rows(file, encoding=encoding, problems=problems)
    for rows_read, row in enumerate(rows, start=1):
        text = row.values.get(text_column, "")
        identity = str(number) if id_column is None else row.values.get(id_column, "")
        if not text.strip():
            problems.add_row(row, "the text is empty, so the row is left out")
        elif not identity:
            problems.add_row(row, f"the id in column {id_column!r} is empty, so the row is left out")
        elif id_column is not None and not seen.is_new(identity):
            problems.add(row.origin, f"the id {identity[:40]!r} came before, so this row is left out")
        else:
            values: list[Value] = []
            for column in columns:
                try:
                    values.append(column.parse(row.values.get(column.name, "")))
                except ValueError as error:
                    problems.add(row.origin, f"{error}, so it is left empty")
                    values.append(None)
            number += 1
            yield Taken(Passage(identity, text, tuple(values)), rows_read)


def windows(taken: Iterable[Taken]) -> Iterator[list[Taken]]:
    """Cut passages into lists of bounded number and size, each encoded and stored in one go."""
    return cut(
        taken,
        lambda taken: len(taken.passage.text),
        most=WINDOW_ROWS,
        most_characters=WINDOW_CHARACTERS,
    )


class SeenIds:
    """Remembers which ids came before in 8 bytes each (a 64-bit hash), so that millions fit.

    At ten million ids the probability that any two distinct ones are confused is 3e-6.

    >>> seen = SeenIds()
    >>> seen.is_new("a"), seen.is_new("b"), seen.is_new("a")
    (True, True, False)
    """

    _RECENT = 100_000

    def __init__(self) -> None:
        self._old = np.empty(0, dtype=np.uint64)  # sorted
        self._recent: set[int] = set()

    def is_new(self, identity: str) -> bool:
        """Say whether the id comes for the first time, and remember it."""
        digest = blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "little")
        index = int(np.searchsorted(self._old, np.uint64(number)))
        if number in self._recent or (index < len(self._old) and int(self._old[index]) == number):
            return False
        self._recent.add(number)
        if len(self._recent) >= self._RECENT:
            recent = np.fromiter(self._recent, dtype=np.uint64, count=len(self._recent))
            self._old = np.sort(np.concatenate([self._old, recent]), kind="stable")
            self._recent.clear()
        return True
