"""KimCNN: convolutions over the n-grams of a text (Kim, 2014).

    h_0 = embeddings        h_1 = ReLU(W [x_t ; … ; x_{t+m-1}] + b) for each kernel size m

The vector of a text is the max over its tokens. Dropout has one mask per text: since features are not
negative, dropping dimensions before the max is Kim's dropout of the pooled vector.

Shapes: n texts, T tokens, e embedding size, d = filters × number of kernel sizes.
"""

from collections.abc import Sequence

from torch import Tensor, nn

from tenor.encoders.cnn.config import CnnConfig
from tenor.encoders.embedded.encoder import EmbeddedEncoder
from tenor.encoders.encoder import States
from tenor.layers.cnn import ConvNgrams
from tenor.layers.locked_dropout import LockedDropout
from tenor.layers.packed import PackedBatch


class CnnEncoder(EmbeddedEncoder):
    """Embeddings and one layer of convolutions.

    >>> encoder = CnnEncoder(CnnConfig(vocab_size=50, embedding_size=8, filters=6))
    >>> encoder(PackedBatch.from_lists([[1, 2, 3], [4]])).last.shape
    torch.Size([4, 18])
    """

    model_type = "cnn"

    def __init__(self, config: CnnConfig, vocabularies: Sequence[Sequence[str]] = ()) -> None:
        super().__init__(config, vocabularies)
        self.config: CnnConfig = config
        self.ngrams = ConvNgrams(config.embedding_size, config.filters, config.kernel_sizes)
        self.dropout = LockedDropout(config.dropout)

    @property
    def hidden_size(self) -> int:
        """The number of features of a token."""
        return self.config.output_size

    @property
    def num_layers(self) -> int:
        """One layer of convolutions."""
        return 1

    def depth(self, parameter: str) -> int:
        """Return 1 for convolutions, 0 for embeddings."""
        return 0 if parameter.startswith("embeddings.") else 1

    def set_dropout(self, probability: float) -> None:
        """Set the dropout of the features and of characters."""
        super().set_dropout(probability)
        self.dropout.p = probability

    def low_precision_modules(self) -> list[nn.Module]:
        """Return the convolutions."""
        return list(self.ngrams.convolutions)

    def forward(
        self,
        batch: PackedBatch,
        *,
        all_states: bool = False,
        pooler: bool = False,
        upto: int | None = None,
        wanted: Tensor | None = None,
    ) -> States:
        """Encode a batch; h_0, as ``fitted`` has it, when asked for."""
        if pooler:
            raise self.no_pooler()
        embedded = self.input_embeddings(batch)
        layers: tuple[Tensor, ...] = (self.fitted(embedded),)
        if upto != 0:
            features = self.ngrams(embedded, batch.packing).to(embedded.dtype)
            layers += (self.dropout(features, batch.packing),)
        return States(batch.packing, layers[-1], layers if all_states else None)
