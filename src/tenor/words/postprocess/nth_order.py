"""nth-order similarity (Artetxe et al. 2018; for bilingual lexicons Vulić et al. 2020).

With XᵀX = Q Δ Qᵀ the transform X' = X Q Δ^α has X' X'ᵀ = (X Xᵀ)^(2α+1): words are compared by how alike
their similarities to all words are (α = 0.5: second order), to any order, also a fractional or negative one.
α = 0 keeps every similarity (a rotation), α = −0.5 whitens completely. In: vectors [n, d]; out: [n, d].
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.postprocess.method import Method
from tenor.words.vectors import Floats

_SMALLEST = 1e-10  # of the largest eigenvalue: what lies below is taken as this, or Δ^α would divide by zero


def nth_order_matrix(vectors: NDArray[np.floating], alpha: float) -> NDArray[np.float64]:
    """Return R = Q Δ^α [d, d], by which vectors are multiplied; strongest direction first.

    >>> x = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> np.abs(x @ nth_order_matrix(x, -0.5)).round(6).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    if not np.isfinite(alpha):
        raise TenorError(f"alpha is {alpha}; it must be a finite number, such as -0.25.")
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim != 2 or 0 in rows.shape or not np.isfinite(rows).all():
        raise TenorError("The nth-order transform needs vectors without NaN or infinity, and at least one.")
    values, directions = np.linalg.eigh(rows.T @ rows)
    values, directions = np.maximum(values[::-1], 0.0), directions[:, ::-1]  # rounding can give −1e-12
    if values[0] == 0.0:
        raise TenorError("All vectors are zero; the nth-order transform has no direction to work with.")
    if alpha < 0:
        values = np.maximum(values, _SMALLEST * values[0])
    with np.errstate(over="ignore", under="ignore"):
        matrix: NDArray[np.float64] = directions * values**alpha
    _check_size(matrix, values, alpha)
    return matrix


def _check_size(matrix: NDArray[np.float64], values: NDArray[np.float64], alpha: float) -> None:
    """Refuse an alpha whose result could not be written in single precision."""
    largest = float(np.abs(matrix).max()) * float(np.sqrt(values[0]))
    if not np.isfinite(largest) or largest > float(np.finfo(np.float32).max) or largest < 1e-37:
        raise TenorError(
            f"alpha = {alpha} blows up: the strongest direction would be scaled to {largest:.3g}. "
            "Useful values lie between -0.5 and 0.5; scale the vectors to length 1 for bigger ones."
        )


def nth_order(vectors: NDArray[np.floating], alpha: float) -> NDArray[np.floating]:
    """Return the vectors with similarities of order 2α + 1, in their own precision.

    >>> x = np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> bool(np.allclose((y := nth_order(x, 0.5)) @ y.T, (x @ x.T) @ (x @ x.T)))
    True
    """
    matrix = nth_order_matrix(vectors, alpha)
    moved: NDArray[np.floating] = vectors @ matrix.astype(vectors.dtype)
    return moved


@dataclass(kw_only=True)
class NthOrder(Method):
    """Compare words by their similarities of order 2 ``alpha`` + 1.

    >>> NthOrder(alpha=-0.25).settings()
    {'alpha': -0.25}
    """

    name: ClassVar[str] = "nth-order"
    alpha: float = -0.25

    def learn(self, vectors: Floats) -> dict[str, NDArray[Any]]:
        """Take the map R = Q Δ^α [d, d]."""
        return {"map": nth_order_matrix(vectors, self.alpha)}

    def apply(self, vectors: Floats) -> Floats:
        """Multiply vectors [n, d] with it."""
        return np.asarray(vectors @ self.learned["map"].astype(np.float32), dtype=np.float32)
