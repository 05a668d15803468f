"""Fuzzy sets over features: a word is a tuple of probabilities, one for each feature (Bhat et al. 2020).

A tuple a in [0, 1]^n says with which probability a word has each of n features. From word vectors W [V, n]:

    F[w, i] = exp(W[w, i]) / Σ_u exp(W[u, i])          over the vocabulary: every column sums to 1 (the paper)
    F[w, i] = exp(W[w, i]) / Σ_j exp(W[w, j])          over the features: every row sums to 1

    a ∩ b = a·b     a ∪ b = a + b − a·b     a ⊔ b = min(1, a + b)     ¬a = 1 − a     a ∖ b = a − min(a, b)
    H(a)    = Σ −a ln a − (1−a) ln(1−a)
    D(a‖b)  = Σ a ln(a/b) + (1−a) ln((1−a)/(1−b))      the complete form, never negative
    H(a, b) = H(a) + D(a‖b) = Σ −a ln b − (1−a) ln(1−b)

All functions work on the last axis and broadcast over the others. The measures are directed distances: lower
is closer, and D(a‖b) is not D(b‖a).
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.errors import TenorError

Floats = NDArray[np.float64]
Axis = Literal["column", "row"]

# Before logarithms. The lower bound is far below what an intersection of columns holds (1/V², 1e-13 for
# three million words), which 1e-12 would flatten to a constant.
LEAST, MOST = 1e-30, 1.0 - 1e-12


def feature_probabilities(vectors: ArrayLike, *, axis: Axis = "column", normalize: bool = False) -> Floats:
    """Turn vectors [V, n] into feature probabilities [V, n], each in (0, 1).

    ``normalize`` first gives every vector unit length.

    >>> feature_probabilities([[0.0, 1.0], [0.0, 1.0]]).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    values: Floats = np.array(vectors, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise TenorError(f"Expected a table of vectors [words, features]; got the shape {values.shape}.")
    if not np.isfinite(values).all():
        bad = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise TenorError(
            f"Vector {bad} holds NaN or infinity: remove it before making feature probabilities."
        )
    if normalize:
        norms = np.linalg.norm(values, axis=1, keepdims=True)
        values /= np.where(norms > 0, norms, 1.0)
    along = 0 if axis == "column" else 1
    values -= values.max(axis=along, keepdims=True)  # so that no power overflows; the quotient is the same
    values -= np.log(np.exp(values).sum(axis=along, keepdims=True))
    return np.exp(values)


def intersection(a: ArrayLike, b: ArrayLike) -> Floats:
    """Keep the features that both have: a·b."""
    return _array(a) * _array(b)


def union(a: ArrayLike, b: ArrayLike) -> Floats:
    """Take the features that either has: a + b − a·b.

    >>> union([0.5, 1.0], [0.5, 0.0]).tolist()
    [0.75, 1.0]
    """
    first, second = _array(a), _array(b)
    return first + second - first * second


def clipped_union(a: ArrayLike, b: ArrayLike) -> Floats:
    """Take the features of both, as if they were never shared: min(1, max(0, a + b))."""
    return np.clip(_array(a) + _array(b), 0.0, 1.0)


def complement(a: ArrayLike) -> Floats:
    """Take the features that it lacks: 1 − a."""
    return 1.0 - _array(a)


def difference(a: ArrayLike, b: ArrayLike) -> Floats:
    """Keep what ``a`` has beyond ``b``: a − min(a, b)."""
    first = _array(a)
    return first - np.minimum(first, _array(b))


def entropy(a: ArrayLike) -> Floats:
    """Sum the entropies of the features, each yes or no, in nats: n·ln 2 at most.

    >>> round(float(entropy([0.5, 0.5])), 4)
    1.3863
    """
    return cross_entropy(a, a)


def kl_bernoulli(a: ArrayLike, b: ArrayLike) -> Floats:
    """Measure D(a‖b) of features that are yes or no, both sides counted; 0 only where a = b.

    >>> float(kl_bernoulli([0.2, 0.7], [0.2, 0.7]))
    0.0
    """
    yes, no = _logs(a)
    yes_b, no_b = _logs(b)
    p = _clamped(a)
    return np.asarray((p * (yes - yes_b) + (1.0 - p) * (no - no_b)).sum(axis=-1))


def kl_paper(a: ArrayLike, b: ArrayLike) -> Floats:
    """Measure Σ a ln(a/b), as the paper prints it; it can be negative where the tuples do not sum alike."""
    return np.asarray((_clamped(a) * (_logs(a)[0] - _logs(b)[0])).sum(axis=-1))


def cross_entropy(a: ArrayLike, b: ArrayLike) -> Floats:
    """Measure H(a, b) = H(a) + D(a‖b), what it takes to tell ``a`` in the language of ``b``."""
    p = _clamped(a)
    yes, no = _logs(b)
    return np.asarray(-(p * yes + (1.0 - p) * no).sum(axis=-1))


def rescaled(composed: ArrayLike, size: float) -> Floats:
    """Scale a composed tuple to a cardinality and clip it at 1, so that it can be compared with words.

    An intersection of columns is about V times smaller than any word: as it is, the nearest words would be
    those of least cardinality, whatever was asked. An empty tuple stays empty.
    """
    values = _array(composed)
    total = values.sum(axis=-1, keepdims=True)
    return np.minimum(values * (size / np.where(total > 0, total, 1.0)), 1.0)


def _array(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _clamped(values: ArrayLike) -> Floats:
    return np.clip(_array(values), LEAST, MOST)


def _logs(values: ArrayLike) -> tuple[Floats, Floats]:
    """Return ln a and ln(1 − a); log1p keeps the second exact for the tiny values of columns."""
    clamped = _clamped(values)
    return np.log(clamped), np.log1p(-clamped)
