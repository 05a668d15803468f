"""The shapes of words as yes-or-no features: capitals, digits, marks, and where in the sentence they stand.

Uncased encoders never see that "Apple" has a capital letter, which tells a name from a fruit. A capital tells
most where the sentence is written with ordinary casing, so whether it is belongs to the features too.
"""

from collections.abc import Sequence
from functools import lru_cache

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
_LONGEST_KEPT = 40  # characters: what is kept of words must not grow with one of them


def word_shapes(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the shape of every word of a sentence, the bits of ``SHAPES`` as a number [n].

    >>> see, rome = word_shapes(["see", "Rome"])
    >>> [SHAPES[bit] for bit in range(len(SHAPES)) if rome >> bit & 1]
    ['initial capital', 'telling capital']
    """
    own = np.array([_own(word) for word in words], dtype=np.int64)
    capital = (own & 1).astype(np.bool_)
    lettered = np.array([word[:1].isalpha() for word in words], dtype=np.bool_)
    part = capital[lettered].sum() / max(1, lettered.sum())
    everywhere, nowhere = part > _EVERYWHERE and lettered.sum() > 1, part == 0
    first = np.array([True, *(word in _ENDS for word in words[:-1])][: len(words)], dtype=np.bool_)
    outside = np.zeros(1, dtype=np.bool_)
    flags = (
        first,
        everywhere,
        nowhere,
        np.concatenate([outside, capital[:-1]])[: len(own)],
        np.concatenate([capital[1:], outside])[: len(own)],
        capital & ~first & (not everywhere),
        np.array([len(word) < 3 for word in words], dtype=np.bool_),
    )
    for bit, flag in enumerate(flags):
        own |= np.asarray(flag, dtype=np.int64) << (10 + bit)
    return own


def _own(word: str) -> int:
    """Return the bits that a word tells by itself, kept for short words: they come again and again."""
    return _kept_bits(word) if len(word) <= _LONGEST_KEPT else _bits(word)


@lru_cache(maxsize=1 << 16)
def _kept_bits(word: str) -> int:
    return _bits(word)


def _bits(word: str) -> int:
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
