"""BERT (Devlin et al., 2019) on packed batches.

    h_0 = LN(word + position + segment)        h_l = block_l(h_{l-1})        pooler = tanh(W · h_L[first] + b)

The encoder only puts bricks together. Word embeddings may come from the caller (``batch.with_embeddings``),
also the whole of h_0 (``embed`` and ``run`` apart), so that inner loops can move either. All layers come on
request.

Shapes: n texts, T tokens, d width.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tenor.encoders.bert.config import BertConfig
from tenor.errors import TenorError
from tenor.layers.dropout import Dropout
from tenor.layers.embedding import Embedding
from tenor.layers.linear import Linear
from tenor.layers.packed import PackedBatch, Packing
from tenor.layers.pooling import pool_token
from tenor.layers.transformer import BlockConfig, TransformerBlock


@dataclass(frozen=True, slots=True, eq=False)
class States:
    """What an encoder returns, on the flat axis of the batch."""

    packing: Packing
    last: Tensor  # [T, d]
    layers: tuple[Tensor, ...] | None = None  # h_0 … h_L, each [T, d], on request
    pooler: Tensor | None = None  # [n, d], on request


class BertEmbeddings(nn.Module):
    """Words, positions and segments, added and normalised."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.words = Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.positions, config.width)
        self.segments = nn.Embedding(config.segments, config.width)
        self.norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.dropout = Dropout(config.dropout)

    def forward(self, batch: PackedBatch) -> Tensor:
        """Return h_0 [T, d]."""
        words = self.look_up(batch)
        # Without segments every token is in the first: its row is added to all, with no look-up.
        segments = self.segments.weight[0] if batch.segments is None else self.segments(batch.segments)
        out: Tensor = self.dropout(self.norm(words + segments + self.positions(batch.positions)))
        return out

    def look_up(self, batch: PackedBatch) -> Tensor:
        """Return the word embeddings [T, d]: the batch's own if it carries them."""
        if batch.embeddings is not None:
            return batch.embeddings
        if batch.ids is None:
            raise ValueError("A batch needs ids or embeddings.")
        out: Tensor = self.words(batch.ids)
        return out


class BertEncoder(nn.Module):
    """BERT's embeddings, blocks and pooler.

    >>> config = BertConfig(vocabulary=50, width=8, layers=2, heads=2, hidden=16)
    >>> states = BertEncoder(config)(PackedBatch.from_lists([[1, 2, 3], [4]]), all_states=True, pooler=True)
    >>> states.last.shape, len(states.layers), states.pooler.shape
    (torch.Size([4, 8]), 3, torch.Size([2, 8]))
    """

    def __init__(self, config: BertConfig, *, pooler: bool = True) -> None:
        super().__init__()
        self.config = config
        block = BlockConfig(
            width=config.width,
            heads=config.heads,
            hidden=config.hidden,
            activation=config.activation,
            epsilon=config.epsilon,
            dropout=config.dropout,
            attention_dropout=config.attention_dropout,
        )
        self.embeddings = BertEmbeddings(config)
        self.blocks = nn.ModuleList(TransformerBlock(block) for _ in range(config.layers))
        self.pooler = Linear(config.width, config.width) if pooler else None
        self.apply(_initialise)

    def forward(
        self,
        batch: PackedBatch,
        *,
        all_states: bool = False,
        pooler: bool = False,
        upto: int | None = None,
        wanted: Tensor | None = None,
    ) -> States:
        """Encode a batch; all layers and the pooler's output only when asked for.

        ``upto`` stops after that layer, for readers of an inner one. With ``wanted`` [w], places on the flat
        axis, the last states of other tokens are 0, which saves most of the last block; the pooler reads the
        first token of each text.
        """
        return self.run(
            self.embed(batch), batch, all_states=all_states, pooler=pooler, upto=upto, wanted=wanted
        )

    def look_up(self, batch: PackedBatch) -> Tensor:
        """Return the word embeddings [T, d], which an inner loop may change and hand back with the batch."""
        return self.embeddings.look_up(batch)

    def embed(self, batch: PackedBatch) -> Tensor:
        """Return h_0 [T, d], the normalised sum of words, segments and positions."""
        if batch.given_positions is None and batch.packing.longest > self.config.positions:
            raise TenorError(
                f"A text has {batch.packing.longest} tokens, but the encoder has {self.config.positions} "
                "positions; truncate it or cut it into chunks."
            )
        out: Tensor = self.embeddings(batch)
        return out

    def run(
        self,
        embedded: Tensor,
        batch: PackedBatch,
        *,
        all_states: bool = False,
        pooler: bool = False,
        upto: int | None = None,
        wanted: Tensor | None = None,
    ) -> States:
        """Run the blocks on h_0 [T, d]."""
        states = embedded
        layers = [states]
        blocks = self.blocks[:upto]
        less = wanted is not None and not all_states and len(blocks) > 0
        *before, last = blocks if less else (*blocks, None)
        for block in before:
            states = block(states, batch.packing, batch.attention)
            if all_states:
                layers.append(states)
        if last is not None and wanted is not None:
            found = last(states, batch.packing, batch.attention, wanted=wanted)
            states = torch.zeros_like(states, dtype=found.dtype).index_copy(0, wanted, found)
        pooled = self.pool(states, batch.packing) if pooler else None
        return States(batch.packing, states, tuple(layers) if all_states else None, pooled)

    def pool(self, states: Tensor, packing: Packing) -> Tensor:
        """Return the pooler's output [n, d] for states [T, d]."""
        if self.pooler is None:
            raise TenorError("The checkpoint has no pooler; choose another pooling, such as 'mean' or 'cls'.")
        out: Tensor = torch.tanh(self.pooler(pool_token(states, packing)))
        return out


def _initialise(module: nn.Module) -> None:
    """Draw weights as BERT does: normal with deviation 0.02, biases zero, LayerNorm the identity."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)
