"""Gradient reversal (Ganin et al., 2016): the identity forward, -λ times the gradient backward.

Between features and a discriminator it turns one loss into two opposite aims: the discriminator learns to
tell domains apart, and what makes the features learns, with the weight λ, that they cannot be told apart.
"""

from typing import Any

import torch
from torch import Tensor


class _Reversal(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, weight: float) -> Tensor:
        ctx.weight = weight
        return values.view_as(values)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, None]:
        # Without weight nothing flows at all: 0 times an infinite gradient would be none.
        return (-ctx.weight * gradients[0] if ctx.weight else None), None


def reverse_gradient(values: Tensor, weight: float = 1.0) -> Tensor:
    """Return the values as they are; their gradient is -``weight`` times what comes back.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (reverse_gradient(x, 0.5) * torch.tensor([4.0, 6.0])).sum().backward()
    >>> x.grad.tolist()
    [-2.0, -3.0]
    """
    reversed_values: Tensor = _Reversal.apply(values, weight)  # type: ignore[no-untyped-call]
    return reversed_values
