"""A similarity of 0 to 5, the scale on which people judge sentence pairs: in numbers and in words.

A model's task ``similarity`` gives it. The starter's is a line through a few points from cosine to score,
fitted to people's scores by least squares, nowhere falling, equal vectors at 5; ``bench/starter_heads.py``
made it, and ``model/starter_heads/minilm.json`` holds its points and its figures beside those of the plain
scale. The fit hardly changes the order of pairs, but the number means more. A model without such a task has
the plain scale, and the result says so.
"""

import numpy as np
from numpy.typing import NDArray

MOST = 5.0
_LEVELS = (
    (4.5, "the same meaning"),
    (3.5, "nearly the same; details differ"),
    (2.5, "roughly alike; something important differs"),
    (1.5, "different, with something in common"),
    (0.5, "hardly related"),
    (0.0, "unrelated"),
)


def plain_similarity(cosines: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return 5 times the cosine, and not below 0.

    >>> plain_similarity(np.array([-0.2, 0.5])).tolist()
    [0.0, 2.5]
    """
    return np.asarray(MOST * np.maximum(cosines, 0.0), dtype=np.float64)


def level(similarity: float) -> str:
    """Say in words what a similarity means.

    >>> level(4.7), level(2.0)
    ('the same meaning', 'different, with something in common')
    """
    return next(words for least, words in _LEVELS if similarity >= least or least == 0.0)
