"""Normalisations: unit length, centring, z-scores and whitening.

Each is x -> (x - m) W of what it learnt, except for unit length, which learns nothing. Whitening is
W = V diag(1/√(λ + ε)) Vᵀ (ZCA: the whitened vectors stay as near as they can to what they were) from the
eigenvalues λ and eigenvectors V of the covariance; with ``components`` it keeps the largest and leaves the
last Vᵀ out, so that the result has fewer dimensions.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.neighbours import unit_rows
from tenor.words.postprocess.method import Method
from tenor.words.vectors import Floats


@dataclass(kw_only=True)
class Unit(Method):
    """Scale every vector to unit length; zeros stay.

    >>> Unit().apply(np.array([[3, 4], [0, 0]], dtype=np.float32)).astype("f2").tolist()
    [[0.60009765625, 0.7998046875], [0.0, 0.0]]
    """

    name: ClassVar[str] = "unit"

    def apply(self, vectors: Floats) -> Floats:
        """Scale vectors [n, d]."""
        return unit_rows(vectors)


@dataclass(kw_only=True)
class Centre(Method):
    """Subtract the mean vector."""

    name: ClassVar[str] = "centre"

    def learn(self, vectors: Floats) -> dict[str, NDArray[Any]]:
        """Take the mean [d]."""
        return {"mean": vectors.mean(axis=0, dtype=np.float64)}

    def apply(self, vectors: Floats) -> Floats:
        """Subtract it from vectors [n, d]."""
        return vectors - self.learned["mean"].astype(np.float32)


@dataclass(kw_only=True)
class ZScore(Method):
    """Give every dimension mean 0 and standard deviation 1; a dimension that does not vary becomes 0."""

    name: ClassVar[str] = "z-score"

    def learn(self, vectors: Floats) -> dict[str, NDArray[Any]]:
        """Take mean and standard deviation [d]."""
        return {
            "mean": vectors.mean(axis=0, dtype=np.float64),
            "deviation": vectors.std(axis=0, dtype=np.float64),
        }

    def apply(self, vectors: Floats) -> Floats:
        """Standardise vectors [n, d]."""
        deviation = self.learned["deviation"]
        scale = np.where(deviation > 1e-12, 1.0 / np.maximum(deviation, 1e-12), 0.0)
        centred = vectors - self.learned["mean"].astype(np.float32)
        return np.asarray(centred * scale.astype(np.float32), dtype=np.float32)


@dataclass(kw_only=True)
class Whiten(Method):
    """Make the dimensions uncorrelated with variance 1."""

    name: ClassVar[str] = "whiten"
    components: int | None = None
    epsilon: float = 1e-6  # added to the variances, as a share of their mean

    def learn(self, vectors: Floats) -> dict[str, NDArray[Any]]:
        """Take the mean [d] and the map [d, e]."""
        width = vectors.shape[1]
        if self.components is not None and not 1 <= self.components <= width:
            raise TenorError(
                f"whiten: components is {self.components}; expected 1 to {width}, the dimensions."
            )
        mean = vectors.mean(axis=0, dtype=np.float64)
        centred = vectors - mean
        values, axes = np.linalg.eigh(centred.T @ centred / len(vectors))
        values, axes = values[::-1], axes[:, ::-1]
        if values[0] <= 0:
            raise TenorError("whiten: the vectors are all alike, so there is no variance to even out.")
        scaled = axes / np.sqrt(np.maximum(values, 0) + self.epsilon * values.mean())
        whole = scaled @ axes.T if self.components is None else scaled[:, : self.components]
        return {"mean": mean, "map": whole}

    def apply(self, vectors: Floats) -> Floats:
        """Whiten vectors [n, d] to [n, e]."""
        return np.asarray((vectors - self.learned["mean"]) @ self.learned["map"], dtype=np.float32)
