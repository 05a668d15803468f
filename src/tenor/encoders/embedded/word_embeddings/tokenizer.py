"""Texts into words as they are written, for encoders that embed words by their spelling.

A text is cut by :func:`tenor.text.words.split_words`; words that are given stay whole. A token's form is the
word; its id is a hash, by which equal words are recognised, and has no embedding of its own. Where no
embedding reads spellings, a word that none of them knows has the id 0.
"""

from collections.abc import Container, Sequence
from itertools import chain
from zlib import crc32

import numpy as np

from tenor.errors import TenorError
from tenor.text.tokenizer import Pieces, Template, Text, Tokenizer
from tenor.text.tokens import Ints
from tenor.text.words import split_words

IDS = 1 << 23
_REMEMBERED = 200_000


class SpellingTokenizer(Tokenizer):
    """Cuts texts into words and keeps how they are written.

    >>> tokens = SpellingTokenizer().tokenize(["It's fine.", ""])
    >>> tokens.forms.tolist(), tokens.lengths.tolist()
    (['It', "'s", 'fine', '.'], [4, 0])
    """

    def __init__(self, *, known: Container[str] | None = None, max_tokens: int | None = None) -> None:
        self._known = known
        self._numbers: dict[str, int] = {}
        self._single = Template(((), ()), (0, 0, 0))
        self._pair = Template(((), (), ()), (0, 0, 0, 0, 0))
        self.max_tokens = max_tokens

    @property
    def size(self) -> int:
        """The number of ids."""
        return IDS

    @property
    def largest_id(self) -> int:
        """The largest id that a word can get."""
        return IDS - 1

    @property
    def unknown(self) -> int | None:
        """The id of words that no embedding knows; None where all words are read by their spelling."""
        return None if self._known is None else 0

    def vocabulary(self) -> list[str]:
        """Return no words: any word is read."""
        return []

    def to_json(self) -> str:
        """Refuse: there is no vocabulary."""
        raise TenorError("An encoder that reads the spelling of words has no tokenizer.json.")

    def pieces(self, ids: Sequence[int] | Ints) -> list[str]:
        """Return what is known of ids: a word that was seen lately, else a question mark."""
        words = {number: word for word, number in self._numbers.items()}
        return [words.get(int(number), "?") for number in ids]

    def _some_pieces(self, texts: Sequence[Text], *, words: bool) -> Pieces:
        cut = [split_words(text).words if isinstance(text, str) else tuple(text) for text in texts]
        lengths = np.fromiter(map(len, cut), dtype=np.int64, count=len(cut))
        forms = np.empty(int(lengths.sum()), dtype=np.object_)
        forms[:] = [_clean(word) for word in chain.from_iterable(cut)]
        if len(self._numbers) > _REMEMBERED:
            self._numbers = {}
        ids = np.fromiter((self._id(word) for word in forms.tolist()), dtype=np.int32, count=len(forms))
        places = [np.arange(size, dtype=np.int32) for size in lengths.tolist()] if words else []
        owners = np.concatenate([np.zeros(0, dtype=np.int32), *places]) if words else None
        return Pieces(ids, np.cumsum(lengths) - lengths, lengths, owners, forms)

    def _id(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            unknown = self._known is not None and word not in self._known and word.lower() not in self._known
            number = 0 if unknown else 1 + crc32(word.encode()) % (IDS - 1)
            self._numbers[word] = number
        return number


def _clean(word: str) -> str:
    """Put U+FFFD in the place of lone surrogates, which are no characters."""
    return word if word.isascii() else word.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
