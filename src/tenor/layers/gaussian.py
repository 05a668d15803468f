"""Gaussians with diagonal covariance: how alike two are, how broad one is, how far it is from N(0, I).

    expected likelihood   log ∫ N(x; μ1, S1) N(x; μ2, S2) dx = log N(0; μ1 - μ2, S1 + S2)
    entropy               k/2 · (1 + log 2π) + ½ Σ_d log σ²_d
    divergence            KL(N(μ, S) || N(0, I)) = ½ Σ_d (σ²_d + μ²_d - 1 - log σ²_d)

Variances are given as their logarithms. Shapes: k dimensions on the last axis, which all functions reduce.
"""

import math

import torch
from torch import Tensor


def expected_likelihood(mean_1: Tensor, log_var_1: Tensor, mean_2: Tensor, log_var_2: Tensor) -> Tensor:
    """Return the log of the expected likelihood of two Gaussians [..., k]; broadcasting pairs all with all.

    >>> zero = torch.zeros(3)
    >>> round(float(expected_likelihood(zero, zero, zero, zero)), 4) == round(-1.5 * math.log(4 * math.pi), 4)
    True
    """
    log_sum = torch.logaddexp(log_var_1, log_var_2)
    squares = (mean_1 - mean_2).square() * torch.exp(-log_sum)
    dimensions = mean_1.shape[-1]
    return -0.5 * (log_sum + squares).sum(dim=-1) - 0.5 * dimensions * math.log(2 * math.pi)


def entropy(log_var: Tensor) -> Tensor:
    """Return the entropy of Gaussians [..., k], in nats."""
    return 0.5 * log_var.sum(dim=-1) + 0.5 * log_var.shape[-1] * (1 + math.log(2 * math.pi))


def kl_to_standard(mean: Tensor, log_var: Tensor) -> Tensor:
    """Return the divergence of Gaussians [..., k] from N(0, I)."""
    return 0.5 * (log_var.exp() + mean.square() - 1 - log_var).sum(dim=-1)
