"""Step plans: which updates a step makes, of which losses, moving what, by which optimizer, how often.

The usual plan is one update of all losses (``joint``). A plan with several updates runs the encoder again for
each, since the first has moved the weights by then: an update per task (``separate``), or an adversary that
learns at every tenth batch only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

MAIN = "main"
"""The optimizer that moves all parameter groups."""
Surgery = Literal["none", "pcgrad", "equal_norm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """One move of an optimizer.

    ``losses`` are names of losses, or of tasks for all losses of theirs, or patterns such as ``*.language``;
    None means all, but for those that ``without`` names. ``groups`` are the parameter groups that move, None
    all those of the optimizer.

    >>> Update(losses=("mood", "*.language")).wants("mood.cross_entropy")
    True
    >>> Update(every=10).due(20), Update(every=10).due(21)
    (True, False)
    """

    losses: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    optimizer: str = MAIN
    every: int = 1
    surgery: Surgery = "none"
    task: str | None = None
    """Only losses of this task, whatever else is named: how gradient surgery asks for one after the other."""

    def wants(self, name: str) -> bool:
        """Whether a loss of this name belongs to the update."""
        if self.task is not None and name.partition(".")[0] != self.task:
            return False
        return (self.losses is None or _any(name, self.losses)) and not _any(name, self.without)

    def touches(self, task: str) -> bool:
        """Whether a loss of this task may belong to the update."""
        if self.task is not None and task != self.task:
            return False
        if self.losses is None:
            return True
        return any(fnmatchcase(task, pattern.partition(".")[0]) for pattern in self.losses)

    def due(self, step: int) -> bool:
        """Whether the update is made at a step, counted from 1."""
        return step % self.every == 0


def _any(name: str, patterns: tuple[str, ...]) -> bool:
    task = name.partition(".")[0]
    return any(pattern in (name, task) or fnmatchcase(name, pattern) for pattern in patterns)


Plan = Sequence[Update]


def joint(*, surgery: Surgery = "none") -> Plan:
    """Make one update of the sum of all losses, optionally with gradients that do not hinder one another."""
    return (Update(surgery=surgery),)


def separate(tasks: Iterable[str]) -> Plan:
    """Make one update per task in every step, one after the other.

    >>> [update.losses for update in separate(["mood", "near"])]
    [('mood',), ('near',)]
    """
    return tuple(Update(losses=(task,)) for task in tasks)
