"""Principal components: keep some of them (PCA), or remove the strongest (Raunak et al. 2020).

With the columns centred, the principal axes u_1 … u_d are the eigenvectors of the covariance in falling order
of variance, and the scores of a vector are its products with them. In: vectors [n, d].

    pca                    the scores of components first … first + components − 1      [n, components]
    all-but-the-top        v ← v − Σ_{i ≤ D} (u_iᵀ v) u_i, after centring (Mu and Viswanath 2018)    [n, d]
    all-but-the-top-pca    all-but-the-top, then PCA, then all-but-the-top again        [n, dimensions]

The sign of an axis is arbitrary; here its largest number is positive, so that equal input gives equal output.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.postprocess.method import Method
from tenor.words.vectors import Floats

Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PrincipalSpace:
    """The mean, the principal axes and the variance along each, of a table of vectors.

    >>> space = PrincipalSpace.of(np.array([[0, 0], [2, 0], [0, 1], [2, 1]], dtype=np.float32))
    >>> space.mean.tolist(), space.axes.tolist(), space.variances.tolist()
    ([1.0, 0.5], [[1.0, 0.0], [0.0, 1.0]], [1.0, 0.25])
    """

    mean: Doubles  # [d]
    axes: Doubles  # [d, d], an axis a column, strongest first
    variances: Doubles  # [d], falling

    @classmethod
    def of(cls, vectors: NDArray[np.floating], what: str = "principal components") -> "PrincipalSpace":
        """Find them by the covariance [d, d] in float64, block by block."""
        if not len(vectors) or not np.isfinite(vectors).all():
            raise TenorError(f"{what}: the vectors must be finite numbers, and at least one is needed.")
        mean = vectors.mean(axis=0, dtype=np.float64)
        scatter = np.zeros((vectors.shape[1],) * 2)
        for begin in range(0, len(vectors), 16_384):
            centred = vectors[begin : begin + 16_384] - mean
            scatter += centred.T @ centred
        values, axes = np.linalg.eigh(scatter / len(vectors))
        values, axes = np.maximum(values[::-1], 0.0), axes[:, ::-1]
        peaks = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
        return cls(mean, axes * np.where(peaks < 0, -1.0, 1.0), values)

    def scores(self, vectors: NDArray[np.floating]) -> Doubles:
        """Return the scores T [n, d] of vectors; the columns are in falling order of variance."""
        return np.asarray((vectors - self.mean) @ self.axes)

    def share(self, first: int, last: int) -> float:
        """Say which share of the variance components first … last have, counted from 1, both included.

        >>> space = PrincipalSpace(np.zeros(2), np.eye(2), np.array([3.0, 1.0]))
        >>> space.share(1, 1)
        0.75
        """
        total = float(self.variances.sum())
        return float(self.variances[first - 1 : last].sum()) / total if total else 0.0

    def without(self, components: int) -> Doubles:
        """Return the projection [d, d] that removes the strongest components."""
        top = self.axes[:, :components]
        return np.asarray(np.eye(len(self.axes)) - top @ top.T)


@dataclass(kw_only=True)
class PrincipalComponents(Method):
    """Principal component analysis (PCA): keep the scores of consecutive components, by default the first."""

    name: ClassVar[str] = "pca"
    components: int = 100
    first: int = 1

    def learn(self, vectors: Floats) -> dict[str, NDArray[Any]]:
        """Take the mean [d] and the axes kept [d, components]."""
        last, width = self.first + self.components - 1, vectors.shape[1]
        if self.first < 1 or self.components < 1 or last > width:
            raise TenorError(
                f"{self.name}: components {self.first} to {last} are asked for; there are 1 to {width}."
            )
        space = PrincipalSpace.of(vectors, self.name)
        return {"mean": space.mean, "axes": np.ascontiguousarray(space.axes[:, self.first - 1 : last])}

    def apply(self, vectors: Floats) -> Floats:
        """Score vectors [n, d]."""
        return np.asarray((vectors - self.learned["mean"]) @ self.learned["axes"], dtype=np.float32)


@dataclass(kw_only=True)
class AllButTheTop(Method):
    """Remove the mean and the strongest components, which carry frequency more than meaning.

    Good for word similarity; for classifiers on top it takes away information, see the results page of
    embedding-dimensions.

    >>> made = AllButTheTop(components=1)
    >>> vectors = np.array([[3, 1], [-3, 1], [3, -1], [-3, -1]], dtype=np.float32)
    >>> made.learned = made.learn(vectors)
    >>> made.apply(vectors).round(6).tolist()
    [[0.0, 1.0], [0.0, 1.0], [0.0, -1.0], [0.0, -1.0]]
    """

    name: ClassVar[str] = "all-but-the-top"
    components: int = 3

    def learn(self, vectors: Floats) -> dict[str, NDArray[Any]]:
        """Take the mean [d] and the axes to remove [d, components]."""
        _check_removed(self.components, vectors.shape[1], self.name)
        space = PrincipalSpace.of(vectors, self.name)
        return {"mean": space.mean, "top": np.ascontiguousarray(space.axes[:, : self.components])}

    def apply(self, vectors: Floats) -> Floats:
        """Remove them from vectors [n, d]."""
        centred, top = vectors - self.learned["mean"], self.learned["top"]
        return np.asarray(centred - (centred @ top) @ top.T, dtype=np.float32)


@dataclass(kw_only=True)
class AllButTheTopReduced(Method):
    """Reduce the dimensions by PCA between two rounds of all-but-the-top (Raunak et al. 2019)."""

    name: ClassVar[str] = "all-but-the-top-pca"
    components: int = 7
    dimensions: int = 150

    def learn(self, vectors: Floats) -> dict[str, NDArray[Any]]:
        """Take the mean [d] and the one map [d, dimensions] that the three steps are together."""
        _check_removed(self.components, min(self.dimensions, vectors.shape[1]), self.name)
        if not 1 <= self.dimensions <= vectors.shape[1]:
            raise TenorError(
                f"{self.name}: dimensions is {self.dimensions}; expected 1 to {vectors.shape[1]}."
            )
        space = PrincipalSpace.of(vectors, self.name)
        # The components that are left keep their order, so the second step is known from the first.
        cleaned = (vectors - space.mean) @ space.without(self.components)
        reduced = PrincipalSpace.of(cleaned, self.name)
        kept = reduced.axes[:, : self.dimensions]
        again = PrincipalSpace.of(cleaned @ kept, self.name)
        whole = space.without(self.components) @ kept @ again.without(self.components)
        return {"mean": space.mean, "map": whole}

    def apply(self, vectors: Floats) -> Floats:
        """Reduce vectors [n, d] to [n, dimensions]."""
        return np.asarray((vectors - self.learned["mean"]) @ self.learned["map"], dtype=np.float32)


def _check_removed(components: int, width: int, name: str) -> None:
    if not 0 <= components <= width:
        raise TenorError(f"{name}: components is {components}; expected 0 (centring alone) to {width}.")
