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
        self.notes: list[str] = []  # what was assumed about a file, such as its encoding

    def note(self, text: str) -> None:
        """Keep a sentence that a person should know about how a file was read; each is kept once."""
        if text not in self.notes:
            self.notes.append(text)

    def add(self, origin: Origin, what: str) -> None:
        """Count a problem; keep it if it is among the first five; raise it when strict."""
        if self.strict:
            raise TenorError(f"{origin}: {what}. Reading stops here, as --strict (strict=True) asks.")
        self.count += 1
        if len(self.first) < SHOWN:
            self.first.append(Problem(origin, what))

    def add_row(self, row: Row, what: str) -> None:
        """Count a problem of a row, unless its number of cells was reported: what is missing is that one."""
        if not row.reported:
            self.add(row.origin, what)

    def first_told(self) -> str:
        """Say in a sentence what the first problem is, behind another sentence; nothing where there is none.

        >>> problems = Problems()
        >>> problems.add(Origin("a.csv", 3), "the row is empty")
        >>> "a.csv has no rows." + problems.first_told()
        'a.csv has no rows. The problem: a.csv:3: the row is empty.'
        """
        if not self.first:
            return ""
        which = "The problem" if self.count == 1 else f"The first of {self.count:,} problems"
        return f" {which}: {self.first[0]}."

    def summary(self) -> str | None:
        """Say what was assumed, how many problems there are, and show the first; None when all is well."""
        more = f", the first {len(self.first)}" if self.count > len(self.first) else ""
        counted = ["\n  ".join([f"{self._many()}{more}:", *map(str, self.first)])] if self.count else []
        return "\n".join([*self.notes, *counted]) or None

    def brief(self) -> str | None:
        """Say the same in one line a matter, for who wants no notes but must know that rows were lost."""
        counted = []
        if self.count:
            first = "" if self.count == 1 else "the first: "
            counted = [f"{self._many()}: {first}{self.first[0]}"]
        return "\n".join([*self.notes, *counted]) or None

    def _many(self) -> str:
        return "1 problem" if self.count == 1 else f"{self.count:,} problems"
