"""What the loop trains: a Learner gives batches, losses by name, parameter groups and a state.

Model + tasks + objectives is the usual learner (``task_learner``); a translation model, a speaker and a
listener or a tree composer are others, with no Model in them. The loop asks, in this order:

    begin_epoch(epoch, generator)   draw, perhaps mine with the model as it stands; how many batches there are
    batch(position)                 one step's batch, by its place in the epoch, so that a run can go on there
    micro_batches(batch, cut)       what this process computes of it, in passes that fit into memory
    losses(micro_batch, context)    named losses, whose sums over all micro-batches are those of the batch
    weigh(losses)                   the one number that is differentiated
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch import Tensor, nn

from tenor.errors import TenorError
from tenor.tasks.task import Metric
from tenor.training.plan import Update
from tenor.training.state import State

Named = tuple[str, nn.Parameter]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """How a batch is cut: by the tokens of a pass, and over processes."""

    tokens: int = 4096
    rank: int = 0
    world: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StepContext:
    """Where the loop stands when it asks for losses.

    ``generator`` is drawn anew for every step from the run's seed, so that what an objective draws is the
    same whatever the number of processes, and after a resume.
    """

    step: int
    epoch: int
    steps: int
    """Of the whole run, as far as is known."""
    generator: np.random.Generator
    update: Update = field(default_factory=Update)
    rank: int = 0
    world: int = 1

    def wants(self, name: str) -> bool:
        """Whether the update that is being computed takes a loss of this name."""
        return self.update.wants(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The scores of one task on its dev rows."""

    scores: Mapping[str, float]
    metric: Metric
    rows: int
    loss: float | None = None

    @property
    def main(self) -> float:
        """The score that the task is judged by."""
        return self.scores[self.metric.name]


class Learner(ABC):
    """Something that learns from batches; subclasses override what they need beyond the first four."""

    @property
    @abstractmethod
    def module(self) -> nn.Module:
        """All weights, those of objectives and loss weights included."""

    @abstractmethod
    def begin_epoch(self, epoch: int, generator: np.random.Generator) -> int:
        """Draw what the epoch goes through and return the number of its batches."""

    @abstractmethod
    def batch(self, position: int, generator: np.random.Generator) -> Any:
        """Return a batch of the current epoch by its place, counted from 0."""

    @abstractmethod
    def losses(self, piece: Any, context: StepContext) -> dict[str, Tensor]:
        """Return the losses of a piece by name, such that those of all pieces sum to those of the batch."""

    def micro_batches(self, batch: Any, cut: Cut, update: Update) -> Sequence[Any]:
        """Return the parts of a batch that this process computes, one pass each."""
        if cut.world > 1:
            raise TenorError(
                f"{type(self).__name__} does not say how a batch is spread over {cut.world} processes; "
                "run it in one process."
            )
        return [batch]

    def tasks(self, batch: Any) -> Sequence[str]:
        """Return the names of the tasks in a batch, whose gradients may get in one another's way."""
        return []

    @property
    def has_objectives(self) -> bool:
        """Whether there are losses that need not belong to a task of a batch."""
        return False

    def weigh(self, losses: Mapping[str, Tensor]) -> Tensor:
        """Put the losses of a piece together."""
        return sum(losses.values(), start=next(iter(losses.values())).new_zeros(()))

    def settle(self, names: Sequence[str]) -> Tensor | None:
        """Return what is added once per update, whatever the number of pieces, or None."""
        return None

    def groups(self) -> dict[str, list[Named]]:
        """Return the parameters by the name of their group; rates, decay and plans refer to groups."""
        return {
            "model": [(name, each) for name, each in self.module.named_parameters() if each.requires_grad]
        }

    def evaluate(self) -> dict[str, Evaluation]:
        """Return the scores of each task on dev; none where there is nothing to measure by."""
        return {}

    def tokens(self, batch: Any) -> int:
        """Return the number of tokens of a batch, for rates."""
        return 0

    def where(self, batch: Any, names: Sequence[str]) -> str:
        """Say from which rows (file and line) a batch came, for losses of these names."""
        return "rows that the learner does not name"

    def state(self) -> State:
        """Return what a resumed run needs beside the weights."""
        return {}

    def load_state(self, state: State) -> None:
        """Take back what ``state`` returned; ``begin_epoch`` of the current epoch has run before."""
        return
