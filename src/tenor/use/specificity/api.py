"""``tenor.specificity``: texts from vague to concrete, and which of two says more."""

from collections.abc import Sequence
from pathlib import Path

from tenor.model.loading import find_model
from tenor.use.specificity.scoring import Specificity, SpecificityScorer


def specificity(texts: Sequence[str], *, model: str | Path) -> list[Specificity]:
    """Say how specific texts are, in their order, with what every word adds.

    ``model`` is a folder of word operators (`tenor specificity --learn`).
    """
    if isinstance(texts, str):
        raise TypeError("specificity takes a list of texts; a single text goes in a list of its own.")
    scorer = SpecificityScorer.of(find_model(model), name=str(model))
    return [scorer.explained(text) for text in texts]


def more_specific(pairs: Sequence[tuple[str, str]], *, model: str | Path) -> list[int]:
    """Say of pairs which text is the more specific: 0 the first, 1 the second, -1 neither.

    Of a premise and what follows from it, the premise should be: the test of entailment's direction.
    """
    scorer = SpecificityScorer.of(find_model(model), name=str(model))
    first = scorer.scores([pair[0] for pair in pairs])
    second = scorer.scores([pair[1] for pair in pairs])
    return [-1 if one == two else int(two > one) for one, two in zip(first, second, strict=True)]
