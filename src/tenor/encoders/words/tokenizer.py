"""Texts into words, numbered by the vocabulary of word vectors.

Words are those of :func:`tenor.text.words.split_words`. Each is looked up as it is written and, where it is
not there so, in small letters; a word that is not there at all is left out, unless single words are asked
for.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from tenor.encoders.static.tokenizer import without
from tenor.errors import TenorError
from tenor.text.tokenizer import Pieces, Template, Text, Tokenizer, flat
from tenor.text.tokens import Ints
from tenor.text.words import split_words
from tenor.words import WordVectors

_REMEMBERED = 200_000  # words whose numbers are kept at hand


class WordTokenizer(Tokenizer):
    """Cuts texts into words and numbers them by a vocabulary; what is unknown has the number after the last.

    >>> tokenizer = WordTokenizer(WordVectors(["the", "cat"], np.eye(2)))
    >>> tokens = tokenizer.tokenize(["The cat sat.", ""])
    >>> tokens.ids.tolist(), tokens.lengths.tolist()
    ([0, 1], [2, 0])
    >>> tokenizer.tokenize(["The cat sat."], words=True).ids.tolist()
    [0, 1, 2, 2]
    """

    def __init__(self, vectors: WordVectors, *, max_tokens: int | None = None) -> None:
        self._vectors = vectors
        self._known: dict[str, int] = {}
        self._single = Template(((), ()), (0, 0, 0))
        self._pair = Template(((), (), ()), (0, 0, 0, 0, 0))
        self.max_tokens = max_tokens

    @property
    def size(self) -> int:
        """The number of words, the unknown one included."""
        return len(self._vectors) + 1

    @property
    def largest_id(self) -> int:
        """The number of the unknown word."""
        return len(self._vectors)

    @property
    def unknown(self) -> int | None:
        """The number of the unknown word."""
        return len(self._vectors)

    @property
    def drops_unknown(self) -> bool:
        """Whether unknown words do not count: they never do."""
        return True

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
            return without(flat(rows), len(self._vectors))
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
