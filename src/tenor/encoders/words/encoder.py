"""Word vectors as a trainable encoder: the table of a bag of words."""

import numpy as np

from tenor.encoders.static.encoder import StaticEncoder
from tenor.layers.cpu.embedding import Embedding
from tenor.words import WordVectors


class WordsEncoder(StaticEncoder):
    """Looks up the vectors of words; the number after the last word is the unknown one.

    >>> from tenor.layers.packed import PackedBatch
    >>> encoder = WordsEncoder(WordVectors(["red", "car"], [[2, 0], [0, 4]]))
    >>> encoder(PackedBatch.from_lists([[1, 2]])).last.tolist()
    [[0.0, 4.0], [0.0, 0.0]]
    """

    model_type = "words"

    def __init__(self, vectors: WordVectors) -> None:
        count = len(vectors)
        # The unknown word needs a row, though none of it is ever used: that of the first word.
        super().__init__(vectors.vectors, mapping=np.append(np.arange(count), 0), unknown=count)
        self._words, self._counts = vectors.words, vectors.counts

    @property
    def word_embeddings(self) -> Embedding | None:
        """None: the unknown word has no row of its own."""
        return None

    def vectors(self) -> WordVectors:
        """Return the words with their vectors as they are now."""
        return WordVectors(self._words, self.embeddings.weight.detach().float().cpu().numpy(), self._counts)
