"""What torch tasks with labels have in common: weights that make rare labels count."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.tasks.heads.head import TaskHead
from tenor.tasks.texts.labels import LabelSpec
from tenor.tasks.texts.logistic import fit_logistic
from tenor.tasks.texts.targets import balancing
from tenor.tasks.texts.task import TextTask
from tenor.tasks.texts.vectors import TextVectors


class LabelTask(TextTask):
    """A task whose targets are labels."""

    spec: LabelSpec
    fitted_heads = ("linear", "mlp")
    label_weights: Tensor | None

    def __init__(
        self,
        name: str,
        spec: LabelSpec,
        *,
        head: TaskHead,
        vectors: TextVectors,
        weight: float = 1.0,
        label_weights: NDArray[np.float32] | None = None,
    ) -> None:
        super().__init__(name, spec, head=head, vectors=vectors, weight=weight)
        weights = None if label_weights is None else torch.from_numpy(label_weights)
        self.register_buffer("label_weights", weights, persistent=False)

    def begin(self, examples: Sequence[Any]) -> None:
        """Weigh the labels by how often they occur, where that is asked for."""
        if self.spec.class_weight == "balanced" and self.spec.several is None:
            targets = self.spec.targets(examples, name=self.name)
            self.label_weights = torch.from_numpy(balancing(targets, len(self.spec.labels)))

    def fit(self, inputs: NDArray[np.float32], targets: NDArray[np.int64]) -> str:
        """Fit the output layer by logistic regression."""
        weighted = True if self.spec.class_weight == "balanced" else None
        fitted = fit_logistic(inputs, targets, outputs=self.spec.outputs, balanced=weighted)
        self.head.set_output(torch.from_numpy(fitted.weight), torch.from_numpy(fitted.bias))
        return str(fitted)
