"""The torch task of ``pair``.

Two labels: one output for the second, positive label, and binary cross-entropy. More: an output for each, and
cross-entropy.
"""

from torch import Tensor

from tenor.tasks import losses
from tenor.tasks.pair.kind import PairSpec
from tenor.tasks.task import TaskBatch
from tenor.tasks.texts.label_task import LabelTask


class PairTask(LabelTask):
    """Puts each pair of texts into one class."""

    spec: PairSpec

    def losses(self, output: Tensor, batch: TaskBatch) -> dict[str, Tensor]:
        """Return the cross-entropy of the labels."""
        assert batch.targets is not None
        loss = losses.binary if self.spec.outputs == 1 else losses.cross_entropy
        raw = output[:, 0] if self.spec.outputs == 1 else output
        smoothing = self.spec.label_smoothing
        return {"loss": loss(raw, batch.targets, weights=self.label_weights, label_smoothing=smoothing)}
