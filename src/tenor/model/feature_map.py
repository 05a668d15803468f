"""A learned map between embeddings and encoder, or between encoder and heads.

    F(x) = tanh(Wᵀ E(x)),   W [d, d], one matrix for all texts

A module of its own to be moved where E is frozen (word vectors), so that an adversary has something to press
on (Lange et al., 2020, learn it for language-neutral taggers).
"""

from dataclasses import replace
from typing import Literal

import torch
from torch import Tensor, nn

from tenor.encoders.encoder import Encoder, States
from tenor.layers.linear import Linear
from tenor.layers.packed import PackedBatch
from tenor.model.network import Adapter

Place = Literal["embeddings", "states"]
Initialisation = Literal["identity", "xavier"]


class FeatureMap(Adapter):
    """Maps the embeddings that an encoder gets, or the states that heads get; an adapter of ``tenor.train``.

    The identity keeps the geometry of the vectors at first, but for tanh; entries should be about 1 or below.

    >>> FeatureMap(3)(torch.zeros(2, 3)).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """

    def __init__(
        self,
        size: int,
        *,
        place: Place = "embeddings",
        initialisation: Initialisation = "identity",
        seed: int = 1,
    ) -> None:
        super().__init__()
        self.place: Place = place
        self.linear = Linear(size, size, bias=False)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            if initialisation == "identity":
                nn.init.eye_(self.linear.weight)
            else:
                nn.init.xavier_uniform_(self.linear.weight)

    def forward(self, values: Tensor) -> Tensor:
        """Map vectors [T, d]."""
        return torch.tanh(self.linear(values))

    def before(self, batch: PackedBatch, encoder: Encoder) -> PackedBatch:
        """Return the batch with mapped embeddings, where these are what is mapped."""
        if self.place == "states":
            return batch
        return batch.with_embeddings(self(encoder.input_embeddings(batch)))

    def after(self, states: States, batch: PackedBatch) -> States:
        """Return the states with the last ones mapped, where these are what is mapped."""
        if self.place == "embeddings":
            return states
        return replace(states, last=self(states.last))
