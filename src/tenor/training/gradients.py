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
from torch import Tensor, nn

Gradients = list[Tensor | None]


def project_conflicts(tasks: Sequence[Gradients], generator: np.random.Generator) -> Gradients:
    """Return the sum of the tasks' gradients, one list each over the same parameters, without conflicts.

    >>> one, two = [torch.tensor([1.0, 0.0])], [torch.tensor([-1.0, 1.0])]
    >>> project_conflicts([one, two], np.random.default_rng(0))[0].tolist()
    [0.5, 1.5]
    """
    shared = _shared(tasks)
    models = [next((each for each in given if each is not None), None) for given in zip(*tasks, strict=True)]
    flat = [_flatten(gradients, models, shared) for gradients in tasks]
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
    shared = _shared(tasks)
    lengths = [_length(gradients, shared) for gradients in tasks]
    heard = [(weight, length) for weight, length in zip(weights, lengths, strict=True) if weight * length > 0]
    common = sum(length for _, length in heard) / sum(weight for weight, _ in heard) if heard else 0.0
    pulls = [
        weight * common / length if length else 0.0 for weight, length in zip(weights, lengths, strict=True)
    ]
    out: Gradients = []
    for given, of_several in zip(zip(*tasks, strict=True), shared, strict=True):
        there = [(pull, each) for pull, each in zip(pulls, given, strict=True) if each is not None]
        if of_several:
            total = torch.zeros_like(there[0][1])
            for pull, each in there:
                total.add_(each, alpha=pull)
            out.append(total)
        else:
            out.append(there[0][1] if there else None)
    return out


def _shared(tasks: Sequence[Gradients]) -> list[bool]:
    """Tell which parameters have a gradient of several tasks."""
    return [sum(each is not None for each in given) > 1 for given in zip(*tasks, strict=True)]


def _length(gradients: Gradients, shared: Sequence[bool]) -> float:
    own = [each for each, common in zip(gradients, shared, strict=True) if common and each is not None]
    return float(nn.utils.get_total_norm(own))


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
