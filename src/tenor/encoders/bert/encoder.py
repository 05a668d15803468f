"""BERT (Devlin et al., 2019) on packed batches.

    h_0 = LN(word + position + segment)        h_l = block_l(h_{l-1})        pooler = tanh(W · h_L[first] + b)

The encoder only puts bricks together. Word embeddings may come from the caller (``batch.with_embeddings``),
also the whole of h_0 (``embed`` and ``run`` apart), so that inner loops can move either. All layers come on
request.

Shapes: n texts, T tokens, d width.
"""

import torch
from torch import Tensor, nn

from tenor.encoders.bert.config import BertConfig
from tenor.encoders.encoder import Encoder, States
from tenor.errors import TenorError
from tenor.layers.attention import PackedAttention
from tenor.layers.cpu.dropout import Dropout
from tenor.layers.cpu.embedding import Embedding
from tenor.layers.linear import Linear
from tenor.layers.packed import PackedBatch, Packing
from tenor.layers.pooling import pool_token
from tenor.layers.transformer import BlockConfig, TransformerBlock


class BertEmbeddings(nn.Module):
    """Words, positions and segments, added and normalised."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.words = Embedding(config.vocab_size, config.hidden_size)
        self.positions = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.segments = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = Dropout(config.hidden_dropout_prob)

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


class BertEncoder(Encoder):
    """BERT's embeddings, blocks and pooler.

    >>> size = {"vocab_size": 50, "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 16}
    >>> config = BertConfig(num_hidden_layers=2, **size)
    >>> states = BertEncoder(config)(PackedBatch.from_lists([[1, 2, 3], [4]]), all_states=True, pooler=True)
    >>> states.last.shape, len(states.layers), states.pooler.shape
    (torch.Size([4, 8]), 3, torch.Size([2, 8]))
    """

    model_type = "bert"

    def __init__(self, config: BertConfig, *, pooler: bool = True) -> None:
        super().__init__()
        self.config = config
        block = BlockConfig(
            width=config.hidden_size,
            heads=config.num_attention_heads,
            hidden=config.intermediate_size,
            activation=config.hidden_act,
            epsilon=config.layer_norm_eps,
            dropout=config.hidden_dropout_prob,
            attention_dropout=config.attention_probs_dropout_prob,
        )
        self.embeddings = BertEmbeddings(config)
        self.blocks = nn.ModuleList(TransformerBlock(block) for _ in range(config.num_hidden_layers))
        self.pooler = Linear(config.hidden_size, config.hidden_size) if pooler else None
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

    @property
    def hidden_size(self) -> int:
        """The size of the states."""
        return self.config.hidden_size

    @property
    def num_layers(self) -> int:
        """The number of blocks."""
        return self.config.num_hidden_layers

    @property
    def has_pooler(self) -> bool:
        """Whether the checkpoint has the dense layer over the first token."""
        return self.pooler is not None

    @property
    def word_embeddings(self) -> Embedding:
        """The table of token embeddings."""
        return self.embeddings.words

    def depth(self, parameter: str) -> int:
        """Return the block of a parameter, counted from 1; 0 for embeddings."""
        part, _, rest = parameter.partition(".")
        if part == "blocks":
            return int(rest.partition(".")[0]) + 1
        return 0 if part == "embeddings" else self.num_layers + 1

    def set_dropout(self, probability: float) -> None:
        """Set the dropout of all blocks, that of attention included."""
        super().set_dropout(probability)
        for module in self.modules():
            if isinstance(module, PackedAttention):
                module.dropout = probability

    def low_precision_modules(self) -> list[nn.Module]:
        """Return the linear layers of the blocks."""
        return [module for module in self.blocks.modules() if isinstance(module, nn.Linear)]

    def input_embeddings(self, batch: PackedBatch) -> Tensor:
        """Return the word embeddings [T, d], which an objective may change and hand back with the batch."""
        return self.embeddings.look_up(batch)

    def embed(self, batch: PackedBatch) -> Tensor:
        """Return h_0 [T, d], the normalised sum of words, segments and positions."""
        if batch.given_positions is None and batch.packing.longest > self.config.max_position_embeddings:
            raise TenorError(
                f"A text has {batch.packing.longest} tokens, but the encoder has "
                f"{self.config.max_position_embeddings} positions; truncate it or cut it into chunks."
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
            raise self.no_pooler()
        out: Tensor = torch.tanh(self.pooler(pool_token(states, packing)))
        return out


def _initialise(module: nn.Module) -> None:
    """Draw weights as BERT does: normal with deviation 0.02, biases zero, LayerNorm the identity."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)
