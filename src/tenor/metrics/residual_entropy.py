"""Residual entropy: how much of each concept is left open by bits that are its own.

Strings have N concepts C_1 … C_N and messages of l bits. With disjoint sets of bits p_1 … p_N for the
concepts,

    re(p) = 1/N Σ_i H(C_i | z[p_i]) / H(C_i),        re = min over p

0: every concept is read off its own bits (a compositional code); 1: the bits say nothing. For any code
without collisions the minimum is at most (N - 1)/N, since all bits together determine one concept; so a value
is read beside that bound, and not beside 1. Entropies are those of counts; a bit that is added to a set never
raises its term, so that a minimum may be sought among those p that use all bits.

*Greedy* gives a bit to the concept whose values shift it most, as the code of Gupta et al. (2020) does:
score(i, b) = mean over values v of concept i of |P(b = 0 | v) - mean over all values|. The *least* is exact
where all p can be tried; else single bits are moved, from several beginnings, until nothing helps.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.errors import TenorError

Ints = NDArray[np.int64]
_EXHAUSTIVE = 2000  # assignments of bits to concepts that are all tried


class BitReading:
    """Concepts and messages of the same strings, and how much of a concept sets of bits leave open.

    >>> concepts = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> reading = BitReading(concepts, messages=[[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> reading.greedy()
    [1, 0]
    >>> reading.residual_entropy([1, 0])
    0.0
    """

    def __init__(self, concepts: ArrayLike, messages: ArrayLike) -> None:
        self.concepts: Ints = np.asarray(concepts, dtype=np.int64)
        self.messages: Ints = np.asarray(messages, dtype=np.int64)
        if self.concepts.ndim != 2 or self.messages.ndim != 2 or len(self.concepts) != len(self.messages):
            raise TenorError(
                "Residual entropy wants concepts [strings, concepts] and messages [strings, bits] of the "
                f"same strings, not {self.concepts.shape} and {self.messages.shape}."
            )
        if not np.isin(self.messages, (0, 1)).all():
            raise TenorError("Messages hold other numbers than the bits 0 and 1.")
        if self.messages.shape[1] > 62:
            raise TenorError(f"Messages have {self.messages.shape[1]} bits; at most 62 can be counted.")
        self._values = [np.unique(column, return_inverse=True)[1] for column in self.concepts.T]
        self._entropies = [_entropy(values) for values in self._values]
        self._known: dict[tuple[int, int], float] = {}

    @property
    def bits(self) -> int:
        """The length of a message."""
        return int(self.messages.shape[1])

    def left_open(self, concept: int, bits: Sequence[int]) -> float:
        """Return H(concept | these bits) / H(concept); 0 for a concept that does not vary."""
        key = (concept, sum(1 << bit for bit in bits))
        if key not in self._known:
            self._known[key] = self._left_open(concept, bits)
        return self._known[key]

    def residual_entropy(self, owners: Sequence[int]) -> float:
        """Return re of an assignment: for every bit its concept, or -1 for a bit that no concept uses."""
        count = self.concepts.shape[1]
        parts = [[bit for bit, owner in enumerate(owners) if owner == concept] for concept in range(count)]
        return float(np.mean([self.left_open(concept, bits) for concept, bits in enumerate(parts)]))

    def greedy(self) -> list[int]:
        """Give each bit to the concept whose values shift it most."""
        shares = [
            np.stack(
                [(self.messages[values == value] == 0).mean(axis=0) for value in range(values.max() + 1)]
            )
            for values in self._values
        ]  # for each concept [values, l]
        middle = np.concatenate(shares).mean(axis=0)
        scores = np.stack([np.abs(share - middle).mean(axis=0) for share in shares])  # [N, l]
        return [int(owner) for owner in scores.argmax(axis=0)]

    def least(self, *, starts: int = 4, seed: int = 0) -> list[int]:
        """Return the assignment with the least residual entropy that was found."""
        count = self.concepts.shape[1]
        if count**self.bits <= _EXHAUSTIVE:
            every = (list(owners) for owners in product(range(count), repeat=self.bits))
            return min(every, key=self.residual_entropy)
        generator = np.random.default_rng(seed)
        begins = [self.greedy(), *([concept] * self.bits for concept in range(count))]
        begins += [generator.integers(0, count, self.bits).tolist() for _ in range(starts)]
        return min((self._climbed(begin) for begin in begins), key=self.residual_entropy)

    def _climbed(self, owners: list[int]) -> list[int]:
        """Move one bit at a time to where it lowers residual entropy most, until none does."""
        owners, now = list(owners), self.residual_entropy(owners)
        while True:
            moves = [
                (self.residual_entropy(moved), moved)
                for bit in range(self.bits)
                for concept in range(self.concepts.shape[1])
                if concept != owners[bit]
                for moved in [[*owners[:bit], concept, *owners[bit + 1 :]]]
            ]
            best, moved = min(moves, key=lambda move: move[0])
            if best >= now - 1e-12:
                return owners
            now, owners = best, moved

    def _left_open(self, concept: int, bits: Sequence[int]) -> float:
        if self._entropies[concept] == 0:
            return 0.0
        keys = self.messages[:, list(bits)] @ (1 << np.arange(len(bits)))
        groups = np.unique(keys, return_inverse=True)[1]
        values = self._values[concept]
        joint = _entropy(groups * (values.max() + 1) + values)
        return float(np.clip((joint - _entropy(groups)) / self._entropies[concept], 0.0, 1.0))


def greedy_residual_entropy(concepts: ArrayLike, messages: ArrayLike) -> float:
    """Return the residual entropy of the greedy assignment of bits."""
    reading = BitReading(concepts, messages)
    return reading.residual_entropy(reading.greedy())


def least_residual_entropy(concepts: ArrayLike, messages: ArrayLike) -> float:
    """Return the least residual entropy that was found: exact where all assignments can be tried."""
    reading = BitReading(concepts, messages)
    return reading.residual_entropy(reading.least())


def _entropy(values: Ints) -> float:
    """Return the entropy of numbers from 0 on, in nats, from their counts."""
    counts = np.unique(values, return_counts=True)[1]
    shares = counts / counts.sum()
    return max(0.0, float(-(shares * np.log(shares)).sum()))
