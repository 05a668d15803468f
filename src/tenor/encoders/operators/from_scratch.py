"""New word operators."""

from dataclasses import dataclass
from typing import Literal

from tenor.encoders.embedded.from_scratch import EmbeddedFromScratch


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorsFromScratch(EmbeddedFromScratch):
    """The ``[from_scratch]`` section of a run file for new word operators, near the identity.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from tenor.model import load
    >>> texts = ["a cat sat on the mat", "the dog sat on the cat"]
    >>> settings = OperatorsFromScratch(embedding_size=8)
    >>> load(settings.write(Path(tempfile.mkdtemp()) / "new", texts)).encode(["the cat"]).shape
    (1, 16)
    """

    model_type: Literal["operators"] = "operators"
