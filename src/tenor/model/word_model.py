"""Word vectors of the memory as a model; files of them are opened by :func:`tenor.load`."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tenor.encoders.words.encoder_type import WORDS, WordsType, words_digest, write_words
from tenor.encoders.words.tokenizer import WordTokenizer
from tenor.model.folder import ModelFolder
from tenor.model.model import Model

if TYPE_CHECKING:
    from tenor.words import WordVectors

__all__ = ["WORDS", "WordModel"]


class WordModel(Model):
    """A bag of words: the mean of a text's word vectors.

    >>> from tenor.words import WordVectors
    >>> WordModel(WordVectors(["red", "car"], [[2, 0], [0, 4]])).encode(["Red car!", "?"]).tolist()
    [[1.0, 2.0], [0.0, 0.0]]
    """

    def __init__(
        self,
        vectors: "WordVectors",
        *,
        name: str = "words",
        settings: ModelFolder | None = None,
    ) -> None:
        from tenor.encoders.words.engine import word_engine

        settings = (
            ModelFolder(encoder=Path(name), model_type=WordsType.model_type) if settings is None else settings
        )
        super().__init__(
            name=name,
            settings=settings,
            tokenizer=WordTokenizer(vectors, max_tokens=settings.max_tokens),
            engine=word_engine(vectors, normalize=settings.normalize),
        )
        self._words = vectors

    @property
    def word_vectors(self) -> "WordVectors":
        """The vectors of the words."""
        return self._words

    @cached_property
    def fingerprint(self) -> str:
        """A sha256 of the words, their vectors and the settings."""
        from tenor.model.fingerprint import fingerprint

        return fingerprint(self.settings, digests={"words": words_digest(self._words)})

    def save(self, folder: str | Path) -> None:
        """Write the model to a new folder, which :func:`tenor.load` opens; other libraries do not."""
        from tenor.model.save import save_model

        save_model(self, Path(folder), copy=lambda aside: write_words(self._words, aside))
