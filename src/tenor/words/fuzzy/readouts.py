"""What fuzzy words show: analogies by set algebra, function words, senses, compounds.

- Analogy a : b :: x : y has the target y = (b ⊔ x) ∖ a.
- Words of high entropy have a little of every feature: function words, or words that were badly learnt.
- A word's sense in a context is its intersection with a word of that context.
- A compound means what its parts mean if its parts are alike.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.fuzzy import sets
from tenor.words.fuzzy.fuzzy_words import FuzzyWords, Measure, Near, RankMeasure

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Union = Literal["clipped", "prob"]
Direction = Literal["forward", "backward", "both"]


def analogies(
    fuzzy: FuzzyWords,
    questions: Ints,
    k: int = 1,
    *,
    union: Union = "clipped",
    measure: RankMeasure = "cross-entropy",
    rescale: bool = True,
    progress: Callable[[int], None] | None = None,
) -> tuple[Ints, Floats]:
    """Answer questions [q, 3] of word numbers a, b, x: the k best other words [q, k] and distances [q, k]."""
    a, b, x = (fuzzy.features[questions[:, place]] for place in range(3))
    joined = sets.clipped_union(b, x) if union == "clipped" else sets.union(b, x)
    targets = sets.difference(joined, a)
    return fuzzy.nearest_many(
        targets, k, exclude=questions, measure=measure, rescale=rescale, progress=progress
    )


def analogy(fuzzy: FuzzyWords, a: str, b: str, x: str, k: int = 5) -> list[Near]:
    """Complete "a is to b as x is to …"."""
    numbers, distances = analogies(fuzzy, fuzzy.vectors.numbers([a, b, x])[None], k)
    pairs = zip(numbers[0].tolist(), distances[0].tolist(), strict=True)
    return [Near(fuzzy.vectors.words[number], distance) for number, distance in pairs if number >= 0]


@dataclass(frozen=True, slots=True)
class FunctionWords:
    """The words of highest entropy, and of highest frequency for comparison."""

    by_entropy: tuple[str, ...]
    by_frequency: tuple[str, ...]
    candidates: int  # words that are frequent enough


def function_words(fuzzy: FuzzyWords, top: int = 50, *, least: int = 100) -> FunctionWords:
    """Rank the words that occur ``least`` times by entropy, and by frequency.

    Rows show it: with columns, words of small cardinality have small entropies whatever they mean.
    """
    counts = fuzzy.vectors.counts
    if counts is None:
        raise TenorError("Function words are told among frequent words, and these vectors hold no counts.")
    frequent = np.flatnonzero(counts >= least)
    if not len(frequent):
        raise TenorError(f"No word occurs {least} times or more; the most frequent occurs {counts.max()}.")
    entropies = fuzzy.entropies[frequent]
    words = fuzzy.vectors.words
    by_entropy = frequent[np.argsort(-entropies, kind="stable")[:top]]
    by_frequency = frequent[np.argsort(-counts[frequent], kind="stable")[:top]]
    named = [tuple(words[int(number)] for number in some) for some in (by_entropy, by_frequency)]
    return FunctionWords(named[0], named[1], len(frequent))


def senses(
    fuzzy: FuzzyWords, word: str, contexts: Iterable[str], k: int = 5, *, rescale: bool = True
) -> dict[str, list[Near]]:
    """Show the neighbours of a word alone (under "") and in the context of each of some other words."""
    alone = fuzzy[word]
    found = {"": fuzzy.nearest(alone, k, exclude=[word])}
    for context in contexts:
        both = sets.intersection(alone, fuzzy[context])
        found[context] = fuzzy.nearest(both, k, exclude=[word, context], rescale=rescale)
    return found


def compound_similarity(
    fuzzy: FuzzyWords,
    heads: Sequence[str],
    modifiers: Sequence[str],
    *,
    measure: Measure = "kl",
    direction: Direction = "forward",
) -> Floats:
    """Say how alike the parts of compounds are: minus the distance head to modifier, back, or the sum."""
    if direction == "backward":
        return -fuzzy.distances(modifiers, heads, measure)
    return -fuzzy.distances(heads, modifiers, measure, symmetric=direction == "both")
