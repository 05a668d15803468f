"""How many tokens two texts share: J = |T1 ∩ T2| / |T1 ∪ T2| over their sets of tokens.

Special tokens do not count; two texts without any token have J = 1.
"""

import numpy as np
from numpy.typing import NDArray

from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import Tokens


def jaccard(first: Tokens, second: Tokens, *, specials: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the overlap of the texts in the same rows of two lists [n].

    >>> one, two = Tokens.from_lists([[1, 5, 6, 2], [1, 2]]), Tokens.from_lists([[1, 6, 7, 2], [1, 2]])
    >>> jaccard(one, two, specials=np.array([1, 2], dtype=np.int32)).tolist()
    [0.3333333432674408, 1.0]
    """
    size = 1 + max(int(first.ids.max(initial=0)), int(second.ids.max(initial=0)))
    left, right = _sets(first, specials, size), _sets(second, specials, size)
    rows = len(first)
    shared = np.bincount(np.intersect1d(left, right, assume_unique=True) // size, minlength=rows)
    total = np.bincount(left // size, minlength=rows) + np.bincount(right // size, minlength=rows) - shared
    found: NDArray[np.float64] = np.divide(shared, total, out=np.ones(rows), where=total > 0)
    return found.astype(np.float32)


def special_ids(tokenizer: Tokenizer) -> NDArray[np.int32]:
    """Return the tokens that the tokenizer puts around every text."""
    return np.unique(tokenizer.tokenize([""]).ids)


def _sets(tokens: Tokens, specials: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """Return one number per distinct token of each text: text · size + token."""
    text = np.repeat(np.arange(len(tokens), dtype=np.int64), tokens.lengths)
    counts = ~np.isin(tokens.ids, specials)
    return np.unique(text[counts] * size + tokens.ids[counts])
