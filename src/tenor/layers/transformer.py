"""The transformer block on a packed batch (Vaswani et al., 2017), in both orders of normalisation.

    post-norm (BERT):   x ← LN(x + attention(x));      x ← LN(x + feed_forward(x))
    pre-norm (GPT):     x ← x + attention(LN(x));      x ← x + feed_forward(LN(x))

with feed_forward(x) = W₂ · activation(W₁ · x), and dropout on what is added to x. Everything but attention
works on single tokens, so no padding is ever computed.

Shapes: T tokens, d width.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from torch import Tensor, nn
from torch.nn import functional

from tenor.layers.attention import PackedAttention
from tenor.layers.cpu.dropout import Dropout
from tenor.layers.linear import Linear
from tenor.layers.packed import AttentionKind, Packing

Activation = Literal["gelu", "gelu_new", "relu"]
NormOrder = Literal["post", "pre"]


def _gelu_tanh(states: Tensor) -> Tensor:
    return functional.gelu(states, approximate="tanh")


# "gelu" is the exact one, by the error function; "gelu_new" its approximation by tanh.
_ACTIVATIONS: Mapping[Activation, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_new": _gelu_tanh,
    "relu": functional.relu,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockConfig:
    """The sizes and settings of one block."""

    width: int
    heads: int
    hidden: int  # width of the feed-forward layer
    activation: Activation = "gelu"
    norm: NormOrder = "post"
    epsilon: float = 1e-12
    dropout: float = 0.0
    attention_dropout: float = 0.0


class FeedForward(nn.Module):
    """Two linear layers with an activation between them, token by token."""

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.up = Linear(config.width, config.hidden)
        self.down = Linear(config.hidden, config.width)
        self.activation = _ACTIVATIONS[config.activation]

    def forward(self, states: Tensor) -> Tensor:
        """Return [T, d]."""
        out: Tensor = self.down(self.activation(self.up(states)))
        return out


class TransformerBlock(nn.Module):
    """Attention and feed-forward, each with a residual and a LayerNorm.

    >>> import numpy as np, torch
    >>> block = TransformerBlock(BlockConfig(width=8, heads=2, hidden=16))
    >>> block(torch.zeros(5, 8), Packing(np.array([0, 3, 5]))).shape
    torch.Size([5, 8])
    """

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.attention = PackedAttention(config.width, heads=config.heads, dropout=config.attention_dropout)
        self.attention_norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.dropout = Dropout(config.dropout)
        self.norm: NormOrder = config.norm

    def forward(
        self,
        states: Tensor,
        packing: Packing,
        kind: AttentionKind = "full",
        *,
        wanted: Tensor | None = None,
    ) -> Tensor:
        """Return the new states [T, d], or only those of the tokens ``wanted`` [w, d]."""
        own = states if wanted is None else states.index_select(0, wanted)
        if self.norm == "pre":
            looked = self.attention(self.attention_norm(states), packing, kind, wanted=wanted)
            mixed = own + self.dropout(looked)
            out: Tensor = mixed + self.dropout(self.feed_forward(self.feed_forward_norm(mixed)))
        else:
            looked = self.attention(states, packing, kind, wanted=wanted)
            mixed = self.attention_norm(own + self.dropout(looked))
            out = self.feed_forward_norm(mixed + self.dropout(self.feed_forward(mixed)))
        return out
