"""A language of concepts, with combinations of values that are held out.

A string has one value of each of N concepts; value v of concept i is symbol v + i · (number of values). The
language is the set of all values ** N strings.

The hold-out is compositional: a *combination* is two values of two different concepts, and all strings with
both are held out. Every value alone is met in training, the two never together: a code that spells concepts
one by one can say such a string, one that lists strings cannot. Test, validation and training strings are
disjoint; a further sample of training's own kind (``random``) tells memory from generalisation.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError

Ints = NDArray[np.int64]
Part = Literal["train", "random", "validation", "test"]
PARTS: tuple[Part, ...] = ("train", "random", "validation", "test")
_MOST_STRINGS = 10_000_000


@dataclass(frozen=True)
class ConceptLanguage:
    """All strings of some concepts with equally many values.

    >>> language = ConceptLanguage(concepts=3, values=10)
    >>> len(language), language.bits, language.spelling_bits
    (1000, 10, 12)
    """

    concepts: int = 3
    values: int = 10

    def __post_init__(self) -> None:
        if self.concepts < 2 or self.values < 2:
            raise TenorError("A language needs at least 2 concepts with at least 2 values each.")
        if len(self) > _MOST_STRINGS:
            raise TenorError(
                f"{self.concepts} concepts of {self.values} values make {len(self):,} strings; at most "
                f"{_MOST_STRINGS:,} can be listed. Take fewer concepts or values."
            )

    def __len__(self) -> int:
        return int(self.values**self.concepts)

    @property
    def symbols(self) -> int:
        """The size of the alphabet."""
        return self.concepts * self.values

    @property
    def bits(self) -> int:
        """The fewest bits of any lossless code: the information bound."""
        return (len(self) - 1).bit_length()

    @property
    def spelling_bits(self) -> int:
        """The bits of a code that spells every concept separately."""
        return self.concepts * (self.values - 1).bit_length()

    @cached_property
    def strings(self) -> Ints:
        """The values of all strings [size, concepts]."""
        numbers = np.arange(len(self))[:, None]
        return numbers // self.values ** np.arange(self.concepts)[::-1] % self.values

    def to_symbols(self, strings: Ints) -> Ints:
        """Turn values [n, concepts] into symbols of the alphabet."""
        symbols: Ints = strings + self.values * np.arange(self.concepts)
        return symbols


@dataclass(frozen=True)
class Split:
    """Which strings of a language are for what, as row numbers of ``ConceptLanguage.strings``."""

    train: Ints
    random: Ints
    """Held out at random from among the strings of training's kind."""
    validation: Ints
    test: Ints
    """Held out by combinations."""


def split_language(
    language: ConceptLanguage, *, combinations: int = 1, random: int = 0, seed: int = 1
) -> Split:
    """Hold out ``combinations`` for testing and as many for validation, and ``random`` strings at random.

    Combinations are drawn until every value is left in training: a value that is never met cannot be said.
    """
    generator = np.random.default_rng([seed, 7])
    for _ in range(100):
        drawn = _combinations(language, 2 * combinations, generator)
        test = _with_any(language, drawn[:combinations])
        validation = _with_any(language, drawn[combinations:]) & ~test
        rest = generator.permutation(np.flatnonzero(~test & ~validation))
        train = np.sort(rest[random:])
        if validation.any() and _all_met(language, train):
            return Split(train, np.sort(rest[:random]), np.flatnonzero(validation), np.flatnonzero(test))
    raise TenorError(
        f"{2 * combinations} combinations and {random} strings cannot be held out of {len(language)} strings "
        "such that every value is left in training; hold out fewer."
    )


def _combinations(
    language: ConceptLanguage, count: int, generator: np.random.Generator
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Draw different combinations: (concept, value) twice, of different concepts."""
    drawn: dict[tuple[tuple[int, int], tuple[int, int]], None] = {}
    for _ in range(1000 * count):
        first, second = sorted(generator.choice(language.concepts, 2, replace=False).tolist())
        one, two = generator.integers(0, language.values, 2).tolist()
        drawn[(first, one), (second, two)] = None
        if len(drawn) == count:
            return list(drawn)
    raise TenorError(f"This language has fewer than {count} combinations of two values to hold out.")


def _with_any(
    language: ConceptLanguage, combinations: list[tuple[tuple[int, int], tuple[int, int]]]
) -> NDArray[np.bool_]:
    found = np.zeros(len(language), dtype=bool)
    for (first, one), (second, two) in combinations:
        found |= (language.strings[:, first] == one) & (language.strings[:, second] == two)
    return found


def _all_met(language: ConceptLanguage, rows: Ints) -> bool:
    met = [np.unique(column).size == language.values for column in language.strings[rows].T]
    return all(met) and rows.size > 0
