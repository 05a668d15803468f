"""RCSLS (Joulin et al. 2018): a map trained for the very score by which translations are retrieved.

With unit vectors, W initialised by Procrustes and N_k the k nearest words of the other language, minimise

    (1/|D|) Σ_i [ −2 x_iW·z_i + (1/k) Σ_{z in N_k(x_iW)} x_iW·z + (1/k) Σ_{x: xW in N_k(z_i)} xW·z_i ]

by gradient descent over all pairs; neighbours are looked up anew in every step and held fixed in its
gradient. A step that raises the loss is undone and the learning rate halved. W is free, or (``spectral``)
kept within the matrices whose singular values are at most 1, on which the loss is convex.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.crosslingual.maps import Maps, Matrix, orthogonal_map
from tenor.words.crosslingual.seed import Pairs
from tenor.words.neighbours import nearest

_MIN_LEARNING_RATE = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class RcslsConfig:
    """Settings of RCSLS, with the defaults of its public code."""

    k: int = 10
    learning_rate: float = 1.0
    iterations: int = 10
    vocabulary_cutoff: int = 200_000  # among which neighbours are looked up, the most frequent of either side
    spectral: bool = False

    def __post_init__(self) -> None:
        if min(self.k, self.vocabulary_cutoff) < 1 or self.iterations < 0:
            raise TenorError("RCSLS needs k and vocabulary_cutoff of 1 or more, iterations of 0 or more.")
        if not 0 < self.learning_rate < float("inf"):
            raise TenorError(f"learning_rate is {self.learning_rate}; expected a number above 0.")


def rcsls_map(
    source: Matrix,
    target: Matrix,
    pairs: Pairs,
    *,
    config: RcslsConfig | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Maps:
    """Train the map of the source side; the target side stays as it is. Rows are unit vectors."""
    config = config or RcslsConfig()
    x, z = source[pairs[:, 0]], target[pairs[:, 1]]
    near_x, near_z = source[: config.vocabulary_cutoff], target[: config.vocabulary_cutoff]
    w = orthogonal_map(x, z).source
    loss, gradient = loss_and_gradient(x, z, near_x, near_z, w, k=config.k)
    learning_rate = config.learning_rate
    for step in range(config.iterations):
        if learning_rate < _MIN_LEARNING_RATE:
            break
        moved = w - learning_rate * gradient
        if config.spectral:
            moved = _within_unit_norm(moved)
        new_loss, new_gradient = loss_and_gradient(x, z, near_x, near_z, moved, k=config.k)
        if np.isfinite(new_loss) and new_loss <= loss:
            w, loss, gradient = moved, new_loss, new_gradient
        else:
            learning_rate /= 2
        if progress:
            progress(step + 1, loss)
    return Maps(w, np.eye(z.shape[1]))


def loss_and_gradient(
    x: Matrix, z: Matrix, near_x: Matrix, near_z: Matrix, w: NDArray[np.float64], *, k: int
) -> tuple[float, NDArray[np.float64]]:
    """Return the loss at W [d, d] and its (sub)gradient with the neighbours held fixed."""
    k = min(k, len(near_x), len(near_z))
    step = w.astype(x.dtype)
    mapped = x @ step  # [pairs, d]
    targets, _ = nearest(_single(mapped), _single(near_z), k)  # [pairs, k]: N_k(x_i W)
    sources, _ = nearest(_single(z), _single(near_x @ step), k)  # [pairs, k]: whose images lie nearest to z_i
    mean_z = near_z[targets].mean(axis=1)  # [pairs, d]
    mean_x = near_x[sources].mean(axis=1)
    pull = (mean_z - 2 * z).astype(np.float64)
    loss = float((mapped * pull).sum() + ((mean_x @ step) * z).sum(dtype=np.float64)) / len(x)
    gradient = (x.astype(np.float64).T @ pull + mean_x.astype(np.float64).T @ z) / len(x)
    return loss, gradient


def _single(rows: Matrix) -> NDArray[np.float32]:
    return np.asarray(rows, dtype=np.float32)


def _within_unit_norm(w: NDArray[np.float64]) -> NDArray[np.float64]:
    left, sizes, right = np.linalg.svd(w)
    nearest: NDArray[np.float64] = (left * np.minimum(sizes, 1.0)) @ right
    return nearest
