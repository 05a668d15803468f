"""Variational ("locked") dropout: one mask per text, the same at all of its tokens (Gal & Ghahramani, 2016).

A recurrent network can undo a mask that changes from token to token by averaging over time; a mask that stays
cannot be undone. Shapes: n texts, T tokens, d hidden size.
"""

from torch import Tensor, nn

from tenor.layers.cpu.dropout import dropout
from tenor.layers.packed import Packing


class LockedDropout(nn.Module):
    """Variational dropout of the states of a packed batch.

    >>> import numpy as np, torch
    >>> _ = torch.manual_seed(0)
    >>> first, second, other = LockedDropout(0.5)(torch.ones(3, 8), Packing(np.array([0, 2, 3]))).tolist()
    >>> first == second, first == other, sorted(set(first))
    (True, False, [0.0, 2.0])
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, states: Tensor, packing: Packing) -> Tensor:
        """Drop dimensions of states [T, d], others in each text, while training."""
        return locked_dropout(states, packing, self.p, training=self.training)

    def extra_repr(self) -> str:
        """Show the probability."""
        return f"p={self.p}"


def locked_dropout(states: Tensor, packing: Packing, p: float, *, training: bool = True) -> Tensor:
    """Set the same share of dimensions to 0 at all tokens [T, d] of a text and scale the others up."""
    if not training or p == 0:
        return states
    masks = dropout(states.new_ones(len(packing), states.shape[1]), p)  # [n, d]
    return states * masks.index_select(0, packing.text_of)
