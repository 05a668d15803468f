"""Aligned pairs as arrays: the pieces of every text, its phrases in pieces, and which of them are aligned.

Texts are cut into pieces once; which two of them make a sequence is decided anew for each batch. A phrase of
words becomes the stretch of pieces of these words. One with a word that the vocabulary has no piece for (a
lone control character) is left out, and so is later one that the length limit cuts: spans are never shifted.

Shapes: n pairs; text 2i is the first and text 2i + 1 the second of pair i; F phrases, A aligned phrase pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.text.alignments import AlignedPair, Span
from tenor.text.overlap import fingerprints
from tenor.text.piece_spans import piece_spans
from tenor.text.tokenizer import Joined, Pieces, Tokenizer

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class AlignedTokens:
    """Pieces, phrases and alignments of n pairs; a phrase is ``(begin, end)`` in pieces of its own text.

    >>> from tokenizers import Tokenizer as Library, models
    >>> tokenizer = Tokenizer(Library(models.WordLevel({"a": 0, "b": 1}, unk_token="a")))
    >>> pair = AlignedPair(("a", "b"), ("b",), alignments=(((1, 2), (0, 1)),))
    >>> tokens = AlignedTokens.of([pair, pair], tokenizer)
    >>> len(tokens), tokens.phrases_of(0).tolist(), tokens.aligned(0).tolist()
    (2, [[1, 2]], [[0, 0]])
    """

    tokenizer: Tokenizer
    ids: NDArray[np.int32]  # [T]
    starts: Ints  # [2n + 1]
    phrases: Ints  # [F, 2]
    phrase_starts: Ints  # [2n + 1]
    alignments: Ints  # [A, 2], numbers among the phrases of each text
    alignment_starts: Ints  # [n + 1]
    prints: NDArray[np.uint64]  # [2n], equal for texts that are the same but for case and punctuation
    left_out: int = 0
    """Aligned phrase pairs with a word that has no pieces."""

    @classmethod
    def of(cls, pairs: Sequence[AlignedPair], tokenizer: Tokenizer) -> "AlignedTokens":
        """Cut the words of all pairs and place their phrases."""
        texts = list(chain.from_iterable((pair.first, pair.second) for pair in pairs))
        pieces = tokenizer.cut([list(text) for text in texts], words=True)
        assert pieces.words is not None
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(pieces.lengths)])
        phrases: list[list[Span]] = []
        aligned: list[list[tuple[int, int]]] = []
        left_out = 0
        for number, pair in enumerate(pairs):
            places: list[dict[Span, int]] = []
            for side, given in enumerate(pair.phrases):
                text = 2 * number + side
                spans = [*given, *(each[side] for each in pair.alignments)]
                found = piece_spans(spans, pieces.words[starts[text] : starts[text + 1]], len(texts[text]))
                places.append({span: place for place, span in enumerate(found)})
                phrases.append(list(found.values()))
            known = [(one, two) for one, two in pair.alignments if one in places[0] and two in places[1]]
            left_out += len(pair.alignments) - len(known)
            aligned.append([(places[0][one], places[1][two]) for one, two in known])
        return cls(
            tokenizer, pieces.ids, starts, *_flat(phrases), *_flat(aligned),
            fingerprints(" ".join(text) for text in texts), left_out,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.alignment_starts) - 1

    def phrases_of(self, text: int) -> Ints:
        """Return the phrases [f, 2] of a text."""
        return self.phrases[self.phrase_starts[text] : self.phrase_starts[text + 1]]

    def aligned(self, pair: int) -> Ints:
        """Return the aligned phrases [a, 2] of a pair, as numbers among the phrases of each text."""
        return self.alignments[self.alignment_starts[pair] : self.alignment_starts[pair + 1]]

    @property
    def mean_alignments(self) -> float:
        """The mean number of aligned phrase pairs of a pair of texts."""
        return len(self.alignments) / max(1, len(self))

    def join(self, first: Ints, second: Ints) -> Joined:
        """Make one sequence of each text of ``first`` and the text of ``second`` beside it."""
        return self.tokenizer.join(self._pieces(first), self._pieces(second))

    def _pieces(self, texts: Ints) -> Pieces:
        lengths = self.starts[texts + 1] - self.starts[texts]
        ends = np.cumsum(lengths)
        places = np.arange(int(lengths.sum())) + np.repeat(self.starts[texts] - (ends - lengths), lengths)
        return Pieces(self.ids[places], ends - lengths, lengths)

    def check_negatives(self) -> None:
        """Make sure that every text can be paired with another one at random."""
        if len(self) < 2 or len(np.unique(self.prints)) < 3:
            raise TenorError(
                f"{len(self)} aligned pairs with {len(np.unique(self.prints))} different texts are too few: "
                "a text is also paired with random others, which must differ from it and its partner."
            )


def _flat(rows: Sequence[Sequence[tuple[int, int]]]) -> tuple[Ints, Ints]:
    counts = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
    flat = np.array(list(chain.from_iterable(rows)), dtype=np.int64).reshape(-1, 2)
    return flat, np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
