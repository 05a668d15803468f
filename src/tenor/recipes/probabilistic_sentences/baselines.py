"""Scores that need no training: lengths, and how rare the words are among the paraphrases."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tenor.recipes.probabilistic_sentences.claims import CHARACTERS, IDF, LENGTH, RANK_MEAN
from tenor.recipes.probabilistic_sentences.data import TextPair
from tenor.text.words import split_words

Floats = NDArray[np.float64]


class Baseline:
    """A score of texts by a rule; rare words are those of the texts that the models learn from."""

    def __init__(self, rule: str, pairs: Sequence[TextPair]) -> None:
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        documents = Counter(word for text in texts for word in set(words_of(text)))
        self._idf = {word: math.log(len(texts) / (1 + count)) for word, count in documents.items()}
        self._unknown = math.log(len(texts))
        frequent = Counter(word for text in texts for word in words_of(text)).most_common()
        self._rank = {word: rank for rank, (word, _) in enumerate(frequent, start=1)}
        self._rule = rule

    def scores(self, texts: Sequence[str]) -> Floats:
        """Return how specific the rule takes texts to be [n]."""
        return np.array([self._score(text) for text in texts], dtype=np.float64)

    def _score(self, text: str) -> float:
        words = words_of(text)
        if self._rule == LENGTH:
            return len(words)
        if self._rule == CHARACTERS:
            return sum(map(len, words))
        if self._rule == IDF:
            return sum(self._idf.get(word, self._unknown) for word in words)
        ranks = [self._rank.get(word, len(self._rank) + 1) for word in words]
        return sum(ranks) / (max(1, len(ranks)) if self._rule == RANK_MEAN else 1)


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters."""
    return [word.lower() for word in split_words(text).words]
