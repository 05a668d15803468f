"""The time-major order of a packed batch, for whatever goes through texts token by token.

Texts are ranked from the longest to the shortest, and the tokens lie step after step: the first tokens of all
texts, then the second tokens of the texts that have one, and so on. The texts at work in a step are the first
ones of the step before, so that a recurrence advances all of them at once and never computes padding. It is
the layout of ``torch.nn.utils.rnn.PackedSequence``, without torch.

Shapes: n texts, T tokens, L tokens in the longest text.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TimeMajor:
    """Where each slot of the time-major order takes its token from, and where each token has its slot.

    >>> steps = TimeMajor.plan(np.array([0, 2, 5]))  # the texts 0 1 and 2 3 4
    >>> steps.order.tolist(), steps.batch_sizes.tolist()
    ([2, 0, 3, 1, 4], [2, 2, 1])
    """

    order: Index  # [T], the token of each slot
    slots: Index  # [T], the slot of each token
    batch_sizes: Index  # [L], the number of texts that have a token in each step

    @classmethod
    def plan(cls, starts: Index) -> "TimeMajor":
        """Order the tokens of the texts that begin at ``starts`` [n + 1]."""
        lengths = np.diff(starts)
        ranks = np.empty(len(lengths), dtype=np.int64)
        ranks[np.argsort(-lengths, kind="stable")] = np.arange(len(lengths))
        tokens = np.arange(starts[-1], dtype=np.int64)
        positions = tokens - np.repeat(starts[:-1], lengths)
        batch_sizes = np.bincount(positions).astype(np.int64)
        slots = (np.cumsum(batch_sizes) - batch_sizes)[positions] + np.repeat(ranks, lengths)
        order = np.empty_like(slots)
        order[slots] = tokens
        return cls(order, slots, batch_sizes)

    def steps(self) -> list[slice]:
        """Return the slots of each step, from the first to the last."""
        ends = np.cumsum(self.batch_sizes).tolist()
        return [slice(end - size, end) for end, size in zip(ends, self.batch_sizes.tolist(), strict=True)]
