"""What runs an encoder for use: the one interface that `model` and `use` know.

A torch encoder (training, GPU), the OpenVINO engine (CPU) and a static table all serve it. Training talks to
the torch encoder itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.text.tokens import Tokens

Floats = NDArray[np.float32]
Precision = Literal["fp32", "bf16", "int8"]


class Engine(Protocol):
    """Runs one encoder with one pooling, without gradients."""

    @property
    def name(self) -> str:
        """What does the arithmetic, for people: "openvino", "torch cpu", "static"."""

    @property
    def precision(self) -> Precision:
        """The precision of the linear layers."""

    @property
    def width(self) -> int:
        """Length of a vector."""

    @property
    def layers(self) -> int:
        """Number of layers; states 0 are the embeddings, states ``layers`` the output."""

    @property
    def token_budget(self) -> int:
        """The number of tokens of one pass at which this engine is fastest."""

    def raw(self) -> "Engine":
        """Return the same engine with vectors as pooled, never scaled to length 1: what heads read."""

    def vectors(self, tokens: Tokens) -> Floats:
        """Encode texts to pooled vectors [n, width], in one pass; the caller decides what goes together."""

    def states(self, tokens: Tokens, *, layers: Sequence[int]) -> list[Floats]:
        """Encode texts to one vector per token [T, width] after each of these layers, in one pass."""

    def vectors_and_states(self, tokens: Tokens, *, layers: Sequence[int]) -> tuple[Floats, list[Floats]]:
        """Return what ``vectors`` and ``states`` do, both from one pass."""


@runtime_checkable
class StreamingEngine(Engine, Protocol):
    """An engine that computes several batches at a time, for instance one per thread."""

    def map(self, batches: Iterable[Tokens]) -> Iterator[Floats]:
        """Yield the vectors of each batch, in the order of the batches, which are drawn a few ahead."""


def check_layers(asked: Sequence[int], layers: int) -> None:
    """Refuse a layer that an encoder with so many layers does not have."""
    for layer in asked:
        if not 0 <= layer <= layers:
            raise TenorError(f"There is no layer {layer}; the encoder has 0 (embeddings) to {layers}.")
