"""A moving average of the weights: steadier than the last step's, at the cost of one more copy of them.

Training goes on with the weights as they are; what is scored, kept as the best and saved in the end is the
average over about the last ``1 / (1 - decay)`` steps.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from tenor.training.callbacks import Callback, StepReport
from tenor.training.learner import Learner
from tenor.training.state import State

if TYPE_CHECKING:
    from tenor.training.progress import Progress


class ExponentialMovingAverage(Callback):
    """Averages what is trained; buffers, such as the statistics of a batch norm, stay those of the last step.

    In the first steps the average reaches back less far, so that it does not hold on to the beginning.
    """

    name = "ema"

    def __init__(self, decay: float) -> None:
        self.decay, self.steps = decay, 0
        self.mean: dict[str, Tensor] = {}

    def on_train_begin(self, learner: Learner, progress: "Progress") -> None:
        """Begin with the weights that are there, unless a checkpoint brought an average."""
        trained = _trained(learner)
        if not self.mean:
            self.mean = {name: weight.detach().clone() for name, weight in trained.items()}
        else:
            self.mean = {name: self.mean[name].to(weight) for name, weight in trained.items()}

    def on_step_end(self, learner: Learner, progress: "Progress", report: StepReport) -> None:
        """Move the average a little towards the weights."""
        self.steps += 1
        decay = min(self.decay, self.steps / (self.steps + 9))
        trained = _trained(learner)
        torch._foreach_lerp_(
            [self.mean[name] for name in trained],
            [weight.detach() for weight in trained.values()],
            1 - decay,
        )

    @contextmanager
    def scoring(self, learner: Learner) -> Iterator[None]:
        """Let the average stand in for the weights."""
        self._swap(learner)
        try:
            yield
        finally:
            self._swap(learner)

    def on_train_end(self, learner: Learner, progress: "Progress") -> None:
        """Leave the average behind."""
        with torch.no_grad():
            for name, weight in _trained(learner).items():
                weight.copy_(self.mean[name])

    def state(self) -> State:
        """Return the average and how many steps are in it."""
        return {"steps": self.steps, "mean": dict(self.mean)}

    def load_state(self, state: State) -> None:
        """Take them back."""
        self.steps, self.mean = state["steps"], dict(state["mean"])

    @torch.no_grad()
    def _swap(self, learner: Learner) -> None:
        for name, weight in _trained(learner).items():
            kept = weight.detach().clone()
            weight.copy_(self.mean[name])
            self.mean[name].copy_(kept)


def _trained(learner: Learner) -> dict[str, nn.Parameter]:
    return {name: weight for name, weight in learner.module.named_parameters() if weight.requires_grad}
