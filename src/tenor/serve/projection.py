"""A map: vectors projected to two dimensions, so that texts that are near in meaning are near on the page.

The initialisation is the first two principal components. These show the broad shape but throw small clusters
on top of each other, so the points are then moved as in UMAP (McInnes et al., 2018): every text is attracted
by its nearest neighbours and repelled by a few negative samples, with a learning rate that decays to zero.
The random numbers have a fixed seed: the same list gives the same map.
"""

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.engine import Floats

Points = NDArray[np.float64]

_NEIGHBOURS = 10
_STEPS = 150
_NEGATIVES = 5  # samples that repel, for each text and step
_EPSILON = 0.1  # added to squared distances: nearer points hardly repel each other more


def project(vectors: Floats, *, seed: int = 0) -> Points:
    """Return a point [n, 2] between -1 and 1 for each unit vector [n, d].

    >>> project(np.eye(3, dtype=np.float32)).shape
    (3, 2)
    """
    if len(vectors) < 3:
        return np.array([[0.0, 0.0], [1.0, 0.0]])[: len(vectors)]
    points = _fit(_principal(vectors))
    if len(vectors) > 4:
        points = _fit(_optimised(points, *_edges(vectors), np.random.default_rng(seed)))
    return points


def principal_map(vectors: Floats) -> Points:
    """Return a point [n, 2] between -1 and 1 for each of a few vectors [n, d], by their components alone.

    >>> principal_map(np.eye(3, dtype=np.float32)).shape
    (3, 2)
    """
    if len(vectors) < 3:
        return np.array([[0.0, 0.0], [1.0, 0.0]])[: len(vectors)]
    left, sizes, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    points = np.zeros((len(vectors), 2))
    points[:, : min(2, len(sizes))] = left[:, :2] * sizes[:2]
    signs = np.sign(points[np.abs(points).argmax(axis=0), [0, 1]])
    return _fit(points * np.where(signs == 0, 1.0, signs))


def _principal(vectors: Floats) -> Points:
    """Project on the two directions of the largest variance; signs are fixed by the largest entry."""
    centred = vectors - vectors.mean(axis=0)
    if len(vectors) < vectors.shape[1]:  # the smaller of two matrices with the same eigenvalues
        sizes, rows = np.linalg.eigh((centred @ centred.T).astype(np.float64))
        products = rows[:, [-1, -2]] * np.sqrt(np.maximum(sizes[[-1, -2]], 0.0))
    else:
        _, directions = np.linalg.eigh((centred.T @ centred).astype(np.float64))
        products = centred @ directions[:, [-1, -2]]
    points = np.asarray(products, dtype=np.float64)
    signs = np.sign(points[np.abs(points).argmax(axis=0), [0, 1]])
    return points * np.where(signs == 0, 1.0, signs)


def _edges(vectors: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return each text's nearest neighbours as pairs of rows, and the weight of each pair."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    k = min(_NEIGHBOURS, len(vectors) - 1)
    near = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    scores = np.take_along_axis(cosines, near, axis=1)
    # Relative to the best one, so that a text in a sparse region has a strong neighbour, too.
    weights = np.exp((scores - scores.max(axis=1, keepdims=True)) * 8.0)
    rows = np.repeat(np.arange(len(vectors)), k)
    return rows, near.ravel(), weights.ravel().astype(np.float64)


def _optimised(
    points: Points,
    rows: NDArray[np.int64],
    near: NDArray[np.int64],
    weights: NDArray[np.float64],
    random: np.random.Generator,
) -> Points:
    points = points * 5.0
    count = len(points)
    for step in range(_STEPS):
        learning_rate = 0.5 * (1 - step / _STEPS)
        apart = points[rows] - points[near]
        squared = (apart**2).sum(axis=1, keepdims=True)
        attraction = -2.0 * apart / (1 + squared) * weights[:, None]
        negatives = random.integers(count, size=(count, _NEGATIVES))
        away = points[:, None, :] - points[negatives]
        squared = (away**2).sum(axis=2, keepdims=True)
        repulsion = (2.0 * away / ((_EPSILON + squared) * (1 + squared))).sum(axis=1)
        move = _summed(rows, attraction, count) - _summed(near, attraction, count) + repulsion
        points = points + learning_rate * np.clip(move, -4.0, 4.0) * 0.25
    return points


def _summed(rows: NDArray[np.int64], values: Points, count: int) -> Points:
    sums = [np.bincount(rows, weights=values[:, axis], minlength=count) for axis in (0, 1)]
    return np.stack(sums, axis=1)


def _fit(points: Points) -> Points:
    """Move and scale to the square from -1 to 1, the same in both directions."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max())
    fitted: Points = (points - (low + high) / 2) * (2.0 / size if size > 1e-9 else 0.0)
    return fitted
