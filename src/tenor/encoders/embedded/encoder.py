"""What encoders over embeddings share in torch: a table of tokens, or several embeddings of words.

Shapes: T tokens, e embedding size, d hidden size.
"""

from collections.abc import Sequence

import numpy as np
from torch import Tensor, nn
from torch.nn import functional

from tenor.encoders.embedded.config import EmbeddedConfig
from tenor.encoders.embedded.word_embeddings.combined import CombinedEmbeddings
from tenor.encoders.encoder import Encoder
from tenor.errors import TenorError
from tenor.layers.cpu.embedding import Embedding
from tenor.layers.packed import PackedBatch

_DEVIATION = 0.1  # of random embeddings


class EmbeddedEncoder(Encoder):
    """An encoder whose h_0 are the rows of a table, or what several embeddings make of a word's spelling."""

    config: EmbeddedConfig

    def __init__(self, config: EmbeddedConfig, vocabularies: Sequence[Sequence[str]] = ()) -> None:
        super().__init__()
        self.embeddings: Embedding | CombinedEmbeddings
        if config.embeddings:
            self.embeddings = CombinedEmbeddings(
                config.embeddings, vocabularies, attention_size=config.attention_size
            )
            return
        self.embeddings = Embedding(config.vocab_size, config.embedding_size)
        nn.init.normal_(self.embeddings.weight, std=_DEVIATION)
        self.embeddings.weight.requires_grad_(not config.freeze_embeddings)

    @property
    def word_embeddings(self) -> Embedding | None:
        """The table of token embeddings; None where words are embedded by their spelling."""
        return self.embeddings if isinstance(self.embeddings, Embedding) else None

    def input_embeddings(self, batch: PackedBatch) -> Tensor:
        """Return the token embeddings [T, e], the batch's own if it carries them."""
        if batch.embeddings is not None:
            return batch.embeddings
        if batch.ids is None:
            raise ValueError("A batch needs ids or embeddings.")
        if isinstance(self.embeddings, Embedding):
            out: Tensor = self.embeddings(batch.ids)
            return out
        forms = batch.forms
        if forms is None and len(batch.ids):
            raise TenorError(
                "This encoder reads how words are written, and what is done here hands over their numbers "
                "only; take an encoder with a vocabulary."
            )
        combined: Tensor = self.embeddings(np.empty(0, dtype=np.object_) if forms is None else forms)
        return combined

    def fitted(self, embedded: Tensor) -> Tensor:
        """Return embeddings [T, e] as states h_0 [T, d]: with zeros behind them, or their first d dimensions.

        A mix of layers adds states up, so that all of them must have one size.
        """
        return functional.pad(embedded, (0, self.hidden_size - embedded.shape[1]))
