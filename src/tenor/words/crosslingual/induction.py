"""Dictionary induction in a shared space: words that are each other's nearest neighbours by CSLS.

With x in the source and z in the target language, forward(x) is the best target of x, backward(z) the best
source of z. ``mutual`` keeps the pairs that agree in both directions (Vulić et al. 2020), ``union`` takes all
pairs of both directions (VecMap's default), ``forward`` the first direction only.

Stochastic induction keeps each candidate pair, for both directions, with probability p; what is dropped
cannot be chosen. It helps self-learning out of poor local optima while the map is still bad.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenor.words.crosslingual.ranks import score_blocks
from tenor.words.neighbours import Floats, nearest

Direction = Literal["mutual", "union", "forward"]


class InducedDictionary(NamedTuple):
    """Pairs of row indices, and the mean cosine of the nearest neighbours (the objective)."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    objective: float


def induce(
    source: Floats,
    target: Floats,
    *,
    k: int = 10,
    direction: Direction = "mutual",
    keep_prob: float = 1.0,
    generator: np.random.Generator | None = None,
) -> InducedDictionary:
    """Find the pairs of nearest neighbours among unit vectors in one space; ``k`` = 0 means plain cosine.

    >>> words = np.eye(4, dtype=np.float32)
    >>> pairs = induce(words, words[[2, 0, 1, 3]], k=0)
    >>> list(zip(pairs.source.tolist(), pairs.target.tolist(), strict=True)), pairs.objective
    ([(0, 1), (1, 2), (2, 0), (3, 3)], 1.0)
    """
    to_target, best_forward = _mean_similarity(source, target, k)
    to_source, best_backward = _mean_similarity(target, source, k)
    if keep_prob < 1.0:
        forward, backward = _drawn(source, target, to_target, to_source, keep_prob, generator)
    else:
        forward = nearest(source, target, 1, penalty=to_source * np.float32(0.5))[0][:, 0]
        backward = nearest(target, source, 1, penalty=to_target * np.float32(0.5))[0][:, 0]
    if direction == "forward":
        return InducedDictionary(np.arange(len(source)), forward, best_forward)
    objective = (best_forward + best_backward) / 2
    if direction == "mutual":
        agree = np.flatnonzero(backward[forward] == np.arange(len(source)))
        return InducedDictionary(agree, forward[agree], objective)
    # A pair that both directions name counts twice, as the surer one.
    rows = np.concatenate([np.arange(len(source)), backward])
    return InducedDictionary(rows, np.concatenate([forward, np.arange(len(target))]), objective)


def _mean_similarity(queries: Floats, targets: Floats, k: int) -> tuple[Floats, float]:
    """Return the mean cosine of each query's k nearest targets, and the mean cosine of the nearest ones."""
    _, scores = nearest(queries, targets, max(1, min(k, len(targets))))
    mean = scores.mean(axis=1) if k else np.zeros(len(queries), dtype=np.float32)
    return mean.astype(np.float32), float(scores[:, 0].mean(dtype=np.float64))


def _drawn(
    source: Floats,
    target: Floats,
    source_similarity: Floats,
    target_similarity: Floats,
    keep_prob: float,
    generator: np.random.Generator | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the best target of each source word and the best source of each target word among kept pairs."""
    if generator is None:
        raise ValueError("stochastic induction needs a generator")
    forward = np.empty(len(source), dtype=np.int64)
    backward = np.zeros(len(target), dtype=np.int64)
    best = np.full(len(target), -np.inf, dtype=np.float32)
    columns = np.arange(len(target))
    for part, scores in score_blocks(source, target):
        scores[generator.random(scores.shape, dtype=np.float32) >= keep_prob] = -np.inf
        forward[part] = (scores - target_similarity * np.float32(0.5)).argmax(axis=1)
        back = scores - source_similarity[part, None] * np.float32(0.5)
        rows = back.argmax(axis=0)
        values = back[rows, columns]
        better = values > best
        backward[better], best[better] = rows[better] + part.start, values[better]
    return forward, backward
