"""From the raw numbers of a head to what people read: probabilities, or a score on its range.

    classify     softmax over the labels; with several labels per text a sigmoid each
    pair         two labels: sigmoid of one number, for the second label; else softmax
    similarity   low + (high - low) · x with x the cosine, a · cosine + c or sigmoid(raw); or the raw number

Where a cosine was fitted to people's scores by a line through points, that line gives the score.
"""

import numpy as np
from numpy.typing import NDArray

from tenor.tasks.spec import TaskSpec

Floats = NDArray[np.float64]


def predictions_of(spec: TaskSpec, raw: NDArray[np.floating]) -> Floats:
    """Return probabilities [n, labels], or scores [n], for raw numbers [n, outputs].

    >>> pair = TaskSpec(kind="pair", labels=("no", "yes"), features=("abs",))
    >>> predictions_of(pair, np.zeros((1, 1))).tolist()
    [[0.5, 0.5]]
    """
    values = np.asarray(raw, dtype=np.float64)
    if spec.kind == "similarity":
        return _scores(spec, values[:, 0])
    if spec.kind == "pair" and spec.outputs == 1:
        yes = sigmoid(values[:, 0])
        return np.stack([1 - yes, yes], axis=1)
    if spec.separator is not None:
        return sigmoid(values)
    lifted = np.exp(values - values.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(lifted / lifted.sum(axis=1, keepdims=True))


def chosen(spec: TaskSpec, predictions: Floats) -> NDArray[np.int64]:
    """Return the class of each row [n], or with several labels a one for each that is given [n, labels].

    Of two labels of a pair the second is given from one half on.
    """
    if spec.separator is not None:
        return (predictions >= 0.5).astype(np.int64)
    if spec.kind == "pair" and spec.outputs == 1:
        return (predictions[:, 1] >= 0.5).astype(np.int64)
    return np.asarray(predictions.argmax(axis=1), dtype=np.int64)


def sigmoid(values: Floats) -> Floats:
    """Return 1 / (1 + e^-x) without overflow.

    >>> sigmoid(np.array([-1000.0, 0.0])).tolist()
    [0.0, 0.5]
    """
    small = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1, small) / (1 + small))


def _scores(spec: TaskSpec, raw: Floats) -> Floats:
    low, high = spec.range
    if spec.points:
        cosines, scores = zip(*spec.points, strict=True)
        return np.asarray(np.interp(raw, cosines, scores))
    if spec.head in ("cosine", "affine"):
        return low + (high - low) * raw
    return low + (high - low) * sigmoid(raw) if spec.output == "sigmoid" else raw
