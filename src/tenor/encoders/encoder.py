"""What every trainable encoder is: tokens of a packed batch in, one vector per token out.

    h_0 = embeddings        h_l = layer_l(h_{l-1}), l = 1 … L

One torch engine runs any of them (``encoders/torch_engine.py``), training and heads read their states, and
``encoders/table.py`` says by ``model_type`` how each is loaded, saved and begun from scratch. A new encoder
is a subclass here and a line there.

Shapes: n texts, T tokens, d hidden size.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn

from tenor.errors import TenorError
from tenor.layers.packed import PackedBatch, Packing


@dataclass(frozen=True, slots=True, eq=False)
class States:
    """What an encoder returns, on the flat axis of the batch."""

    packing: Packing
    last: Tensor  # [T, d]
    layers: tuple[Tensor, ...] | None = None  # h_0 … h_L, each [T, d], on request
    pooler: Tensor | None = None  # [n, d], on request
    cells: tuple[Tensor, ...] | None = None  # cell states of recurrent layers, each [T, d], on request


class Encoder(nn.Module, ABC):
    """Turns the tokens of a packed batch into states."""

    model_type: ClassVar[str]
    """The name in ``config.json`` by which a folder of this encoder is recognised."""

    gaussian: ClassVar[bool] = False
    """Whether a state is a Gaussian: mean and variances side by side."""

    @property
    @abstractmethod
    def hidden_size(self) -> int:
        """The size d of the states."""

    @property
    @abstractmethod
    def num_layers(self) -> int:
        """The number L of layers above the embeddings."""

    @abstractmethod
    def forward(
        self,
        batch: PackedBatch,
        *,
        all_states: bool = False,
        pooler: bool = False,
        upto: int | None = None,
        wanted: Tensor | None = None,
    ) -> States:
        """Encode a batch; all layers and the pooler's output only when asked for.

        ``upto`` stops after that layer. With ``wanted`` [w], positions on the flat axis, no other last states
        are read (nor any but the first of each text, where the pooler is asked for): an encoder may leave 0
        there to save work.
        """

    @property
    def has_pooler(self) -> bool:
        """Whether there is a layer of the encoder's own over the first token."""
        return False

    def no_pooler(self) -> TenorError:
        """Return the error of an encoder that is asked for a pooler and has none."""
        return TenorError("The checkpoint has no pooler; choose another pooling, such as 'mean' or 'cls'.")

    @property
    def word_embeddings(self) -> nn.Embedding | None:
        """The table of token embeddings, to which the output layer of a language model is tied."""
        return None

    def input_embeddings(self, batch: PackedBatch) -> Tensor:
        """Return the token embeddings [T, e], which an objective may change and hand back with the batch.

        Their size e is d unless the encoder says otherwise.
        """
        raise TenorError(f"A {self.model_type!r} encoder does not take other token embeddings than its own.")

    @abstractmethod
    def depth(self, parameter: str) -> int:
        """Return the layer of a parameter: 0 for embeddings, l for layer l, L + 1 for what stands above."""

    def prunable(self) -> Mapping[str, nn.Parameter]:
        """Return the matrices that may be pruned, by name: those of the layers, no embeddings."""
        return {
            name: parameter
            for name, parameter in self.named_parameters()
            if parameter.ndim >= 2 and 0 < self.depth(name) <= self.num_layers
        }

    def set_dropout(self, probability: float) -> None:
        """Set all dropout of the encoder."""
        for module in self.modules():
            if isinstance(module, nn.Dropout):
                module.p = probability

    def low_precision_modules(self) -> list[nn.Module]:
        """Return the modules whose weights an engine may turn to bf16."""
        return []

    def quantize(self) -> bool:
        """Take the products of the layers in int8 from now on, for use on a CPU; False where it cannot."""
        return False
