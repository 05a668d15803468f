"""Specificity of texts by a model of word operators: the entropy that their words take away.

A text begins as N(0, I), and every word narrows or widens it; what it does to the entropy does not depend on
the other words, -Σ_d log A_d. The score of a text is the sum over its words: 0 for nothing said, more for
what is more specific. Long texts say more than short ones, so that ``per_word`` stands beside the sum.

Only the tables of the model are read, no network is run.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.model.folder import ModelFolder
from tenor.text.tokenizer import Tokenizer

_AT_ONCE = 50_000  # texts whose tokens are held at a time


@dataclass(frozen=True, slots=True)
class Specificity:
    """How specific a text is."""

    text: str
    score: float
    """Nats of entropy that its words take away, in sum."""
    words: tuple[tuple[str, float], ...]
    """Each token with what it takes away, in the order of the text."""

    @property
    def per_word(self) -> float:
        """The mean over words; 0 for a text without words."""
        return self.score / len(self.words) if self.words else 0.0

    def strongest(self, most: int = 3) -> list[str]:
        """Return the words that make the text specific, the strongest first, each once."""
        ordered = sorted(self.words, key=lambda word: -word[1])
        return list(dict.fromkeys(word for word, taken in ordered if taken > 0))[:most]


class SpecificityScorer:
    """Reads the words' specificity out of a model folder, and adds it up over texts."""

    def __init__(self, tokenizer: Tokenizer, taken: NDArray[np.float64]) -> None:
        self._tokenizer, self._taken = tokenizer, taken

    @classmethod
    def of(cls, settings: ModelFolder, *, name: str) -> "SpecificityScorer":
        """Open the tables of a model, or say that it has none."""
        scorer = cls.if_any(settings)
        if scorer is None:
            raise TenorError(
                f"{name} does not say how specific words are; a model of word operators does. Make one with: "
                "tenor fetch tatoeba, then tenor specificity --learn tatoeba --out FOLDER, and give it with "
                "--model FOLDER."
            )
        return scorer

    @classmethod
    def if_any(cls, settings: ModelFolder) -> "SpecificityScorer | None":
        """Open the tables of a model that has them."""
        taken = settings.type.token_specificity(settings.encoder)
        if taken is None:
            return None
        # No limit: the sum over words is as cheap for long texts.
        tokenizer = settings.type.tokenizer(settings.encoder, max_tokens=None, lower=settings.lower)
        return cls(tokenizer, taken)

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the score of every text [n]."""
        parts = [self._sums(texts[start : start + _AT_ONCE]) for start in range(0, len(texts), _AT_ONCE)]
        return np.concatenate([np.zeros(0), *parts])

    def explained(self, text: str) -> Specificity:
        """Score a text and name what each word takes away."""
        ids = self._tokenizer.tokenize([text]).ids
        words = zip(self._tokenizer.pieces(ids), self._taken[ids].tolist(), strict=True)
        return Specificity(text, float(self._taken[ids].sum()), tuple(words))

    def _sums(self, texts: Sequence[str]) -> NDArray[np.float64]:
        tokens = self._tokenizer.tokenize(texts)
        until = np.concatenate([[0.0], np.cumsum(self._taken[tokens.ids])])
        return np.asarray(until[tokens.starts[1:]] - until[tokens.starts[:-1]])
