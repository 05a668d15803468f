"""The vectors of texts as a head reads them: by the model's pooling, or by the head's own.

A head's own pooling may read all layers (``mean@mix``: a learned mix; ``mean@last_four``) or the encoder's
own pooler. Two texts that were encoded as one sequence can be pooled apart, each over its own tokens, which
have seen those of the other. Shapes: T tokens, n texts, d width.
"""

from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from tenor.errors import TenorError
from tenor.layers.attention_pooling import LEARNED, AttentionPooling
from tenor.layers.layer_mix import LayerMix, mean_of_last
from tenor.layers.packed import Packing
from tenor.layers.pooling import pool
from tenor.layers.pooling_config import POOLING_KINDS, PoolingConfig, PoolingKind
from tenor.tasks.task import EncoderOutput, Reads
from tenor.text.tokens import Tokens

# Poolings that are about a whole sequence: its first or last tokens, or the encoder's own layer over them.
_OF_A_WHOLE: tuple[PoolingKind, ...] = ("cls", "pooler", "token", "last_token")


def check_apart(pooling: PoolingConfig) -> None:
    """Refuse poolings that say nothing of one part of a sequence."""
    whole = [kind for kind in pooling.kinds if kind in _OF_A_WHOLE]
    if whole:
        others = ", ".join(kind for kind in POOLING_KINDS if kind not in _OF_A_WHOLE)
        raise TenorError(
            f"The pooling {whole[0]!r} is one of a whole sequence, but features ask for a vector of each of "
            f"two texts encoded jointly. Choose another pooling for the task ({others}), or no features."
        )


def packing_apart(tokens: Tokens, device: torch.device | str = "cpu") -> Packing:
    """Return where the first and the second text of each jointly encoded pair begin.

    >>> pair = Tokens.from_lists([[1, 7, 2, 8, 8, 2], [1, 2, 9, 2]])
    >>> segments = np.array([0, 0, 0, 1, 1, 1, 0, 0, 1, 1], dtype=np.int32)
    >>> packing_apart(Tokens(pair.ids, pair.starts, segments)).starts.tolist()
    [0, 3, 6, 8, 10]
    """
    segments = np.zeros(len(tokens.ids), np.int32) if tokens.segments is None else tokens.segments
    seconds = np.flatnonzero(np.diff(segments) > 0) + 1  # the last part ends with a special token
    if len(seconds) != len(tokens):
        raise TenorError(
            "The tokenizer of this encoder does not number the two texts of a sequence, so they cannot have "
            "a vector each: leave features out, or choose encoding = 'bi'."
        )
    return Packing(np.sort(np.concatenate([tokens.starts, seconds])), device)


class TextVectors(nn.Module):
    """Turns what a task sees of a pass into one vector per text [n, d · kinds].

    ``hidden_size`` and ``num_layers`` are the encoder's, for what is learned: a mix of its layers, embeddings
    included, and attention over the tokens.
    """

    def __init__(self, pooling: PoolingConfig, *, hidden_size: int, num_layers: int) -> None:
        super().__init__()
        self.pooling = pooling
        self.mix = LayerMix(num_layers + 1) if pooling.layers == "mix" else None
        learned = {str(kind): LEARNED[kind](hidden_size) for kind in pooling.kinds if kind in LEARNED}
        self.attention = nn.ModuleDict(learned) if learned else None

    @property
    def reads(self) -> Reads:
        """What the encoder must return."""
        return Reads(layers=self.pooling.reads_layers, pooler=self.pooling.reads_pooler)

    @property
    def firsts(self) -> bool:
        """Whether the first token of each sequence is all that is read; no part of one has such a pooling."""
        return self.pooling.reads_first_token

    @property
    def lasts(self) -> bool:
        """Whether the last token of each sequence is all that is read."""
        return self.pooling.reads_last_token

    def forward(
        self, seen: EncoderOutput, packing: Packing | None = None, *, weights: Tensor | None = None
    ) -> Tensor:
        """Pool the states of each text, or of each part that another packing makes out.

        ``weights`` [T] take the place of those of learned attention.
        """
        states = self._states(seen)
        packing = packing or seen.packing
        parts = [self._pooled(kind, states, packing, seen, weights) for kind in self.pooling.kinds]
        return torch.cat(parts, dim=-1)

    def attention_weights(self, seen: EncoderOutput) -> dict[str, Tensor]:
        """Return the weights [T] of every learned attention, by the name of its pooling."""
        states, learned = self._states(seen), {} if self.attention is None else dict(self.attention.items())
        return {
            kind: cast(AttentionPooling, layer).weights(states, seen.packing)
            for kind, layer in learned.items()
        }

    def _states(self, seen: EncoderOutput) -> Tensor:
        if not self.pooling.reads_layers:
            return seen.last
        assert seen.layers is not None
        if self.mix is None:
            return mean_of_last(seen.layers, 4)
        out: Tensor = self.mix(seen.layers)
        return out

    def _pooled(
        self,
        kind: PoolingKind,
        states: Tensor,
        packing: Packing,
        seen: EncoderOutput,
        weights: Tensor | None,
    ) -> Tensor:
        if self.attention is not None and kind in self.attention:
            attended: Tensor = self.attention[kind](states, packing, weights)
            return attended
        return pool(states, packing, kind, token=self.pooling.token, pooler=seen.pooler)
