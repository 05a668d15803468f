"""LSTM layers over word embeddings (Hochreiter & Schmidhuber, 1997), regularised as in AWD-LSTM.

    h_0 = embeddings        h_l, c_l = LSTM_l(h_{l-1}), in one or two directions, l = 1 … L

Dropout is variational, one mask per text; weight dropout is on the hidden-to-hidden matrices (Merity et al.,
2018). States of all layers come on request, cell states too.

Shapes: n texts, T tokens, e embedding size, d = hidden size × directions.
"""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor, nn

from tenor.encoders.embedded.encoder import EmbeddedEncoder
from tenor.encoders.encoder import States
from tenor.encoders.lstm.config import LstmConfig
from tenor.layers.lstm import LSTMConfig, PackedLSTM
from tenor.layers.packed import PackedBatch


class LstmEncoder(EmbeddedEncoder):
    """Embeddings and a stack of LSTM layers.

    >>> encoder = LstmEncoder(LstmConfig(vocab_size=50, embedding_size=8, hidden_size=6, num_layers=2))
    >>> states = encoder(PackedBatch.from_lists([[1, 2, 3], [4]]), all_states=True, cells=True)
    >>> states.last.shape, len(states.layers), len(states.cells)
    (torch.Size([4, 12]), 3, 2)
    """

    model_type = "lstm"

    def __init__(self, config: LstmConfig, vocabularies: Sequence[Sequence[str]] = ()) -> None:
        super().__init__(config, vocabularies)
        self.config: LstmConfig = config
        self.lstm = PackedLSTM(
            LSTMConfig(
                input_size=config.embedding_size,
                hidden_size=config.hidden_size,
                num_layers=config.num_layers,
                bidirectional=config.bidirectional,
                dropout=config.dropout,
                input_dropout=config.input_dropout,
                weight_dropout=config.weight_dropout,
            )
        )

    @property
    def hidden_size(self) -> int:
        """The size of the states: all directions side by side."""
        return self.config.output_size

    @property
    def num_layers(self) -> int:
        """The number of LSTM layers."""
        return self.config.num_layers

    def depth(self, parameter: str) -> int:
        """Return the layer of a parameter, counted from 1; 0 for embeddings."""
        return int(parameter.split(".")[2]) + 1 if parameter.startswith("lstm.layers.") else 0

    def set_dropout(self, probability: float) -> None:
        """Set the variational dropout and that of characters; weight dropout where the encoder has it."""
        super().set_dropout(probability)
        own = self.lstm.config
        self.lstm.config = replace(
            own,
            dropout=probability,
            input_dropout=probability,
            weight_dropout=probability if own.weight_dropout else 0.0,
        )

    def low_precision_modules(self) -> list[nn.Module]:
        """Return the LSTM layers."""
        return list(self.lstm.layers)

    def quantize(self) -> bool:
        """Take the products of the LSTM layers in int8; embeddings stay in float32."""
        self.lstm.quantize()
        return True

    def forward(
        self,
        batch: PackedBatch,
        *,
        all_states: bool = False,
        pooler: bool = False,
        upto: int | None = None,
        wanted: Tensor | None = None,
        cells: bool = False,
    ) -> States:
        """Encode a batch; states of all layers, h_0 as ``fitted`` has it, and cell states when asked for."""
        if pooler:
            raise self.no_pooler()
        embedded = self.input_embeddings(batch)
        output = self.lstm(embedded, batch.packing, cells=cells)
        # Between layers dropout is part of the next one; the last states have theirs.
        hidden = [self.fitted(embedded), *output.layers[:-1], output.last]
        layers = tuple(layer.to(embedded.dtype) for layer in hidden)[: None if upto is None else upto + 1]
        cell_layers = tuple(cell.to(embedded.dtype) for cell in output.cells)[:upto] if cells else None
        return States(batch.packing, layers[-1], layers if all_states else None, cells=cell_layers)
