"""Learned attention poolings: one vector per text, a mean of its tokens weighted by the softmax of a score.

    v = Σ_t a_t h_t        a = softmax(score(h_1), …, score(h_m)) within the text

    additive   score(h) = vᵀ tanh(W h + b)      (Bahdanau et al., 2015; over one text: Yang et al., 2016)
    dot        score(h) = q · h, over √d if scaled (Luong et al., 2015; Vaswani et al., 2017)

A text without tokens gets zeros. Weights may be given from outside, such as those of another layer, of a
teacher or of a lexicon. Shapes: n texts, T tokens, d hidden size.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import torch
from torch import Tensor, nn

from tenor.errors import TenorError
from tenor.layers.linear import Linear
from tenor.layers.packed import Packing
from tenor.layers.pooling import pool_sum
from tenor.layers.pooling_config import LEARNED_KINDS, POOLING_KINDS

_INITIAL_STD = 0.02


class AttentionPooling(nn.Module, ABC):
    """The weighted mean of a text's tokens, whose weights follow from a score per token."""

    @abstractmethod
    def scores(self, states: Tensor) -> Tensor:
        """Return the score of each token [T] from its state [T, d]."""

    def weights(self, states: Tensor, packing: Packing) -> Tensor:
        """Return the attention weight of each token [T]; they add up to 1 in each text."""
        return segment_softmax(self.scores(states), packing)

    def forward(self, states: Tensor, packing: Packing, weights: Tensor | None = None) -> Tensor:
        """Return one vector per text [n, d]; given weights [T] are used as they are."""
        if weights is None:
            weights = self.weights(states, packing)
        return pool_sum(states * weights.to(states.dtype)[:, None], packing)


class AdditiveAttention(AttentionPooling):
    """Attention by a hidden layer of tanh units, as many as the states have dimensions unless given.

    >>> import numpy as np
    >>> packing = Packing(np.array([0, 3, 5]))
    >>> attention = AdditiveAttention(4)
    >>> attention(torch.randn(5, 4), packing).shape, attention.weights(torch.randn(5, 4), packing).shape
    (torch.Size([2, 4]), torch.Size([5]))
    """

    def __init__(self, size: int, hidden: int | None = None) -> None:
        super().__init__()
        self.projection = Linear(size, hidden or size)
        self.score = Linear(hidden or size, 1, bias=False)  # a bias would cancel in the softmax
        nn.init.normal_(self.score.weight, std=_INITIAL_STD)  # almost the plain mean at first

    def scores(self, states: Tensor) -> Tensor:
        """Return vᵀ tanh(W h + b) of each token [T]."""
        scores: Tensor = self.score(self.projection(states).tanh())
        return scores[:, 0]


class DotAttention(AttentionPooling):
    """Attention by the dot product with a learned query; at first the plain mean.

    >>> import numpy as np
    >>> DotAttention(1)(torch.tensor([[1.0], [3.0], [5.0]]), Packing(np.array([0, 2, 3]))).tolist()
    [[2.0], [5.0]]
    """

    def __init__(self, size: int, *, scaled: bool = False) -> None:
        super().__init__()
        self.query = nn.Parameter(torch.zeros(size))
        self.scale = 1 / math.sqrt(size) if scaled else 1.0

    def scores(self, states: Tensor) -> Tensor:
        """Return q · h of each token [T]."""
        return states @ (self.query * self.scale).to(states.dtype)


def segment_softmax(scores: Tensor, packing: Packing) -> Tensor:
    """Return the softmax of scores [T] within each text, at least in float32.

    >>> import numpy as np
    >>> segment_softmax(torch.tensor([0.0, 0.0, 7.0]), Packing(np.array([0, 2, 3]))).tolist()
    [0.5, 0.5, 1.0]
    """
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
    # Without the largest score of each text the softmax is the same, and never overflows.
    top = scores.new_full((len(packing),), -math.inf)
    top = top.scatter_reduce(0, packing.text_of, scores.detach(), reduce="amax")
    raised = torch.exp(scores - top.index_select(0, packing.text_of))
    return raised / pool_sum(raised, packing).index_select(0, packing.text_of)


LEARNED: dict[str, Callable[[int], AttentionPooling]] = {
    "attention": AdditiveAttention,
    "dot_attention": DotAttention,
}
"""Poolings with weights of their own, made for a hidden size; those of ``LEARNED_KINDS``."""


def register(kind: str, build: Callable[[int], AttentionPooling]) -> None:
    """Add a learned pooling of one's own, for this process: ``pooling`` of a task's settings knows it then.

    ``build`` makes it for a hidden size, as an attention pooling's class does.
    """
    if kind in POOLING_KINDS and LEARNED.get(kind) is not build:
        raise TenorError(f"There is a pooling {kind!r} already; give yours another name.")
    LEARNED[kind] = build
    for names in (POOLING_KINDS, LEARNED_KINDS):
        if kind not in names:
            names.append(kind)
