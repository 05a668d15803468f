"""The one loop.

    for each epoch:  draw it
        for each batch:
            for each update of the plan that is due:  losses -> gradients -> hooks -> clip -> optimiser
            now and then:  score dev, keep the best, write a checkpoint, stop early

All that it needs to go on after a kill stands in ``state``.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
import torch
from torch.optim import Optimizer

from tenor.machine import kept_memory
from tenor.training.checkpoints import load_random_states, load_weights, random_states, weights_of
from tenor.training.config import TrainingConfig
from tenor.training.distributed import World
from tenor.training.hooks import Hook, load_states, states_of
from tenor.training.learner import Context, Evaluation, Learner
from tenor.training.optimisers import load_optimiser_state, optimiser_state
from tenor.training.plan import Plan, joint
from tenor.training.progress import Progress
from tenor.training.schedules import rate_factor
from tenor.training.state import State
from tenor.training.updates import Updater


@dataclass(frozen=True, slots=True)
class StepReport:
    """What happened in a step."""

    step: int
    epoch: int
    losses: Mapping[str, float]
    rate: float
    tokens: int
    seconds: float
    """Since the run began, evaluations left out."""


class Watcher:
    """Whoever wants to know how a run goes, and keeps its checkpoints; this one does nothing."""

    def step_done(self, report: StepReport, progress: Progress) -> None:
        """Hear of every step."""

    def evaluated(
        self, evaluations: Mapping[str, Evaluation], progress: Progress, better: Sequence[str]
    ) -> None:
        """Hear of new scores; ``better`` names what reached a new best (tasks, or ``*`` for the watched)."""

    def checkpoint_due(self, progress: Progress) -> bool:
        """Whether a checkpoint is wanted now; after evaluations there is one anyway."""
        return False

    def checkpoint(self, make: Callable[[], State]) -> None:
        """Take a checkpoint, which ``make`` makes on every process."""


class Trainer:
    """Trains a learner as a plan and settings say."""

    def __init__(
        self,
        learner: Learner,
        optimisers: Mapping[str, Optimizer] | Optimizer,
        *,
        settings: TrainingConfig,
        seed: int = 1,
        plan: Plan | None = None,
        hooks: Sequence[Hook] = (),
        watcher: Watcher | None = None,
        world: World | None = None,
        precision: Literal["fp32", "bf16"] = "fp32",
    ) -> None:
        self.learner, self.settings, self.seed = learner, settings, seed
        self.optimisers = {"main": optimisers} if isinstance(optimisers, Optimizer) else dict(optimisers)
        self.plan = plan or joint(surgery=settings.gradients)
        self.hooks, self.watcher, self.world = list(hooks), watcher or Watcher(), world or World()
        self.progress = Progress()
        self._updater = Updater(
            learner,
            self.optimisers,
            settings=settings,
            hooks=self.hooks,
            world=self.world,
            precision=precision,
        )
        self._resumed: State | None = None

    def run(self) -> Progress:
        """Train to the end, from the beginning or from where a checkpoint stands."""
        with kept_memory():
            return self._run()

    def _run(self) -> Progress:
        progress = self.progress
        self.learner.module.train()
        if self._resumed is None:
            torch.manual_seed(self.seed + 7919 * self.world.rank)
        for hook in self.hooks:
            hook.before_training(self.learner, progress)
        if self.settings.evaluate_first and not progress.step:
            self._look()
        while progress.epoch < self.settings.epochs and not progress.stop:
            count = self._begin_epoch()
            while progress.position < count and not progress.stop:
                self._step()
                self._after_step(ended=progress.position == count)
            if not progress.stop:
                progress.epoch, progress.position = progress.epoch + 1, 0
        for hook in self.hooks:
            hook.after_training(self.learner, progress)
        return progress

    def _begin_epoch(self) -> int:
        progress, settings = self.progress, self.settings
        count = self.learner.begin_epoch(progress.epoch, np.random.default_rng([self.seed, progress.epoch]))
        if not progress.steps:
            progress.steps = count * settings.epochs
            progress.steps = min(progress.steps, settings.steps or progress.steps)
        if self._resumed is not None:
            self.learner.load_state(self._resumed["learner"])
            self._load_random(self._resumed)
            self._resumed = None
        return count

    def _step(self) -> None:
        progress, begin = self.progress, time.perf_counter()
        # A generator of the step's own: whatever draws from it draws the same on every process and resume.
        generator = np.random.default_rng([self.seed, progress.epoch, progress.position, 1])
        batch = self.learner.batch(progress.position, generator)
        progress.step, progress.position = progress.step + 1, progress.position + 1
        factor = self._factor()
        losses: dict[str, float] = {}
        for update in self.plan:
            if update.due(progress.step):
                context = Context(
                    step=progress.step, epoch=progress.epoch, steps=progress.steps, generator=generator,
                    update=update, rank=self.world.rank, world=self.world.size,
                )  # fmt: skip
                losses |= self._updater.update(batch, context, progress, factor=factor)
        for hook in self.hooks:
            hook.after_step(self.learner, progress)
        tokens = self.learner.tokens(batch)
        progress.tokens += tokens
        progress.seconds += time.perf_counter() - begin
        rate = max(group["lr"] for each in self.optimisers.values() for group in each.param_groups)
        report = StepReport(progress.step, progress.epoch, losses, rate, tokens, progress.seconds)
        self.watcher.step_done(report, progress)

    def _factor(self) -> float:
        settings, progress = self.settings, self.progress
        kind, warmup = settings.schedule, settings.warmup
        return progress.factor * rate_factor(kind, progress.step, total=progress.steps, warmup=warmup)

    def _after_step(self, *, ended: bool) -> None:
        progress, settings = self.progress, self.settings
        if ended:
            for hook in self.hooks:
                hook.after_epoch(self.learner, progress)
        last = progress.step >= progress.steps
        every = settings.evaluate_steps
        scored = last or (progress.step % every == 0 if every else ended)
        if scored:
            self._evaluate()
        if last and not progress.stop:
            progress.stop = "" if ended and progress.epoch + 1 == settings.epochs else "all steps are done"
        if scored or self.world.tell(self.watcher.checkpoint_due(progress)):
            self.watcher.checkpoint(self.state)

    def _evaluate(self) -> None:
        progress, settings = self.progress, self.settings
        with ExitStack() as stack:
            for hook in self.hooks:
                stack.enter_context(hook.as_scored(self.learner))
            # One process scores: the others would find the same.
            found = self.learner.evaluate() if self.world.first else {}
            scored = self.world.tell(bool(found))
            if scored:
                better = progress.judge(found, settings.monitor) if self.world.first else []
                self.watcher.evaluated(found, progress, better)
        if scored:
            for hook in self.hooks:
                hook.after_evaluation(self.learner, progress, found)
            if settings.schedule == "plateau":
                progress.lower_rates(patience=settings.plateau_patience, by=settings.plateau_factor)
            if settings.patience and progress.without_gain >= settings.patience:
                progress.stop = f"no better {settings.monitor} for {settings.patience} evaluations"
            self.progress = self._same_everywhere(progress)

    def _look(self) -> None:
        """Score without choosing by it: new heads are no candidate for the best weights."""
        if self.world.first and (found := self.learner.evaluate()):
            self.watcher.evaluated(found, self.progress, [])

    def _same_everywhere(self, progress: Progress) -> Progress:
        for name, value in self.world.tell(asdict(progress)).items():
            setattr(progress, name, value)
        return progress

    def state(self) -> State:
        """Return everything that a resumed run needs; on several processes, all of them must call."""
        own = random_states()
        own["torch"] = self.world.collect(own["torch"])
        return {
            "progress": asdict(self.progress),
            "weights": weights_of(self.learner.module),
            "optimisers": {name: optimiser_state(each) for name, each in self.optimisers.items()},
            "learner": self.learner.state(),
            "hooks": states_of(self.hooks),
            "random": own,
        }

    def load_state(self, state: State, *, where: str = "The checkpoint") -> None:
        """Go on from a checkpoint when ``run`` is called."""
        load_weights(self.learner.module, state["weights"], where=where)
        for name, value in state["progress"].items():
            setattr(self.progress, name, value)
        for name, each in self.optimisers.items():
            load_optimiser_state(each, state["optimisers"][name])
        load_states(self.hooks, state["hooks"])
        self._resumed = state

    def _load_random(self, state: State) -> None:
        """Set the generators as they were; on another number of processes, new ones draw from the seed."""
        states = dict(state["random"])
        per_process = states["torch"]
        if self.world.rank < len(per_process):
            load_random_states(states | {"torch": per_process[self.world.rank]})
        else:
            torch.manual_seed(self.seed + 7919 * self.world.rank + self.progress.step)
