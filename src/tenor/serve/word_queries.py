"""Neighbours, analogies and set queries on the word vectors that the server was started with."""

import threading
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.engine import Floats
from tenor.serve import shapes
from tenor.words.fuzzy import FuzzyWords, ask
from tenor.words.neighbours import nearest, unit_rows
from tenor.words.vectors import WordVectors


class WordQueries:
    """Word vectors that are kept open, with what each kind of query needs made once.

    >>> words = WordQueries(WordVectors(["a", "b", "c"], np.array([[1, 0], [1, 0.1], [0, 1]])))
    >>> [each.word for each in words.neighbours(shapes.NeighboursRequest("a", 1)).words]
    ['b']
    """

    def __init__(self, vectors: WordVectors) -> None:
        self._vectors = vectors
        self._making = threading.Lock()

    def neighbours(self, request: shapes.NeighboursRequest) -> shapes.WordsAnswer:
        """Return the nearest words of a word by the cosine."""
        own = self._vectors.numbers([request.word])
        return self._nearest(self._unit_vectors()[own], own, request.k)

    def analogy(self, request: shapes.AnalogyRequest) -> shapes.WordsAnswer:
        """Complete an analogy: the words nearest to b - a + c."""
        given = self._vectors.numbers([request.a, request.b, request.c])
        a, b, c = self._unit_vectors()[given]
        return self._nearest(unit_rows((b - a + c)[None]), given[None], request.k)

    def ask(self, request: shapes.AskRequest) -> shapes.WordsAnswer:
        """Answer a set query; the score is the distance with its sign turned, so that higher is nearer."""
        with self._making:
            fuzzy = self._fuzzy
        found = ask(fuzzy, request.query, request.k)
        return _answer([(near.word, -near.distance) for near in found])

    def info(self) -> shapes.VectorsInfo:
        """Say what the vectors are; never where they lie."""
        vectors = self._vectors
        return shapes.VectorsInfo(Path(vectors.name).name, len(vectors), vectors.width)

    def _nearest(self, query: Floats, exclude: NDArray[np.int64], k: int) -> shapes.WordsAnswer:
        numbers, scores = nearest(query, self._unit_vectors(), k, exclude=exclude)
        words = self._vectors.words
        pairs = zip(numbers[0].tolist(), scores[0].tolist(), strict=True)
        return _answer([(words[number], score) for number, score in pairs if number >= 0])

    def _unit_vectors(self) -> Floats:
        with self._making:
            return self._units

    @cached_property
    def _units(self) -> Floats:
        return unit_rows(self._vectors.vectors)

    @cached_property
    def _fuzzy(self) -> FuzzyWords:
        return FuzzyWords.of(self._vectors)


def _answer(found: list[tuple[str, float]]) -> shapes.WordsAnswer:
    return shapes.WordsAnswer([shapes.ScoredWord(word, round(float(score), 5)) for word, score in found])
