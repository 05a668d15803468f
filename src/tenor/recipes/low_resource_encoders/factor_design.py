"""Draws of a seed: how much text of a language is pre-trained on, how many labels a tagger learns from.

In the paper both vary with languages as they are. Here a corpus is a language's text and its labels at once,
so that they would be the same factor; they are drawn apart, each a power of one half.
"""

from collections.abc import Sequence

import numpy as np

from tenor.recipes.low_resource_encoders.data import NER_LANGUAGES, POS_LANGUAGES, TARGETS, Target

_LEVELS = 4
_TEXT, _LABELS = 1, 2  # what is drawn, for the generator


def text_shares(seed: int, languages: Sequence[str]) -> dict[str, float]:
    """Return the share of each language's text, 1, 1/2, 1/4 or 1/8; targets of the comparison have all.

    >>> sorted(set(text_shares(1, ["en", "es", "nl", "hau"]).values()))
    [0.125, 0.25, 0.5, 1.0]
    """
    whole = {target.language for target in TARGETS.values()}
    drawn = _halves(seed, _TEXT, len(languages))
    return {name: 1.0 if name in whole else share for name, share in zip(languages, drawn, strict=True)}


def label_rows(seed: int, task: str, most: int) -> dict[Target, int]:
    """Return how many labelled sentences the tagger of each language learns from: most, or a part of it."""
    languages = NER_LANGUAGES if task == "NER" else POS_LANGUAGES
    drawn = _halves(seed, _LABELS + (task == "POS"), len(languages))
    return {
        Target(task="NER" if task == "NER" else "POS", language=name): max(4, round(share * most))
        for name, share in zip(languages, drawn, strict=True)
    }


def _halves(seed: int, what: int, count: int) -> list[float]:
    """Return powers of one half in random order, each as often as the others."""
    random = np.random.default_rng([seed, what])
    levels = random.permutation(np.arange(count) % _LEVELS)
    return [0.5**level for level in levels.tolist()]
