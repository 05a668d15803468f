"""Rows of different lengths on one flat axis, to be selected like the rows of an array."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """The values of n rows: ``values[starts[i]:starts[i + 1]]`` are those of row i.

    >>> rows = Ragged.from_lists([[1, 2], [], [3]])
    >>> rows[np.array([2, 0])].to_lists()
    [[3], [1, 2]]
    """

    values: NDArray[Any]  # [T, …]
    starts: NDArray[np.int64]  # [n + 1]

    @classmethod
    def from_lists(cls, rows: Sequence[Sequence[Any]], *, dtype: Any = np.int64) -> "Ragged":
        """Build from one list per row."""
        starts = np.concatenate(
            [np.zeros(1, np.int64), np.cumsum([len(row) for row in rows], dtype=np.int64)]
        )
        return cls(np.array([value for row in rows for value in row], dtype=dtype), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of values of each row."""
        return np.diff(self.starts)

    def __getitem__(self, which: NDArray[np.int64]) -> "Ragged":
        """Select rows, in the given order."""
        lengths = self.lengths[which]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        flat = np.arange(starts[-1]) + np.repeat(self.starts[which] - starts[:-1], lengths)
        return Ragged(self.values[flat], starts)

    def to_lists(self) -> list[list[Any]]:
        """Return one list per row."""
        return [part.tolist() for part in np.split(self.values, self.starts[1:-1])] if len(self) else []
