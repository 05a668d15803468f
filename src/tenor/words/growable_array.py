"""An array that grows as rows come, so that no memory is allocated on the word of a file's header."""

import numpy as np
from numpy.typing import NDArray

_FIRST = 1 << 18  # numbers


class GrowableArray:
    """Rows of one width, doubled in place when full.

    >>> rows = GrowableArray(2)
    >>> rows.add(np.array([1, 2], dtype=np.float32))
    >>> rows.finish().tolist()
    [[1.0, 2.0]]
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._table = np.empty((max(1, _FIRST // width), width), dtype=np.float32)
        self._count = 0

    def add(self, row: NDArray[np.float32]) -> None:
        """Append one row [width]."""
        self._make_room(1)
        self._table[self._count] = row
        self._count += 1

    def extend(self, rows: NDArray[np.float32]) -> None:
        """Append several rows [m, width]."""
        self._make_room(len(rows))
        self._table[self._count : self._count + len(rows)] = rows
        self._count += len(rows)

    def finish(self) -> NDArray[np.float32]:
        """Return all rows, without copying them; no row can be added any more."""
        table, self._table = self._table, np.empty((0, self.width), dtype=np.float32)
        table.resize((self._count, self.width), refcheck=False)
        return table

    def _make_room(self, more: int) -> None:
        if self._count + more > len(self._table):
            size = max(len(self._table) * 3 // 2 + 1, self._count + more)
            # In place: the allocator moves pages instead of copying. Before `finish` there are no views.
            self._table.resize((size, self.width), refcheck=False)
