"""The noise distribution that products of word and context vectors leave out.

Negative sampling teaches u_w·v_χ ≈ ln p_w(χ) − ln noise(χ) + constant, where noise(χ) ∝ count(χ)^a and a is
0.75 by default; so do the factors of PPMI with smoothed contexts. As logits of p_w the products lack
a ln count(χ), which is added for references that are distributions of words (u, ud). They already are ratios
to the noise, with which the uniform reference (0) looks at them as they are: α = 1 gives u_w, not u_w plus a
constant. GloVe's products lack nothing of the kind.
"""

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.alpha.references import Reference
from tenor.words.vectors import WordVectors


def noise_logits(
    vectors: WordVectors, reference: Reference, exponent: float | None = None
) -> NDArray[np.float64] | None:
    """Return what is to be added to each context's logit [n], or None where nothing is.

    Unless an exponent is given, it is that with which the vectors were trained.

    >>> vectors = WordVectors(["a"], [[1.0]], [10], [[1.0]], noise_exponent=1.0)
    >>> noise_logits(vectors, "ud").round(2).tolist(), noise_logits(vectors, "0")
    ([2.3], None)
    """
    if exponent is None:
        exponent = 0.0 if reference == "0" else vectors.noise_exponent
    if not exponent:
        return None
    if vectors.counts is None or vectors.counts.min() < 1:
        raise TenorError(
            f"{vectors.name} has words without counts, from which the noise distribution of its training "
            "would follow; train with counts, or set --noise 0."
        )
    return np.asarray(exponent * np.log(vectors.counts), dtype=np.float64)
