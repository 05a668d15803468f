"""What is measured of a tagger: entity F1 of every test set, boundaries, and what the gate says of words.

All are ratios of sums over sentences, so that a bootstrap draws sentences. A mean over words is written as
the F1 of counts, 2 Σ x / (Σ n + Σ n), with n words and the sum x of their values in a sentence.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.outcomes import Outcome
from tenor.metrics.spans import count_spans
from tenor.recipes.zero_resource_ner.data import SCITECH, TYPES
from tenor.text.examples import TaggedSentence

EXPERTS = ("O", *TYPES)
BOUNDARIES = f"{SCITECH} untyped"
GATE_RIGHT, ENTROPY_O, ENTROPY_ENTITIES = "gate right on O", "gate entropy on O", "gate entropy on entities"
Floats = NDArray[np.float64]


def entity_outcomes(
    name: str, sentences: Sequence[TaggedSentence], tags: list[list[str]]
) -> dict[str, Outcome]:
    """Return the F1 of a test set; of SciTech also that of boundaries alone."""
    counts = count_spans([list(sentence.tags or ()) for sentence in sentences], tags)
    outcomes = {name: Outcome.of("f1_of_counts", *counts.entities.T, items=name)}
    if name == SCITECH:
        outcomes[BOUNDARIES] = Outcome.of("f1_of_counts", *counts.boundaries.T, items=name)
    return outcomes


def gate_outcomes(
    name: str, sentences: Sequence[TaggedSentence], gates: Sequence[NDArray[np.floating]]
) -> dict[str, Outcome]:
    """Return how often the gate is right on words that are O, and its entropy on these and on entities."""
    columns = {key: np.zeros((len(gates), 2)) for key in (GATE_RIGHT, ENTROPY_O, ENTROPY_ENTITIES)}
    for row, (sentence, weights) in enumerate(zip(sentences, gates, strict=True)):
        outside = gold_experts(sentence) == 0
        entropies = entropy(weights)
        right = weights.argmax(axis=1)[outside] == 0
        columns[GATE_RIGHT][row] = len(right), right.sum()
        columns[ENTROPY_O][row] = outside.sum(), round(entropies[outside].sum(), 3)
        columns[ENTROPY_ENTITIES][row] = (~outside).sum(), round(entropies[~outside].sum(), 3)
    return {key: mean_of_words(*table.T, items=name) for key, table in columns.items()}


def mean_of_words(words: Floats, sums: Floats, *, items: str) -> Outcome:
    """Return Σ sums / Σ words as an outcome whose items are sentences.

    >>> mean_of_words(np.array([2.0, 1.0]), np.array([1.0, 0.5]), items="x").score
    0.5
    """
    return Outcome.of("f1_of_counts", words, words, sums, items=items)


def entropy(weights: NDArray[np.floating]) -> Floats:
    """Return the entropy of each row [n] of weights [n, E], in nats."""
    kept = np.maximum(np.asarray(weights, dtype=np.float64), 1e-30)
    total: Floats = -(kept * np.log(kept)).sum(axis=1)
    return total


def gold_experts(sentence: TaggedSentence) -> NDArray[np.int64]:
    """Return the number of the expert that each word belongs to."""
    kinds = [tag.partition("-")[2] or "O" for tag in sentence.tags or ()]
    return np.array([EXPERTS.index(kind) for kind in kinds], dtype=np.int64)


def mean_gates(
    sentences: Sequence[TaggedSentence], gates: Sequence[NDArray[np.floating]]
) -> list[list[float]]:
    """Return the mean weight of every expert on the words of every gold type [E, E]."""
    gold = np.concatenate([gold_experts(sentence) for sentence in sentences])
    weights = np.concatenate(gates)
    rows: list[Any] = [
        weights[gold == kind].mean(axis=0) if (gold == kind).any() else np.zeros(len(EXPERTS))
        for kind in range(len(EXPERTS))
    ]
    return [[round(float(weight), 4) for weight in row] for row in rows]
