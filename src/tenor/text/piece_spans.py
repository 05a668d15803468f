"""Spans of words as spans of the word pieces that a vocabulary cuts them into."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Span = tuple[int, int]


def piece_spans(spans: Iterable[Span], words: NDArray[np.int32], count: int) -> dict[Span, Span]:
    """Return the span of word pieces ``(begin, end)`` of each span of words ``(begin, end)``.

    ``words`` numbers the word of each piece of a text with ``count`` words, in ascending order. A span with a
    word that has no piece (a control character, or a word beyond the limit) is left out: none is shifted.

    >>> piece_spans([(0, 1), (0, 2), (1, 3)], np.array([0, 0, 1], dtype=np.int32), 3)
    {(0, 1): (0, 2), (0, 2): (0, 3)}
    """
    numbers = np.arange(count)
    begins = np.searchsorted(words, numbers, side="left").tolist()
    ends = np.searchsorted(words, numbers, side="right").tolist()
    there = [0]
    for begin, end in zip(begins, ends, strict=True):
        there.append(there[-1] + (end > begin))
    return {
        (one, two): (begins[one], ends[two - 1]) for one, two in spans if there[two] - there[one] == two - one
    }
