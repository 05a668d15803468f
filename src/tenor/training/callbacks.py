"""Callbacks: what else happens in training, and who is told of it.

A mask that is put back onto the weights after every step, a moving average of the weights, a stop for a
reason of one's own, a progress bar, the run folder's log and checkpoints: each overrides the moments that it
needs.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tenor.training.checkpoints import weights_of, write_checkpoint
from tenor.training.config import TrainingConfig
from tenor.training.distributed import DistributedContext
from tenor.training.learner import Evaluation, Learner
from tenor.training.run_folder import RunFolder
from tenor.training.state import State

if TYPE_CHECKING:
    from tenor.training.progress import Progress


@dataclass(frozen=True, slots=True)
class StepReport:
    """What happened in a step."""

    step: int
    epoch: int
    losses: Mapping[str, float]
    lr: float
    """The highest learning rate of the step."""
    tokens: int
    seconds: float
    """Since the run began, evaluations left out."""


class Callback:
    """Something to do at certain moments; ``name`` is where its state stands in a checkpoint.

    >>> class Count(Callback):
    ...     name, steps = "count", 0
    ...     def on_step_end(self, learner, progress, report):
    ...         self.steps += 1
    ...     def state(self):
    ...         return {"steps": self.steps}
    ...     def load_state(self, state):
    ...         self.steps = state["steps"]
    """

    name = "callback"

    def note(self, text: str) -> None:
        """Called with a sentence that a person should know."""

    def bad_rows(self, text: str) -> None:
        """Called with a line about rows that were left out or guessed at; a note has said so already."""

    def on_train_begin(self, learner: Learner, progress: "Progress") -> None:
        """Called once at the start, also of a resumed run, when weights and states are there."""

    def on_backward_end(self, learner: Learner, progress: "Progress") -> None:
        """Called when the gradients of an update are whole, before clipping and the optimizer."""

    def on_step_end(self, learner: Learner, progress: "Progress", report: StepReport) -> None:
        """Called after all updates of a step."""

    def on_epoch_end(self, learner: Learner, progress: "Progress") -> None:
        """Called after the last step of an epoch, before its evaluation."""

    def scoring(self, learner: Learner) -> AbstractContextManager[None]:
        """Return a context in which dev is scored and the best weights are kept."""
        return nullcontext()

    def on_best(self, learner: Learner, progress: "Progress", better: Sequence[str]) -> None:
        """Called within ``scoring`` at a new best score: of the tasks named, or ``*`` for the monitor."""

    def on_evaluate(
        self,
        learner: Learner,
        progress: "Progress",
        evaluations: Mapping[str, Evaluation],
        better: Sequence[str],
    ) -> None:
        """Called after dev was scored; ``progress.stop = "reason"`` ends the run.

        ``evaluations`` are empty on all processes but the first, which alone scores.
        """

    def checkpoint_due(self, progress: "Progress") -> bool:
        """Return whether a checkpoint is wanted now; after evaluations there is one anyway."""
        return False

    def on_checkpoint(self, make: Callable[[], State]) -> None:
        """Called to write a checkpoint, which ``make`` makes on every process."""

    def on_train_end(self, learner: Learner, progress: "Progress") -> None:
        """Called after the last step, when its checkpoint is written."""

    def state(self) -> State:
        """Return what a resumed run needs."""
        return {}

    def load_state(self, state: State) -> None:
        """Take back what ``state`` returned."""


def states_of(callbacks: Sequence[Callback]) -> dict[str, Any]:
    """Return the states of all callbacks that have one, by name and number."""
    states = {key: each.state() for key, each in _by_name(callbacks).items()}
    return {name: state for name, state in states.items() if state}


def load_states(callbacks: Sequence[Callback], states: Mapping[str, Any]) -> None:
    """Give every callback its state back."""
    for key, each in _by_name(callbacks).items():
        if (state := states.get(key)) is not None:
            each.load_state(state)


def _by_name(callbacks: Sequence[Callback]) -> dict[str, Callback]:
    """Number those of one name: a run may be resumed with others beside them, such as a progress bar."""
    named: dict[str, Callback] = {}
    counts = Counter[str]()
    for callback in callbacks:
        named[f"{callback.name}.{counts[callback.name]}"] = callback
        counts[callback.name] += 1
    return named


class StepProgress(Callback):
    """Passes on how many steps are done, and of how many."""

    def __init__(self, progress: Callable[[int, int], None]) -> None:
        self._progress = progress

    def on_step_end(self, learner: Learner, progress: "Progress", report: StepReport) -> None:
        """Tell the step and the number of steps."""
        self._progress(report.step, progress.steps)


class RunFolderCallback(Callback):
    """Writes log, checkpoints and best weights into the run folder; only the first process does."""

    name = "run folder"

    def __init__(self, folder: RunFolder, *, settings: TrainingConfig, world: DistributedContext) -> None:
        self.folder, self.settings, self.world = folder, settings, world
        self._saved = time.monotonic()

    def on_step_end(self, learner: Learner, progress: "Progress", report: StepReport) -> None:
        """Write a line of the log."""
        if not self.world.first:
            return
        self.folder.log(
            {
                "step": report.step,
                "epoch": report.epoch,
                "losses": dict(report.losses),
                "lr": report.lr,
                "tokens": report.tokens,
                "seconds": round(report.seconds, 3),
            }
        )

    def on_best(self, learner: Learner, progress: "Progress", better: Sequence[str]) -> None:
        """Write the weights of what reached a new best."""
        from tenor.training.progress import MONITOR

        if not self.world.first:
            return
        weights = weights_of(learner.module) if better else {}
        for name in better:
            path = self.folder.best(None if name == MONITOR else name)
            write_checkpoint(path, {"weights": weights, "step": progress.step})

    def on_evaluate(
        self,
        learner: Learner,
        progress: "Progress",
        evaluations: Mapping[str, Evaluation],
        better: Sequence[str],
    ) -> None:
        """Write the scores into the log."""
        if not self.world.first:
            return
        scores = {
            name: {
                "scores": dict(each.scores),
                "metric": each.metric.name,
                "loss": each.loss,
                "rows": each.rows,
            }
            for name, each in evaluations.items()
        }
        line = {"step": progress.step, "epoch": progress.epoch, "evaluation": scores, "better": list(better)}
        self.folder.log(line)

    def checkpoint_due(self, progress: "Progress") -> bool:
        """Return whether enough steps or minutes have gone by since the last one."""
        steps, minutes = self.settings.checkpoint_steps, self.settings.checkpoint_minutes
        if steps and progress.step % steps == 0:
            return True
        return bool(minutes) and time.monotonic() - self._saved >= 60 * minutes

    def on_checkpoint(self, make: Callable[[], State]) -> None:
        """Write where the run stands."""
        state = make()  # on every process: their generators are collected
        if self.world.first:
            write_checkpoint(self.folder.last, state)
        self._saved = time.monotonic()
