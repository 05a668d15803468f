"""What an objective is: extra pressure on training beside the losses of the tasks.

An adversary, a distillation, a penalty on what heads say of changed inputs: each returns named losses for a
forward pass. It may have weights (an ``nn.Module``: trained as a parameter group of its name), texts of its
own that go through the same pass, layers that it reads, and a state that a resumed run takes up.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from torch import Tensor

from tenor.model.network import Network
from tenor.tasks.task import EncoderOutput, Reads, TaskBatch
from tenor.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from torch import nn


class Step(Protocol):
    """Where training stands when losses are asked for."""

    @property
    def step(self) -> int:
        """The step, counted from 1."""

    @property
    def steps(self) -> int:
        """All steps of the run, as far as is known."""

    @property
    def epoch(self) -> int:
        """The epoch, counted from 0."""

    @property
    def generator(self) -> np.random.Generator:
        """A random generator of the step, the same on every process and after a resume."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ForwardPass:
    """What an objective sees: the batches, the encoder's states and the heads' outputs, by task.

    An objective's own texts stand under its name, without an output.
    """

    network: Network
    batches: Mapping[str, TaskBatch]
    seen: Mapping[str, EncoderOutput]
    outputs: Mapping[str, Any]

    def input_embeddings(self) -> Tensor:
        """Return the token embeddings [T, d] of all texts of the pass."""
        return self.network.input_embeddings(self.batches)

    def again(self, embeddings: Tensor | None = None) -> dict[str, Any]:
        """Run encoder and heads again, for instance with other embeddings, and return the tasks' outputs."""
        seen = self.network.see(self.batches, embeddings=embeddings)
        return {name: self.network.task(name)(seen[name], self.batches[name]) for name in self.outputs}


class Objective(ABC):
    """Extra pressure on training."""

    name: str
    """By which its losses, its parameter group and its state are called."""
    reads: Reads = Reads()
    """What it reads of the encoder beyond what the tasks do."""

    reads_states: bool = True
    """Whether it reads states of the pass that no task reads; else an encoder may save itself those."""

    def prepare(self, network: Network, tokenizer: Tokenizer | None, *, seed: int) -> None:
        """Called once, before training: tokenise texts of its own, open a teacher, build layers."""
        return

    def begin_epoch(self, epoch: int, generator: np.random.Generator) -> None:
        """Called before every epoch."""
        return

    def batch(self, generator: np.random.Generator) -> TaskBatch | None:
        """Return texts of its own for a step, which go through the same pass; None where it has none."""
        return None

    def couples_rows(self, task: str) -> bool:
        """Return whether its loss of a task depends on which rows are in a batch together.

        Such a batch is not cut into passes.
        """
        return False

    @abstractmethod
    def losses(self, forward: ForwardPass, step: Step) -> Mapping[str, Tensor]:
        """Return losses by the task that they belong to, or under the objective's own name.

        A loss of a task is a mean over the same as the task's own losses; one under the objective's name is a
        mean over the rows of its own batch, or over the whole batch where it has none.
        """

    def state(self) -> dict[str, Any]:
        """Return what a resumed run needs beside the weights."""
        return {}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Take back what ``state`` returned."""
        return

    @property
    def module(self) -> "nn.Module | None":
        """The weights that are trained with it: its own, where it is a module."""
        from torch import nn

        return self if isinstance(self, nn.Module) else None
