"""Aligned pairs as arrays: the pieces of every text, its phrases in pieces, and which of them are aligned.

Texts are cut into pieces once; which two of them make a sequence is decided anew for each batch. A phrase of
words becomes the stretch of pieces of these words. One with a word that the vocabulary has no piece for (a
lone control character) is left out, and so is later one that the length limit cuts: spans are never shifted.

Shapes: n pairs; text 2i is the first and text 2i + 1 the second of pair i; F phrases, A aligned phrase pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.text.alignments import AlignedPair, Span
from tenor.text.overlap import fingerprints
from tenor.text.piece_spans import piece_spans
from tenor.text.tokenizer import Joined, Pieces, Tokenizer
from tenor.text.tokens import Tokens

Ints = NDArray[np.int64]
AT_ONCE = 65_536  # pairs


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
    phrases: NDArray[np.integer[Any]]  # [F, 2]
    phrase_starts: Ints  # [2n + 1]
    alignments: NDArray[np.integer[Any]]  # [A, 2], numbers among the phrases of each text
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
        own = self.phrases[self.phrase_starts[text] : self.phrase_starts[text + 1]]
        return np.asarray(own, dtype=np.int64)

    def aligned(self, pair: int) -> Ints:
        """Return the aligned phrases [a, 2] of a pair, as numbers among the phrases of each text."""
        own = self.alignments[self.alignment_starts[pair] : self.alignment_starts[pair + 1]]
        return np.asarray(own, dtype=np.int64)

    @property
    def mean_alignments(self) -> float:
        """The mean number of aligned phrase pairs of a pair of texts."""
        return len(self.alignments) / max(1, len(self))

    def lengths(self) -> Tokens:
        """Return the lengths of all pairs as one sequence each, and no tokens: those are made by batches."""
        starts = np.zeros(len(self) + 1, dtype=np.int64)
        for begin in range(0, len(self), AT_ONCE):  # what is computed on the way is many times as big
            sizes = np.diff(self.starts[2 * begin : 2 * (begin + AT_ONCE) + 1])
            joined = self.tokenizer.joined_lengths(sizes[::2], sizes[1::2])
            starts[begin + 1 : begin + 1 + len(joined)] = joined
        np.cumsum(starts, out=starts)
        return Tokens(np.broadcast_to(np.zeros(1, dtype=np.int32), (int(starts[-1]),)), starts)

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
        different = len(np.unique(self.prints[:AT_ONCE]))
        if different < 3:
            different = len(np.unique(self.prints))
        if len(self) < 2 or different < 3:
            raise TenorError(
                f"{len(self)} aligned pairs with {different} different texts are too few: "
                "a text is also paired with random others, which must differ from it and its partner."
            )


def _flat(rows: Sequence[Sequence[tuple[int, int]]]) -> tuple[Ints, Ints]:
    counts = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
    flat = np.array(list(chain.from_iterable(rows)), dtype=np.int64).reshape(-1, 2)
    return flat, np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
