"""A table of token vectors as a trainable encoder.

    h_0 = w(t) E[m(t)]        no layers above

E is the table [rows, d], which is trained; m (several tokens share a row) and w (a weight per token) come
with tables whose vocabulary was quantised, and stay as they are. The token that stands for what the
vocabulary does not know has zeros; the tokenizer leaves it out wherever a text is pooled, so that it does not
count in a mean.

Shapes: T tokens, d hidden size.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.encoders.encoder import Encoder, States
from tenor.layers.cpu.embedding import Embedding
from tenor.layers.packed import PackedBatch


class StaticEncoder(Encoder):
    """Looks up one vector per token.

    >>> encoder = StaticEncoder(np.array([[9, 9], [1, 0], [0, 2]]), unknown=0)
    >>> encoder(PackedBatch.from_lists([[1, 2], [0]])).last.tolist()
    [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]
    """

    model_type = "static"

    def __init__(
        self,
        table: NDArray[Any],
        *,
        mapping: NDArray[Any] | None = None,
        weights: NDArray[Any] | None = None,
        unknown: int | None = None,
    ) -> None:
        super().__init__()
        # Copied: the file is mapped read-only, and torch has no read-only tensors.
        values = torch.from_numpy(np.array(table, dtype=np.float32))
        self.embeddings = Embedding(len(values), values.shape[1], _weight=values)
        self.unknown = unknown
        self.mapping: Tensor | None
        self.weights: Tensor | None
        self.register_buffer("mapping", _tensor(mapping, np.int64), persistent=False)  # [tokens] -> row
        self.register_buffer("weights", _tensor(weights, np.float32), persistent=False)  # [tokens]

    @property
    def hidden_size(self) -> int:
        """The size of a vector."""
        return self.embeddings.embedding_dim

    @property
    def num_layers(self) -> int:
        """There are none above the table."""
        return 0

    @property
    def word_embeddings(self) -> Embedding | None:
        """The table, where every token has a row of its own."""
        return self.embeddings if self.mapping is None and self.weights is None else None

    def depth(self, parameter: str) -> int:
        """Return 0: all there is are embeddings."""
        return 0

    def input_embeddings(self, batch: PackedBatch) -> Tensor:
        """Return the vectors of the tokens [T, d], the batch's own if it carries them."""
        if batch.embeddings is not None:
            return batch.embeddings
        if batch.ids is None:
            raise ValueError("A batch needs ids or embeddings.")
        vectors: Tensor = self.embeddings(batch.ids if self.mapping is None else self.mapping[batch.ids])
        if self.weights is not None:
            vectors = vectors * self.weights[batch.ids, None]
        if self.unknown is not None:
            vectors = vectors.masked_fill((batch.ids == self.unknown)[:, None], 0.0)
        return vectors

    def forward(
        self,
        batch: PackedBatch,
        *,
        all_states: bool = False,
        pooler: bool = False,
        upto: int | None = None,
        wanted: Tensor | None = None,
    ) -> States:
        """Look up a batch; the only states are the embeddings."""
        if pooler:
            raise self.no_pooler()
        states = self.input_embeddings(batch)
        return States(batch.packing, states, (states,) if all_states else None)


def _tensor(values: NDArray[Any] | None, kind: type[np.number[Any]]) -> Tensor | None:
    return None if values is None else torch.from_numpy(np.array(values, dtype=kind))
