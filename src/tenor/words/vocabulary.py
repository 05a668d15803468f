"""A vocabulary that opens in milliseconds: all words as one run of UTF-8 bytes, found through sorted hashes.

Word i is ``blob[offsets[i]:offsets[i + 1]]``. Next to it lie the hashes of all words in rising order and the
number of the word that each belongs to, so that a word is found by bisection and one comparison of bytes: a
file of a million words is ready before a dictionary of them could be built. A word becomes a Python string
only when it is looked at.

The hash is FNV-1a with 64 bits over the first bytes of a word and its length. Nothing depends on its quality
but speed: words with equal hashes are told apart by their bytes.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError

Bytes = NDArray[np.uint8]
_HASHED = 64  # bytes of a word that its hash sees
_BASIS, _PRIME = 0xCBF29CE484222325, 0x100000001B3
_MASK = 0xFFFFFFFFFFFFFFFF


class Vocabulary(Sequence[str]):
    """Words by index and indices by word; every word is there once.

    >>> words = Vocabulary.of(["noble", "metal", "fée"])
    >>> words.find("metal"), words.find("iron"), words[2], len(words)
    (1, None, 'fée', 3)
    >>> words.find_all(["fée", "iron", "noble"]).tolist()
    [2, -1, 0]
    """

    def __init__(
        self,
        blob: Bytes,
        offsets: NDArray[np.int64],
        *,
        hashes: NDArray[np.uint64] | None = None,
        order: NDArray[np.int64] | None = None,
    ) -> None:
        self.blob, self.offsets = blob, offsets
        self._bytes = np.ascontiguousarray(blob).data
        if hashes is None or order is None:
            unsorted = hashes_of(blob, offsets)
            order = np.argsort(unsorted, kind="stable")
            hashes = unsorted[order]
        self.hashes, self.order = hashes, order

    @classmethod
    def of(cls, words: Iterable[str]) -> "Vocabulary":
        """Make a vocabulary of words in their order; a word that comes twice is refused."""
        vocabulary = cls(*packed(words))
        first, again = vocabulary.duplicates()
        if len(again):
            word = vocabulary[int(again[0])]
            raise TenorError(
                f"The word {word!r} is there twice (indices {first[0]:,} and {again[0]:,}); leave one out."
            )
        return vocabulary

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: Any) -> str | list[str]:
        if isinstance(number, slice):
            return [self[index] for index in range(*number.indices(len(self)))]
        count = len(self)
        if not -count <= number < count:
            raise IndexError(f"there is no word {number}; there are {count}")
        return self.encoded(number % count).decode(errors="replace")

    def __iter__(self) -> Iterator[str]:
        ends = self.offsets.tolist()
        for begin, end in pairwise(ends):
            yield bytes(self._bytes[begin:end]).decode(errors="replace")

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.find(word) is not None

    def encoded(self, number: int) -> bytes:
        """Return a word as its UTF-8 bytes."""
        return bytes(self._bytes[int(self.offsets[number]) : int(self.offsets[number + 1])])

    def find(self, word: str) -> int | None:
        """Return a word's index, or None where it is not in the vocabulary."""
        code = word.encode(errors="surrogatepass")
        key = _hash(code)
        place = int(np.searchsorted(self.hashes, np.uint64(key)))
        return self._among_equals(code, key, place)

    def find_all(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the indices of many words at once; -1 for a word that is not in the vocabulary."""
        codes = [word.encode(errors="surrogatepass") for word in words]
        blob, offsets = joined(codes)
        keys = hashes_of(blob, offsets)
        places = np.searchsorted(self.hashes, keys)
        found = np.full(len(codes), -1, dtype=np.int64)
        for row, (code, key, place) in enumerate(zip(codes, keys.tolist(), places.tolist(), strict=True)):
            number = self._among_equals(code, key, place)
            if number is not None:
                found[row] = number
        return found

    def duplicates(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """List repeated words: the index of the first occurrence, and that of each repeat."""
        equal = np.flatnonzero(self.hashes[1:] == self.hashes[:-1])
        firsts: dict[bytes, int] = {}
        repeats: list[tuple[int, int]] = []
        for number in np.unique(np.concatenate([self.order[equal], self.order[equal + 1]])).tolist():
            first = firsts.setdefault(self.encoded(number), number)
            if first != number:
                repeats.append((first, number))
        pairs = np.array(repeats, dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def take(self, numbers: NDArray[np.int64]) -> "Vocabulary":
        """Make a vocabulary of some of the words."""
        lengths = np.diff(self.offsets)[numbers]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        return Vocabulary(self.blob[np.repeat(self.offsets[numbers], lengths) + within], offsets)

    def _among_equals(self, code: bytes, key: int, place: int) -> int | None:
        while place < len(self.hashes) and int(self.hashes[place]) == key:
            number = int(self.order[place])
            if self.encoded(number) == code:
                return number
            place += 1
        return None


def packed(words: Iterable[str]) -> tuple[Bytes, NDArray[np.int64]]:
    """Put words behind one another as bytes, and say where each begins and the last one ends."""
    return joined([word.encode(errors="replace") for word in words])


def joined(codes: Sequence[bytes]) -> tuple[Bytes, NDArray[np.int64]]:
    """Put encoded words behind one another, and say where each begins and the last one ends."""
    lengths = np.fromiter(map(len, codes), dtype=np.int64, count=len(codes))
    return np.frombuffer(b"".join(codes), dtype=np.uint8), np.concatenate([[0], np.cumsum(lengths)])


def hashes_of(blob: Bytes, offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash every word [n], all words one byte further at each step, longest words first."""
    lengths = np.diff(offsets)
    by_length = np.argsort(-lengths, kind="stable")
    falling, begins = lengths[by_length], offsets[:-1][by_length]
    hashes = np.full(len(lengths), _BASIS, dtype=np.uint64)
    prime = np.uint64(_PRIME)
    for step in range(min(_HASHED, int(falling[0])) if len(falling) else 0):
        count = int(np.searchsorted(-falling, -step, side="left"))  # words with more than `step` bytes
        hashes[:count] = (hashes[:count] ^ blob[begins[:count] + step]) * prime
    hashes = (hashes ^ falling.astype(np.uint64)) * prime
    out = np.empty_like(hashes)
    out[by_length] = hashes
    return out


def _hash(code: bytes) -> int:
    value = _BASIS
    for byte in code[:_HASHED]:
        value = ((value ^ byte) * _PRIME) & _MASK
    return ((value ^ len(code)) * _PRIME) & _MASK
