"""The torch task of ``classify``: one output per label.

Loss: cross-entropy; with several labels per text binary cross-entropy, a mean over rows and labels.
"""

from torch import Tensor

from tenor.tasks import losses
from tenor.tasks.classify.kind import ClassifySpec
from tenor.tasks.task import TaskBatch
from tenor.tasks.texts.label_task import LabelTask


class ClassifyTask(LabelTask):
    """Puts each text into one class, or says of every label whether it holds."""

    spec: ClassifySpec

    def losses(self, output: Tensor, batch: TaskBatch) -> dict[str, Tensor]:
        """Return the cross-entropy of the labels."""
        assert batch.targets is not None
        smoothing = self.spec.label_smoothing
        if self.spec.separator is not None:
            return {"loss": losses.binary(output, batch.targets, label_smoothing=smoothing)}
        loss = losses.cross_entropy(
            output, batch.targets, weights=self.label_weights, label_smoothing=smoothing
        )
        return {"loss": loss}
