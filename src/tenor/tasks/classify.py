"""Putting a text into a class, or into several: a head with one number per label.

Loss: cross-entropy; with several labels per text binary cross-entropy, a mean over rows and labels. Metric:
accuracy, or micro F1 with several labels.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.errors import TenorError, did_you_mean
from tenor.tasks import losses
from tenor.tasks.heads.head import TaskHead
from tenor.tasks.spec import TaskSpec, labels_of
from tenor.tasks.task import TaskBatch
from tenor.tasks.text_task import TextTask
from tenor.tasks.vectors import TextVectors
from tenor.text.examples import Pair, Sentence


class LabelTask(TextTask):
    """What tasks with labels have in common: targets, and weights that make rare labels count."""

    label_weights: Tensor | None

    def __init__(
        self,
        name: str,
        spec: TaskSpec,
        *,
        head: TaskHead,
        vectors: TextVectors,
        weight: float = 1.0,
        label_weights: NDArray[np.float32] | None = None,
    ) -> None:
        super().__init__(name, spec, head=head, vectors=vectors, weight=weight)
        weights = None if label_weights is None else torch.from_numpy(label_weights)
        self.register_buffer("label_weights", weights, persistent=False)

    def targets(self, examples: Sequence[Any]) -> NDArray[np.int64]:
        """Return the number of each example's label [n], or ones for its labels [n, labels]."""
        return label_targets(self.spec, examples, name=self.name)


class ClassifyTask(LabelTask):
    """Puts each text into one class, or says of every label whether it holds."""

    def losses(self, output: Tensor, batch: TaskBatch) -> dict[str, Tensor]:
        """Return the cross-entropy of the labels."""
        assert batch.targets is not None
        if self.spec.separator is not None:
            return {"loss": losses.binary(output, batch.targets, smoothing=self.spec.smoothing)}
        loss = losses.cross_entropy(
            output, batch.targets, weights=self.label_weights, smoothing=self.spec.smoothing
        )
        return {"loss": loss}


def label_targets(spec: TaskSpec, examples: Sequence[Sentence | Pair], *, name: str) -> NDArray[np.int64]:
    """Turn labels into numbers; a label that the task does not have is told with its place in the file."""
    numbers = {label: number for number, label in enumerate(spec.labels)}
    targets = np.zeros((len(examples), len(numbers)), dtype=np.int64)
    for row, example in enumerate(examples):
        found = labels_of(example, spec.separator)
        if not found:
            raise TenorError(f"{example.origin}: the label is empty; task {name} needs one in every row.")
        for label in found:
            if label not in numbers:
                raise TenorError(_unknown(label, example, spec, name))
            targets[row, numbers[label]] = 1
    return targets if spec.separator is not None else targets.argmax(axis=1)


def balancing(targets: NDArray[np.int64], labels: int) -> NDArray[np.float32]:
    """Return weights under which every label that occurs counts the same, with a mean of 1 over the rows.

    >>> balancing(np.array([0, 0, 0, 1]), 2).round(3).tolist()
    [0.6669999957084656, 2.0]
    """
    counts = np.bincount(targets, minlength=labels)
    occurs = counts > 0
    share = len(targets) / (occurs.sum() * np.maximum(counts, 1))
    return np.where(occurs, share, 0.0).astype(np.float32)


def _unknown(label: str, example: Sentence | Pair, spec: TaskSpec, name: str) -> str:
    shown = ", ".join(map(repr, spec.labels[:10])) + (", …" if len(spec.labels) > 10 else "")
    near = did_you_mean(label, spec.labels)
    return (
        f"{example.origin}: the label {label[:60]!r} is none of task {name}: {shown}.{near} Mend the row, or "
        "name all labels in the run file (labels = […])."
    )
