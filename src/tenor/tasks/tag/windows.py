"""Windows of whole words over sentences that are longer than an encoder reads, with context on both sides.

Every word is labelled in exactly one window; the words around those that a window labels are only read, so
that no word is judged at the edge of what the encoder sees.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenor.text.ragged import Ragged
from tenor.text.tokenizer import Tokenizer

_CONTEXT = 5  # each side's context is one part in so many of what the encoder reads


class Window(NamedTuple):
    """Words ``begin:end`` are read, of which ``first:last`` are labelled."""

    begin: int
    first: int
    last: int
    end: int


def cut_windows(
    sentences: Sequence[Sequence[str]], tokenizer: Tokenizer
) -> tuple[list[list[str]], Ragged, Ragged]:
    """Cut sentences into windows: their words, how many each labels, and how many of context come before."""
    cut: list[list[str]] = []
    owned: list[list[int]] = []
    leads: list[list[int]] = []
    room = None if tokenizer.max_tokens is None else max(1, tokenizer.max_tokens - tokenizer.special_count)
    pieces = tokenizer.cut([list(words) for words in sentences], words=True)
    assert pieces.words is not None
    for number, words in enumerate(sentences):
        begin = int(pieces.begins[number])
        own = pieces.words[begin : begin + int(pieces.lengths[number])]
        windows = fitting(np.bincount(own[own >= 0], minlength=len(words)), room)
        cut += [list(words[window.begin : window.end]) for window in windows]
        owned.append([window.last - window.first for window in windows])
        leads.append([window.first - window.begin for window in windows])
    return cut, Ragged.from_lists(owned), Ragged.from_lists(leads)


def fitting(pieces: NDArray[np.int64], room: int | None) -> list[Window]:
    """Return windows of at most ``room`` word pieces over words of so many ``pieces`` each.

    >>> fitting(np.ones(9, dtype=np.int64), 5)  # doctest: +NORMALIZE_WHITESPACE
    [Window(begin=0, first=0, last=3, end=4), Window(begin=2, first=3, last=6, end=7),
     Window(begin=5, first=6, last=9, end=9)]
    """
    if room is None or pieces.sum() <= room:
        return [Window(0, 0, len(pieces), len(pieces))]
    context = room // _CONTEXT
    sums = np.concatenate([[0], np.cumsum(pieces)])
    windows, first = [], 0
    while first < len(pieces):
        fits = int(np.searchsorted(sums, sums[first] + room - 2 * context, side="right")) - 1
        last = max(first + 1, fits)  # a word by itself, however long it is
        windows.append(_with_context(sums, first, last, room=room, context=context))
        first = last
    return windows


def _with_context(sums: NDArray[np.int64], first: int, last: int, *, room: int, context: int) -> Window:
    """Widen a window on both sides by whole words, as far as there is room."""
    spare = max(0, min(context, (room - int(sums[last] - sums[first])) // 2))
    begin = int(np.searchsorted(sums, sums[first] - spare, side="left"))
    end = int(np.searchsorted(sums, sums[last] + spare, side="right")) - 1
    return Window(min(begin, first), first, last, max(end, last))
