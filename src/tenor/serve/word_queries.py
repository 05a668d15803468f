"""Neighbours, analogies and set queries on the word vectors that the server was started with."""

from pathlib import Path

from tenor.serve import shapes
from tenor.words.vectors import WordVectors


class WordQueries:
    """Word vectors that are kept open."""

    def __init__(self, vectors: WordVectors) -> None:
        self._vectors = vectors

    def neighbours(self, request: shapes.NeighboursRequest) -> shapes.WordsAnswer:
        """Return the nearest words of a word."""
        words = self._vectors.words
        numbers, scores = self._vectors.neighbours([request.word], request.k)
        pairs = zip(numbers[0].tolist(), scores[0].tolist(), strict=True)
        return _answer([(words[number], score) for number, score in pairs if number >= 0])

    def analogy(self, request: shapes.AnalogyRequest) -> shapes.WordsAnswer:
        """Complete an analogy."""
        return _answer(self._vectors.analogy(request.a, request.b, request.c, request.k))

    def info(self) -> shapes.VectorsInfo:
        """Say what the vectors are; never where they lie."""
        vectors = self._vectors
        return shapes.VectorsInfo(Path(vectors.name).name, len(vectors), vectors.width)


def _answer(found: list[tuple[str, float]]) -> shapes.WordsAnswer:
    return shapes.WordsAnswer([shapes.ScoredWord(word, round(float(score), 5)) for word, score in found])
