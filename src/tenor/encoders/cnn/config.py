"""The sizes and the dropout probability of a CNN encoder, as its ``config.json`` has them."""

from dataclasses import dataclass
from typing import Any, ClassVar

from tenor.encoders.embedded.config import MOST_DIMENSIONS, EmbeddedConfig, check_probability, check_whole
from tenor.errors import TenorError

_LARGEST_KERNEL, _MOST_KERNELS = 100, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CnnConfig(EmbeddedConfig):
    """What a CNN encoder is built from: ``filters`` of each kernel size.

    >>> CnnConfig(vocab_size=50, embedding_size=20, filters=10, kernel_sizes=(2, 3)).output_size
    20
    """

    model_type: ClassVar[str] = "cnn"

    filters: int
    kernel_sizes: tuple[int, ...] = (3, 4, 5)
    dropout: float = 0.0

    def __post_init__(self) -> None:
        EmbeddedConfig.__post_init__(self)  # a dataclass with slots has no super() without arguments
        check_whole("filters", self.filters, 1, MOST_DIMENSIONS)
        check_kernels(self.kernel_sizes)
        object.__setattr__(self, "kernel_sizes", tuple(self.kernel_sizes))
        check_probability("dropout", self.dropout)

    @property
    def output_size(self) -> int:
        """The size d of a token's state: the features of all kernel sizes side by side."""
        return self.filters * len(self.kernel_sizes)


def check_kernels(sizes: Any) -> None:
    """Refuse what is not a list of kernel sizes."""
    if not isinstance(sizes, tuple | list) or not 1 <= len(sizes) <= _MOST_KERNELS:
        raise TenorError(f"kernel_sizes is {str(sizes)[:60]}; expected a list of whole numbers.")
    for size in sizes:
        check_whole("kernel_sizes", size, 1, _LARGEST_KERNEL)
