"""Tokenised texts on one flat axis.

A list of n texts with T tokens in all is a flat array of T ids and n + 1 starts: no padding is stored, and
a batch is a cheap selection of texts. This is the form in which every encoder takes its input; ``layers``
turns it into torch tensors where a network needs them, so that reading and tokenising never import torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Forms = NDArray[np.object_]
NOT_A_WORD = -1


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of n texts: ``ids[starts[i]:starts[i + 1]]`` are those of text i.

    ``segments`` numbers the sides of a jointly encoded pair; ``words`` gives the word that each piece
    belongs to (``NOT_A_WORD`` for [CLS] and [SEP]); ``dropped`` counts the pieces that the length limit cut
    from each text; ``forms`` are the tokens as they are written, where the encoder reads spellings.
    """

    ids: Ints  # [T]
    starts: NDArray[np.int64]  # [n + 1]
    segments: Ints | None = None  # [T]
    words: Ints | None = None  # [T]
    dropped: Ints | None = None  # [n]
    forms: Forms | None = None  # [T], of str

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of tokens of each text."""
        return np.diff(self.starts)

    @classmethod
    def from_lists(cls, ids: Sequence[Sequence[int]]) -> "Tokens":
        """Build from one list of ids per text.

        >>> tokens = Tokens.from_lists([[101, 7, 102], [101, 102]])
        >>> tokens.starts.tolist(), tokens.lengths.tolist()
        ([0, 3, 5], [3, 2])
        """
        starts = np.zeros(len(ids) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in ids], out=starts[1:])
        flat = np.fromiter((token for row in ids for token in row), dtype=np.int32, count=int(starts[-1]))
        return cls(flat, starts)

    def take(self, which: NDArray[np.int64]) -> "Tokens":
        """Select texts, in the given order."""
        lengths = self.lengths[which]
        starts = np.zeros(len(which) + 1, dtype=np.int64)
        np.cumsum(lengths, out=starts[1:])
        # A selected token's position on the old flat axis: its text's old start plus that within the text.
        flat = np.arange(starts[-1]) + np.repeat(self.starts[which] - starts[:-1], lengths)
        return Tokens(
            self.ids[flat],
            starts,
            None if self.segments is None else self.segments[flat],
            None if self.words is None else self.words[flat],
            None if self.dropped is None else self.dropped[which],
            None if self.forms is None else self.forms[flat],
        )

    def to_padded(self, *, length: int | None = None, pad_id: int = 0) -> tuple[Ints, Ints]:
        """Return ids [n, length] and an attention mask of ones and zeros of the same shape."""
        lengths = self.lengths
        length = int(lengths.max(initial=0)) if length is None else length
        mask = np.arange(length)[None, :] < lengths[:, None]
        padded = np.full(mask.shape, pad_id, dtype=np.int32)
        padded[mask] = self.ids
        return padded, mask.astype(np.int32)
