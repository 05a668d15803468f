"""Words as linear operators on a Gaussian (Chen and Gimpel, 2020).

A text begins as z_0 ~ N(0, I). Each word scales and shifts it, z_i = A_i ⊙ (z_{i-1} + B_i), so that the text
is a Gaussian as well:

    μ_i = A_i ⊙ (μ_{i-1} + B_i),   log σ²_i = log σ²_{i-1} + 2 log A_i
    at the end:   μ = Σ_i (Π_{j ≥ i} A_j) ⊙ B_i,   log σ² = 2 Σ_i log A_i

The entropy is a sum over words, whatever their order; the mean depends on the order. A text without words is
N(0, I). Scales are positive and given as logarithms. Shapes: n texts, T tokens, k dimensions.
"""

import torch
from torch import Tensor

from tenor.layers.packed import Packing


def text_gaussians(log_scale: Tensor, shift: Tensor, packing: Packing) -> tuple[Tensor, Tensor]:
    """Return the means and log-variances [n, k] of texts from their words' operators [T, k].

    >>> import numpy as np
    >>> mean, log_var = text_gaussians(torch.zeros(3, 1), torch.ones(3, 1), Packing(np.array([0, 2, 3])))
    >>> mean.tolist(), log_var.tolist()
    ([[2.0], [1.0]], [[0.0], [0.0]])
    """
    whole = _text_sums(log_scale, packing)  # [n, k]
    # Σ_{j ≥ i} log A_j, from sums over the flat axis: in float64, as these span all texts.
    until = log_scale.double().cumsum(dim=0)
    before = torch.cat([until.new_zeros(1, until.shape[1]), until])[packing.firsts]
    later = (whole + before).index_select(0, packing.text_of) - until + log_scale
    return _text_sums(later.to(shift.dtype).exp() * shift, packing), 2 * whole


def _text_sums(values: Tensor, packing: Packing) -> Tensor:
    """Add up the values [T, k] of each text's tokens [n, k]."""
    return values.new_zeros(len(packing), values.shape[1]).index_add(0, packing.text_of, values)


def running_gaussians(log_scale: Tensor, shift: Tensor, packing: Packing) -> tuple[Tensor, Tensor]:
    """Return the means and log-variances [T, k] that a text has after each of its words."""
    scales, shifts = packing.to_padded(log_scale), packing.to_padded(shift)
    mean = log_scale.new_zeros(len(packing), log_scale.shape[1])
    means = []
    for place in range(packing.longest):
        mean = scales[:, place].exp() * (mean + shifts[:, place])
        means.append(mean)
    if not means:
        return log_scale, log_scale
    return (
        packing.from_padded(torch.stack(means, dim=1)),
        packing.from_padded(2 * scales.cumsum(dim=1)),
    )
