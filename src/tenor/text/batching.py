"""Which texts go through an encoder together.

Texts are sorted by length, so that a batch holds texts of nearly the same length, and cut by a budget of
tokens, since the time of a pass goes with its tokens and not with its texts. Equal texts are encoded once.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tenor.text.tokens import Tokens

Index = NDArray[np.int64]


def plan_batches(lengths: NDArray[np.int64], budget: int, *, max_texts: int | None = None) -> list[Index]:
    """Group texts into batches, longest first, of at most ``budget`` tokens each, padding included.

    A batch of n texts whose longest has m tokens costs n · m, which is what an engine that pads to a
    rectangle computes; a text that alone exceeds the budget is a batch of its own. Longest first, so that
    memory is claimed once and a bar that shows the rate never promises too much.

    >>> [batch.tolist() for batch in plan_batches(np.array([3, 9, 4, 3, 20]), 12)]
    [[4], [1], [2, 0, 3]]
    """
    if budget < 1:
        raise ValueError(f"The token budget is {budget}; it must be at least 1.")
    order = np.argsort(-lengths, kind="stable").astype(np.int64)
    ordered = lengths[order].tolist()
    batches: list[Index] = []
    begin = 0
    while begin < len(ordered):
        # Sorted, so the first of a batch is its longest; texts without tokens cost as if they had one.
        count = max(1, budget // max(1, ordered[begin]))
        end = min(len(ordered), begin + (count if max_texts is None else min(count, max_texts)))
        batches.append(order[begin:end])
        begin = end
    return batches


def distinct(tokens: Tokens) -> tuple[Index, Index]:
    """Find equal texts: ``first`` [m] are those to encode, ``of`` [n] says which of these each text equals.

    Two texts are equal when their ids, their segments and, where they are known, their forms are.

    >>> first, of = distinct(Tokens.from_lists([[1, 2], [3], [1, 2]]))
    >>> first.tolist(), of.tolist()
    ([0, 1], [0, 1, 0])
    """
    # The bytes of a text's ids and segments are its key: exact, and hashed at the speed of memory.
    ids = np.ascontiguousarray(tokens.ids).tobytes()
    segments = b"" if tokens.segments is None else np.ascontiguousarray(tokens.segments).tobytes()
    bounds = (tokens.starts * tokens.ids.itemsize).tolist()
    spelled = forms_of(tokens)
    seen: dict[tuple[bytes, bytes, tuple[str, ...]], int] = {}
    first: list[int] = []
    of = np.empty(len(tokens), dtype=np.int64)
    for text, (begin, end) in enumerate(pairwise(bounds)):
        number = seen.setdefault((ids[begin:end], segments[begin:end], spelled[text]), len(first))
        if number == len(first):
            first.append(text)
        of[text] = number
    return np.asarray(first, dtype=np.int64), of


def forms_of(tokens: Tokens) -> list[tuple[str, ...]]:
    """Return the tokens of every text as they are written; nothing where that is not known."""
    if tokens.forms is None:
        return [()] * len(tokens)
    forms = tokens.forms.tolist()
    return [tuple(forms[begin:end]) for begin, end in pairwise(tokens.starts.tolist())]
