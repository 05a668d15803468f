"""What a way of scoring texts came to on the tests.

In each pair the first text should be the more specific; a tie counts half.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.outcomes import Outcome
from tenor.recipes.probabilistic_sentences.claims import (
    CONTRADICTION,
    DELETED,
    ENTAILMENT,
    NEUTRAL,
    REPLACED,
    SICK,
    STS,
    UNEQUAL,
    WITH_DIRECTION,
    WITH_LENGTH,
)
from tenor.recipes.probabilistic_sentences.data import ONE_WAY, Tests, TextPair, count_words, equally_long
from tenor.tasks.heads.in_numpy import row_cosines

Floats = NDArray[np.float64]


class Scores(Protocol):
    """Says how specific texts are."""

    def scores(self, texts: Sequence[str]) -> Floats:
        """Return a number for every text [n]; more is more specific."""


class Vectors(Scores, Protocol):
    """Has vectors of texts too."""

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Return vectors [n, d]."""


def direction(scorer: Scores, pairs: Sequence[TextPair]) -> Floats:
    """Return 1 for each pair whose first text is the more specific, 0 where the second is, half for ties.

    What differs by rounding alone is a tie.
    """
    first, second = (scorer.scores([pair[side] for pair in pairs]) for side in (0, 1))
    near = np.isclose(first, second, rtol=1e-6, atol=1e-9)
    return np.where(near, 0.5, (first > second).astype(np.float64))


def measured_pairs(tests: Tests) -> dict[str, list[TextPair]]:
    """Return the pairs of each measure."""
    every = tests.entailment

    def equal(label: str, *names: str) -> list[TextPair]:
        return [pair for name in names or every for pair in equally_long(every[name][label])]

    return {
        ENTAILMENT: equal("entailment"),
        REPLACED: [(each.text, each.replaced) for each in tests.vaguer],
        SICK: equal("entailment", "SICK"),
        WITH_DIRECTION: equal("entailment", *ONE_WAY),
        NEUTRAL: equal("neutral"),
        CONTRADICTION: equal("contradiction"),
        UNEQUAL: [pair for name in every for pair in every[name]["entailment"]],
        DELETED: [(each.text, each.deleted) for each in tests.vaguer],
    }


def outcomes_of(scorer: Scores, tests: Tests) -> dict[str, Outcome]:
    """Return the measures of specificity."""
    found = {
        name: Outcome.of("mean", direction(scorer, pairs), items=name)
        for name, pairs in measured_pairs(tests).items()
    }
    texts = list(dict.fromkeys(text for pair in tests.similarity for text in pair.texts))
    lengths = [count_words(text) for text in texts]
    found[WITH_LENGTH] = Outcome.of("spearman", lengths, scorer.scores(texts), items=WITH_LENGTH)
    return found


def similarity_of(scorer: Vectors, tests: Tests) -> Outcome:
    """Correlate the cosine of vectors with people's similarity."""
    first, second = (
        scorer.vectors([pair.texts[side] for pair in tests.similarity]).astype(np.float32) for side in (0, 1)
    )
    gold = [float(pair.score or 0.0) for pair in tests.similarity]
    return Outcome.of("pearson", gold, row_cosines(first, second), items=STS)
