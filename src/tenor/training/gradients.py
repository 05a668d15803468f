"""Gradients of tasks that get in one another's way: PCGrad (Yu et al., 2020).

Where two tasks' gradients point against each other, each gives up its part along the other's:

    g_i ← g_i - (g_i · g_j / ‖g_j‖²) g_j      if g_i · g_j < 0,   for the other tasks j in random order

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
    shared = [sum(each is not None for each in given) > 1 for given in zip(*tasks, strict=True)]
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
