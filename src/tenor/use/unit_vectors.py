"""Vectors of length 1, whose product is their cosine."""

import numpy as np
from numpy.typing import NDArray

_ROWS = 2048  # scaled at once, so that a mapped file is never copied as a whole


def normalise(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale vectors [n, d] to length 1, in place, and return them; zeros, which are near nothing, stay zeros.

    >>> normalise(np.array([[3, 4], [0.03, 0.04], [0, 0]], dtype=np.float32)).astype("f2").tolist()
    [[0.60009765625, 0.7998046875], [0.60009765625, 0.7998046875], [0.0, 0.0]]
    """
    for start in range(0, len(vectors), _ROWS):
        some = vectors[start : start + _ROWS]
        lengths = np.sqrt(np.einsum("kd,kd->k", some, some, dtype=np.float64))
        some /= np.where(lengths > 0, lengths, 1.0).astype(np.float32)[:, None]
    return vectors
