"""Analogies: a is to b as c is to what? (Mikolov et al. 2013; Levy and Goldberg 2014.)

With vectors of length 1, 3CosAdd takes the word y with the largest cos(y, b - a + c); 3CosMul that with the
largest s(y, b) s(y, c) / (s(y, a) + ε), where s = (1 + cos) / 2. a, b and c themselves are no answers.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.words.neighbours import nearest, unit_rows

if TYPE_CHECKING:
    from tenor.words.vectors import WordVectors

_EPSILON = 1e-6
_SCORES = 1 << 24  # of one block, 64 MB


def analogies(
    vectors: "WordVectors",
    questions: NDArray[np.int64],
    *,
    k: int = 1,
    method: Literal["3cosadd", "3cosmul"] = "3cosadd",
    progress: Callable[[int], None] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Answer questions [q, 3] of word indices a, b, c: the k best words [q, k] and their scores [q, k]."""
    units = unit_rows(vectors.vectors)
    a, b, c = (units[questions[:, column]] for column in range(3))
    if method == "3cosadd":
        return nearest(unit_rows(b - a + c), units, k, exclude=questions, progress=progress)
    return _by_product(units, a, b, c, questions, k, progress)


def _by_product(
    units: NDArray[np.float32],
    a: NDArray[np.float32],
    b: NDArray[np.float32],
    c: NDArray[np.float32],
    questions: NDArray[np.int64],
    k: int,
    progress: Callable[[int], None] | None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    indices = np.full((len(questions), k), -1, dtype=np.int64)
    scores = np.full((len(questions), k), -np.inf, dtype=np.float32)
    size = max(1, _SCORES // max(1, len(units)))
    for begin in range(0, len(questions), size):
        rows = slice(begin, begin + size)
        to_a, to_b, to_c = ((1 + some[rows] @ units.T) / 2 for some in (a, b, c))
        product = to_b * to_c / (to_a + np.float32(_EPSILON))
        np.put_along_axis(product, questions[rows], -np.inf, axis=1)
        kept = min(k, len(units))
        best = np.argsort(-product, axis=1, kind="stable")[:, :kept]
        indices[rows, :kept] = best
        scores[rows, :kept] = np.take_along_axis(product, best, axis=1)
        if progress is not None:
            progress(len(best))
    indices[np.isneginf(scores)] = -1
    return indices, scores
