"""Count-based word vectors: positive pointwise mutual information (PPMI) and its SVD (Levy et al. 2015).

    PPMI(w, c) = max(0, log( #(w,c) / #(w) · Σ #(c)^a / #(c)^a ) - log shift),      PPMI ≈ U Σ Vᵀ

Pairs are counted in a window to both sides, each weighted by 1 or by 1/distance. Word vectors are U Σ^p and
context vectors V Σ^(1-p), so that their products are the best approximation of PPMI of that rank.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.corpus import Corpus
from tenor.words.vectors import WordVectors

_TOKENS = 4_000_000  # whose pairs are counted at once, which bounds memory


@dataclass(frozen=True, slots=True, kw_only=True)
class PpmiConfig:
    """Settings of PPMI-SVD; ``shift`` stands for the number of negative samples (shifted PPMI)."""

    vector_size: int = 100
    window: int = 5
    weighting: Literal["flat", "distance"] = "flat"
    smoothing: float = 0.75  # exponent of the context distribution
    shift: float = 1.0
    power: float = 0.5  # eigenvalue weighting: exponent of the singular values in the word vectors
    seed: int = 1

    def __post_init__(self) -> None:
        if self.vector_size < 1 or self.window < 1 or not self.shift > 0 or not 0 <= self.power <= 1:
            raise TenorError(
                "PPMI needs vector_size and window of at least 1, a shift above 0, a power from 0 to 1."
            )


def count_pairs(
    corpus: Corpus,
    window: int,
    *,
    weighting: Literal["flat", "distance"] = "flat",
    progress: Callable[[int], None] | None = None,
) -> Any:
    """Count co-occurrences within a window: a symmetric sparse matrix [words, words].

    ``progress`` is called with the number of tokens just counted.
    """
    from scipy.sparse import coo_matrix, csr_matrix

    size = len(corpus.words)
    sentence = np.repeat(np.arange(len(corpus), dtype=np.int32), np.diff(corpus.starts))
    total = csr_matrix((size, size), dtype=np.float64)
    for begin in range(0, len(corpus.ids), _TOKENS):
        end = min(begin + _TOKENS, len(corpus.ids))
        for distance in range(1, window + 1):
            stop = min(end, len(corpus.ids) - distance)
            first, second = slice(begin, stop), slice(begin + distance, stop + distance)
            same = sentence[first] == sentence[second]
            rows, columns = corpus.ids[first][same], corpus.ids[second][same]
            weights = np.full(len(rows), 1.0 if weighting == "flat" else 1.0 / distance)
            total = total + coo_matrix((weights, (rows, columns)), shape=(size, size)).tocsr()
        if progress is not None:
            progress(end - begin)
    return (total + total.T).tocsr()


def ppmi(pairs: Any, *, smoothing: float = 0.75, shift: float = 1.0) -> Any:
    """Turn co-occurrence counts [words, contexts] into positive pointwise mutual information, also sparse."""
    of_words = np.asarray(pairs.sum(axis=1)).ravel()
    of_contexts = np.asarray(pairs.sum(axis=0)).ravel() ** smoothing
    entries = pairs.tocoo()
    expected = of_words[entries.row] * (of_contexts / of_contexts.sum())[entries.col]
    entries.data = np.maximum(np.log(entries.data / expected) - np.log(shift), 0.0)
    made = entries.tocsr()
    made.eliminate_zeros()
    return made


def train_ppmi(
    corpus: Corpus, config: PpmiConfig | None = None, *, progress: Callable[[int], None] | None = None
) -> WordVectors:
    """Train PPMI-SVD vectors on a corpus; the same text always gives the same vectors."""
    from sklearn.utils.extmath import randomized_svd

    config = config or PpmiConfig()
    if config.vector_size > len(corpus.words):
        raise TenorError(
            f"vector_size is {config.vector_size}, more than the {len(corpus.words):,} words; lower it."
        )
    pairs = count_pairs(corpus, config.window, weighting=config.weighting, progress=progress)
    table = ppmi(pairs, smoothing=config.smoothing, shift=config.shift)
    if not table.nnz:
        raise TenorError("No two words co-occur more often than by chance; give more text or a lower shift.")
    left, values, right = randomized_svd(
        table.astype(np.float32), config.vector_size, n_iter=5, random_state=config.seed
    )
    vectors: NDArray[np.float32] = left * values**config.power
    contexts: NDArray[np.float32] = right.T * values ** (1 - config.power)
    # Their products are ln p(c|w) less the logarithm of the smoothed distribution of contexts.
    return WordVectors(
        corpus.words, vectors, corpus.counts, contexts, noise_exponent=config.smoothing, name="ppmi"
    )
