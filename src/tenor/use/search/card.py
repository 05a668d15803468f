"""The card of an index (index.json): which version of the table counts, and what made its vectors.

Beside it, while a change is under way, stands unfinished.json: the job, how far it came, and the card as it
would be if the job ended there. The card is replaced in one step at the end, so a reader sees all of a change
or nothing of it, and a writer that was killed leaves either the old index or the new one.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import NoneType
from typing import Any

from tenor.errors import TenorError
from tenor.files import read_json, write_json
from tenor.locks import exclusive_lock
from tenor.use.search.columns import Column, Kind

CARD, UNFINISHED, LOCK = "index.json", "unfinished.json", ".lock"
FORMAT = 2
# What format 1 called the keys of the card.
_OLD_KEYS = {"width": "dimensions", "spread": "cosine_std"}

_INTEGER, _TEXT, _TEXT_OR_NONE = (int, "an integer"), (str, "a text"), ((str, NoneType), "a text or null")
# What the values of a card must be, so that a damaged or hostile one is told when it is read.
_TYPES: Mapping[str, tuple[Any, str]] = {
    "model": _TEXT, "fingerprint": _TEXT, "precision": _TEXT, "long": _TEXT, "text_column": _TEXT,
    "change": _TEXT, "prompt": _TEXT_OR_NONE, "id_column": _TEXT_OR_NONE, "stem": (bool, "true or false"),
    "cosine_std": ((int, float), "a number"), "version": _INTEGER, "rows": _INTEGER, "dimensions": _INTEGER,
    "next_number": _INTEGER, "trained_rows": _INTEGER,
}  # fmt: skip


@dataclass(frozen=True)
class Card:
    """What a finished index says of itself."""

    model: str  # a starter name or a folder, to load it again
    fingerprint: str
    precision: str
    dimensions: int
    long: str  # what happened to texts beyond the model's limit
    prompt: str | None  # name of the model's prompt that went before every text
    text_column: str
    id_column: str | None  # None: rows were numbered
    columns: tuple[Column, ...]
    stem: bool  # English word endings are folded in the lexical index
    version: int = 0
    rows: int = 0
    next_number: int = 1
    trained_rows: int = 0  # rows when the vector index was built; 0: there is none, search is exact
    cosine_std: float = 0.1  # of the cosine between unrelated texts
    change: str = ""  # the job that made this card

    def filterable(self) -> list[Column]:
        """Return all columns that a filter may name: the text, the id, and those of the source."""
        text = "text" if self.text_column.isdigit() else self.text_column
        own = [Column(text, "text", Kind.text), Column(self.id_column or "id", "id", Kind.text)]
        names = {column.name for column in self.columns}
        return [*(column for column in own if column.name not in names), *self.columns]

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"format": FORMAT, **asdict(self), "columns": [column.to_json() for column in self.columns]}

    @classmethod
    def from_json(cls, value: Any, *, file: Path) -> "Card":
        """Read back what :meth:`to_json` gave, or say that the file is no card of ours."""
        if not isinstance(value, Mapping) or not isinstance(value.get("format"), int):
            raise TenorError(f"{file} is not the card of an index that tenor made.")
        if value["format"] > FORMAT:
            raise TenorError(
                f"{file} was written by a newer tenor (format {value['format']}, known is {FORMAT})."
            )
        fields: dict[str, Any] = {_OLD_KEYS.get(str(key), str(key)): item for key, item in value.items()}
        fields.pop("format")
        try:
            fields["columns"] = tuple(Column.from_json(column) for column in fields["columns"])
            card = cls(**fields)
        except (TypeError, ValueError, KeyError) as error:
            raise TenorError(f"{file} is damaged: {error}. Build the index again.") from error
        for name, (kinds, noun) in _TYPES.items():
            value = getattr(card, name)
            if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
                raise TenorError(f"{file} is damaged: {name} is not {noun}. Build the index again.")
            if isinstance(value, int | float) and not 0 <= value < 2**62:
                raise TenorError(f"{file} is damaged: {name} is out of range. Build the index again.")
        return card


@dataclass(frozen=True)
class Job:
    """A change that reads a file: what it reads and how, so that running it again can be recognised."""

    kind: str  # "build" or "add"
    source: str
    size: int
    modified: int
    settings: str  # everything else that decides what is written


@dataclass(frozen=True)
class Unfinished:
    """How far a job came: rows of the source that are dealt with, and the card as of then."""

    job: Job
    change: str
    card: Card
    rows_read: int = 0
    replaced: int = 0
    beyond: int = 0  # texts beyond the model's limit


def read_card(folder: Path) -> Card:
    """Return the card of a finished index, or say why there is none."""
    if (folder / CARD).exists():
        return Card.from_json(read_json(folder / CARD), file=folder / CARD)
    if not folder.exists():
        raise TenorError(f"There is no index at {folder}. Make one with: tenor index FILE --out {folder}")
    unfinished = read_unfinished(folder) if folder.is_dir() else None
    if unfinished:
        raise TenorError(
            f"The index at {folder} was never finished: its building was interrupted after "
            f"{unfinished.rows_read:,} rows. Run the same `tenor index` command again to resume it."
        )
    raise TenorError(f"{folder} is not an index: it has no {CARD}. Make one with: tenor index FILE --out DIR")


def write_card(folder: Path, card: Card) -> None:
    """Replace the card in one step: from here on the new state counts."""
    write_json(folder / CARD, card.to_json())


def read_unfinished(folder: Path) -> Unfinished | None:
    """Return the job that was interrupted, if there is one."""
    file = folder / UNFINISHED
    if not file.exists():
        return None
    value = read_json(file)
    try:
        return Unfinished(
            Job(**value["job"]), str(value["change"]), Card.from_json(value["card"], file=file),
            int(value["rows_read"]), int(value["replaced"]), int(value["beyond"]),
        )  # fmt: skip
    except (TypeError, ValueError, KeyError) as error:
        raise TenorError(f"{file} is damaged: {error!r}. Delete it, then run the command again.") from error


def write_unfinished(folder: Path, unfinished: Unfinished) -> None:
    """Note how far the job is."""
    write_json(folder / UNFINISHED, {**asdict(unfinished), "card": unfinished.card.to_json()})


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Hold the index for writing; the system lets go of it when the process ends, however it ends."""
    busy = f"Another program is writing to the index {folder}. Wait until it is done."
    with exclusive_lock(folder / LOCK, busy=busy):
        yield
