"""The sizes and dropout probabilities of an LSTM encoder, as its ``config.json`` has them."""

from dataclasses import dataclass
from typing import ClassVar

from tenor.encoders.embedded.config import (
    MOST_DIMENSIONS,
    MOST_LAYERS,
    EmbeddedConfig,
    check_flag,
    check_probability,
    check_whole,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LstmConfig(EmbeddedConfig):
    """What an LSTM encoder is built from; ``hidden_size`` is that of one direction, as in torch.

    >>> LstmConfig(vocab_size=50, embedding_size=20, hidden_size=30).output_size
    60
    """

    model_type: ClassVar[str] = "lstm"

    hidden_size: int
    num_layers: int = 1
    bidirectional: bool = True
    dropout: float = 0.0
    input_dropout: float = 0.0
    weight_dropout: float = 0.0

    def __post_init__(self) -> None:
        EmbeddedConfig.__post_init__(self)  # a dataclass with slots has no super() without arguments
        check_whole("hidden_size", self.hidden_size, 1, MOST_DIMENSIONS)
        check_whole("num_layers", self.num_layers, 1, MOST_LAYERS)
        check_flag("bidirectional", self.bidirectional)
        for name in ("dropout", "input_dropout", "weight_dropout"):
            check_probability(name, getattr(self, name))

    @property
    def output_size(self) -> int:
        """The size d of a token's state: all directions side by side."""
        return self.hidden_size * (2 if self.bidirectional else 1)
