"""One update: losses of all pieces, their gradients, callbacks, clipping, the optimizer's move."""

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from tenor.errors import TenorError
from tenor.layers.cpu.embedding import KeptGradients
from tenor.training.callbacks import Callback
from tenor.training.config import TrainingConfig
from tenor.training.distributed import DistributedContext
from tenor.training.gradients import Gradients, balance, project_conflicts
from tenor.training.learner import Cut, Learner, StepContext
from tenor.training.optimizers import parameters_of, set_learning_rates
from tenor.training.precision import arithmetic_of
from tenor.training.progress import Progress


class Updater:
    """Makes the updates of a plan on a learner."""

    def __init__(
        self,
        learner: Learner,
        optimizers: Mapping[str, Optimizer],
        *,
        settings: TrainingConfig,
        callbacks: Sequence[Callback],
        world: DistributedContext,
        precision: Literal["fp32", "bf16"],
    ) -> None:
        self.learner, self.optimizers, self.settings = learner, optimizers, settings
        self.callbacks, self.world, self.precision = callbacks, world, precision
        # A callback may write into gradients what it likes.
        seen = any(type(each).on_backward_end is not Callback.on_backward_end for each in callbacks)
        self._lends = not seen
        self._memory = nullcontext() if seen else KeptGradients(learner.module)
        self._sums: Tensor | None = None

    def update(
        self, batch: Any, context: StepContext, progress: Progress, *, factor: float
    ) -> dict[str, float]:
        """Move the weights by one update and return its losses, those of all processes added up."""
        optimizer = self.optimizers[context.update.optimizer]
        moved = parameters_of(optimizer, context.update.groups)
        self.learner.module.zero_grad(set_to_none=True)
        losses = self._gradients(batch, context, moved)
        for callback in self.callbacks:
            callback.on_backward_end(self.learner, progress)
        self._clip(batch, context, moved, losses)
        _forget_others(optimizer, moved)
        set_learning_rates(optimizer, factor)
        optimizer.step()
        return losses

    def _gradients(self, batch: Any, context: StepContext, moved: list[nn.Parameter]) -> dict[str, float]:
        """Leave the gradients of an update in the parameters and return the losses."""
        tasks = [task for task in self.learner.tasks(batch) if context.update.touches(task)]
        if context.update.surgery == "none" or len(tasks) < 2:
            return self._backward(batch, context, moved, self._memory)
        found: list[Gradients] = []
        losses: dict[str, float] = {}
        for task in tasks:
            self.learner.module.zero_grad(set_to_none=True)
            own = replace(context, update=replace(context.update, task=task))
            losses |= self._backward(batch, own, moved, nullcontext())
            found.append([parameter.grad for parameter in moved])
        together = self._together(found, tasks, context)
        self.learner.module.zero_grad(set_to_none=True)
        if self.learner.has_objectives:  # what belongs to no task is added as it is
            rest = replace(context.update, without=(*context.update.without, *tasks))
            losses |= self._backward(batch, replace(context, update=rest), moved, nullcontext())
        for parameter, gradient in zip(moved, together, strict=True):
            if parameter.grad is None or gradient is None:
                parameter.grad = gradient if parameter.grad is None else parameter.grad
            else:
                parameter.grad = parameter.grad + gradient
        return losses

    def _together(self, found: list[Gradients], tasks: list[str], context: StepContext) -> Gradients:
        if context.update.surgery == "pcgrad":
            return project_conflicts(found, context.generator)
        weights = [float(self.learner.weigh({task: torch.ones(())})) for task in tasks]
        return balance(found, weights)

    def _backward(
        self,
        batch: Any,
        context: StepContext,
        moved: list[nn.Parameter],
        memory: AbstractContextManager[None],
    ) -> dict[str, float]:
        """Add up the gradients of all pieces and processes."""
        cut = Cut(tokens=self.settings.micro_batch_tokens, rank=self.world.rank, world=self.world.size)
        sums: dict[str, float] = {}
        for piece in self.learner.micro_batches(batch, cut, context.update):
            with arithmetic_of(self.precision, moved[0].device):
                losses = self.learner.losses(piece, context)
                total = self.learner.weigh(losses) if losses else None
            for name, loss in losses.items():
                sums[name] = sums.get(name, 0.0) + float(loss.detach())
            if total is not None and total.requires_grad:
                with memory:
                    total.backward()  # type: ignore[no-untyped-call]
        names = self.world.names_of_all(list(sums))
        if self.world.first and (extra := self.learner.settle(names)) is not None:
            extra.backward()  # type: ignore[no-untyped-call]
        sums = self.world.sum_numbers(sums, names)
        self._check_losses(batch, context, sums)
        if self._lends and memory is self._memory:  # nobody needs the gradients after this update
            self._sums = self.world.sum_gradients(moved, memory=self._sums)
        else:
            self.world.sum_gradients(moved)
        return sums

    def _check_losses(self, batch: Any, context: StepContext, losses: Mapping[str, float]) -> None:
        bad = [name for name, value in losses.items() if not math.isfinite(value)]
        if bad:
            self._stop(batch, context, bad, f"the loss {bad[0]!r} became {losses[bad[0]]}")

    def _clip(
        self, batch: Any, context: StepContext, moved: list[nn.Parameter], losses: Mapping[str, float]
    ) -> None:
        if not self.settings.max_grad_norm:
            return
        gradients = [parameter.grad for parameter in moved if parameter.grad is not None]
        norm = float(nn.utils.get_total_norm(gradients))
        if not math.isfinite(norm):
            self._stop(batch, context, list(losses), f"the gradient norm became {norm}")
        if norm > self.settings.max_grad_norm:
            torch._foreach_mul_(gradients, self.settings.max_grad_norm / norm)

    def _stop(self, batch: Any, context: StepContext, names: list[str], what: str) -> None:
        raise TenorError(
            f"At step {context.step} {what}, with the rows {self.learner.where(batch, names)}. The step was "
            "not made, and the last checkpoint stays. Look at these rows; if they are sound, start over with "
            "lower training.encoder_lr and training.head_lr, with training.max_grad_norm = 1.0, or with "
            'training.precision = "fp32".'
        )


def _forget_others(optimizer: Optimizer, moved: Sequence[nn.Parameter]) -> None:
    """Drop gradients of parameters that the update does not move; an optimizer leaves these alone."""
    kept = {id(parameter) for parameter in moved}
    for parameter in parameters_of(optimizer):
        if id(parameter) not in kept:
            parameter.grad = None
