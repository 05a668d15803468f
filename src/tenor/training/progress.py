"""Where a run stands: its counters, its best scores, whether it should stop."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenor.training.evaluation import monitored, oriented
from tenor.training.learner import Evaluation

MONITOR = "*"
_LEAST_GAIN = 1e-9


@dataclass(slots=True)
class Progress:
    """The counters of a run; all of them go into checkpoints."""

    step: int = 0
    epoch: int = 0
    position: int = 0
    """Batches of the epoch that are done."""
    steps: int = 0
    """Of the whole run, as the first epoch promises."""
    tokens: int = 0
    seconds: float = 0.0
    best: dict[str, float] = field(default_factory=dict)
    """The best score of each task, and of the monitor under ``*``; negated where lower is better."""
    best_steps: dict[str, int] = field(default_factory=dict)
    without_gain: int = 0
    """Evaluations since the monitored score was last beaten."""
    factor: float = 1.0
    """The factor that plateaus have put onto the learning rates."""
    plateau: int = 0
    """Evaluations since the monitored score was last beaten or the learning rates were last lowered."""
    evaluated: int = -1
    """The step of the last evaluation."""
    stop: str = ""
    """Why the run ends before its last epoch."""

    def judge(self, evaluations: Mapping[str, Evaluation], monitor: str) -> list[str]:
        """Keep account of new scores and return what reached a new best: tasks by name, or ``*``.

        >>> from tenor.tasks.task import Metric
        >>> one = {"mood": Evaluation(scores={"accuracy": 0.5}, metric=Metric("accuracy"), rows=2)}
        >>> progress = Progress(step=3)
        >>> progress.judge(one, "mean"), progress.judge(one, "mean"), progress.without_gain
        (['mood', '*'], [], 1)
        """
        self.evaluated = self.step
        scores = {name: oriented(each) for name, each in evaluations.items()}
        scores[MONITOR] = monitored(evaluations, monitor)
        better = [name for name, score in scores.items() if self._beats(name, score)]
        for name in better:
            self.best[name], self.best_steps[name] = scores[name], self.step
        gained = MONITOR in better
        self.without_gain = 0 if gained else self.without_gain + 1
        self.plateau = 0 if gained else self.plateau + 1
        return better

    def _beats(self, name: str, score: float) -> bool:
        # A score that is no number (a correlation with a constant) beats nothing, and anything beats none.
        return score == score and score > self.best.get(name, float("-inf")) + _LEAST_GAIN

    def yield_ties(self) -> None:
        """Let later weights that score the same take the place of the best so far."""
        self.best = {name: score - 2 * _LEAST_GAIN for name, score in self.best.items()}

    def lower_lr(self, *, patience: int, by: float) -> None:
        """Lower all learning rates when the monitored score has not improved for so many evaluations."""
        if self.plateau >= patience:
            self.factor, self.plateau = self.factor * by, 0
