"""Convolutions over the n-grams of a packed batch (Kim, 2014).

A filter of kernel size m reads the m tokens from each token on:

    c_t = ReLU(W [x_t ; … ; x_{t+m-1}] + b)        max-over-time: max_t c_t

Where a window passes the end of its text it reads zeros, as in Kim's code, which pads every text. So each
token has a state, and the max over a text's tokens is exactly the max-over-time of a "valid" convolution
over the text with m - 1 zero vectors after its end; a text shorter than the kernel has features too. Texts
lie on one axis with zeros between them, and a single convolution reads them all: the zeros belong to no text,
so that no text sees another.

Shapes: n texts, T tokens, s input size, m kernel size, d = filters × number of kernel sizes.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from tenor.layers.packed import Packing
from tenor.layers.pooling import pool_max


class ConvNgrams(nn.Module):
    """One-dimensional convolutions of several kernel sizes, their features side by side.

    >>> import numpy as np
    >>> packing = Packing(np.array([0, 6, 7]))
    >>> ngrams = ConvNgrams(8, filters=10, kernel_sizes=(2, 3))
    >>> states = ngrams(torch.randn(7, 8), packing)
    >>> states.shape, ngrams.max_over_time(states, packing).shape
    (torch.Size([7, 20]), torch.Size([2, 20]))
    """

    def __init__(self, input_size: int, filters: int = 100, kernel_sizes: Sequence[int] = (3, 4, 5)) -> None:
        super().__init__()
        self.kernel_sizes = tuple(kernel_sizes)
        self.output_size = filters * len(self.kernel_sizes)
        self.convolutions = nn.ModuleList(nn.Conv1d(input_size, filters, size) for size in self.kernel_sizes)

    def forward(self, states: Tensor, packing: Packing) -> Tensor:
        """Return the features of the n-grams that begin at each token [T, d] from states [T, s]."""
        if not len(states):
            return states.new_zeros(0, self.output_size)
        gap = max(self.kernel_sizes) - 1
        slots = packing.text_of * gap + torch.arange(len(states), device=states.device)  # [T]
        apart = states.new_zeros(len(states) + gap * len(packing), states.shape[1])
        channels = apart.index_copy(0, slots, states).T[None]  # [1, s, T + n · gap]
        features = [_features(convolution, channels) for convolution in self.convolutions]
        return torch.cat([feature.index_select(0, slots) for feature in features], dim=-1)

    def max_over_time(self, features: Tensor, packing: Packing) -> Tensor:
        """Return the largest value of each feature [T, d] in each text [n, d]; zeros without tokens."""
        return pool_max(features, packing)


def _features(convolution: nn.Module, channels: Tensor) -> Tensor:
    precision = next(convolution.parameters()).dtype  # an engine may have turned the weights to bf16
    return functional.relu(convolution(channels.to(precision)))[0].T
