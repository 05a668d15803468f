"""GloVe (Pennington et al. 2014): word and context vectors whose products give the logarithms of pair counts.

With counts X of pairs in a window (each weighted by 1/distance) minimise

    Σ_{X_wc > 0} f(X_wc) (u_w·v_c + a_w + b_c − ln X_wc)² + λ (‖U‖² + ‖V‖²),   f(x) = min(1, (x/x_max)^0.75)

Where the original takes small stochastic steps, here either side is solved exactly while the other is fixed
(alternating least squares): a few iterations instead of hundreds of epochs, no learning rate, and the same
result for the same seed. The small λ keeps rare words from being fitted to noise. Products do not say how
much of a length is u's and how much v's, so both sides are given the same (UᵀU = VᵀV), as in the original.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.corpus import Corpus
from tenor.words.counting import count_pairs
from tenor.words.vectors import WordVectors

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class GloveConfig:
    """Settings of GloVe; window, x_max and power are the original's."""

    vector_size: int = 100
    window: int = 10
    x_max: float = 100.0
    power: float = 0.75
    iterations: int = 8  # of alternating least squares; each solves both sides
    ridge: float = 1.0  # L2 penalty λ of the vectors
    seed: int = 1

    def __post_init__(self) -> None:
        least = min(self.vector_size, self.window, self.iterations)
        if least < 1 or not self.x_max > 0 or not self.ridge > 0:
            raise TenorError(
                "GloVe needs vector_size, window and iterations of at least 1, x_max and ridge above 0."
            )


@dataclass(frozen=True, slots=True, eq=False)
class Glove:
    """A trained model: vectors with their context vectors, and the biases of both sides [words]."""

    vectors: WordVectors
    word_bias: Floats
    context_bias: Floats
    losses: list[float]  # after each iteration, without the ridge


def train_glove(
    corpus: Corpus, config: GloveConfig | None = None, *, progress: Callable[[int], None] | None = None
) -> Glove:
    """Train on a corpus; ``progress`` is called for every solved row, two per word and iteration."""
    config = config or GloveConfig()
    pairs = count_pairs(corpus, config.window, weighting="distance")
    if not pairs.nnz:
        raise TenorError("No two words co-occur in the text; give more text or a larger window.")
    words, contexts, losses = factorise(pairs, config, progress=progress)
    vectors = WordVectors(corpus.words, words[:, :-1], corpus.counts, contexts[:, :-1], name="glove")
    return Glove(vectors, words[:, -1], contexts[:, -1], losses)


def factorise(
    pairs: Any, config: GloveConfig, *, progress: Callable[[int], None] | None = None
) -> tuple[Floats, Floats, list[float]]:
    """Solve for both sides [n, d + 1], vectors with their bias last, and the loss after each iteration."""
    rows, columns = pairs.tocsr(), pairs.tocsr().T.tocsr()
    rng = np.random.default_rng(config.seed)
    words = np.zeros((rows.shape[0], config.vector_size + 1), dtype=np.float32)
    contexts = (
        rng.uniform(-0.5, 0.5, (rows.shape[1], config.vector_size + 1)).astype(np.float32)
        / config.vector_size**0.5
    )
    contexts[:, -1] = 0.0
    losses = []
    for _ in range(config.iterations):
        _solve(rows, words, contexts, config, progress)
        losses.append(_solve(columns, contexts, words, config, progress))
        words[:, :-1], contexts[:, :-1] = balanced(words[:, :-1], contexts[:, :-1])
    return words, contexts, losses


def balanced(words: Floats, contexts: Floats) -> tuple[Floats, Floats]:
    """Return two sides with the same products and UᵀU = VᵀV, from the SVD of UVᵀ = (P √S)(Q √S)ᵀ."""
    (basis_u, small_u), (basis_v, small_v) = (
        np.linalg.qr(side.astype(np.float64)) for side in (words, contexts)
    )
    left, sizes, right = np.linalg.svd(small_u @ small_v.T)
    root = np.sqrt(sizes)
    return (
        np.asarray(basis_u @ (left * root), dtype=np.float32),
        np.asarray(basis_v @ (right.T * root), dtype=np.float32),
    )


def _solve(
    pairs: Any, sought: Floats, given: Floats, config: GloveConfig, progress: Callable[[int], None] | None
) -> float:
    """Solve every row of ``sought`` in place while ``given`` stands still, and return the loss."""
    size = config.vector_size
    ridge = np.full(size + 1, config.ridge)
    ridge[-1] = 1e-6 * config.ridge  # a bias is free, but for a word without pairs
    design = np.concatenate([given[:, :size], np.ones((len(given), 1), dtype=np.float32)], axis=1)
    loss = 0.0
    for row in range(len(sought)):
        part = slice(pairs.indptr[row], pairs.indptr[row + 1])
        near, counts = pairs.indices[part], pairs.data[part]
        weights = np.minimum(1.0, (counts / config.x_max) ** config.power).astype(np.float32)
        wanted = np.log(counts).astype(np.float32) - given[near, -1]
        some = design[near]
        weighted = some.T * weights  # [d + 1, pairs]
        matrix = (weighted @ some).astype(np.float64)
        matrix.flat[:: size + 2] += ridge
        sought[row] = np.linalg.solve(matrix, (weighted @ wanted).astype(np.float64))
        missed = some @ sought[row] - wanted
        loss += float((weights * missed) @ missed)
        if progress is not None:
            progress(1)
    return loss
