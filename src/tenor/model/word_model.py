"""Word vectors as a model, so that everything that takes a model takes a file of word vectors."""

import hashlib
from functools import cached_property
from pathlib import Path

from tenor.encoders.words import WordTokenizer, word_engine
from tenor.model.folder import ModelFolder
from tenor.model.model import Model
from tenor.model.save import new_folder
from tenor.words import WordVectors

WORDS = "words.safetensors"  # of a model folder that holds word vectors and nothing else


class WordModel(Model):
    """A bag of words: the mean of a text's word vectors.

    >>> import numpy as np
    >>> WordModel(WordVectors(["red", "car"], [[2, 0], [0, 4]])).encode(["Red car!", "?"]).tolist()
    [[1.0, 2.0], [0.0, 0.0]]
    """

    def __init__(self, vectors: WordVectors, *, name: str = "words") -> None:
        super().__init__(
            name=name,
            settings=ModelFolder(encoder=Path(name), kind="static"),
            tokenizer=WordTokenizer(vectors),
            engine=word_engine(vectors),
        )
        self.vectors = vectors

    @cached_property
    def fingerprint(self) -> str:
        """A sha256 of the words and their vectors."""
        digest = hashlib.sha256(b"tenor words")
        for part in (self.vectors.words.blob, self.vectors.words.offsets, self.vectors.vectors):
            digest.update(part.tobytes() if not part.flags.c_contiguous else part.data)
        return digest.hexdigest()

    def save(self, folder: str | Path) -> None:
        """Write the vectors to a new folder, which :func:`tenor.load` opens; other libraries do not."""
        with new_folder(folder) as aside:
            self.vectors.save(aside / WORDS)


def vectors_at(name: str | Path) -> Path | None:
    """Tell whether a name leads to word vectors: a file, a folder that was saved, or an asset."""
    from tenor.assets import TABLE

    path = Path(name)
    if path.is_file():
        return path
    if (path / WORDS).is_file():
        return path / WORDS
    row = TABLE.get(str(name))
    return path if row is not None and row.kind == "vectors" and not path.is_dir() else None


def load_word_model(source: Path, name: str) -> WordModel:
    """Open word vectors as a model."""
    return WordModel(WordVectors.load(source), name=name)
