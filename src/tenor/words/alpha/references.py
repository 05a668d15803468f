"""Reference distributions p0 [n] over context words, from which alpha embeddings look at all others.

``0`` is uniform; ``u`` the unigram of the model, the marginal of the joint that its two matrices describe;
``ud`` the unigram of the data, by the counts of the corpus.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError

Reference = Literal["0", "u", "ud"]
Matrix = NDArray[np.floating]
Weights = NDArray[np.float64]
_CELLS = 8_000_000  # of logits held at once


def uniform(count: int) -> Weights:
    """Give all words the same weight."""
    return np.full(count, 1.0 / count)


def model_unigram(words: Matrix, contexts: Matrix, *, bias: Matrix | None = None) -> Weights:
    """Return p(χ) ∝ Σ_w exp(u_w·v_χ + b_χ): the joint with one normaliser, summed over words.

    >>> model_unigram(np.array([[0.0], [0.0]]), np.array([[5.0], [-1.0]])).tolist()
    [0.5, 0.5]
    """
    total = np.full(len(contexts), -np.inf)
    height = max(1, _CELLS // len(contexts))
    for start in range(0, len(words), height):
        logits = (words[start : start + height] @ contexts.T).astype(np.float64)
        if bias is not None:
            logits += bias
        most = logits.max(axis=0)
        total = np.logaddexp(total, most + np.log(np.exp(logits - most).sum(axis=0)))
    weights = np.exp(total - total.max())
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def data_unigram(counts: NDArray[np.integer]) -> Weights:
    """Return p(χ) by how often words occur in the corpus."""
    if len(counts) == 0 or counts.min() < 1:
        missing = int((counts < 1).sum())
        raise TenorError(
            f"{missing:,} of {len(counts):,} words have no count, and a word of probability 0 cannot be "
            "compared with; train with counts, drop these words, or choose the reference 0 or u."
        )
    return np.asarray(counts / counts.sum(dtype=np.float64), dtype=np.float64)
