"""An interpolated n-gram language model of characters or words, and its perplexity on another text.

With c(h, w) the count of a unit w after the history h of k - 1 units, and t(h) the number of different units
after it, probabilities of order k are those of Witten and Bell:

    p_k(w | h) = (c(h, w) + t(h) p_{k-1}(w | h')) / (c(h) + t(h)),        p_0(w) = 1 / (units + 1)

where h' is h without its first unit; a history that was never seen leaves p_{k-1} as it is. One unit stands
for all unknown ones. Perplexity is exp(-mean ln p) over the units of a text, an end of line among them.
Gamallo et al. (2017) measure the distance of languages so, with characters and order 7.

Shapes: T units of a text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError

Unit = Literal["char", "word"]
Ints = NDArray[np.int64]
Sentences = Iterable[Sequence[str]]
ORDERS: dict[Unit, int] = {"char": 7, "word": 1}
"""The order of a model where none is given."""
_END = "\n"


@dataclass(frozen=True, slots=True, eq=False)
class _Order:
    """All n-grams of one order: a history and a unit in one number, sorted, with what was counted."""

    grams: Ints
    counts: Ints
    history_counts: Ints  # by number of the history
    history_types: Ints


class NgramModel:
    """A language model of order n.

    >>> model = NgramModel([["a", "b", "a", "b"]], unit="word", order=2)
    >>> model.perplexity([["a", "b"]]) < model.perplexity([["b", "a"]])
    True
    """

    def __init__(self, sentences: Sentences, *, unit: Unit = "char", order: int | None = None) -> None:
        self.unit, self.order = unit, ORDERS[unit] if order is None else order
        if self.order < 1:
            raise TenorError(f"order is {self.order}; an n-gram model has an order of at least 1.")
        units = units_of(sentences, unit)
        self._numbers = {each: place for place, each in enumerate(dict.fromkeys(units))}
        if len(self._numbers) < 2:
            raise TenorError("There are no words to count; a language model needs a text.")
        ids = np.fromiter((self._numbers[each] for each in units), dtype=np.int64, count=len(units))
        self._orders: list[_Order] = []
        histories = np.zeros(len(ids), dtype=np.int64)  # of no units: one for all
        for _ in range(self.order):
            grams, places = self._count(histories, ids)
            histories = _shifted(places)
            self._orders.append(grams)

    def perplexity(self, sentences: Sentences) -> float:
        """Return the perplexity of a text."""
        units = units_of(sentences, self.unit)
        if len(units) < 2:
            raise TenorError("There are no words to read; perplexity is that of a text.")
        unknown = len(self._numbers)
        ids = np.fromiter(
            (self._numbers.get(each, unknown) for each in units), dtype=np.int64, count=len(units)
        )
        return float(np.exp(-np.log(self.probabilities(ids)).mean()))

    def probabilities(self, ids: Ints) -> NDArray[np.float64]:
        """Return the probability of every unit after those before it [T], from numbers of units [T]."""
        p = np.full(len(ids), 1.0 / (len(self._numbers) + 1))
        histories = np.zeros(len(ids), dtype=np.int64)
        for counted in self._orders:
            known = histories >= 0
            here = np.where(known, histories, 0)
            total, types = (
                np.where(known, values[here], 0) for values in (counted.history_counts, counted.history_types)
            )
            grams = np.where(known, self._grams(here, ids), -1)
            places = np.minimum(np.searchsorted(counted.grams, grams), len(counted.grams) - 1)
            seen = counted.grams[places] == grams
            count = np.where(seen, counted.counts[places], 0)
            p = np.where(total > 0, (count + types * p) / np.maximum(total + types, 1), p)
            histories = _shifted(np.where(seen, places, -1))
        return p

    def _count(self, histories: Ints, ids: Ints) -> tuple[_Order, Ints]:
        """Count the n-grams of histories [T] and units [T], and return the number of each n-gram [T] too."""
        known = histories >= 0
        grams, places, counts = np.unique(
            self._grams(histories, ids)[known], return_inverse=True, return_counts=True
        )
        of = grams // self._base
        order = _Order(
            grams,
            counts,
            np.bincount(of, weights=counts, minlength=int(histories.max()) + 1).astype(np.int64),
            np.bincount(of, minlength=int(histories.max()) + 1),
        )
        numbers = np.full(len(ids), -1, dtype=np.int64)
        numbers[known] = places
        return order, numbers

    @property
    def _base(self) -> int:
        return len(self._numbers) + 1

    def _grams(self, histories: Ints, ids: Ints) -> Ints:
        return histories * self._base + ids


def units_of(sentences: Sentences, unit: Unit) -> list[str]:
    """Return the characters or words of sentences, lower-cased, with an end of line before and after each.

    >>> units_of([["Ab", "c"]], "char")
    ['\\n', 'a', 'b', ' ', 'c', '\\n']
    """
    units = [_END]
    for words in sentences:
        lowered = [word.lower() for word in words]
        units.extend(" ".join(lowered) if unit == "char" else lowered)
        units.append(_END)
    return units


def _shifted(numbers: Ints) -> Ints:
    """Return what stands before each place; -1 before the first."""
    return np.concatenate([np.array([-1], dtype=np.int64), numbers[:-1]])
