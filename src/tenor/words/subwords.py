"""Subwords as in fastText: an unknown word gets the mean of the vectors of its character n-grams.

A word is put between < and >; its n-grams have ``min_n`` to ``max_n`` letters, a single < or > excepted. An
n-gram has no vector of its own but that of the bucket into which its hash falls: FNV-1a with 32
bits over its UTF-8 bytes, taken as signed numbers (as fastText's C++ does).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.words.vocabulary import joined

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Subwords:
    """The vectors of the buckets [buckets, d], and the lengths of n-grams in letters.

    >>> Subwords(np.eye(4, dtype=np.float32), min_n=3, max_n=3).vector("ab").tolist()
    [1.0, 0.0, 0.0, 0.0]
    """

    table: Floats
    min_n: int
    max_n: int

    def vector(self, word: str) -> Floats:
        """Return the mean of a word's n-grams [d]; zeros for a word too short to have any."""
        vector: Floats = self.vectors([word])[0]
        return vector

    def vectors(self, words: list[str]) -> Floats:
        """Return the mean of each word's n-grams [n, d]."""
        buckets, of = self.buckets(words)
        counts = np.bincount(of, minlength=len(words))
        sums = np.zeros((len(words), self.table.shape[1]), dtype=np.float32)
        np.add.at(sums, of, self.table[buckets])
        return np.asarray(sums / np.maximum(counts, 1).astype(np.float32)[:, None])

    def buckets(self, words: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the bucket of every n-gram of every word, and the index of its word."""
        hashes, of = ngram_hashes(words, self.min_n, self.max_n)
        return (hashes % max(1, len(self.table))).astype(np.int64), of


def ngram_hashes(words: list[str], min_n: int, max_n: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Hash the n-grams of words, all starts one byte further at each step; also return the word of each."""
    blob, offsets = joined([f"<{word}>".encode(errors="replace") for word in words])
    leads = (blob & 0xC0) != 0x80  # the first byte of a letter
    starts = np.flatnonzero(leads)
    word_of = np.searchsorted(offsets, starts, side="right") - 1
    first, end = offsets[word_of], offsets[word_of + 1]
    hashes = np.full(len(starts), 2166136261, dtype=np.uint32)
    letters = np.zeros(len(starts), dtype=np.int64)
    ahead = np.append(leads, True)  # whether the byte after this one begins a letter
    signed = blob.astype(np.int8).astype(np.int32).astype(np.uint32)
    found, of = [], []
    alive, step = np.arange(len(starts)), 0
    while len(alive) and max_n > 0:
        position = starts[alive] + step
        hashes[alive] = (hashes[alive] ^ signed[position]) * np.uint32(16777619)
        whole = ahead[position + 1]
        letters[alive] += whole
        kept = whole & (letters[alive] >= min_n)
        # A single < or > says nothing about a word.
        kept &= ~((letters[alive] == 1) & ((starts[alive] == first[alive]) | (position + 1 == end[alive])))
        found.append(hashes[alive[kept]])
        of.append(word_of[alive[kept]])
        alive = alive[(position + 1 < end[alive]) & ~(whole & (letters[alive] >= max_n))]
        step += 1
    if not found:
        return np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.int64)
    return np.concatenate(found), np.concatenate(of)
