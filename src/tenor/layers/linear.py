"""A linear layer that computes in the precision of its own weights.

The states of an encoder stay in float32, so that residual sums, softmax and LayerNorm keep their digits; a
layer whose weights were turned to bfloat16 takes its input down to it, where the processor multiplies twice
as fast. Under autocast it is torch that does so.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional


class Linear(nn.Linear):
    """``torch.nn.Linear`` that accepts input of another precision than its weights'."""

    def forward(self, states: Tensor) -> Tensor:
        """Return states · Wᵀ + b in the precision of the weights, or that of autocast."""
        if torch.is_autocast_enabled(states.device.type):
            return functional.linear(states, self.weight, self.bias)
        return functional.linear(states.to(self.weight.dtype), self.weight, self.bias)
