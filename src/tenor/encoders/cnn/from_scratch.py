"""A new CNN encoder."""

from dataclasses import dataclass
from typing import Literal

from tenor.encoders.cnn.config import check_kernels
from tenor.encoders.embedded.config import MOST_DIMENSIONS, check_probability
from tenor.encoders.embedded.from_scratch import EmbeddedFromScratch
from tenor.encoders.from_scratch import check_at_least, check_size


@dataclass(frozen=True, slots=True, kw_only=True)
class CnnFromScratch(EmbeddedFromScratch):
    """The ``[from_scratch]`` section of a run file for a new KimCNN; the defaults of its layers are Kim's.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from tenor.model import load
    >>> texts = ["a cat sat on the mat", "the dog sat on the cat"]
    >>> settings = CnnFromScratch(filters=6, embedding_size=8)
    >>> load(settings.write(Path(tempfile.mkdtemp()) / "new", texts)).encode(["the cat"]).shape
    (1, 18)
    """

    model_type: Literal["cnn"] = "cnn"
    filters: int = 100
    """Of each kernel size."""
    kernel_sizes: tuple[int, ...] = (3, 4, 5)
    dropout: float = 0.5
    """Dropout of the pooled features."""

    def __post_init__(self) -> None:
        EmbeddedFromScratch.__post_init__(self)
        check_at_least(self, filters=1)
        check_kernels(self.kernel_sizes)
        features = self.filters * sum(self.kernel_sizes)
        check_size(self, filters=MOST_DIMENSIONS, parameters=features * (self.embedding_size or 100))
        check_probability("dropout", self.dropout)
