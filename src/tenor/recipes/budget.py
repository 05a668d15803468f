"""How long a run may take: a duration as a person writes it, and whether one more cell fits into it."""

import re
import statistics
import time

from tenor.errors import TenorError

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}


def read_duration(text: str) -> float:
    """Read a duration such as 60m, 1h30m, 90s or 45 (minutes) into seconds.

    >>> read_duration("1h30m"), read_duration("90s"), read_duration("2")
    (5400.0, 90.0, 120.0)
    """
    parts = re.findall(r"(\d+(?:\.\d+)?)\s*([hms]?)", text.strip().lower())
    whole = re.fullmatch(r"(\s*\d+(\.\d+)?\s*[hms]?)+", text.strip().lower())
    seconds = sum(float(number) * _UNITS[unit or "m"] for number, unit in parts)
    if not whole or seconds <= 0:
        raise TenorError(f"{text!r} is no duration. Write it as 60m, 1h30m or 90s.")
    return seconds


class Budget:
    """Lets no cell begin that would probably end too late; a cell that has begun is never cut off.

    >>> budget = Budget(None)
    >>> budget.allows()
    True
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self._took: list[float] = []

    def took(self, seconds: float) -> None:
        """Remember how long a cell took."""
        self._took.append(seconds)

    def allows(self) -> bool:
        """Whether one more cell, taking what the cells so far took, would end in time."""
        if self._end is None:
            return True
        expected = statistics.median(self._took) if self._took else 0.0
        return time.monotonic() + expected < self._end
