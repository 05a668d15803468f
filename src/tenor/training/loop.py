"""The one loop.

    for each epoch:  draw it
        for each batch:
            for each update of the plan that is due:  losses -> gradients -> callbacks -> clip -> optimizer
            now and then:  score dev, keep the best, write a checkpoint, stop early

All that it needs to go on after a kill stands in ``state``.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import Literal

import numpy as np
import torch
from torch.optim import Optimizer

from tenor.machine import kept_memory
from tenor.training.callbacks import Callback, StepReport, load_states, states_of
from tenor.training.checkpoints import load_random_states, load_weights, random_states, weights_of
from tenor.training.config import TrainingConfig
from tenor.training.distributed import DistributedContext
from tenor.training.learner import Learner, StepContext
from tenor.training.optimizers import load_optimizer_state, optimizer_state
from tenor.training.plan import Plan, joint
from tenor.training.progress import Progress
from tenor.training.schedules import rate_factor
from tenor.training.state import State
from tenor.training.updates import Updater


class Trainer:
    """Trains a learner as a plan and settings say."""

    def __init__(
        self,
        learner: Learner,
        optimizers: Mapping[str, Optimizer] | Optimizer,
        *,
        settings: TrainingConfig,
        seed: int = 1,
        plan: Plan | None = None,
        callbacks: Sequence[Callback] = (),
        world: DistributedContext | None = None,
        precision: Literal["fp32", "bf16"] = "fp32",
    ) -> None:
        self.learner, self.settings, self.seed = learner, settings, seed
        self.optimizers = {"main": optimizers} if isinstance(optimizers, Optimizer) else dict(optimizers)
        self.plan = plan or joint(surgery=settings.gradient_balancing)
        self.callbacks, self.world = list(callbacks), world or DistributedContext()
        self.progress = Progress()
        self._updater = Updater(
            learner,
            self.optimizers,
            settings=settings,
            callbacks=self.callbacks,
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
        for callback in self.callbacks:
            callback.on_train_begin(self.learner, progress)
        if not progress.step:
            self._score_start()
        while progress.epoch < self.settings.epochs and not progress.stop:
            count = self._begin_epoch()
            while progress.position < count and not progress.stop:
                self._step()
                self._after_step(ended=progress.position == count)
            if not progress.stop:
                progress.epoch, progress.position = progress.epoch + 1, 0
        for callback in self.callbacks:
            callback.on_train_end(self.learner, progress)
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
                context = StepContext(
                    step=progress.step, epoch=progress.epoch, steps=progress.steps, generator=generator,
                    update=update, rank=self.world.rank, world=self.world.size,
                )  # fmt: skip
                losses |= self._updater.update(batch, context, progress, factor=factor)
        tokens = self.learner.tokens(batch)
        progress.tokens += tokens
        progress.seconds += time.perf_counter() - begin
        lr = max(group["lr"] for each in self.optimizers.values() for group in each.param_groups)
        report = StepReport(progress.step, progress.epoch, losses, lr, tokens, progress.seconds)
        for callback in self.callbacks:
            callback.on_step_end(self.learner, progress, report)

    def _factor(self) -> float:
        settings, progress = self.settings, self.progress
        kind, warmup = settings.schedule, settings.warmup
        return progress.factor * rate_factor(kind, progress.step, total=progress.steps, warmup=warmup)

    def _after_step(self, *, ended: bool) -> None:
        progress, settings = self.progress, self.settings
        if ended:
            for callback in self.callbacks:
                callback.on_epoch_end(self.learner, progress)
        last = progress.step >= progress.steps
        every = settings.eval_steps
        scored = last or (progress.step % every == 0 if every else ended)
        if scored:
            self._evaluate()
        if last and not progress.stop:
            progress.stop = "" if ended and progress.epoch + 1 == settings.epochs else "all steps are done"
        due = any(callback.checkpoint_due(progress) for callback in self.callbacks)
        if scored or self.world.tell(due):
            for callback in self.callbacks:
                callback.on_checkpoint(self.state)

    def _evaluate(self) -> None:
        progress, settings = self.progress, self.settings
        better: list[str] = []
        with ExitStack() as stack:
            for callback in self.callbacks:
                stack.enter_context(callback.scoring(self.learner))
            # One process scores: the others would get the same.
            evaluations = self.learner.evaluate() if self.world.first else {}
            scored = self.world.tell(bool(evaluations))
            if scored:
                better = progress.judge(evaluations, settings.monitor) if self.world.first else []
                for callback in self.callbacks:
                    callback.on_best(self.learner, progress, better)
        if scored:
            for callback in self.callbacks:
                callback.on_evaluate(self.learner, progress, evaluations, better)
            if settings.schedule == "plateau":
                progress.lower_lr(patience=settings.plateau_patience, by=settings.plateau_factor)
            if settings.patience and progress.without_gain >= settings.patience:
                score = "the mean dev score" if settings.monitor == "mean" else f"{settings.monitor} on dev"
                progress.stop = f"{score} did not improve for {settings.patience} evaluations"
            self.progress = self._same_everywhere(progress)

    def _score_start(self) -> None:
        """Score before the first step; fitted heads are a candidate for the best weights, random ones not."""
        if self.settings.fit_heads != "never":
            self._evaluate()
            self.progress.yield_ties()
        elif self.settings.eval_on_start:
            self._look()

    def _look(self) -> None:
        """Score without choosing by it."""
        evaluations = self.learner.evaluate() if self.world.first else {}
        if self.world.tell(bool(evaluations)):
            for callback in self.callbacks:
                callback.on_evaluate(self.learner, self.progress, evaluations, [])
            self.progress = self._same_everywhere(self.progress)

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
            "optimizers": {name: optimizer_state(each) for name, each in self.optimizers.items()},
            "learner": self.learner.state(),
            "callbacks": states_of(self.callbacks),
            "random": own,
        }

    def load_state(self, state: State, *, where: str = "The checkpoint") -> None:
        """Go on from a checkpoint when ``run`` is called."""
        load_weights(self.learner.module, state["weights"], where=where)
        for name, value in state["progress"].items():
            setattr(self.progress, name, value)
        for name, each in self.optimizers.items():
            load_optimizer_state(each, state["optimizers"][name])
        load_states(self.callbacks, state["callbacks"])
        self._resumed = state

    def _load_random(self, state: State) -> None:
        """Set the generators as they were; on another number of processes, new ones draw from the seed."""
        states = dict(state["random"])
        per_process = states["torch"]
        if self.world.rank < len(per_process):
            load_random_states(states | {"torch": per_process[self.world.rank]})
        else:
            torch.manual_seed(self.seed + 7919 * self.world.rank + self.progress.step)
