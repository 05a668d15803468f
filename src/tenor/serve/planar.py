"""A map: vectors to places in two dimensions, so that texts that are near in meaning are near on the page.

The start is the two directions in which the vectors differ most (principal components). These show the broad
shape but throw small groups on top of each other, so the places are then moved as in UMAP (McInnes et al.,
2018): every text is drawn to its nearest neighbours by meaning and pushed off a few others drawn at random,
in steps that grow smaller. The random numbers have a fixed seed: the same list gives the same map.
"""

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.engine import Floats

Places = NDArray[np.float64]

_NEIGHBOURS = 10
_STEPS = 150
_OTHERS = 5  # pushed off, for each text and step
_NEAR = 0.1  # places closer than this hardly push each other


def planar(vectors: Floats, *, seed: int = 0) -> Places:
    """Return a place [n, 2] between -1 and 1 for each unit vector [n, d].

    >>> planar(np.eye(3, dtype=np.float32)).shape
    (3, 2)
    """
    if len(vectors) < 3:
        return np.array([[0.0, 0.0], [1.0, 0.0]])[: len(vectors)]
    places = _fit(_principal(vectors))
    if len(vectors) > 4:
        places = _fit(_settled(places, *_edges(vectors), np.random.default_rng(seed)))
    return places


def _principal(vectors: Floats) -> Places:
    """Project on the two directions of the largest variance; signs are fixed by the largest entry."""
    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    places = np.asarray(centred @ directions[:, [-1, -2]], dtype=np.float64)
    signs = np.sign(places[np.abs(places).argmax(axis=0), [0, 1]])
    return places * np.where(signs == 0, 1.0, signs)


def _edges(vectors: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return each text's nearest neighbours as pairs of rows, and how strongly they are drawn together."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    k = min(_NEIGHBOURS, len(vectors) - 1)
    near = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    scores = np.take_along_axis(cosines, near, axis=1)
    # Relative to the best one, so that a text in a sparse region is drawn to somebody, too.
    strength = np.exp((scores - scores.max(axis=1, keepdims=True)) * 8.0)
    rows = np.repeat(np.arange(len(vectors)), k)
    return rows, near.ravel(), strength.ravel().astype(np.float64)


def _settled(
    places: Places,
    rows: NDArray[np.int64],
    near: NDArray[np.int64],
    strength: NDArray[np.float64],
    random: np.random.Generator,
) -> Places:
    places = places * 5.0
    count = len(places)
    for step in range(_STEPS):
        rate = 0.5 * (1 - step / _STEPS)
        apart = places[rows] - places[near]
        squared = (apart**2).sum(axis=1, keepdims=True)
        pull = -2.0 * apart / (1 + squared) * strength[:, None]
        others = random.integers(count, size=(count, _OTHERS))
        away = places[:, None, :] - places[others]
        squared = (away**2).sum(axis=2, keepdims=True)
        push = (2.0 * away / ((_NEAR + squared) * (1 + squared))).sum(axis=1)
        move = _gathered(rows, pull, count) - _gathered(near, pull, count) + push
        places = places + rate * np.clip(move, -4.0, 4.0) * 0.25
    return places


def _gathered(rows: NDArray[np.int64], values: Places, count: int) -> Places:
    sums = [np.bincount(rows, weights=values[:, axis], minlength=count) for axis in (0, 1)]
    return np.stack(sums, axis=1)


def _fit(places: Places) -> Places:
    """Move and scale to the square from -1 to 1, the same in both directions."""
    low, high = places.min(axis=0), places.max(axis=0)
    size = float((high - low).max())
    fitted: Places = (places - (low + high) / 2) * (2.0 / size if size > 1e-9 else 0.0)
    return fitted
