"""A new LSTM encoder."""

from dataclasses import dataclass
from typing import Literal

from tenor.encoders.embedded.config import MOST_DIMENSIONS, MOST_LAYERS, check_probability
from tenor.encoders.embedded.from_scratch import EmbeddedFromScratch
from tenor.encoders.from_scratch import check_at_least, check_size


@dataclass(frozen=True, slots=True, kw_only=True)
class LstmFromScratch(EmbeddedFromScratch):
    """The ``[from_scratch]`` section of a run file for a new LSTM.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from tenor.model import load
    >>> texts = ["a cat sat on the mat", "the dog sat on the cat"]
    >>> settings = LstmFromScratch(hidden_size=6, embedding_size=8)
    >>> load(settings.write(Path(tempfile.mkdtemp()) / "new", texts)).encode(["the cat"]).shape
    (1, 12)
    """

    model_type: Literal["lstm"] = "lstm"
    hidden_size: int = 128
    """Of one direction."""
    num_layers: int = 1
    bidirectional: bool = True
    dropout: float = 0.3
    """Variational dropout of the output of every layer."""
    input_dropout: float = 0.0
    """Variational dropout of the embeddings."""
    weight_dropout: float = 0.0
    """Dropout of entries of the hidden-to-hidden matrices."""

    def __post_init__(self) -> None:
        EmbeddedFromScratch.__post_init__(self)
        check_at_least(self, hidden_size=1, num_layers=1)
        layer = 4 * self.hidden_size * (self.hidden_size + (self.embedding_size or 100))
        check_size(
            self,
            hidden_size=MOST_DIMENSIONS,
            num_layers=MOST_LAYERS,
            parameters=self.num_layers * layer * (4 if self.bidirectional else 1),
        )
        for name in ("dropout", "input_dropout", "weight_dropout"):
            check_probability(name, getattr(self, name))
