"""Geometric meta-embeddings: rotate and scale several word embeddings into one space.

From Jawanpuria et al. 2020. The same n words have vectors x_i and z_i of d dimensions in two sources. Sought
are orthogonal U, V and a symmetric positive-definite metric B [d, d] under which the two vectors of a word
are alike, and those of two words not:

    min ‖X Uᵀ B V Zᵀ − I‖² + C ‖B‖²                     X, Z [n, d], words as rows; C > 0

With W = Uᵀ B V, which can be any invertible matrix, this is ridge regression, and nothing of size n × n is
needed: G_x = XᵀX, G_z = ZᵀZ, K = XᵀZ [d, d] are made in one pass, and

    objective = tr(G_x W G_z Wᵀ) − 2 ΣW⊙K + n + C ΣW⊙W,      least where G_x W G_z + C W = K,
    W = E_x [(E_xᵀ K E_z)_ij / (a_i b_j + C)] E_zᵀ     with G_x = E_x diag(a) E_xᵀ, G_z = E_z diag(b) E_zᵀ.

The SVD W = P S Qᵀ gives U = Pᵀ, B = diag(S), V = Qᵀ: the global optimum, where the paper iterates. For more
than two sources the sum over all pairs, with one rotation for each source and one B, has no such solution:
`tenor.words.combine.riemannian` goes on from the exact solutions of the pairs. All algebra is in float64.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.errors import TenorError

Floats = NDArray[np.float64]

_ROWS_AT_ONCE = 16_384  # words that are taken to float64 together
_LEAST_METRIC = 1e-8  # instead of a singular value of 0, so that B stays positive-definite


@dataclass(frozen=True, slots=True, eq=False)
class Grams:
    """All that the problem needs of the sources: G_a of each and K_ab of each pair a < b, [d, d]."""

    own: tuple[Floats, ...]
    cross: dict[tuple[int, int], Floats] = field(repr=False)
    words: int

    @property
    def dimension(self) -> int:
        """The common number of dimensions d."""
        return len(self.own[0])

    @classmethod
    def of(cls, sources: Sequence[NDArray[np.floating]]) -> "Grams":
        """Make them from equally long tables [n, d_a], in one pass; narrower ones are padded with zeros.

        >>> grams = Grams.of([np.eye(3), np.eye(3)])
        >>> grams.words, grams.cross[0, 1].tolist()
        (3, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        """
        _check(sources)
        words, width = len(sources[0]), max(source.shape[1] for source in sources)
        own = [np.zeros((width, width)) for _ in sources]
        cross = {pair: np.zeros((width, width)) for pair in combinations(range(len(sources)), 2)}
        for begin in range(0, words, _ROWS_AT_ONCE):
            blocks = [padded(source[begin : begin + _ROWS_AT_ONCE], width) for source in sources]
            for gram, block in zip(own, blocks, strict=True):
                gram += block.T @ block
            for (a, b), product in cross.items():
                product += blocks[a].T @ blocks[b]
        if not all(np.isfinite(gram).all() for gram in own):
            raise TenorError("A source holds NaN, infinity or vectors too long to multiply: clean it first.")
        return cls(tuple(own), cross, words)

    def pair(self, a: int, b: int) -> "Grams":
        """Return the problem of two of the sources."""
        return Grams((self.own[a], self.own[b]), {(0, 1): self.cross[a, b]}, self.words)


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """The rotation of each source, and the metric of the common space.

    >>> alignment = solve(Grams.of([np.eye(3), np.eye(3)]), c=1.0)
    >>> alignment.objective
    1.5
    """

    rotations: tuple[Floats, ...]  # U_a [d, d], orthogonal
    metric: Floats  # B [d, d], symmetric positive-definite
    objective: float
    c: float
    steps: int = 0  # of an iterative solver

    def maps(self) -> tuple[Floats, ...]:
        """Return B^½ U_a of each source: a word's latent vector is this matrix times its vector."""
        root = square_root(self.metric)
        return tuple(root @ rotation for rotation in self.rotations)


def objective(grams: Grams, rotations: Sequence[Floats], metric: Floats, c: float) -> float:
    """Evaluate the training problem, summed over all pairs of sources, from d × d matrices alone."""
    total = 0.0
    for (a, b), cross in grams.cross.items():
        w = rotations[a].T @ metric @ rotations[b]
        total += pair_objective(grams.own[a], grams.own[b], cross, grams.words, w, c)
    return total


def pair_objective(g_x: Floats, g_z: Floats, cross: Floats, words: int, w: Floats, c: float) -> float:
    """Evaluate tr(G_x W G_z Wᵀ) − 2 ΣW⊙K + n + C ΣW⊙W."""
    fit = float(((g_x @ w @ g_z) * w).sum() - 2.0 * (w * cross).sum())
    return fit + words + c * float((w * w).sum())


def ridge(g_x: Floats, g_z: Floats, cross: Floats, c: float) -> Floats:
    """Solve G_x W G_z + C W = K for W by two eigendecompositions."""
    a, e_x = np.linalg.eigh(g_x)
    b, e_z = np.linalg.eigh(g_z)
    # Gram matrices have no negative eigenvalues: what is below 0 is rounding, and would spoil a small C.
    weights = np.maximum(a, 0.0)[:, None] * np.maximum(b, 0.0)[None, :] + c
    return np.asarray(e_x @ ((e_x.T @ cross @ e_z) / weights) @ e_z.T)


def solve(grams: Grams, *, c: float = 50.0) -> Alignment:
    """Find the best rotations and metric of two sources exactly."""
    check_c(c)
    if len(grams.own) != 2:
        raise TenorError(f"The exact solver takes two sources, not {len(grams.own)}; descend takes more.")
    cross = grams.cross[0, 1]
    if not cross.any():
        raise TenorError("The sources have nothing in common (all products are 0): check that words match.")
    w = ridge(*grams.own, cross, c)
    p, s, qt = np.linalg.svd(w)
    rotations = (np.ascontiguousarray(p.T), qt)
    metric = np.diag(np.maximum(s, _LEAST_METRIC * max(float(s[0]), _LEAST_METRIC)))
    return Alignment(rotations, metric, objective(grams, rotations, metric, c), c)


def procrustes(grams: Grams) -> Alignment:
    """Turn every source onto the first by the best rotation alone, B = I: the ablation without a metric."""
    width = grams.dimension
    rotations = [np.eye(width)]
    for source in range(1, len(grams.own)):
        rotations.append(polar(grams.cross[0, source]))
    turned = tuple(rotations)
    return Alignment(turned, np.eye(width), objective(grams, turned, np.eye(width), 0.0), 0.0)


def polar(matrix: Floats) -> Floats:
    """Return the orthogonal matrix nearest to a square one."""
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ right)


def square_root(metric: Floats) -> Floats:
    """Return the symmetric square root of a symmetric positive-definite matrix."""
    values, vectors = np.linalg.eigh(metric)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def padded(block: ArrayLike, width: int) -> Floats:
    """Return rows in float64 with zeros added up to a width."""
    rows = np.asarray(block, dtype=np.float64)
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1]))) if rows.shape[1] < width else rows


def check_c(c: float) -> None:
    """Refuse a regulariser for which the problem has no single solution."""
    if not (np.isfinite(c) and c > 0):
        raise TenorError(f"C must be a number above 0, as in 50; got {c}.")


def _check(sources: Sequence[NDArray[np.floating]]) -> None:
    if len(sources) < 2:
        raise TenorError(f"Combining takes two sources or more; got {len(sources)}.")
    shapes = [source.shape for source in sources]
    if any(len(shape) != 2 or shape[0] != shapes[0][0] for shape in shapes):
        raise TenorError(
            f"The sources must hold the same words in the same order; their shapes are {shapes}."
        )
    if shapes[0][0] == 0:
        raise TenorError("The sources have no word in common, so there is nothing to combine.")
