"""What a task is, as a run file states it: its kind, its data, its share of a step."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tenor.errors import TenorError, did_you_mean

Kind = Literal["classify", "pair", "similarity", "match"]

# The columns that each kind of task reads.
ROLES: dict[Kind, tuple[str, ...]] = {
    "classify": ("text", "label"),  # a class of a text
    "pair": ("first", "second", "label"),  # a class of two texts together
    "similarity": ("first", "second", "score"),  # a number for two texts
    "match": ("first", "second"),  # two texts that belong together, against all others of the batch
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskConfig:
    """One ``[tasks.NAME]`` section of a run file.

    >>> TaskConfig(kind="match", train=Path("a.tsv"), columns={"first": 1, "second": 2}).batch
    16
    """

    kind: Kind
    train: Path
    dev: Path | None = None
    columns: Mapping[str, str | int] = field(default_factory=dict)
    """Which column holds what: names, or 0-based numbers."""
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    """Delimiter, quote and header are found out from the content of a file when left out."""
    batch: int = 16
    """Examples of this task in a step."""
    weight: float = 1.0

    def __post_init__(self) -> None:
        roles = ROLES[self.kind]
        for role in self.columns:
            if role not in roles:
                near = did_you_mean(role, roles)
                raise TenorError(f"columns names {role!r}, but {self.kind!r} reads {_listed(roles)}.{near}")
        missing = [role for role in roles if role not in self.columns]
        if missing:
            raise TenorError(f"columns does not say where {_listed(missing)} stands; {self.kind!r} needs it.")
        if any(isinstance(column, int) and column < 0 for column in self.columns.values()):
            raise TenorError("columns holds a negative number; columns are counted from 0.")
        if self.batch < 1:
            raise TenorError(f"batch is {self.batch}; it must be at least 1.")
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise TenorError(f"weight is {self.weight}; it must be a number of at least 0.")


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
