"""The tokenizer of a table of vectors: no special tokens, and none for what the vocabulary does not know.

A token without a vector of its own must not count in the mean of a text. Where single words are asked for it
stays, so that every word has its place; the encoder gives it zeros.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tenor.text.tokenizer import Pieces, Template, Text, Tokenizer

if TYPE_CHECKING:
    import tokenizers


class StaticTokenizer(Tokenizer):
    """Cuts texts into the tokens of a table; ``left_out`` is the token that does not count."""

    def __init__(
        self, backend: "tokenizers.Tokenizer", *, max_tokens: int | None = None, left_out: int | None = None
    ) -> None:
        super().__init__(backend, max_tokens=max_tokens, specials=False)
        self._pair = unnumbered(self._pair)
        self._left_out = left_out

    @property
    def drops_unknown(self) -> bool:
        """Whether there is a token that does not count."""
        return self._left_out is not None

    def _some_pieces(self, texts: Sequence[Text], *, words: bool) -> Pieces:
        pieces = super()._some_pieces(texts, words=words)
        return pieces if words or self._left_out is None else without(pieces, self._left_out)


def unnumbered(template: Template) -> Template:
    """Return the template of an encoder that cannot tell the two texts of a sequence apart."""
    return replace(template, segments=(0,) * len(template.segments))


def without(pieces: Pieces, token: int) -> Pieces:
    """Take one token out of all texts.

    >>> ids, lengths = np.array([7, 1, 8, 1], dtype=np.int32), np.array([3, 1])
    >>> kept = without(Pieces(ids, np.array([0, 3]), lengths), 1)
    >>> kept.ids.tolist(), kept.lengths.tolist()
    ([7, 8], [2, 0])
    """
    kept = pieces.ids != token
    if kept.all():
        return pieces
    counted = np.concatenate([[0], np.cumsum(kept)])
    begins = counted[pieces.begins]
    lengths = counted[pieces.begins + pieces.lengths] - begins
    words = None if pieces.words is None else pieces.words[kept]
    return Pieces(pieces.ids[kept], begins, lengths, words)
