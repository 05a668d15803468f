"""Straight-through choices: discrete on the way forward, differentiable on the way back.

A choice among k values is drawn from logits by adding Gumbel noise and taking the largest (Gumbel-max). The
soft sample y = softmax((logits + g) / τ) is the relaxation of it (Jang et al., 2017; Maddison et al., 2017).
Forward, the layer gives onehot(argmax y); backward, it passes the gradient of y as if it had given y:

    z = (onehot(argmax y) - y).detach() + y

Without noise it is the most probable choice, with the gradient of the plain softmax.

Shapes: logits, noise and choices are [..., k].
"""

import torch
from torch import Tensor


def straight_through(logits: Tensor, noise: Tensor | None = None, *, temperature: float = 1.0) -> Tensor:
    """Return one-hot choices whose gradient is that of the soft sample.

    ``noise`` is Gumbel noise of the logits' shape (``gumbel``); without it the largest logit is chosen.

    >>> straight_through(torch.tensor([[0.2, 1.5], [3.0, 0.1]])).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    noisy = logits if noise is None else logits + noise
    soft = torch.softmax(noisy / temperature, dim=-1)
    hard = torch.zeros_like(soft).scatter_(-1, soft.argmax(dim=-1, keepdim=True), 1.0)
    # Where the soft sample is not wanted back, the choice itself is exact: (hard - soft) + soft may round.
    return hard + (soft - soft.detach()) if soft.requires_grad else hard


def gumbel(uniform: Tensor) -> Tensor:
    """Turn uniform numbers in [0, 1) into Gumbel noise, so that any generator may draw it."""
    tiny = torch.finfo(uniform.dtype).tiny
    return -torch.log((-torch.log(uniform.clamp_min(tiny))).clamp_min(tiny))
