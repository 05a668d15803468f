"""Several embeddings of a word as one, by attention over them (Lange et al., 2020).

    x_i = tanh(Q_i e_i + b_i)        s_i = V tanh(W x_i)        α = softmax(s)        e = Σ_i α_i x_i

Each embedding has a projection of its own to the size of the largest; the scores are shared and have no
biases. Without ``nonlinear`` x_i is linear, as in earlier work.

Shapes: u words, m embeddings of sizes d_i, E = max d_i, H attention size.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class EmbeddingAttention(nn.Module):
    """Projects embeddings to one size and mixes them by weights that depend on the word.

    >>> attention = EmbeddingAttention([3, 5], attention_size=4)
    >>> embeddings = [torch.randn(7, 3), torch.randn(7, 5)]
    >>> attention(embeddings).shape, attention.weights(embeddings).shape
    (torch.Size([7, 5]), torch.Size([7, 2]))
    """

    def __init__(self, sizes: Sequence[int], *, attention_size: int = 10, nonlinear: bool = True) -> None:
        super().__init__()
        self.output_size, self.nonlinear = max(sizes), nonlinear
        self.projections = nn.ModuleList(nn.Linear(size, self.output_size) for size in sizes)
        self.score = nn.Linear(self.output_size, attention_size, bias=False)  # W
        self.out = nn.Linear(attention_size, 1, bias=False)  # V

    def forward(self, embeddings: Sequence[Tensor]) -> Tensor:
        """Return the mixed embedding of each word [u, E] from one tensor [u, d_i] per embedding."""
        projected = self._projected(embeddings)
        return (self._weights(projected)[:, :, None] * projected).sum(dim=1)

    def weights(self, embeddings: Sequence[Tensor]) -> Tensor:
        """Return how much of each embedding a word takes [u, m]; rows sum to 1."""
        return self._weights(self._projected(embeddings))

    def _projected(self, embeddings: Sequence[Tensor]) -> Tensor:
        projected = [project(each) for project, each in zip(self.projections, embeddings, strict=True)]
        stacked = torch.stack(projected, dim=1)  # [u, m, E]
        return stacked.tanh() if self.nonlinear else stacked

    def _weights(self, projected: Tensor) -> Tensor:
        scores: Tensor = self.out(self.score(projected).tanh())[:, :, 0]
        return scores.softmax(dim=1)
