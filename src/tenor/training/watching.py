"""Following a run: its log, its checkpoints, its best weights, and whoever looks on."""

import time
from collections.abc import Callable, Mapping, Sequence

from tenor.training.checkpoints import weights_of, write_checkpoint
from tenor.training.config import TrainingConfig
from tenor.training.distributed import World
from tenor.training.learner import Evaluation, Learner
from tenor.training.loop import StepReport, Watcher
from tenor.training.progress import WATCHED, Progress
from tenor.training.run_folder import RunFolder
from tenor.training.state import State


class Listener:
    """Whoever looks on; this one says nothing."""

    def note(self, text: str) -> None:
        """Hear something that a person should know."""

    def step(self, report: StepReport, progress: Progress) -> None:
        """Hear of a step."""

    def scores(
        self, evaluations: Mapping[str, Evaluation], progress: Progress, better: Sequence[str]
    ) -> None:
        """Hear of new dev scores."""


class StepListener(Listener):
    """Passes on how many steps are done, and of how many."""

    def __init__(self, progress: Callable[[int, int], None]) -> None:
        self._progress = progress

    def step(self, report: StepReport, progress: Progress) -> None:
        """Hear of a step."""
        self._progress(report.step, progress.steps)


class RunWatcher(Watcher):
    """Writes the run folder; only the first process does."""

    def __init__(
        self,
        folder: RunFolder,
        learner: Learner,
        *,
        settings: TrainingConfig,
        listener: Listener,
        world: World,
    ) -> None:
        self.folder, self.learner, self.settings = folder, learner, settings
        self.listener, self.world = listener, world
        self._saved = time.monotonic()

    def step_done(self, report: StepReport, progress: Progress) -> None:
        """Write a line of the log."""
        if not self.world.first:
            return
        self.folder.log(
            {
                "step": report.step,
                "epoch": report.epoch,
                "losses": dict(report.losses),
                "lr": report.rate,
                "tokens": report.tokens,
                "seconds": round(report.seconds, 3),
            }
        )
        self.listener.step(report, progress)

    def evaluated(
        self, evaluations: Mapping[str, Evaluation], progress: Progress, better: Sequence[str]
    ) -> None:
        """Write the scores into the log, and the weights of what reached a new best."""
        if not self.world.first:
            return
        told = {
            name: {
                "scores": dict(each.scores),
                "metric": each.metric.name,
                "loss": each.loss,
                "rows": each.rows,
            }
            for name, each in evaluations.items()
        }
        line = {"step": progress.step, "epoch": progress.epoch, "evaluation": told, "better": list(better)}
        self.folder.log(line)
        weights = weights_of(self.learner.module) if better else {}
        for name in better:
            path = self.folder.best(None if name == WATCHED else name)
            write_checkpoint(path, {"weights": weights, "step": progress.step})
        self.listener.scores(evaluations, progress, better)

    def checkpoint_due(self, progress: Progress) -> bool:
        """Whether enough steps or minutes have gone by since the last one."""
        steps, minutes = self.settings.checkpoint_steps, self.settings.checkpoint_minutes
        if steps and progress.step % steps == 0:
            return True
        return bool(minutes) and time.monotonic() - self._saved >= 60 * minutes

    def checkpoint(self, make: Callable[[], State]) -> None:
        """Write where the run stands."""
        state = make()  # on every process: their generators are collected
        if self.world.first:
            write_checkpoint(self.folder.last, state)
        self._saved = time.monotonic()
