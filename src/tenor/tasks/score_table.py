"""A table of scores that a task gives beside its figures, such as one line for each type of entity."""

from dataclasses import dataclass
from typing import Any

Cell = str | int | float


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A title, the names of the columns, and rows of as many cells.

    >>> ScoreTable("by type", ("type", "f1"), (("PER", 0.91234),)).shown()
    [['PER', '0.912']]
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def shown(self) -> list[list[str]]:
        """Return the cells for people."""
        return [[_shown(cell) for cell in row] for row in self.rows]

    def to_json(self) -> dict[str, Any]:
        """Return it for programs, with the cells as people read them."""
        return {"title": self.title, "columns": list(self.columns), "rows": self.shown()}


def _shown(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:.3f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
