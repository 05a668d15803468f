"""Early stopping at the k-th evaluation that is worse than the one before it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tenor.training.callbacks import Callback
from tenor.training.evaluation import monitored
from tenor.training.learner import Evaluation, Learner
from tenor.training.state import State

if TYPE_CHECKING:
    from tenor.training.progress import Progress


class StopAtDecrease(Callback):
    """Ends a run at the ``count``-th decrease of the watched score; they need not follow each other.

    An evaluation counts when it is worse than the one just before, whatever the best so far. The best
    checkpoint is kept by the run as always.

    >>> StopAtDecrease("stage.phrasal_accuracy").count
    2
    """

    name = "decreases"

    def __init__(self, monitor: str, *, count: int = 2) -> None:
        self.monitor, self.count = monitor, count
        self.decreases = 0
        self.before: float | None = None

    def on_evaluate(
        self,
        learner: Learner,
        progress: "Progress",
        evaluations: Mapping[str, Evaluation],
        better: Sequence[str],
    ) -> None:
        """Compare with the evaluation before."""
        if not evaluations:  # on processes that do not score
            return
        score = monitored(evaluations, self.monitor)
        if self.before is not None and score < self.before:
            self.decreases += 1
        self.before = score
        if self.decreases >= self.count:
            progress.stop = f"{self.monitor} has fallen {self.count} times"

    def state(self) -> State:
        """Return what was seen so far."""
        return {"decreases": self.decreases, "before": self.before}

    def load_state(self, state: State) -> None:
        """Go on counting."""
        self.decreases, self.before = state["decreases"], state["before"]
