"""Rows of tasks: made from examples, and kept as JSON lines between the parts of a recipe."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tenor.text.examples import Pair, Sentence

Row = dict[str, Any]
TextPair = tuple[str, str]


def labelled(example: Sentence | Pair) -> Row:
    """Return an example as a row of "text", or of "first" and "second", and of "label"."""
    return _texts(example) | {"label": example.label}


def scored(example: Sentence | Pair) -> Row:
    """Return an example as a row of "text", or of "first" and "second", and of "score"."""
    return _texts(example) | {"score": example.score}


def _texts(example: Sentence | Pair) -> Row:
    names = ("text",) if len(example.texts) == 1 else ("first", "second")
    return dict(zip(names, example.texts, strict=True))


def texts_of(row: Row) -> str | TextPair:
    """Return what the overlap filter compares: the text of a row, or both texts of a pair."""
    text: str | None = row.get("text")
    return text if text is not None else (row["first"], row["second"])


def read_rows(file: Path) -> list[Row]:
    """Read rows written by :func:`write_rows`."""
    with file.open(encoding="utf-8", newline="\n") as lines:  # a text may hold other ends of lines
        return [json.loads(line) for line in lines]


def write_rows(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON lines."""
    with file.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
