"""The vectors of texts as a head reads them: by the model's pooling, or by the head's own.

A head's own pooling may read all layers (``mean@mix``: a learned mix; ``mean@last_four``) or the encoder's
own pooler. Shapes: T tokens, n texts, d width.
"""

import torch
from torch import Tensor, nn

from tenor.errors import TenorError
from tenor.layers.layer_mix import LayerMix, mean_of_last
from tenor.layers.pooling import pool
from tenor.layers.pooling_config import PoolingConfig, PoolingKind
from tenor.tasks.task import Reads, Seen


class TextVectors(nn.Module):
    """Turns what a task sees of a pass into one vector per text [n, d · kinds].

    ``layers`` is the number of the encoder's states, embeddings included, for a learned mix of them.
    """

    def __init__(self, pooling: PoolingConfig, *, layers: int) -> None:
        super().__init__()
        self.pooling = pooling
        self.mix = LayerMix(layers) if pooling.layers == "mix" else None

    @property
    def reads(self) -> Reads:
        """What the encoder must return."""
        return Reads(layers=self.pooling.layers != "last", pooler="pooler" in self.pooling.kinds)

    def forward(self, seen: Seen) -> Tensor:
        """Pool the states."""
        states = self._states(seen)
        return torch.cat([self._pooled(kind, states, seen) for kind in self.pooling.kinds], dim=-1)

    def _states(self, seen: Seen) -> Tensor:
        if self.pooling.layers == "last":
            return seen.last
        assert seen.layers is not None
        if self.mix is None:
            return mean_of_last(seen.layers, 4)
        out: Tensor = self.mix(seen.layers)
        return out

    def _pooled(self, kind: PoolingKind, states: Tensor, seen: Seen) -> Tensor:
        if kind != "pooler":
            return pool(states, seen.packing, kind, token=self.pooling.token)
        if seen.pooler is None:
            raise TenorError("The checkpoint has no pooler; choose another pooling, such as 'mean' or 'cls'.")
        return seen.pooler
