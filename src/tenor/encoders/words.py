"""Word vectors as an encoder: a text is the mean of the vectors of its words, a bag of words.

Words are those of :func:`tenor.text.words.split_words`. Each is looked up as it is written and, where it is
not there so, in small letters; a word that is not there at all counts for nothing. The table stays where it
is (a mapped file stays mapped), and the arithmetic is that of the static encoder.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from tenor.encoders.static import StaticEngine
from tenor.errors import TenorError
from tenor.text.tokenizer import Pieces, Template, Text, Tokenizer, flat
from tenor.text.tokens import Ints
from tenor.text.words import split_words
from tenor.words import WordVectors

_REMEMBERED = 200_000  # words whose numbers are kept at hand


class WordTokenizer(Tokenizer):
    """Cuts texts into words and numbers them by a vocabulary; what is unknown gets the number after the last.

    >>> from tenor.words import WordVectors
    >>> tokens = WordTokenizer(WordVectors(["the", "cat"], np.eye(2))).tokenize(["The cat sat.", ""])
    >>> tokens.ids.tolist(), tokens.lengths.tolist()
    ([0, 1, 2, 2], [4, 0])
    """

    def __init__(self, vectors: WordVectors) -> None:
        self._vectors = vectors
        self._known: dict[str, int] = {}
        self._single = Template(((), ()), (0, 0, 0))
        self._pair = Template(((), (), ()), (0, 0, 0, 1, 1))
        self.max_tokens = None

    @property
    def size(self) -> int:
        """The number of words, the unknown one included."""
        return len(self._vectors) + 1

    @property
    def largest_id(self) -> int:
        """The number of the unknown word."""
        return len(self._vectors)

    def vocabulary(self) -> list[str]:
        """Return all words."""
        return list(self._vectors.words)

    def to_json(self) -> str:
        """Refuse: the words live in the file of vectors."""
        raise TenorError("Word vectors have no tokenizer.json; save them as .safetensors.")

    def pieces(self, ids: Sequence[int] | Ints) -> list[str]:
        """Return the words of token ids."""
        return [self._vectors.words[int(word)] if word < len(self._vectors) else "?" for word in ids]

    def _some_pieces(self, texts: Sequence[Text], *, words: bool) -> Pieces:
        cut = [split_words(text).words if isinstance(text, str) else tuple(text) for text in texts]
        self._look_up(chain.from_iterable(cut))
        rows = [[self._known[word] for word in some] for some in cut]
        if not words:
            return flat(rows)
        places = [np.arange(len(some), dtype=np.int32) for some in cut]
        return flat(rows, np.concatenate([np.zeros(0, dtype=np.int32), *places]))

    def _look_up(self, words: "chain[str]") -> None:
        """Bring the numbers of words to hand."""
        if len(self._known) > _REMEMBERED:
            self._known = {}
        new = [word for word in dict.fromkeys(words) if word not in self._known]
        numbers = self._vectors.indices(new)
        missing = np.flatnonzero(numbers < 0)
        numbers[missing] = self._vectors.indices(new[place].lower() for place in missing.tolist())
        numbers[numbers < 0] = len(self._vectors)
        self._known |= dict(zip(new, numbers.tolist(), strict=True))


def word_engine(vectors: WordVectors, *, normalize: bool = False) -> StaticEngine:
    """Make the engine that averages the vectors of a text's words; unknown words do not count."""
    count = len(vectors)
    # The unknown word needs a row, though none of it is ever used: that of the first word.
    mapping = np.append(np.arange(count), 0)
    return StaticEngine(vectors.vectors, mapping=mapping, unknown=count, normalized=normalize)
