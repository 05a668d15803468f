"""The sizes of an encoder of word operators, as its ``config.json`` has them."""

from dataclasses import dataclass
from typing import ClassVar

from tenor.encoders.embedded.config import EmbeddedConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorsConfig(EmbeddedConfig):
    """What it is built from; ``embedding_size`` is the number k of dimensions of the Gaussian.

    >>> OperatorsConfig(vocab_size=50, embedding_size=20).model_type
    'operators'
    """

    model_type: ClassVar[str] = "operators"
