"""Biaffine scores of all pairs of a dependent and a head (Dozat & Manning, 2017).

    s_ij^r = [d_i ; 1]ᵀ U_r [h_j ; 1]

for each output r: the bias terms in it score a head by itself, a dependent by itself, and the output at all.

Shapes: n sentences, L dependents, M heads, a size of their vectors, k outputs.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional


class Biaffine(nn.Module):
    """Scores every pair, ``outputs`` numbers each.

    >>> Biaffine(4, outputs=3)(torch.randn(2, 5, 4), torch.randn(2, 6, 4)).shape
    torch.Size([2, 3, 5, 6])
    """

    def __init__(self, size: int, *, outputs: int = 1) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, size + 1, size + 1))
        # Small and random: zeros would leave both sides without a gradient at first.
        nn.init.normal_(self.weight, std=size**-0.75)

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Return scores [n, k, L, M] from dependents [n, L, a] and heads [n, M, a]."""
        left, right = (functional.pad(each, (0, 1), value=1.0) for each in (dependents, heads))
        return torch.einsum("nia,kab,njb->nkij", left, self.weight, right)

    def pairs(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Return the scores [W, k] of given pairs [W, a] and [W, a]."""
        left, right = (functional.pad(each, (0, 1), value=1.0) for each in (dependents, heads))
        return torch.einsum("wa,kab,wb->wk", left, self.weight, right)
