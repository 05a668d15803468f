"""What a kind of task finds in its data files beyond counts, for `tenor check`."""

from typing import Any, Literal

Part = Literal["train", "dev"]


class DataSurvey:
    """Sees every example of a task's files; a kind that has something to say of them has its own.

    >>> DataSurvey().lines()
    []
    """

    def add(self, example: Any, part: Part) -> None:
        """See one example of the train or the dev file."""

    def lines(self) -> list[tuple[str, str]]:
        """Return names and what is to be said, a line each."""
        return []

    def to_json(self) -> dict[str, Any]:
        """Return the same for programs."""
        return {}
