"""Rows of tasks kept as JSON lines between the parts of a recipe."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Read rows written by :func:`write_rows`."""
    with file.open(encoding="utf-8", newline="\n") as lines:  # a text may hold other ends of lines
        return [json.loads(line) for line in lines]


def write_rows(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON lines."""
    with file.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
