"""Sentences as averages of word vectors, for many different tables of the same words.

An average is linear in the vectors, so it is written as one sparse matrix A [sentences, words], made once:
A X are the sentence vectors of a table X. Post-processing that is linear in X costs no second reading.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from tenor.words.vectors import WordVectors


@dataclass(frozen=True, slots=True, eq=False)
class Averager:
    """The weights by which words make up sentences, each sentence's summing to 1.

    >>> vectors = WordVectors(["good", "film"], [[1.0, 0.0], [0.0, 1.0]])
    >>> averager = Averager.of(vectors, ["a good film", "good good", "nothing known"])
    >>> averager(vectors.vectors).tolist(), round(averager.coverage, 2)
    ([[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]], 0.57)
    """

    weights: csr_matrix  # [sentences, words]
    coverage: float  # share of the tokens that have a vector

    @classmethod
    def of(cls, vectors: WordVectors, sentences: Sequence[str]) -> "Averager":
        """Split sentences at spaces, look every word up as it stands and then in lower case; skip others."""
        split = [sentence.split() for sentence in sentences]
        types = sorted({word for words in split for word in words})
        known = dict(zip(types, vectors.indices(types, or_lowercase=True).tolist(), strict=True))
        rows, columns, values, running = [], [], [], 0
        for row, words in enumerate(split):
            found = [index for index in map(known.__getitem__, words) if index >= 0]
            running += len(words)
            rows += [row] * len(found)
            columns += found
            values += [1.0 / max(len(found), 1)] * len(found)
        weights = csr_matrix((values, (rows, columns)), shape=(len(sentences), len(vectors)))
        return cls(weights, len(values) / max(running, 1))

    def __call__(self, vectors: NDArray[np.floating]) -> NDArray[np.float64]:
        """Average a table [words, d] to [sentences, d]; a sentence without a known word is zero."""
        return np.asarray(self.weights @ np.asarray(vectors, dtype=np.float64))


def pair_features(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Join two sentences' vectors [n, d] to features [n, 2d]: |a − b| and a ⊙ b."""
    return np.concatenate([np.abs(first - second), first * second], axis=1)
