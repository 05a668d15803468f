"""A linear layer that computes in the precision of its own weights.

The states of an encoder stay in float32, so that residual sums, softmax and LayerNorm keep their digits; a
layer whose weights were turned to bfloat16 takes its input down to it, where the processor multiplies twice
as fast.
"""

from torch import Tensor, nn
from torch.nn import functional


class Linear(nn.Linear):
    """``torch.nn.Linear`` that accepts input of another precision than its weights'."""

    def forward(self, states: Tensor) -> Tensor:
        """Return states · Wᵀ + b in the precision of the weights."""
        return functional.linear(states.to(self.weight.dtype), self.weight, self.bias)
