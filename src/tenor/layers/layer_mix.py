"""One vector per token out of all layers of an encoder.

    mean of the last k:   x = (1/k) Σ_{l > L-k} h_l
    learned mix:          x = γ Σ_l softmax(w)_l h_l        (Peters et al., 2018)

with h_0 the embeddings and h_L the output. Shapes: T tokens, d width.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mean_of_last(layers: Sequence[Tensor], count: int = 4) -> Tensor:
    """Average the last ``count`` of the layers [T, d], or all where there are fewer.

    >>> mean_of_last([torch.zeros(1, 1), torch.ones(1, 1), torch.full((1, 1), 4.0)], 2)
    tensor([[2.5000]])
    """
    chosen = layers[-count:]
    total = chosen[0]
    for layer in chosen[1:]:
        total = total + layer
    return total / len(chosen)


class LayerMix(nn.Module):
    """A learned mix of layers: softmax weights, equal at the start, times one learned scale if wanted.

    >>> LayerMix(2)([torch.zeros(1, 1), torch.ones(1, 1)]).item()
    0.5
    """

    def __init__(self, layers: int, *, scale: bool = True) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.ones(layers))
        self.scale = nn.Parameter(torch.ones(())) if scale else None

    def forward(self, layers: Sequence[Tensor]) -> Tensor:
        """Return the mixed states [T, d]."""
        if len(layers) != len(self.weights):
            raise ValueError(f"The mix has {len(self.weights)} weights but was given {len(layers)} layers.")
        shares = self.weights.softmax(0)
        mixed = shares[0] * layers[0]
        for share, layer in zip(shares[1:], layers[1:], strict=True):
            mixed = mixed + share * layer
        return mixed if self.scale is None else self.scale * mixed
