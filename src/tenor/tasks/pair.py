"""Putting two texts together into a class: paraphrase or not, entailment, neutral or contradiction.

Two labels: one number for the second, positive label, and binary cross-entropy. More: a number for each, and
cross-entropy. Metric: accuracy.
"""

from torch import Tensor

from tenor.tasks import losses
from tenor.tasks.classify import LabelTask
from tenor.tasks.task import TaskBatch


class PairTask(LabelTask):
    """Puts each pair of texts into one class."""

    def losses(self, output: Tensor, batch: TaskBatch) -> dict[str, Tensor]:
        """Return the cross-entropy of the labels."""
        assert batch.targets is not None
        loss = losses.binary if self.spec.outputs == 1 else losses.cross_entropy
        raw = output[:, 0] if self.spec.outputs == 1 else output
        smoothing = self.spec.smoothing
        return {"loss": loss(raw, batch.targets, weights=self.label_weights, smoothing=smoothing)}
