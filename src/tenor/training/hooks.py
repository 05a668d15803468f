"""Hooks: what else happens in training, with a state of its own in checkpoints.

A mask that is put back onto the weights after every step, an average of the weights, a mega-batch, a stop for
a reason of one's own: each overrides the moments that it needs.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from tenor.training.learner import Evaluation, Learner
from tenor.training.state import State

if TYPE_CHECKING:
    from tenor.training.progress import Progress


class Hook:
    """Something to do at certain moments; ``name`` is where its state stands in a checkpoint.

    >>> class Count(Hook):
    ...     name, steps = "count", 0
    ...     def after_step(self, learner, progress):
    ...         self.steps += 1
    ...     def state(self):
    ...         return {"steps": self.steps}
    ...     def load_state(self, state):
    ...         self.steps = state["steps"]
    """

    name = "hook"

    def before_training(self, learner: Learner, progress: "Progress") -> None:
        """Run once at the start, also of a resumed run, when weights and states are there."""

    def after_backward(self, learner: Learner, progress: "Progress") -> None:
        """Run when the gradients of an update are whole, before clipping and the optimiser."""

    def after_step(self, learner: Learner, progress: "Progress") -> None:
        """Run after all updates of a step."""

    def after_epoch(self, learner: Learner, progress: "Progress") -> None:
        """Run after the last step of an epoch, before its evaluation."""

    def as_scored(self, learner: Learner) -> AbstractContextManager[None]:
        """Return a context in which dev is scored and the best weights are kept."""
        return nullcontext()

    def after_evaluation(
        self, learner: Learner, progress: "Progress", evaluations: Mapping[str, Evaluation]
    ) -> None:
        """Run after dev was scored; ``progress.stop = "reason"`` ends the run."""

    def after_training(self, learner: Learner, progress: "Progress") -> None:
        """Run after the last step, when its checkpoint is written."""

    def state(self) -> State:
        """Return what a resumed run needs."""
        return {}

    def load_state(self, state: State) -> None:
        """Take back what ``state`` returned."""


def states_of(hooks: list[Hook]) -> dict[str, Any]:
    """Return the states of all hooks by name; of two hooks of one name the later is numbered."""
    return {f"{hook.name}.{number}": hook.state() for number, hook in enumerate(hooks)}


def load_states(hooks: list[Hook], states: Mapping[str, Any]) -> None:
    """Give every hook its state back."""
    for number, hook in enumerate(hooks):
        hook.load_state(states[f"{hook.name}.{number}"])
