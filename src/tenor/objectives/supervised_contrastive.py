"""Supervised contrastive learning (Khosla et al., 2020): texts of a class near one another, others apart.

For vectors z of the rows of a batch, of length 1, P(i) the other rows of i's class and τ the temperature:

    L = - mean_i  mean_{p ∈ P(i)}  log ( e^{z_i · z_p / τ} / Σ_{j ≠ i} e^{z_i · z_j / τ} )

Every pair of the batch counts, and each text is encoded once however many pairs it stands in: with few
labelled rows it teaches an encoder what pairs drawn one by one do (Tunstall et al., 2022), in a fraction of
the passes. A row without a partner in the batch only pushes. Shapes: r rows, d width.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

from tenor.errors import TenorError
from tenor.objectives.objective import ForwardPass, Objective, Step
from tenor.objectives.supervised_contrastive_config import SupervisedContrastiveConfig
from tenor.tasks.texts.label_task import LabelTask

if TYPE_CHECKING:
    from tenor.model.network import Network
    from tenor.text.tokenizer import Tokenizer


class SupervisedContrastive(Objective):
    """Presses on the vectors that the heads of some tasks read."""

    def __init__(self, name: str, config: SupervisedContrastiveConfig) -> None:
        self.name, self.config = name, config
        self.tasks: frozenset[str] = frozenset(config.tasks or ())

    def prepare(self, network: "Network", tokenizer: "Tokenizer | None", *, seed: int) -> None:
        """Find the tasks that it can press on."""
        fit = [each.name for each in network.all_tasks() if _fits(each)]
        for name in self.config.tasks or ():
            if name not in fit:
                raise TenorError(
                    f"The objective {self.name!r} needs tasks with one text and one class a row; {name!r} is "
                    "none."
                )
        self.tasks = frozenset(self.config.tasks or fit)
        if not self.tasks:
            raise TenorError(f"The objective {self.name!r} finds no task with one text and one class a row.")

    def couples_rows(self, task: str) -> bool:
        """All pairs of a batch count."""
        return task in self.tasks

    def losses(self, forward: ForwardPass, step: Step) -> Mapping[str, Tensor]:
        """Return the loss of each task of the pass."""
        found = {}
        for name in self.tasks & set(forward.outputs):
            task, batch = forward.network.task(name), forward.batches[name]
            assert isinstance(task, LabelTask)
            assert batch.targets is not None
            vectors = task.vectors(forward.seen[name])
            loss = supervised_contrastive(vectors, batch.targets, temperature=self.config.temperature)
            found[name] = self.config.weight * loss
        return found


def _fits(task: object) -> bool:
    return isinstance(task, LabelTask) and task.spec.several is None and task.spec.texts == 1


def supervised_contrastive(vectors: Tensor, classes: Tensor, *, temperature: float) -> Tensor:
    """Return the mean over the rows that have a partner; 0 where none has.

    >>> apart = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> near = supervised_contrastive(apart, torch.tensor([0, 0, 1, 1]), temperature=0.1)
    >>> far = supervised_contrastive(apart, torch.tensor([0, 1, 0, 1]), temperature=0.1)
    >>> bool(near < 0.001 < far)
    True
    """
    z = functional.normalize(vectors.float(), dim=-1)  # [r, d]
    itself = torch.eye(len(z), dtype=torch.bool, device=z.device)
    logits = (z @ z.T / temperature).masked_fill(itself, float("-inf"))
    logs = (logits - logits.logsumexp(dim=1, keepdim=True)).masked_fill(itself, 0.0)
    partners = (classes[:, None] == classes[None]) & ~itself  # [r, r]
    counts = partners.sum(dim=1)
    paired = counts > 0
    if not bool(paired.any()):
        return z.sum() * 0.0
    return -((logs * partners).sum(dim=1)[paired] / counts[paired]).mean()
