"""What encoders over a table of embeddings share in torch.

Shapes: T tokens, e embedding size, d hidden size.
"""

from torch import Tensor, nn
from torch.nn import functional

from tenor.encoders.embedded.config import EmbeddedConfig
from tenor.encoders.encoder import Encoder
from tenor.layers.cpu.embedding import Embedding
from tenor.layers.packed import PackedBatch

_DEVIATION = 0.1  # of random embeddings


class EmbeddedEncoder(Encoder):
    """An encoder whose h_0 are the rows of a table, learned or given."""

    config: EmbeddedConfig

    def __init__(self, config: EmbeddedConfig) -> None:
        super().__init__()
        self.embeddings = Embedding(config.vocab_size, config.embedding_size)
        nn.init.normal_(self.embeddings.weight, std=_DEVIATION)
        self.embeddings.weight.requires_grad_(not config.freeze_embeddings)

    @property
    def word_embeddings(self) -> Embedding:
        """The table of token embeddings."""
        return self.embeddings

    def input_embeddings(self, batch: PackedBatch) -> Tensor:
        """Return the token embeddings [T, e], the batch's own if it carries them."""
        if batch.embeddings is not None:
            return batch.embeddings
        if batch.ids is None:
            raise ValueError("A batch needs ids or embeddings.")
        out: Tensor = self.embeddings(batch.ids)
        return out

    def fitted(self, embedded: Tensor) -> Tensor:
        """Return embeddings [T, e] as states h_0 [T, d]: with zeros behind them, or their first d dimensions.

        A mix of layers adds states up, so that all of them must have one size.
        """
        return functional.pad(embedded, (0, self.hidden_size - embedded.shape[1]))
