"""Made-up paraphrases and tests for the scale tiny: rare names tell texts apart, frequent words do not."""

from typing import TYPE_CHECKING

import numpy as np

from tenor.corpora.nli import LABELS
from tenor.recipes.probabilistic_sentences.modifiers import made_vaguer
from tenor.text.examples import Origin, Pair, TaggedSentence

if TYPE_CHECKING:
    from tenor.recipes.probabilistic_sentences.data import Tests

_FILLER = tuple(f"so{number}" for number in range(8))
_NAMES = 30


def _sentence(generator: np.random.Generator, *, names: int, words: int) -> list[str]:
    said = [f"name{number}" for number in generator.integers(0, _NAMES, names)]
    return [*said, *generator.choice(_FILLER, words - names).tolist()]


def paraphrases(count: int) -> list[tuple[str, str]]:
    """Return pairs that share a name and have filler of their own."""
    generator = np.random.default_rng(0)
    pairs = []
    for number in range(count):
        name = f"name{number % _NAMES}"
        first, second = (" ".join([name, *generator.choice(_FILLER, 4)]) for _ in range(2))
        pairs.append((first, second))
    return pairs


def tests(count: int) -> "Tests":
    """Return premises with two names and hypotheses with one, treebank sentences, and graded pairs."""
    from tenor.recipes.probabilistic_sentences.data import Tests

    generator = np.random.default_rng(1)
    labelled = {
        label: [
            (
                " ".join(_sentence(generator, names=2, words=5)),
                " ".join(_sentence(generator, names=1, words=5 - number % 2)),
            )
            for number in range(count)
        ]
        for label in LABELS
    }
    tagged = [_tagged(generator, number) for number in range(count)]
    graded = [
        Pair(first, second, Origin("made up", number), score=5.0 * (first[:6] == second[:6]))
        for number in range(count)
        for first, second in [_graded(generator, number)]
    ]
    return Tests(
        entailment={"SICK": labelled, "NLI-Watson": labelled, "SNLI hard": labelled},
        vaguer=made_vaguer(tagged, most=count, generator=generator),
        similarity=graded,
    )


def _graded(generator: np.random.Generator, number: int) -> tuple[str, str]:
    other = number if number % 2 else number + 1
    return (
        f"name{number % 9} {generator.choice(_FILLER)}",
        f"name{other % 9} {generator.choice(_FILLER)}",
    )


def _tagged(generator: np.random.Generator, number: int) -> TaggedSentence:
    words = (f"name{generator.integers(_NAMES)}", f"so{number % 8}", "so1", "so2")
    return TaggedSentence(words, Origin("made up", number), ("JJ", "NN", "VB", "NN"))
