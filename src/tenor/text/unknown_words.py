"""Which words of a text a vocabulary lacks.

A model reads every such word as one and the same token (of word vectors: not at all), so that it takes texts
that differ in nothing else for the same. Emoji and scripts beyond the vocabulary are the usual case.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import NOT_A_WORD
from tenor.text.words import split_words


@dataclass(frozen=True, slots=True)
class UnknownWords:
    """The unknown words of one text, and how many of its tokens they are."""

    words: tuple[str, ...]  # in their order, with repeats
    unknown: int
    tokens: int  # special tokens left out

    @property
    def share(self) -> float:
        """The fraction of the tokens that are unknown."""
        return self.unknown / self.tokens


def unknown_words(tokenizer: Tokenizer, texts: Sequence[str]) -> dict[int, UnknownWords]:
    """Return the unknown words of every text that has any, by its position.

    >>> import tenor
    >>> tokenizer = tenor.load("minilm").tokenizer
    >>> unknown_words(tokenizer, ["I love pizza", "I love 🍕"])
    {1: UnknownWords(words=('🍕',), unknown=1, tokens=3)}
    """
    return unknown_and_tokens(tokenizer, texts)[0]


def unknown_and_tokens(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[dict[int, UnknownWords], int]:
    """Return the unknown words of texts, and of how many tokens all texts are, unknown ones among them."""
    unknown = tokenizer.unknown
    if unknown is None:
        return {}, 0
    suspects, count = _suspects(tokenizer, texts, unknown)
    pieces = tokenizer.cut([texts[number] for number in suspects], words=True)
    found: dict[int, UnknownWords] = {}
    for row, number in enumerate(suspects):
        own = slice(int(pieces.begins[row]), int(pieces.begins[row] + pieces.lengths[row]))
        assert pieces.words is not None
        places = pieces.words[own][pieces.ids[own] == unknown].tolist()
        if places:
            words = split_words(texts[number]).words
            named = tuple(words[place] for place in places if place != NOT_A_WORD)
            found[number] = UnknownWords(named, len(places), int(pieces.lengths[row]))
    return found, int(pieces.lengths.sum()) if count is None else count


def _suspects(tokenizer: Tokenizer, texts: Sequence[str], unknown: int) -> tuple[list[int], int | None]:
    """Return the texts that may have unknown words, and the tokens of all where they were counted for that.

    Finding words takes longer than finding tokens.
    """
    if tokenizer.drops_unknown:
        return list(range(len(texts))), None
    pieces = tokenizer.cut(texts)
    hits = pieces.ids == unknown
    suspects = [
        number
        for number, (begin, length) in enumerate(zip(pieces.begins, pieces.lengths, strict=True))
        if hits[begin : begin + length].any()
    ]
    return suspects, int(pieces.lengths.sum())
