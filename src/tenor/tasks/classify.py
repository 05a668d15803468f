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

from tenor.tasks import losses
from tenor.tasks.heads.head import TaskHead
from tenor.tasks.spec import TaskSpec
from tenor.tasks.targets import label_targets
from tenor.tasks.task import TaskBatch
from tenor.tasks.text_task import TextTask
from tenor.tasks.vectors import TextVectors


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
