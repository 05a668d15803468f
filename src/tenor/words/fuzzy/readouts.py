"""Readouts of fuzzy words: analogies by set algebra, and function words by entropy.

- Analogy a : b :: x : y has the target y = (b ⊔ x) ∖ a.
- Words of high entropy have a little of every feature: function words, or words with poor vectors.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.fuzzy import sets
from tenor.words.fuzzy.fuzzy_words import FuzzyWords, Measure

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Union = Literal["clipped", "prob"]


def analogies(
    fuzzy: FuzzyWords,
    questions: Ints,
    k: int = 1,
    *,
    union: Union = "clipped",
    measure: Measure = "cross-entropy",
    rescale: bool = True,
    progress: Callable[[int], None] | None = None,
) -> tuple[Ints, Floats]:
    """Answer questions [q, 3] of word indices a, b, x: the k best other words [q, k] and distances [q, k]."""
    a, b, x = (fuzzy.features[questions[:, column]] for column in range(3))
    joined = sets.clipped_union(b, x) if union == "clipped" else sets.union(b, x)
    targets = sets.difference(joined, a)
    return fuzzy.nearest_many(
        targets, k, exclude=questions, measure=measure, rescale=rescale, progress=progress
    )


@dataclass(frozen=True, slots=True)
class FunctionWords:
    """The words of highest entropy, and of highest frequency for comparison."""

    by_entropy: tuple[str, ...]
    by_frequency: tuple[str, ...]
    candidates: int  # words that are frequent enough


def function_words(fuzzy: FuzzyWords, top: int = 50, *, min_count: int = 100) -> FunctionWords:
    """Rank the words with at least ``min_count`` occurrences by entropy, and by frequency.

    Rows show it: with columns, words of small cardinality have small entropies whatever they mean.
    """
    counts = fuzzy.vectors.counts
    if counts is None:
        raise TenorError("Function words are ranked among frequent words, and these vectors hold no counts.")
    frequent = np.flatnonzero(counts >= min_count)
    if not len(frequent):
        raise TenorError(
            f"No word occurs {min_count} times or more; the most frequent occurs {counts.max()}."
        )
    entropies = fuzzy.entropies[frequent]
    words = fuzzy.vectors.words
    by_entropy = frequent[np.argsort(-entropies, kind="stable")[:top]]
    by_frequency = frequent[np.argsort(-counts[frequent], kind="stable")[:top]]
    named = [tuple(words[int(number)] for number in some) for some in (by_entropy, by_frequency)]
    return FunctionWords(named[0], named[1], len(frequent))
