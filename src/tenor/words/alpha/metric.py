"""Norms and products of alpha embeddings in the Fisher metric (F) or the Euclidean one (I).

F: |W|² = Wᵀ I(p0) W and a·b = aᵀ I(p0) b. With I = L Lᵀ this is the ordinary product of W L. Normalising and
multiplying may use different metrics.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Metric = Literal["F", "I"]
Matrix = NDArray[np.floating]


def in_metric(
    vectors: Matrix, factor: NDArray[np.float64], *, norm: Metric = "F", product: Metric | None = None
) -> Matrix:
    """Scale vectors [n, d] to length 1 in ``norm``, and return rows whose dot product is that of ``product``.

    ``factor`` is L of the family; ``product`` is the metric of ``norm`` where it is left out. Zeros stay.

    >>> rows = in_metric(np.array([[2.0, 0.0], [0.0, 0.5]]), np.diag([1.0, 3.0]), norm="I", product="F")
    >>> rows.tolist()
    [[1.0, 0.0], [0.0, 3.0]]
    """
    wide = np.asarray(vectors, dtype=np.float64)
    # Directions only matter so far, and a row of huge or tiny numbers would overflow when squared.
    most = np.abs(wide).max(axis=1, keepdims=True)
    wide = wide / np.where(most > 0, most, 1.0)
    fisher = wide @ factor
    lengths = np.linalg.norm(fisher if norm == "F" else wide, axis=1, keepdims=True)
    chosen = fisher if (product or norm) == "F" else wide
    return np.asarray(chosen / np.where(lengths > 0, lengths, 1.0), dtype=vectors.dtype)


def closest_by_difference(
    vectors: Matrix, questions: NDArray[np.int64], *, block: int = 512
) -> NDArray[np.int64]:
    """Answer a : b = c : ? for word indices [q, 3] by the d with the smallest ‖W(b) − W(a) − W(d) + W(c)‖.

    a, b and c themselves are no answers. Where all rows have length 1 this is 3CosAdd.
    """
    squares = (vectors * vectors).sum(axis=1)
    answers = np.empty(len(questions), dtype=np.int64)
    for start in range(0, len(questions), block):
        asked = questions[start : start + block]
        a, b, c = (vectors[asked[:, column]] for column in range(3))
        distance = squares - 2 * (b - a + c) @ vectors.T
        np.put_along_axis(distance, asked, np.inf, axis=1)
        answers[start : start + block] = distance.argmin(axis=1)
    return answers
