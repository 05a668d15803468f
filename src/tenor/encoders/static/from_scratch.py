"""A new table of word vectors, to be trained from nothing: the average of words as an encoder."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from tenor.encoders.embedded.config import MOST_DIMENSIONS, MOST_TOKENS
from tenor.encoders.encoder_type import CONFIG
from tenor.encoders.from_scratch import FromScratch, check_at_least, check_size
from tenor.encoders.stored import SAFETENSORS, Stored, write_safetensors
from tenor.files import write_json

_DEVIATION = 0.1  # of random vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFromScratch(FromScratch):
    """The ``[from_scratch]`` section of a run file for a new table; unknown words have a vector too.

    >>> import tempfile
    >>> from tenor.model import load
    >>> texts = ["a cat sat on the mat", "the dog sat on the cat"]
    >>> folder = StaticFromScratch(embedding_size=8).write(Path(tempfile.mkdtemp()) / "new", texts)
    >>> load(folder).encode(["the cat"]).shape
    (1, 8)
    """

    model_type: Literal["static"] = "static"
    embedding_size: int = 100
    vocab_size: int = 20_000
    """The most words, the most frequent ones of the texts that are trained on."""
    min_count: int = 1
    """How often a word must be there to be known."""
    lowercase: bool = True

    def __post_init__(self) -> None:
        check_at_least(self, embedding_size=1, vocab_size=3, min_count=1)
        check_size(
            self,
            embedding_size=MOST_DIMENSIONS,
            vocab_size=MOST_TOKENS,
            parameters=self.vocab_size * self.embedding_size,
        )

    def write_encoder(self, folder: Path, texts: Iterable[str], *, seed: int) -> int:
        """Write config, random vectors and tokenizer, and return the size of a vector."""
        from tenor.encoders.embedded.word_level import write_word_level
        from tenor.encoders.static.encoder_type import STATIC_EMBEDDING

        words = write_word_level(
            folder, texts, vocab_size=self.vocab_size, min_count=self.min_count, lowercase=self.lowercase
        )
        table = np.random.default_rng(seed).normal(scale=_DEVIATION, size=(len(words), self.embedding_size))
        # The name of sentence-transformers' table, which averages unknown words in.
        stored = Stored("F32", table.astype(np.float32))
        write_safetensors(folder / SAFETENSORS, {STATIC_EMBEDDING: stored})
        write_json(folder / CONFIG, {"model_type": self.model_type})
        return self.embedding_size
