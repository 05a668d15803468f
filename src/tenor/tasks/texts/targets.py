"""What labelled examples say is right, as numbers; what cannot be right is told with file and line."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError, did_you_mean
from tenor.text.examples import Pair, Sentence


def label_targets(
    labels: Sequence[str], separator: str | None, examples: Sequence[Sentence | Pair], *, name: str
) -> NDArray[np.int64]:
    """Turn labels into numbers [n], or where a separator parts them into ones [n, labels].

    A label that the task does not have is an error with its file and line.
    """
    from tenor.tasks.texts.labels import labels_of

    numbers = {label: number for number, label in enumerate(labels)}
    targets = np.zeros((len(examples), len(numbers)), dtype=np.int64)
    for row, example in enumerate(examples):
        found = labels_of(example, separator)
        if not found and separator is None:
            raise TenorError(f"{example.origin}: the label is empty; task {name} needs one in every row.")
        for label in found:
            if label not in numbers:
                raise TenorError(_unknown(label, example, labels, name))
            targets[row, numbers[label]] = 1
    return targets if separator is not None else targets.argmax(axis=1)


def balancing(targets: NDArray[np.int64], labels: int) -> NDArray[np.float32]:
    """Return weights under which every label that occurs counts the same, with a mean of 1 over the rows.

    >>> balancing(np.array([0, 0, 0, 1]), 2).round(3).tolist()
    [0.6669999957084656, 2.0]
    """
    counts = np.bincount(targets, minlength=labels)
    occurs = counts > 0
    share = len(targets) / (occurs.sum() * np.maximum(counts, 1))
    return np.where(occurs, share, 0.0).astype(np.float32)


def _unknown(label: str, example: Sentence | Pair, labels: Sequence[str], name: str) -> str:
    shown = ", ".join(map(repr, labels[:10])) + (", …" if len(labels) > 10 else "")
    near = did_you_mean(label, labels)
    return (
        f"{example.origin}: the label {label[:60]!r} is none of task {name}: {shown}.{near} Correct the row, "
        "or name all labels in the run file (labels = […])."
    )


def score_targets(range_: tuple[float, float], examples: Sequence[Any], *, name: str) -> NDArray[np.float32]:
    """Return the scores, or say which is missing, not a number or out of the range."""
    low, high = range_
    for example in examples:
        score = example.score
        if score is None or not math.isfinite(score):
            raise TenorError(
                f"{example.origin}: the score is {score}; task {name} needs a number in every row."
            )
        if not low <= score <= high:
            raise TenorError(
                f"{example.origin}: the score {score:g} is outside of the range {low:g} to {high:g} of task "
                f"{name}. Correct the row, or give the range in the run file (range = [lowest, highest])."
            )
    return np.array([example.score for example in examples], dtype=np.float32)
