"""New encoders over embeddings: words of the texts or a given tokenizer, random or given vectors."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.embedded.config import MOST_DIMENSIONS, MOST_TOKENS, combined_size
from tenor.encoders.embedded.encoder_type import EmbeddedType
from tenor.encoders.embedded.word_embeddings.settings import WordEmbedding, word_embedding
from tenor.encoders.encoder_type import TOKENIZER_FILES, copy_files
from tenor.encoders.from_scratch import FromScratch, check_at_least, check_size, seeded
from tenor.encoders.table import encoder_type
from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.words import WordVectors

Combine = Literal["concat", "attention"]
_EMBEDDING_SIZE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedFromScratch(FromScratch):
    """The settings of vocabulary and embeddings; a subclass adds those of its layers."""

    embedding_size: int | None = None
    """Default: that of ``vectors``, else 100."""
    vectors: str | None = None
    """Word vectors that the embeddings begin with: a file, or a name such as "glove-50d"."""
    freeze_embeddings: bool = False
    """Whether training leaves the embeddings as they are."""
    extend_vocabulary: bool = False
    """Whether all words of ``vectors`` are known, not only those of the texts that are trained on."""
    vocab_size: int = 20_000
    """The most words, the most frequent ones of the texts that are trained on."""
    min_count: int = 1
    """How often a word must be there to be known."""
    lowercase: bool = True
    tokenizer: str | None = None
    """A folder or model whose tokenizer is taken, in place of a vocabulary of words."""
    max_tokens: int | None = None
    """The most tokens of a text. Default: any number."""
    embeddings: tuple[WordEmbedding, ...] = ()
    """Several embeddings of a word, each a table with a ``type`` and its own keys, in place of one."""
    combine: Combine = "concat"
    """How they become one: side by side, or mixed by attention after a projection to one size."""
    attention_size: int = 10
    """The hidden size of that attention."""

    def __post_init__(self) -> None:
        check_at_least(self, embedding_size=1, vocab_size=3, min_count=1, max_tokens=4, attention_size=1)
        size = self.embedding_size or _EMBEDDING_SIZE
        check_size(
            self,
            embedding_size=MOST_DIMENSIONS,
            attention_size=MOST_DIMENSIONS,
            vocab_size=MOST_TOKENS,
            max_tokens=MOST_TOKENS,
            parameters=self.vocab_size * size,
        )
        object.__setattr__(self, "embeddings", tuple(word_embedding(each) for each in self.embeddings))
        if self.embeddings and (given := self._of_one_table()):
            raise TenorError(f"{given} is the setting of a single embedding; leave it out beside embeddings.")
        if self.extend_vocabulary and (self.vectors is None or self.tokenizer is not None):
            raise TenorError("extend_vocabulary needs vectors, and a vocabulary of words (no tokenizer).")

    @property
    def reads_words(self) -> bool:
        """Whether words that are given stay whole."""
        return bool(self.embeddings)

    def write_encoder(self, folder: Path, texts: Iterable[str], *, seed: int) -> int:
        """Write config, weights and tokenizer, and return the hidden size."""
        import torch

        if self.embeddings:
            return self._write_combined(folder, texts, seed=seed)
        vectors = self._word_vectors()
        words = self._write_tokenizer(folder, texts, vectors)
        kind = encoder_type(self.model_type)
        assert isinstance(kind, EmbeddedType)
        config_class, build = kind.parts()
        own = {each.name for each in fields(config_class)}
        settings = {each.name: getattr(self, each.name) for each in fields(self) if each.name in own}
        size = self.embedding_size or _EMBEDDING_SIZE if vectors is None else vectors.vector_size
        config = config_class(**settings | {"vocab_size": len(words), "embedding_size": size})
        with seeded(seed), torch.no_grad():
            encoder = build(config)
            if vectors is not None:
                rows, known = _rows(vectors, words)
                assert encoder.word_embeddings is not None
                encoder.word_embeddings.weight[known] = torch.from_numpy(rows[known])
        kind.save(encoder, folder)
        return encoder.hidden_size

    def _of_one_table(self) -> str | None:
        """Return the first setting of a single embedding that is not the default."""
        names = ("embedding_size", "vectors", "freeze_embeddings", "extend_vocabulary", "tokenizer")
        defaults = {field.name: field.default for field in fields(self)}
        return next((name for name in names if getattr(self, name) != defaults[name]), None)

    def _write_combined(self, folder: Path, texts: Iterable[str], *, seed: int) -> int:
        """Write an encoder over several embeddings of words, and return its hidden size."""
        import torch

        from tenor.encoders.embedded.word_embeddings.begin import begin, count_words
        from tenor.encoders.embedded.word_embeddings.tokenizer import IDS

        words = count_words(texts)
        begun = [begin(each, words) for each in self.embeddings]
        kind = encoder_type(self.model_type)
        assert isinstance(kind, EmbeddedType)
        config_class, build = kind.parts()
        own = {each.name for each in fields(config_class)}
        settings = {each.name: getattr(self, each.name) for each in fields(self) if each.name in own}
        settled = tuple(each.settings for each in begun)
        attention_size = self.attention_size if self.combine == "attention" else None
        sizes = {"vocab_size": IDS, "embedding_size": combined_size(settled, attention_size)}
        config = config_class(**settings | sizes | {"embeddings": settled, "attention_size": attention_size})
        with seeded(seed), torch.no_grad():
            encoder = build(config, [each.vocabulary for each in begun])
            for part, each in zip(encoder.embeddings.parts, begun, strict=True):  # type: ignore[arg-type]
                for name, (rows, values) in each.rows.items():
                    part.get_submodule(name).weight[torch.from_numpy(rows)] = torch.from_numpy(values)
        kind.save(encoder, folder)
        return encoder.hidden_size

    def check(self) -> None:
        """Refuse vectors and tokenizers that are not at hand."""
        from tenor.encoders.embedded.word_embeddings.begin import check

        for each in self.embeddings:
            check(each)
        self._word_vectors(limit=1)
        if self.tokenizer is not None:
            _tokenizer_folder(self.tokenizer)

    def _word_vectors(self, limit: int | None = None) -> "WordVectors | None":
        if self.vectors is None:
            return None
        from tenor.words import WordVectors

        vectors = WordVectors.load(self.vectors, limit=limit)
        if self.embedding_size not in (None, vectors.vector_size):
            raise TenorError(
                f"embedding_size is {self.embedding_size}, but the vectors of {self.vectors} have "
                f"{vectors.vector_size} dimensions; leave embedding_size out."
            )
        return vectors

    def _write_tokenizer(
        self, folder: Path, texts: Iterable[str], vectors: "WordVectors | None"
    ) -> list[str]:
        """Write the tokenizer's files, and return its tokens in their order."""
        if self.tokenizer is not None:
            return _copy_tokenizer(self.tokenizer, folder)
        from tenor.encoders.embedded.word_level import write_word_level

        further: Iterable[str] = vectors.words if vectors is not None and self.extend_vocabulary else ()
        return write_word_level(
            folder,
            texts,
            vocab_size=self.vocab_size,
            min_count=self.min_count,
            lowercase=self.lowercase,
            further=(word.lower() for word in further) if self.lowercase else further,
        )


def _tokenizer_folder(name: str) -> Path:
    from tenor.assets import MODELS, find

    return find(name, kinds=MODELS)


def _copy_tokenizer(name: str, folder: Path) -> list[str]:
    from tenor.text.tokenizer import Tokenizer

    copy_files(_tokenizer_folder(name), folder, TOKENIZER_FILES)
    tokenizer = Tokenizer.load(folder)
    return tokenizer.pieces(range(tokenizer.largest_id + 1))


def _rows(vectors: "WordVectors", words: list[str]) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """Return a vector for each word [n, e], and which words have one: as written, else in small letters."""
    found = vectors.indices(words)
    missing = np.flatnonzero(found < 0)
    found[missing] = vectors.indices([words[number].lower() for number in missing.tolist()])
    known = found >= 0
    return np.asarray(vectors.vectors[np.maximum(found, 0)], dtype=np.float32), np.flatnonzero(known)
