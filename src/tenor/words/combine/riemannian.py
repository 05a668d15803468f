"""The iterative solver of geometric meta-embeddings: conjugate gradients on rotations × metrics.

The paper descends on the product of one orthogonal group for each source and the positive-definite matrices.
Here steps are taken in the Lie algebra: a rotation moves by the Cayley transform of a skew matrix Ω and stays
exactly orthogonal, a metric moves along its geodesic, B ← B^½ exp(S) B^½. Directions in (Ω, S) are carried to
the next point as they are, so that conjugate gradients (Polak–Ribière, restarted when negative) need no other
transport. With W = U_aᵀ B U_b of a pair and R = 2 (G_a W G_b − K + C W), the slopes are

    ∂U_a = B U_b Rᵀ      ∂U_b = B U_a R      ∂B = sym(U_a R U_bᵀ),      summed over all pairs.

For two sources the exact solver is faster and at least as good; this one is the check of it, and the solver
of more than two sources, where it starts from the exact solutions of the pairs.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.words.combine.geometric import (
    Alignment,
    Grams,
    check_c,
    objective,
    polar,
    procrustes,
    ridge,
    square_root,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    rotations: list[Floats]
    metric: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Direction:
    turns: list[Floats]  # Ω_a, skew
    stretch: Floats  # S, symmetric

    def dot(self, other: "_Direction") -> float:
        turns = sum(float((one * two).sum()) for one, two in zip(self.turns, other.turns, strict=True))
        return turns + float((self.stretch * other.stretch).sum())

    def plus(self, other: "_Direction", scale: float) -> "_Direction":
        turns = [one + scale * two for one, two in zip(self.turns, other.turns, strict=True)]
        return _Direction(turns, self.stretch + scale * other.stretch)

    def times(self, scale: float) -> "_Direction":
        return _Direction([scale * turn for turn in self.turns], scale * self.stretch)


def descend(
    grams: Grams,
    *,
    c: float = 50.0,
    steps: int = 300,
    tolerance: float = 1e-7,
    warm: bool | None = None,
    progress: Callable[[int], None] | None = None,
) -> Alignment:
    """Find rotations and metric by conjugate gradients.

    It ends after ``steps``, or when ten of them lowered the objective by less than ``tolerance`` of it.
    ``warm`` starts at the exact solutions of the pairs with the first source (by itself for more than two
    sources), otherwise at the best rotations without a metric.
    """
    check_c(c)
    if warm is None:
        warm = len(grams.own) > 2
    point = _warm_start(grams, c) if warm else _plain_start(grams, c)
    value = objective(grams, point.rotations, point.metric, c)
    root = square_root(point.metric)
    values, slope = [value], _slope(grams, point, root, c)
    direction, length = slope.times(-1.0), 1.0 / max(np.sqrt(slope.dot(slope)), 1e-300)
    for _ in range(steps):
        downhill = direction.dot(slope)
        if downhill >= 0:
            direction = slope.times(-1.0)
            downhill = -slope.dot(slope)
        moved, new, length = _line_search(grams, point, root, direction, value, downhill, length, c)
        if moved is None:
            break
        root = square_root(moved.metric)
        fresh = _slope(grams, moved, root, c)
        change = fresh.plus(slope, -1.0)
        beta = max(0.0, fresh.dot(change) / max(slope.dot(slope), 1e-300))
        direction = fresh.times(-1.0).plus(direction, beta)
        point, value, slope = moved, new, fresh
        values.append(value)
        if progress is not None:
            progress(1)
        if len(values) > 10 and values[-11] - value < tolerance * abs(value):
            break
    return Alignment(tuple(point.rotations), point.metric, value, c, len(values) - 1)


def _slope(grams: Grams, point: _Point, root: Floats, c: float) -> _Direction:
    metric = point.metric
    flat = [np.zeros_like(metric) for _ in point.rotations]
    by_metric = np.zeros_like(metric)
    for (a, b), cross in grams.cross.items():
        first, second = point.rotations[a], point.rotations[b]
        w = first.T @ metric @ second
        residue = 2.0 * (grams.own[a] @ w @ grams.own[b] - cross + c * w)
        flat[a] += metric @ second @ residue.T
        flat[b] += metric @ first @ residue
        by_metric += first @ residue @ second.T
    turns = []
    for rotation, slope in zip(point.rotations, flat, strict=True):
        inner = rotation.T @ slope
        turns.append((inner - inner.T) / 2.0)
    stretch = root @ (by_metric + by_metric.T) @ root / 2.0
    return _Direction(turns, stretch)


def _line_search(
    grams: Grams,
    point: _Point,
    root: Floats,
    direction: _Direction,
    value: float,
    downhill: float,
    length: float,
    c: float,
) -> tuple[_Point | None, float, float]:
    """Halve the step until it lowers the objective enough; begin with twice the last one that did."""
    length *= 2.0
    for _ in range(40):
        moved = _moved(point, root, direction, length)
        new = objective(grams, moved.rotations, moved.metric, c)
        if np.isfinite(new) and new <= value + 1e-4 * length * downhill:
            return moved, new, length
        length /= 2.0
    return None, value, length


def _moved(point: _Point, root: Floats, direction: _Direction, length: float) -> _Point:
    identity = np.eye(len(root))
    rotations = []
    for rotation, turn in zip(point.rotations, direction.turns, strict=True):
        half = (length / 2.0) * turn
        rotations.append(rotation @ np.linalg.solve(identity - half, identity + half))
    values, vectors = np.linalg.eigh(length * direction.stretch)
    # A step may be tried that is far too long; its power must not overflow before it is refused.
    grown = (vectors * np.exp(np.clip(values, -60.0, 60.0))) @ vectors.T
    metric = root @ grown @ root
    return _Point(rotations, (metric + metric.T) / 2.0)


def _plain_start(grams: Grams, c: float) -> _Point:
    """Begin at the best rotations alone and B = t·I, with the t that lowers the objective most.

    Not at the identity: steps cannot leave the half of the orthogonal group that they begin in (its
    determinant is 1 or −1), and B = I may be far too long.
    """
    rotations = list(procrustes(grams).rotations)
    identity = np.eye(grams.dimension)
    squares = products = 0.0
    for (a, b), cross in grams.cross.items():
        w = rotations[a].T @ rotations[b]
        squares += float(((grams.own[a] @ w @ grams.own[b]) * w).sum()) + c * len(identity)
        products += float((w * cross).sum())
    # Three sources may disagree so much that no scale helps (products <= 0): then any small one does.
    return _Point(rotations, max(products, 1e-3 * np.sqrt(squares)) / squares * identity)


def _warm_start(grams: Grams, c: float) -> _Point:
    """Begin at the exact solutions W = B' O of the pairs with the first source: U = O, B the mean of B'."""
    rotations, metrics = [np.eye(grams.dimension)], []
    for source in range(1, len(grams.own)):
        w = ridge(grams.own[0], grams.own[source], grams.cross[0, source], c)
        turned = polar(w)
        rotations.append(turned)
        metrics.append(w @ turned.T)
    metric = np.mean(metrics, axis=0)
    metric = (metric + metric.T) / 2.0
    values, vectors = np.linalg.eigh(metric)
    floor = 1e-8 * max(float(values[-1]), 1e-8)
    return _Point(rotations, (vectors * np.maximum(values, floor)) @ vectors.T)
