"""From the cosine of two vectors to a similarity of 0 to 5, the scale on which people judge sentence pairs.

The scale of a model is a monotone line through a few points (cosine, similarity). For the starter it was
fitted by least squares on the 5,749 train pairs of the STS Benchmark: points at fixed cosines, nowhere
falling, equal vectors at 5 (``bench/similarity.py`` repeats it). Against people's scores, with the plain
scale 5 · max(0, cosine) in brackets:

======  =====  =======================  =======================
part    pairs  Pearson's correlation    mean difference
======  =====  =======================  =======================
train   5,749  0.838 (0.837)            0.61 (0.75)
dev     1,500  0.874 (0.871)            0.56 (0.69)
test    1,379  0.832 (0.829)            0.65 (0.74)
======  =====  =======================  =======================

So the fit hardly changes the order of pairs, but the number means more. A model without a fit of its own has
the plain scale, and the result says so.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.model import Model

Floats = NDArray[np.float32]

MOST = 5.0
_LEVELS = (
    (4.5, "the same meaning"),
    (3.5, "nearly the same; details differ"),
    (2.5, "roughly alike; something important differs"),
    (1.5, "different, with something in common"),
    (0.5, "hardly related"),
    (0.0, "unrelated"),
)


@dataclass(frozen=True, slots=True)
class Scale:
    """A monotone line from cosine to similarity through the given points.

    >>> Scale((0.0, 1.0), (0.0, 5.0), fitted=False).similarity(np.array([-0.2, 0.5])).tolist()
    [0.0, 2.5]
    """

    cosines: tuple[float, ...]  # ascending
    similarities: tuple[float, ...]
    fitted: bool  # to people's scores

    def similarity(self, cosine: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the similarity for each cosine; beyond the ends that of the end."""
        return np.asarray(np.interp(cosine, self.cosines, self.similarities), dtype=np.float64)


PLAIN = Scale((0.0, 1.0), (0.0, MOST), fitted=False)

# By fingerprint: a scale holds for these very weights, tokenizer and pooling, under whatever name.
FITTED = {
    "3610388320e5bccc8e9bd1a8d1ebee3e1d84eca791adf39ae7e4b8e283e0bf38": Scale(
        (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.03, 0.43, 1.29, 2.40, 3.34, MOST), fitted=True
    ),
}


def scale_of(model: Model) -> Scale:
    """Return the scale that was fitted for a model, or the plain one."""
    return FITTED.get(model.fingerprint, PLAIN)


def level(similarity: float) -> str:
    """Say in words what a similarity means.

    >>> level(4.7), level(2.0)
    ('the same meaning', 'different, with something in common')
    """
    return next(words for least, words in _LEVELS if similarity >= least or least == 0.0)


def row_cosines(first: Floats, second: Floats) -> Floats:
    """Return the cosine of each vector with the one in the same row of the other; 0 for zero vectors."""
    norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    products = np.einsum("nd,nd->n", first, second)
    return np.asarray(np.clip(products / np.maximum(norms, 1e-12), -1.0, 1.0), dtype=np.float32)
