"""The profile of one data file: its format, what its columns seem to be, and what is wrong with it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tenor.text.columns import Roles, column_names, guess_roles, take_head
from tenor.text.example_statistics import ExampleStatistics
from tenor.text.examples import Pair, Row, Sentence
from tenor.text.header import is_number
from tenor.text.problems import Problems
from tenor.text.readers import find_format, read_rows
from tenor.text.sniff import Asked


@dataclass(frozen=True, slots=True)
class FileProfile:
    """What was found in a file; ``empty`` counts the empty cells of each column that has any."""

    file: str
    format: str
    rows: int
    columns: tuple[str, ...]
    empty: dict[str, int]
    roles: Roles
    statistics: ExampleStatistics
    problems: Problems
    encoding: str | None = None
    """The encoding that was asked for."""

    @property
    def usable(self) -> bool:
        """Whether there are texts to work with."""
        return self.statistics.count > 0


def profile_file(path: str | Path, *, encoding: str | None = None, problems: Problems) -> FileProfile:
    """Read a whole file once, in constant memory but for a few bytes per row, and report on it."""
    asked = Asked(encoding=encoding)
    described = "as it comes" if str(path) == "-" else find_format(path, asked).describe()
    rows = read_rows(path, encoding=encoding, problems=problems)
    head = take_head(rows)
    columns = column_names(head)
    roles = Roles(tuple(columns), text=columns[0]) if len(columns) == 1 else guess_roles(head)
    statistics, filled, count = ExampleStatistics(), Counter[str](), 0
    for row in chain(head, rows):
        count += 1
        filled.update(name for name, cell in row.values.items() if cell.strip())
        for example in _examples(row, roles):
            statistics.add(example)
    empty = {name: count - filled[name] for name in columns if filled[name] < count}
    return FileProfile(
        str(path), described, count, tuple(columns), empty, roles, statistics, problems, encoding
    )


def _examples(row: Row, roles: Roles) -> Iterator[Sentence | Pair]:
    """Yield the row as an example, if its texts are known and not empty."""
    names = roles.pair or ((roles.text,) if roles.text is not None else ())
    texts = [row.values.get(name, "") for name in names]
    if not texts or not all(text.strip() for text in texts):
        return
    label = row.values.get(roles.label or "", "").strip() or None
    cell = row.values.get(roles.score or "", "").strip()
    score = float(cell) if is_number(cell) else None
    if len(texts) == 2:
        yield Pair(texts[0], texts[1], row.origin, label, score)
    else:
        yield Sentence(texts[0], row.origin, label, score)
