"""What is wrong with the rows of a file: counted, the first few kept, or a stop at the first."""

from dataclasses import dataclass

from tenor.errors import TenorError
from tenor.text.examples import Origin, Row

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and where."""

    origin: Origin
    what: str

    def __str__(self) -> str:
        return f"{self.origin}: {self.what}"


class Problems:
    """Collects what readers find wrong, in constant memory; when strict, the first problem stops the reading.

    >>> problems = Problems()
    >>> problems.add(Origin("a.csv", 3), "the row has 2 cells where the header has 3")
    >>> print(problems.summary())
    1 problem:
      a.csv:3: the row has 2 cells where the header has 3
    """

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict
        self.count = 0
        self.first: list[Problem] = []

    def add(self, origin: Origin, what: str) -> None:
        """Count a problem; keep it if it is among the first five; raise it when strict."""
        if self.strict:
            raise TenorError(f"{origin}: {what}. Reading stops here because it is strict.")
        self.count += 1
        if len(self.first) < SHOWN:
            self.first.append(Problem(origin, what))

    def add_row(self, row: Row, what: str) -> None:
        """Count a problem of a row, unless its number of cells was reported: what is missing is that one."""
        if not row.reported:
            self.add(row.origin, what)

    def summary(self) -> str | None:
        """Say how many there are and show the first, or return None when there are none."""
        if not self.count:
            return None
        many = "1 problem" if self.count == 1 else f"{self.count:,} problems"
        more = f", the first {len(self.first)}" if self.count > len(self.first) else ""
        return "\n  ".join([f"{many}{more}:", *map(str, self.first)])
