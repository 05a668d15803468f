"""The torch task of ``similarity``.

Loss: squared error on the range (``mse``) or with both scaled to 0 to 1 (``mse01``); the cross-entropy of
scores that are probabilities, such as a teacher's soft labels; or CoSENT, to which only the order counts.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.tasks import losses
from tenor.tasks.similarity.kind import SimilaritySpec
from tenor.tasks.task import TaskBatch
from tenor.tasks.texts.task import TextTask


class SimilarityTask(TextTask):
    """Scores each pair of texts."""

    spec: SimilaritySpec
    fitted_heads = ("affine",)

    @property
    def couples_rows(self) -> bool:  # type: ignore[override]
        """CoSENT compares the scores of a batch with each other."""
        return self.spec.loss == "cosent" or super().couples_rows

    def losses(self, output: Tensor, batch: TaskBatch) -> dict[str, Tensor]:
        """Return the loss of the scores."""
        assert batch.targets is not None
        low, high = self.spec.range
        unit = self._unit(output[:, 0])
        wanted = (batch.targets - low) / (high - low)
        if self.spec.loss == "cross_entropy":
            return {"loss": losses.binary(output[:, 0], wanted)}
        if self.spec.loss == "cosent":
            return {"loss": losses.cosent(unit, wanted, temperature=self.spec.temperature)}
        if self.spec.loss == "mse":
            return {"loss": losses.squared(low + (high - low) * unit, batch.targets)}
        return {"loss": losses.squared(unit, wanted)}

    def _unit(self, raw: Tensor) -> Tensor:
        """Return scores on 0 to 1, as ``SimilaritySpec.predictions`` gives them on the range."""
        low, high = self.spec.range
        if self.spec.of_cosine:
            return raw
        return raw.sigmoid() if self.spec.output == "sigmoid" else (raw - low) / (high - low)

    def fit(self, inputs: NDArray[np.float32], targets: NDArray[np.float32]) -> str:
        """Fit slope and offset of a · cosine + c by least squares."""
        low, high = self.spec.range
        wanted = (targets.astype(np.float64) - low) / (high - low)
        ones = np.column_stack([inputs[:, 0].astype(np.float64), np.ones(len(inputs))])
        slope, offset = np.linalg.lstsq(ones, wanted, rcond=None)[0]
        self.head.set_output(torch.tensor([[slope]]), torch.tensor([offset]))
        return f"least squares on {len(inputs):,} rows, {slope:.2f} · cosine {offset:+.2f}"
