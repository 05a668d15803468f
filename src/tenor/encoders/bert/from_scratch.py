"""A new BERT: a vocabulary learned from texts, and random weights.

What pre-training begins with, and what a check of a whole procedure runs on in seconds. The folder is a plain
BERT checkpoint with mean pooling, which `tenor`, `transformers` and sentence-transformers open.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tenor.encoders.bert.config import BertConfig
from tenor.encoders.bert.new_tokenizer import SPECIALS, VOCABULARIES, VocabularyKind, write_tokenizer
from tenor.encoders.from_scratch import FromScratch, check_at_least, check_size, seeded
from tenor.errors import TenorError, did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class BertFromScratch(FromScratch):
    """The ``[from_scratch]`` section of a run file for a new BERT with random weights.

    >>> import tempfile
    >>> from tenor.model import load
    >>> texts = ["a cat sat on the mat", "the dog sat on the cat"]
    >>> settings = BertFromScratch(vocab_size=60, hidden_size=8, num_heads=2, num_layers=1)
    >>> load(settings.write(Path(tempfile.mkdtemp()) / "new", texts)).encode(["the cat"]).shape
    (1, 8)
    """

    model_type: Literal["bert"] = "bert"
    num_layers: int = 4
    hidden_size: int = 256
    num_heads: int = 4
    intermediate_size: int | None = None
    """Of the feed-forward layers. Default: four times ``hidden_size``."""
    vocab_size: int = 10_000
    """The most word pieces, learned from the texts that are trained on; few texts give fewer."""
    vocabulary: VocabularyKind = "wordpiece"
    """wordpiece, as BERT has it; unigram: the unigram language model of SentencePiece."""
    max_positions: int = 128
    """The most tokens of a text."""
    lowercase: bool = True

    def __post_init__(self) -> None:
        check_at_least(self, num_layers=1, hidden_size=1, num_heads=1, intermediate_size=1)
        if self.hidden_size % self.num_heads:
            raise TenorError(
                f"hidden_size is {self.hidden_size}, which is not divisible by num_heads, {self.num_heads}."
            )
        check_at_least(self, vocab_size=2 * len(SPECIALS), max_positions=8)
        if self.vocabulary not in VOCABULARIES:
            raise TenorError(
                f"vocabulary is {self.vocabulary!r}; known are {', '.join(VOCABULARIES)}."
                + did_you_mean(str(self.vocabulary), VOCABULARIES)
            )
        d, inner = self.hidden_size, self.intermediate_size or 4 * self.hidden_size
        blocks = self.num_layers * (4 * d * d + 2 * d * inner)
        check_size(
            self,
            num_layers=1_000,
            vocab_size=10_000_000,
            max_positions=1_000_000,
            parameters=blocks + d * (self.vocab_size + self.max_positions),
        )

    def write_encoder(self, folder: Path, texts: Iterable[str], *, seed: int) -> int:
        """Write config, weights and tokenizer, and return the hidden size."""
        pieces = write_tokenizer(
            folder,
            texts,
            kind=self.vocabulary,
            vocab_size=self.vocab_size,
            positions=self.max_positions,
            lower=self.lowercase,
        )
        config = BertConfig(
            vocab_size=pieces,
            hidden_size=self.hidden_size,
            num_hidden_layers=self.num_layers,
            num_attention_heads=self.num_heads,
            intermediate_size=self.intermediate_size or 4 * self.hidden_size,
            max_position_embeddings=self.max_positions,
        )
        _write_weights(folder, config, seed)
        return self.hidden_size


def _write_weights(folder: Path, config: BertConfig, seed: int) -> None:
    from tenor.encoders.bert.checkpoint import BertCheckpoint
    from tenor.encoders.bert.encoder import BertEncoder

    with seeded(seed):
        BertCheckpoint(BertEncoder(config)).save(folder)
