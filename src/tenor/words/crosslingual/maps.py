"""Linear maps of two spaces into one, from the vectors of seed pairs.

X_D and Z_D [pairs, d] hold the vectors of the seed pairs, row by row. Both maps below return a pair of
matrices (W_x, W_z), so that X W_x and Z W_z lie in one space:

- orthogonal (Procrustes): the SVD Z_DᵀX_D = P S Tᵀ gives W_x = T Pᵀ, which minimises ‖X_D W − Z_D‖ among
  rotations; W_z = I.
- advanced (VecMap; Artetxe et al. 2018): whiten both sides with A = (X_DᵀX_D)^(-½); rotate to the axes of
  the SVD (X_D A_x)ᵀ(Z_D A_z) = U_x S U_zᵀ; weight the axes by S^½; undo the whitening in those axes; keep
  the first axes, where fewer are wanted.

Directions that no seed word has cannot be whitened; they are left out (a pseudo-inverse), never divided by 0.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError

Matrix = NDArray[np.floating]
_NO_DIRECTION = 1e-6  # of the largest singular value: below it a direction is rounding, not data


class Maps(NamedTuple):
    """What the source rows [n, d] and the target rows [m, d] are multiplied with."""

    source: NDArray[np.float64]
    target: NDArray[np.float64]


def orthogonal_map(source: Matrix, target: Matrix) -> Maps:
    """Rotate the source rows onto the target rows that stand beside them.

    >>> rotation = np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> rows = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    >>> bool(np.allclose(orthogonal_map(rows, rows @ rotation).source, rotation))
    True
    """
    x, z = _checked(source, target)
    left, _, right = np.linalg.svd(x.T @ z)
    return Maps(left @ right, np.eye(z.shape[1]))


def advanced_map(
    source: Matrix,
    target: Matrix,
    *,
    reweight: float = 0.5,
    dewhiten: bool = True,
    dim_reduction: int | None = None,
) -> Maps:
    """Whiten, rotate, re-weight by the cross-correlation of each dimension, and de-whiten.

    ``reweight`` is the exponent of the singular values in the re-weighting of both sides;
    ``dim_reduction`` keeps only so many dimensions, the strongest.
    """
    x, z = _checked(source, target)
    (whiten_x, colour_x), (whiten_z, colour_z) = _whitening(x), _whitening(z)
    axes_x, strength, axes_zt = np.linalg.svd((x @ whiten_x).T @ (z @ whiten_z))
    axes_z = axes_zt.T
    weight = np.maximum(strength, 0.0) ** reweight  # [d]
    to_x, to_z = whiten_x @ axes_x * weight, whiten_z @ axes_z * weight
    if dewhiten:
        to_x = to_x @ (axes_x.T @ colour_x @ axes_x)
        to_z = to_z @ (axes_z.T @ colour_z @ axes_z)
    return Maps(to_x[:, :dim_reduction], to_z[:, :dim_reduction])


def _checked(source: Matrix, target: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, z = np.asarray(source, dtype=np.float64), np.asarray(target, dtype=np.float64)
    if x.shape[1] != z.shape[1]:
        raise TenorError(
            f"The source vectors have {x.shape[1]} dimensions and the target vectors {z.shape[1]}; a map "
            "needs as many on both sides. Reduce the larger ones first, or train both with one vector size."
        )
    if len(x) != len(z) or len(x) == 0:
        raise TenorError(f"A map needs seed pairs: there are {len(x)} source rows and {len(z)} target rows.")
    if not (np.isfinite(x).all() and np.isfinite(z).all()):
        raise TenorError("A vector of a seed pair holds NaN or infinity; correct or drop those words first.")
    return x, z


def _whitening(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (rowsᵀ rows)^(-½) and its inverse, both [d, d], within the directions that the rows have."""
    squares, directions = np.linalg.eigh(rows.T @ rows)  # far cheaper than an SVD of many rows
    there = squares > _NO_DIRECTION**2 * max(squares[-1], 0.0)
    sizes, directions = np.sqrt(squares[there]), directions[:, there]  # [r], [d, r]
    return (directions / sizes) @ directions.T, (directions * sizes) @ directions.T
