"""Gradients of tasks that get in one another's way, put together otherwise than by a sum.

PCGrad (Yu et al., 2020): where two tasks' gradients point against each other, each gives up its part along
the other's:

    g_i ← g_i - (g_i · g_j / ‖g_j‖²) g_j      if g_i · g_j < 0,   for the other tasks j in random order

Balanced: a task whose gradient is short beside the others' is not heard in a sum, so that each is brought to
the tasks' mean length, times its weight w_i over the mean weight:

    g = Σ_i (w_i / w̄) · (n̄ / ‖g_i‖) g_i       with n̄ the mean of the ‖g_i‖ that are not 0

Only parameters that several tasks share take part; a head's own gradient stays as it is.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

Gradients = list[Tensor | None]


def project_conflicts(tasks: Sequence[Gradients], generator: np.random.Generator) -> Gradients:
    """Return the sum of the tasks' gradients, one list each over the same parameters, without conflicts.

    >>> one, two = [torch.tensor([1.0, 0.0])], [torch.tensor([-1.0, 1.0])]
    >>> project_conflicts([one, two], np.random.default_rng(0))[0].tolist()
    [0.5, 1.5]
    """
    flat, models, shared = _flattened(tasks)
    squares = [float(each.dot(each)) for each in flat]
    total = torch.zeros_like(flat[0])
    for number, own in enumerate(flat):
        moved = own.clone()
        for other in generator.permutation([n for n in range(len(flat)) if n != number]).tolist():
            along = float(moved.dot(flat[other]))
            if along < 0 and squares[other] > 0:
                moved.sub_(flat[other], alpha=along / squares[other])
        total += moved
    return _unflatten(total, models, shared)


def balance(tasks: Sequence[Gradients], weights: Sequence[float]) -> Gradients:
    """Return the sum of the tasks' gradients, one list each over the same parameters, at equal lengths.

    >>> one, two = [torch.tensor([3.0, 0.0])], [torch.tensor([0.0, 1.0])]
    >>> balance([one, two], [1.0, 1.0])[0].tolist()
    [2.0, 2.0]
    """
    flat, models, shared = _flattened(tasks)
    lengths = [float(each.norm()) for each in flat]
    heard = [(weight, length) for weight, length in zip(weights, lengths, strict=True) if weight * length > 0]
    total = torch.zeros_like(flat[0])
    if heard:
        common = sum(length for _, length in heard) / sum(weight for weight, _ in heard)
        for each, weight, length in zip(flat, weights, lengths, strict=True):
            if length > 0:
                total.add_(each, alpha=weight * common / length)
    return _unflatten(total, models, shared)


def _flattened(tasks: Sequence[Gradients]) -> tuple[list[Tensor], Gradients, list[bool]]:
    """Return each task's gradient of what is shared, one of each parameter, and which of these are shared."""
    shared = [sum(each is not None for each in given) > 1 for given in zip(*tasks, strict=True)]
    models = [next((each for each in given if each is not None), None) for given in zip(*tasks, strict=True)]
    return [_flatten(gradients, models, shared) for gradients in tasks], models, shared


def _flatten(gradients: Gradients, models: Gradients, shared: Sequence[bool]) -> Tensor:
    parts = [
        (torch.zeros_like(model) if each is None else each).flatten()
        for each, model, common in zip(gradients, models, shared, strict=True)
        if common and model is not None
    ]
    return torch.cat(parts) if parts else torch.zeros(0)


def _unflatten(total: Tensor, models: Gradients, shared: Sequence[bool]) -> Gradients:
    out: Gradients = []
    place = 0
    for model, common in zip(models, shared, strict=True):
        if not common or model is None:
            out.append(model)
            continue
        out.append(total[place : place + model.numel()].view_as(model))
        place += model.numel()
    return out
