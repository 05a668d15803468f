"""Neighbours, analogies and set queries on the word vectors that the server was started with."""

import threading
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.engine import Floats
from tenor.serve import schemas, server_schemas
from tenor.serve.projection import principal_map
from tenor.words.fuzzy import FuzzyWords, ask
from tenor.words.neighbours import unit_rows
from tenor.words.vectors import WordVectors

# What the page's examples of neighbours, sets and analogies are made of.
_FAMILIAR = (
    "river", "happy", "piano", "winter", "bank", "money", "cat", "dog", "wild", "man", "king", "woman",
    "France", "Paris", "Italy", "walk", "walked", "swim",
)  # fmt: skip
_FIRST = 3_000


class WordQueries:
    """Word vectors that are kept open, with what each kind of query needs made once.

    >>> words = WordQueries(WordVectors(["a", "b", "c"], np.array([[1, 0], [1, 0.1], [0, 1]])))
    >>> [near.word for near in words.neighbours(schemas.NeighboursRequest("a", 1)).words]
    ['b']
    """

    def __init__(self, vectors: WordVectors) -> None:
        self._vectors = vectors
        self._making = threading.Lock()

    def neighbours(self, request: schemas.NeighboursRequest) -> schemas.WordsResponse:
        """Return the nearest words of a word by the cosine."""
        own = self._vectors.checked_indices([request.word])
        units = self._unit_vectors()
        found = self._nearest(units[own], own, request.k)
        near = self._vectors.indices([each.word for each in found.words])
        points = principal_map(np.concatenate([units[own], units[near]])).round(4).tolist()
        return replace(found, points=[(x, y) for x, y in points])

    def analogy(self, request: schemas.AnalogyRequest) -> schemas.WordsResponse:
        """Complete an analogy: the words nearest to b - a + c."""
        given = self._vectors.checked_indices([request.a, request.b, request.c])
        a, b, c = self._unit_vectors()[given]
        return self._nearest(unit_rows((b - a + c)[None]), given[None], request.k)

    def ask(self, request: schemas.AskRequest) -> schemas.WordsResponse:
        """Answer a set query; the score is the distance with its sign turned, so that higher is nearer."""
        with self._making:
            fuzzy = self._fuzzy
        nearest_words = ask(fuzzy, request.query, request.k)
        return _response([(near.word, -near.distance) for near in nearest_words])

    def info(self) -> server_schemas.VectorsInfo:
        """Describe the vectors, without the path of their file."""
        vectors = self._vectors
        return server_schemas.VectorsInfo(
            Path(vectors.name).name, len(vectors), vectors.vector_size, self._examples
        )

    @cached_property
    def _examples(self) -> list[str]:
        """Choose words for the page's examples: familiar ones, else some of the first long ones."""
        known = [word for word in _FAMILIAR if word in self._vectors]
        long = [word for word in self._vectors.words[:_FIRST] if len(word) > 3 and word.isalpha()]
        return known or long[:8] or list(self._vectors.words[:8])

    def _nearest(self, query: Floats, exclude: NDArray[np.int64], k: int) -> schemas.WordsResponse:
        """Return what :func:`tenor.words.neighbours.nearest` does, for one query in one thread.

        Where much else is under way, every change of threads costs more than the whole product.
        """
        scores = self._unit_vectors() @ query[0]
        scores[exclude.ravel()] = -np.inf
        k = min(k, len(scores))
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        best = np.flatnonzero(scores >= least)
        best = best[np.argsort(-scores[best], kind="stable")][:k]
        found = [number for number in best.tolist() if scores[number] > -np.inf]
        return _response([(self._vectors.words[number], float(scores[number])) for number in found])

    def _unit_vectors(self) -> Floats:
        with self._making:
            return self._units

    @cached_property
    def _units(self) -> Floats:
        return unit_rows(self._vectors.vectors)

    @cached_property
    def _fuzzy(self) -> FuzzyWords:
        return FuzzyWords.of(self._vectors)


def _response(scored: list[tuple[str, float]]) -> schemas.WordsResponse:
    # Adding 0 turns a negative zero into a plain one.
    words = [schemas.ScoredWord(word, round(float(score), 5) + 0.0) for word, score in scored]
    return schemas.WordsResponse(words)
