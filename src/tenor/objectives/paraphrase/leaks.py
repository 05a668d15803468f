"""No pair that a model is later measured on may stand in the data of a stage before.

Else the transferred model has seen, as paraphrases, pairs that the plain one has not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from tenor.errors import TenorError
from tenor.text.alignments import AlignedPair
from tenor.text.overlap import fingerprints

TextPair = Sequence[str]
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Leak:
    """A pair of the stage that also stands in an evaluated task."""

    task: str
    row: int
    """Its place among the stage's pairs."""
    texts: tuple[str, str]


def as_texts(pairs: Iterable[AlignedPair]) -> list[tuple[str, str]]:
    """Return aligned pairs as two texts each."""
    return [(" ".join(pair.first), " ".join(pair.second)) for pair in pairs]


def find_leaks(stage: Sequence[TextPair], evaluated: Mapping[str, Iterable[TextPair]]) -> list[Leak]:
    """Return every pair of the stage that any part of an evaluated task has, in whatever order and spelling.

    >>> leaks = find_leaks([("A cat.", "One cat."), ("x", "y")], {"mrpc": [("one cat", "a cat")]})
    >>> [(leak.task, leak.row) for leak in leaks]
    [('mrpc', 0)]
    """
    own = fingerprints(stage)
    return [
        Leak(task, row, (stage[row][0], stage[row][1]))
        for task, pairs in evaluated.items()
        for row in np.flatnonzero(np.isin(own, fingerprints(pairs))).tolist()
    ]


def check_leaks(stage: Sequence[TextPair], evaluated: Mapping[str, Iterable[TextPair]]) -> None:
    """Refuse the data of a stage that holds pairs of evaluated tasks."""
    leaks = find_leaks(stage, evaluated)
    if leaks:
        shown = "; ".join(
            f"{leak.task}, pair {leak.row + 1}: {leak.texts[0][:60]!r}" for leak in islice(leaks, _SHOWN)
        )
        raise TenorError(
            f"{len(leaks)} pairs of the stage also stand in tasks that are measured later ({shown}); leave "
            "them out of the stage, else the comparison is not fair."
        )


def without_leaks(
    stage: Sequence[AlignedPair], evaluated: Mapping[str, Iterable[TextPair]]
) -> tuple[list[AlignedPair], int]:
    """Return the pairs that no evaluated task has, and how many were left out."""
    rows = {leak.row for leak in find_leaks(as_texts(stage), evaluated)}
    return [pair for row, pair in enumerate(stage) if row not in rows], len(rows)
