"""Word operators as an encoder: the state of a token is the Gaussian of the text up to it.

The embeddings are the shifts B; a second table holds the logarithms of the scales A. A state is [μ_i, σ²_i],
so that the last one is that of the whole text, and the cosine of two such vectors is how their authors
compare texts (Chen and Gimpel, 2020).

Shapes: n texts, T tokens, k dimensions of the Gaussian, d = 2k hidden size.
"""

import torch
from torch import Tensor, nn

from tenor.encoders.embedded.encoder import EmbeddedEncoder
from tenor.encoders.encoder import States
from tenor.encoders.operators.config import OperatorsConfig
from tenor.layers.cpu.embedding import Embedding
from tenor.layers.packed import PackedBatch
from tenor.layers.word_operators import running_gaussians, text_gaussians

_DEVIATION = 0.01  # of the first logarithms of scales: near the identity
_MOST = 40.0  # of a log-variance in a state: float32 holds e^40 and its square root's products


class OperatorsEncoder(EmbeddedEncoder):
    """Two tables: shifts (the embeddings) and logarithms of scales.

    >>> encoder = OperatorsEncoder(OperatorsConfig(vocab_size=50, embedding_size=4))
    >>> encoder(PackedBatch.from_lists([[1, 2, 3], [4]])).last.shape
    torch.Size([4, 8])
    """

    model_type = "operators"
    gaussian = True
    num_layers = 0  # tables only

    def __init__(self, config: OperatorsConfig) -> None:
        super().__init__(config)
        self.config: OperatorsConfig = config
        self.embeddings_log_scale = Embedding(config.vocab_size, config.embedding_size)
        nn.init.normal_(self.embeddings_log_scale.weight, std=_DEVIATION)

    @property
    def hidden_size(self) -> int:
        """Mean and variance side by side."""
        return 2 * self.config.embedding_size

    def depth(self, parameter: str) -> int:
        """Return the layer of a parameter: both tables are embeddings."""
        return 0

    def operators(self, batch: PackedBatch) -> tuple[Tensor, Tensor]:
        """Return log-scales and shifts [T, k] of a batch's words; a batch's own embeddings are shifts."""
        shifts = self.input_embeddings(batch)
        if batch.ids is None:
            return torch.zeros_like(shifts), shifts
        return self.embeddings_log_scale(batch.ids), shifts

    def gaussians(self, batch: PackedBatch) -> tuple[Tensor, Tensor]:
        """Return the means and log-variances [n, k] of texts."""
        return text_gaussians(*self.operators(batch), batch.packing)

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
        """Return the Gaussian after every word; where only those of texts are wanted, these alone."""
        if pooler:
            raise self.no_pooler()
        operators, packing = self.operators(batch), batch.packing
        ends = torch.from_numpy(packing.starts[1:] - 1).to(packing.device)[packing.lengths > 0]
        if wanted is not None and not all_states and torch.equal(wanted, ends):
            texts = _states(*text_gaussians(*operators, packing))[packing.lengths > 0]
            last = texts.new_zeros(packing.tokens, self.hidden_size).index_copy(0, ends, texts)
        else:
            last = _states(*running_gaussians(*operators, packing))
        return States(batch.packing, last, (last,) if all_states else None)


def _states(mean: Tensor, log_var: Tensor) -> Tensor:
    return torch.cat([mean, log_var.clamp(-_MOST, _MOST).exp()], dim=-1)
