"""No pair that a model is later measured on may stand in the data of a stage before.

Else the transferred model has seen, as paraphrases, pairs that the plain one has not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.text.overlap import fingerprints

TextPair = Sequence[str]
FEWEST_WORDS = 4  # of a text that may not stand in both; shorter ones say nothing
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Leak:
    """A pair of the stage that also stands in an evaluated task."""

    task: str
    row: int
    """Its place among the stage's pairs."""
    texts: tuple[str, str]


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
            f"{len(leaks)} pairs of the stage also appear in tasks that are evaluated later ({shown}); leave "
            "them out of the stage, else the comparison is not fair."
        )


class Measured:
    """What a model is measured on later, as numbers: 8 bytes for each pair, and for each text.

    >>> measured = Measured([("A cat sat there.", "One cat sat.")])
    >>> measured.holds([("one cat sat", "a cat sat there"), ("a cat sat there", "Hm."), ("x", "y")]).tolist()
    [True, True, False]
    """

    def __init__(
        self, pairs: Iterable[TextPair], *, texts: Iterable[str] = (), fewest_words: int | None = FEWEST_WORDS
    ) -> None:
        """Keep pairs and texts; ``fewest_words`` has a text that counts by itself, None: only pairs count."""
        prints = fingerprints(each for pair in pairs for each in (*pair, pair)).reshape(-1, 3)
        self._pairs = np.unique(prints[:, 2])
        self._texts = np.unique(np.concatenate([prints[:, :2].ravel(), fingerprints(texts)]))
        self._fewest = fewest_words

    def holds(self, pairs: Sequence[TextPair]) -> NDArray[np.bool_]:
        """Say of each pair whether it is measured on, or a text of it that is not short."""
        found = np.isin(fingerprints(pairs), self._pairs)
        if self._fewest is not None:
            for side in range(2):
                texts = [pair[side] for pair in pairs]
                long = np.array([len(text.split()) >= self._fewest for text in texts], dtype=bool)
                found |= long & np.isin(fingerprints(texts), self._texts)
        return found
