"""What a model's phrasal classifier says of matched phrases: paraphrase, related or unrelated.

A model folder that a paraphrase stage has written with its heads carries such a classifier. It has learned
three classes: aligned phrases of paraphrases, phrases of paraphrases that do not belong together, and phrases
of unrelated texts. To a person these are *paraphrase*, *related* (said of the same thing, and something
else) and *unrelated*.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.model import Model, WordStates
from tenor.model.phrases import judge_phrases
from tenor.tasks.phrases.spec import IN_PARAPHRASE, PARAPHRASE, RANDOM
from tenor.text.alignments import AlignedPair, Span
from tenor.use.align.explain import Explanation, TextSpan

NAMES: Mapping[str, str] = {PARAPHRASE: "paraphrase", IN_PARAPHRASE: "related", RANDOM: "unrelated"}


@dataclass(frozen=True, slots=True)
class Relation:
    """The class of a phrase pair that is the likeliest, and the probability of each."""

    name: str
    probabilities: Mapping[str, float]

    @property
    def probability(self) -> float:
        """The probability of the likeliest class."""
        return self.probabilities[self.name]


def relations_of(
    model: Model, states: tuple[WordStates, WordStates], found: Explanation
) -> tuple[Relation | None, ...]:
    """Judge the phrases of an explanation, in their order; nothing where the model has no classifier.

    A phrase beyond the model's limit for two texts as one sequence gets None.
    """
    classifier = model.phrases
    if classifier is None or not found.phrases:
        return ()
    alignments = tuple(
        (_words_of(pair.first, states[0]), _words_of(pair.second, states[1])) for pair in found.phrases
    )
    pair = AlignedPair(states[0].words, states[1].words, (), alignments)
    (probabilities,) = judge_phrases(model, classifier, [pair])
    return tuple(_relation(row, classifier.spec.labels) for row in probabilities)


def _words_of(span: TextSpan, state: WordStates) -> Span:
    """Return the words of a span of characters."""
    begin = int(np.searchsorted(state.spans[:, 0], span.begin))
    return begin, int(np.searchsorted(state.spans[:, 1], span.end)) + 1


def _relation(row: NDArray[np.float32], labels: tuple[str, ...]) -> Relation | None:
    if np.isnan(row).any():
        return None
    probabilities = {NAMES[label]: float(share) for label, share in zip(labels, row, strict=True)}
    return Relation(max(probabilities, key=lambda name: probabilities[name]), probabilities)
