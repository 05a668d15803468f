"""The shapes of words as yes-or-no features: capitals, digits, marks, and where in the sentence they stand.

Uncased encoders never see that "Apple" has a capital letter, which tells a name from a fruit. A capital tells
most where the sentence is written with ordinary casing, so whether it is belongs to the features too.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SHAPES = (
    "initial capital", "all capitals", "inner capital", "digit", "no letter or digit", "digits only",
    "handle", "hashtag", "address", "inner mark", "begins a sentence", "capitals everywhere",
    "capitals nowhere", "capital before", "capital behind", "telling capital", "short",
)  # fmt: skip
"""What the bits of a word's shape say, the lowest first."""

_EVERYWHERE = 0.6  # of the words with letters begin with a capital: titles, and texts that are shouted
_ENDS = frozenset(".!?:")


def word_shapes(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the shape of every word of a sentence, the bits of ``SHAPES`` as a number [n].

    >>> see, rome = word_shapes(["see", "Rome"])
    >>> [SHAPES[bit] for bit in range(len(SHAPES)) if rome >> bit & 1]
    ['initial capital', 'telling capital']
    """
    own = [_own(word) for word in words]
    capital = [bool(shape & 1) for shape in own]
    lettered = [at for at, word in enumerate(words) if word[:1].isalpha()]
    part = sum(capital[at] for at in lettered) / max(1, len(lettered))
    everywhere, nowhere = part > _EVERYWHERE and len(lettered) > 1, part == 0
    shapes = np.array(own, dtype=np.int64).reshape(-1)
    for at in range(len(words)):
        first = at == 0 or words[at - 1] in _ENDS
        flags = (
            first,
            everywhere,
            nowhere,
            at > 0 and capital[at - 1],
            at + 1 < len(words) and capital[at + 1],
            capital[at] and not first and not everywhere,
            len(words[at]) < 3,
        )
        shapes[at] |= sum(flag << (10 + bit) for bit, flag in enumerate(flags))
    return shapes


def _own(word: str) -> int:
    """Return the bits that a word tells by itself."""
    letters = [letter for letter in word if letter.isalpha()]
    digits = sum(letter.isdigit() for letter in word)
    flags = (
        word[:1].isupper(),
        len(letters) > 1 and word.isupper(),
        any(letter.isupper() for letter in word[1:]) and not word.isupper(),
        digits > 0,
        not letters and not digits,
        digits > 0 and not letters,
        word.startswith("@") and len(word) > 1,
        word.startswith("#") and len(word) > 1,
        word.startswith(("http://", "https://", "www.")),
        any(not letter.isalnum() for letter in word[1:-1]),
    )
    return sum(flag << bit for bit, flag in enumerate(flags))


def shape_bits(shapes: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the features of shapes as zeros and ones [n, len(SHAPES)].

    >>> shape_bits(word_shapes(["Rome"])).sum()
    np.float32(2.0)
    """
    bits = (shapes[:, None] >> np.arange(len(SHAPES))) & 1
    return bits.astype(np.float32)
