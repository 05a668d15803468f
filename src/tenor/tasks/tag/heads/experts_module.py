"""The mixture of experts in torch. Shapes: W words, d hidden size, E experts, k labels."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tenor.layers.experts import Experts
from tenor.tasks.tag.heads.experts import expert_names, expert_of
from tenor.tasks.tag.heads.head import UNKNOWN
from tenor.tasks.tag.heads.module import EmissionHead, Floats, TagHead, split_rows
from tenor.tasks.tag.kind import TagSpec
from tenor.text.ragged import Ragged


class ExpertsHead(TagHead):
    """Experts, gate, and the labels from their mixture."""

    def __init__(self, spec: TagSpec, hidden_size: int) -> None:
        super().__init__(spec)
        count = len(expert_names(spec))
        self.mixture = Experts(hidden_size, experts=count, expert_size=spec.expert_size)
        self.labels = EmissionHead(spec, spec.expert_size, crf=spec.spans)
        self._expert_of = expert_of(spec)

    def forward(self, words: Tensor, shapes: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the scores of all labels [W, k] and the logits of the gate [W, E]."""
        mixed, gate = self.mixture(words)
        return self.labels(mixed, shapes), gate.float()

    def losses(self, output: Any, numbers: Ragged) -> dict[str, Tensor]:
        """Return the loss of the labels and, times its weight, that of the gate; both means over words."""
        emissions, gate = output
        wanted = np.where(numbers.values < 0, UNKNOWN, self._expert_of[numbers.values])
        types = torch.from_numpy(wanted).to(gate.device)
        total = functional.cross_entropy(gate, types, ignore_index=UNKNOWN, reduction="sum")
        supervised = self.spec.gate_weight * total / max(1, len(types))
        return self.labels.losses(emissions, numbers) | {"gate": supervised}

    def predict(self, output: Any, starts: NDArray[np.int64]) -> list[Floats]:
        """Return labels, probabilities and the weights of the experts [words, 1 + k + E]."""
        emissions, gate = (each.detach() for each in output)
        weights = gate.softmax(dim=1).cpu().numpy()
        table = np.concatenate([self.labels.decoded(emissions, starts), weights], axis=1)
        return split_rows(table.astype(np.float32), starts)
