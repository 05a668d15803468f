"""The profile of one data file: its format, what its columns seem to be, and what is wrong with it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tenor.text.columns import Roles, column_names, guess_roles, resolve_all, take_head
from tenor.text.example_statistics import ExampleStatistics
from tenor.text.examples import Pair, Row, Sentence
from tenor.text.header import as_number
from tenor.text.problems import Problems
from tenor.text.readers import find_format, holds_array, label_of, read_rows
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
    label_arrays: bool = False
    """Whether the labels of a row are an array, as in JSON."""

    @property
    def usable(self) -> bool:
        """Whether there are texts to work with."""
        return self.statistics.count > 0


def profile_file(
    path: str | Path,
    *,
    columns: Mapping[str, str | int] | None = None,
    encoding: str | None = None,
    problems: Problems,
) -> FileProfile:
    """Read a whole file once, in constant memory but for a few bytes per row, and report on it.

    ``columns`` are those that a person names, by role (text, or first and second; label; score); what they
    are for is guessed where none is named.
    """
    asked = Asked(encoding=encoding)
    described = "as it comes" if str(path) == "-" else find_format(path, asked).describe()
    rows = read_rows(path, encoding=encoding, problems=problems)
    head = take_head(rows)
    names = column_names(head)
    roles = Roles(tuple(names), text=names[0]) if len(names) == 1 else guess_roles(head)
    if columns:
        roles = _named_roles(resolve_all(columns, names, str(path)))
    statistics, filled, count = ExampleStatistics(), Counter[str](), 0
    for row in chain(head, rows):
        count += 1
        filled.update(name for name, cell in row.values.items() if cell.strip())
        for example in _examples(row, roles):
            statistics.add(example)
    empty = {name: count - filled[name] for name in names if filled[name] < count}
    arrays = roles.label is not None and any(holds_array(row, roles.label) for row in head)
    return FileProfile(
        str(path), described, count, tuple(names), empty, roles, statistics, problems, encoding, arrays
    )


def _named_roles(columns: Mapping[str, str]) -> Roles:
    texts = tuple(columns[role] for role in ("text", "first", "second") if role in columns)
    return Roles(
        texts,
        text=columns.get("text"),
        pair=(texts[0], texts[1]) if len(texts) == 2 else None,
        label=columns.get("label"),
        score=columns.get("score"),
    )


def _examples(row: Row, roles: Roles) -> Iterator[Sentence | Pair]:
    """Yield the row as an example, if its texts are known and not empty."""
    names = roles.pair or ((roles.text,) if roles.text is not None else ())
    texts = [row.values.get(name, "") for name in names]
    if not texts or not all(text.strip() for text in texts):
        return
    label = None if roles.label is None else label_of(row, roles.label).strip() or None
    score = as_number(row.values.get(roles.score or "", "").strip())
    if len(texts) == 2:
        yield Pair(texts[0], texts[1], row.origin, label, score)
    else:
        yield Sentence(texts[0], row.origin, label, score)
