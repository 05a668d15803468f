"""What alpha embeddings are scored on: word similarity, analogies, categories; item by item."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.corpora.word_benchmarks import read_analogies, read_categories, read_similarity
from tenor.metrics.correlation import spearman
from tenor.metrics.outcomes import Outcome
from tenor.recipes.recipe import Context
from tenor.recipes.word_sets import known_pairs, known_questions, look_up
from tenor.words.alpha.metric import closest_by_difference
from tenor.words.evaluate.measures import cosines, in_majority
from tenor.words.evaluate.sets import AnalogySet, CategorySet, SimilaritySet
from tenor.words.neighbours import unit_rows
from tenor.words.vectors import WordVectors

SIMILARITY_SETS = ("WS-353", "MC-30", "RG-65", "MEN", "MTurk-287", "MTurk-771", "SimLex-999")
CATEGORY_SETS = ("ap", "bless")
_FEWEST = 10  # items; a set with fewer known ones is left out
Ints = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Tests:
    """Items of all sets whose words the vocabulary has, as numbers of words."""

    similarity: Mapping[str, tuple[Ints, Scores]]  # pairs [n, 2] and people's scores [n]
    questions: Ints  # [q, 4]
    semantic: NDArray[np.bool_]  # [q]
    categories: Mapping[str, tuple[Ints, Ints]] = field(default_factory=dict)  # words [n] and categories [n]

    def cosines(self, rows: NDArray[np.floating]) -> dict[str, Scores]:
        """Score the pairs of every similarity set."""
        units = unit_rows(np.asarray(rows, dtype=np.float32))
        return {name: cosines(units, pairs) for name, (pairs, _) in self.similarity.items()}

    def spearmans(self, scores: Mapping[str, Scores]) -> dict[str, float]:
        """Correlate scores of pairs with people's."""
        return {name: float(spearman(self.similarity[name][1], column)) for name, column in scores.items()}

    def right(self, rows: NDArray[np.floating]) -> Scores:
        """Tell which analogies are answered rightly [q]; rows carry lengths and product of their metric."""
        answers = closest_by_difference(np.asarray(rows, dtype=np.float32), self.questions[:, :3])
        return np.asarray(answers == self.questions[:, 3], dtype=np.float64)

    def majority(self, rows: NDArray[np.floating], *, seed: int) -> dict[str, Scores]:
        """Cluster the words of every category set; 1 for a word of its cluster's majority."""
        units = unit_rows(np.asarray(rows, dtype=np.float32))
        return {name: in_majority(units, *both, seed=seed) for name, both in self.categories.items()}

    def outcomes(
        self, pairs: Mapping[str, Scores], right: Scores, majority: Mapping[str, Scores]
    ) -> dict[str, Outcome]:
        """Make outcomes of what the functions above return."""
        made = {
            name: Outcome.of(
                "spearman", self.similarity[name][1], column, items=f"{name} ({len(column)} pairs)"
            )
            for name, column in pairs.items()
        }
        if len(right) >= _FEWEST:
            made["Google"] = Outcome.of("mean", right, items=f"Google ({len(right)} questions)")
        for name, part in (("Google semantic", self.semantic), ("Google syntactic", ~self.semantic)):
            if part.sum() >= _FEWEST:
                made[name] = Outcome.of("mean", right[part], items=f"{name} ({int(part.sum())} questions)")
        for name, column in majority.items():
            made[f"purity {name}"] = Outcome.of("mean", column, items=f"{name} ({len(column)} words)")
        return made


def read_tests(vectors: WordVectors, folder: Path) -> Tests:
    """Read the sets of the folder word-benchmarks and look their words up."""
    similarity = {}
    of_pairs, of_questions, of_categories = _read(folder)
    for one in of_pairs:
        first, second, gold = known_pairs(vectors, one)
        if len(gold) >= _FEWEST:
            similarity[one.name] = (np.stack([first, second], axis=1), gold)
    questions, semantic = known_questions(vectors, of_questions)
    categories = {}
    for test in of_categories:
        words = look_up(vectors, list(test.words))
        known = words >= 0
        names, numbers = np.unique(np.asarray(test.categories)[known], return_inverse=True)
        if test.name in CATEGORY_SETS and known.sum() >= _FEWEST and len(names) > 1:
            categories[test.name] = (words[known], numbers)
    return Tests(similarity, questions, semantic, categories)


@lru_cache(maxsize=1)
def _read(folder: Path) -> tuple[list[SimilaritySet], AnalogySet, list[CategorySet]]:
    """Read the sets once for all cells of a run: there are many, and reading takes longer than scoring."""
    pairs, questions = read_similarity(folder, SIMILARITY_SETS), read_analogies(folder, ("Google",))[0]
    return pairs, questions, read_categories(folder)


def made_up_tests(vectors: WordVectors, context: Context) -> Tests:
    """Pairs whose likeness is that of the made-up vectors with noise, questions and groups among them."""
    rng = context.generator()
    count = len(vectors)
    units = unit_rows(vectors.vectors)
    similarity = {}
    for name in SIMILARITY_SETS[:3]:
        pairs = rng.integers(0, count, (60, 2))
        similarity[name] = (pairs, cosines(units, pairs) + 0.3 * rng.normal(size=60))
    questions = np.stack([rng.permutation(count)[:4] for _ in range(30)])
    words = np.arange(count)
    return Tests(
        similarity, questions, np.arange(30) < 15, {name: (words, words % 12) for name in CATEGORY_SETS}
    )
