"""A dictionary out of a shared space: words that are each other's nearest neighbours by CSLS.

With x in the source and z in the target language, forward(x) is the best target of x, backward(z) the best
source of z. ``mutual`` keeps the pairs that agree in both directions (Vulić et al. 2020), ``union`` takes all
pairs of both directions (VecMap's default), ``forward`` the first direction only.

Stochastic induction keeps each candidate pair with probability p; what is dropped cannot be chosen. It
shakes the loop of self-learning out of poor local optima while the map is still bad.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenor.words.crosslingual.scoring import Rows, nearness, score_blocks

Direction = Literal["mutual", "union", "forward"]


class Induced(NamedTuple):
    """Pairs of row numbers, and how near the nearest neighbours are on average (the objective)."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    objective: float


def induce(
    source: Rows,
    target: Rows,
    *,
    k: int = 10,
    direction: Direction = "mutual",
    keep: float = 1.0,
    generator: np.random.Generator | None = None,
) -> Induced:
    """Find the pairs of nearest neighbours among unit rows in one space; ``k`` = 0 means plain cosine.

    >>> words = np.eye(4)
    >>> pairs = induce(words, words[[2, 0, 1, 3]], k=0)
    >>> list(zip(pairs.source.tolist(), pairs.target.tolist(), strict=True)), pairs.objective
    ([(0, 1), (1, 2), (2, 0), (3, 3)], 1.0)
    """
    near_target = nearness(target, source, k=k) if k else None
    forward, best_forward = _best(source, target, near_target, keep, generator)
    if direction == "forward":
        return Induced(np.arange(len(source)), forward, best_forward)
    near_source = nearness(source, target, k=k) if k else None
    backward, best_backward = _best(target, source, near_source, keep, generator)
    objective = (best_forward + best_backward) / 2
    if direction == "mutual":
        agree = np.flatnonzero(backward[forward] == np.arange(len(source)))
        return Induced(agree, forward[agree], objective)
    pairs = np.concatenate(
        [
            np.stack([np.arange(len(source)), forward], axis=1),
            np.stack([backward, np.arange(len(target))], axis=1),
        ]
    )  # a pair that both directions name counts twice, as the surer one
    return Induced(pairs[:, 0], pairs[:, 1], objective)


def _best(
    source: Rows, target: Rows, near: Rows | None, keep: float, generator: np.random.Generator | None
) -> tuple[NDArray[np.int64], float]:
    """Return the best target of each source row, and the mean cosine of the nearest ones."""
    chosen = np.empty(len(source), dtype=np.int64)
    total = 0.0
    for part, scores in score_blocks(source, target):
        total += float(scores.max(axis=1).sum(dtype=np.float64))
        if near is not None:
            scores -= near / 2
        if keep < 1.0:
            assert generator is not None, "stochastic induction needs a generator"
            scores[generator.random(scores.shape, dtype=np.float32) >= keep] = -np.inf
        chosen[part] = scores.argmax(axis=1)
    return chosen, total / len(source)
