"""From the outputs of a head to probabilities, in numpy and without overflow."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def softmax(values: Floats) -> Floats:
    """Return probabilities [n, k] that sum to 1 over the labels.

    >>> softmax(np.array([[1000.0, 1000.0]])).tolist()
    [[0.5, 0.5]]
    """
    lifted = np.exp(values - values.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(lifted / lifted.sum(axis=1, keepdims=True))


def yes_or_no(values: Floats) -> Floats:
    """Return the probabilities [n, 2] of no and yes from one number per row [n], the logit of yes."""
    yes = sigmoid(values)
    return np.stack([1 - yes, yes], axis=1)


def sigmoid(values: Floats) -> Floats:
    """Return 1 / (1 + e^-x) without overflow.

    >>> sigmoid(np.array([-1000.0, 0.0])).tolist()
    [0.0, 0.5]
    """
    small = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1, small) / (1 + small))
