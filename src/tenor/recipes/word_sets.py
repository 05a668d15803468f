"""Word similarity and analogy sets for recipes about word vectors: chosen, looked up, scored item by item.

The sets are read by ``tenor.words.evaluate``: SimLex-999 and WordSim-353 from the asset ``word-tests`` (the
folder word-benchmarks has the pairs of SimLex with the scores of other people, and WordSim in two parts), all
others from the folder. Systems that are compared are scored on the very same items,
those whose words all of them have; a word is looked up as it is written, or else in small letters.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.metrics.outcomes import Outcome
from tenor.words.evaluate.reading import read_benchmarks
from tenor.words.evaluate.sets import AnalogySet, SimilaritySet
from tenor.words.vectors import WordVectors

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
PairScore = Callable[[Ints, Ints], Floats]
"""How alike pairs of words are, given as numbers [n] and [n]: higher is more alike."""
_Test = TypeVar("_Test", SimilaritySet, AnalogySet)

SIMILARITY = "word-similarity/monolingual/en"
ANALOGY = "word-analogy/monolingual/en"
ASSET = "word-tests"
FROM_ASSET: Mapping[str, str] = {"WS-353": "wordsim353", "SimLex-999": "simlex999"}
SIMILARITY_FILES: Mapping[str, str] = {
    "RG-65": "rg-65",
    "MC-30": "mc-30",
    "MTurk-771": "mturk-771",
    "MEN": "men",
    "MTurk-287": "mturk-287",
    "YP-130": "yp-130",
    "Verb-143": "verb-143",
}
ANALOGY_FILES: Mapping[str, str] = {"Google": "google-analogies", "MSR": "msr"}
_SEMANTIC = 5  # the first five categories of the Google set


def read_similarity(folder: Path, names: Iterable[str]) -> list[SimilaritySet]:
    """Read similarity sets of the folder word-benchmarks and of the asset, by name."""
    names = list(names)
    there = {one.name: one for one in read_benchmarks(folder).similarity}
    if any(name in FROM_ASSET for name in names):
        there |= {f"{ASSET}/{one.name}": one for one in read_benchmarks().similarity}
    made = []
    for name in names:
        file = f"{ASSET}/{FROM_ASSET[name]}" if name in FROM_ASSET else SIMILARITY_FILES[name]
        found = _needed(there, file, folder)
        made.append(SimilaritySet(name, found.pairs, found.scores))
    return made


def read_analogies(folder: Path, names: Iterable[str] = ANALOGY_FILES) -> list[AnalogySet]:
    """Read analogy sets of the folder word-benchmarks."""
    there = {one.name: one for one in read_benchmarks(folder).analogies}
    found = [(name, _needed(there, ANALOGY_FILES[name], folder)) for name in names]
    return [AnalogySet(name, one.questions, one.categories) for name, one in found]


def known_pairs(vectors: WordVectors, test: SimilaritySet) -> tuple[Ints, Ints, Floats]:
    """Return the numbers [n], [n] and scores [n] of the pairs whose words are both there."""
    first, second = (look_up(vectors, [pair[side] for pair in test.pairs]) for side in (0, 1))
    kept = (first >= 0) & (second >= 0)
    return first[kept], second[kept], np.asarray(test.scores, dtype=np.float64)[kept]


def correlated(vectors: WordVectors, test: SimilaritySet, score: PairScore) -> Outcome:
    """Correlate people's scores with those of a system (Spearman)."""
    first, second, gold = known_pairs(vectors, test)
    if len(gold) < 3:
        raise TenorError(f"Only {len(gold)} pairs of {test.name} have vectors; 3 or more are needed.")
    return Outcome.of("spearman", gold, score(first, second), items=f"{test.name} ({len(gold)} pairs)")


def known_questions(
    vectors: WordVectors, test: AnalogySet, most: int | None = None, *, seed: int = 0
) -> tuple[Ints, NDArray[np.bool_]]:
    """Return word numbers [q, 4] of the questions that can be asked, and which are semantic [q].

    With ``most``, so many are drawn at random, always the same ones.
    """
    numbers = look_up(vectors, [word for question in test.questions for word in question]).reshape(-1, 4)
    kept = np.flatnonzero((numbers >= 0).all(axis=1))
    if not len(kept):
        raise TenorError(f"No question of {test.name} has all its words among the vectors.")
    if most is not None and len(kept) > most:
        kept = np.sort(np.random.default_rng(seed).choice(kept, most, replace=False))
    return numbers[kept], semantic(test)[kept]


def semantic(test: AnalogySet) -> NDArray[np.bool_]:
    """Tell which questions are about the world and not about grammar; only Google's set has both."""
    if test.name != "Google":
        return np.zeros(len(test.questions), dtype=bool)
    first = set(list(dict.fromkeys(test.categories))[:_SEMANTIC])
    return np.array([category in first for category in test.categories])


def look_up(vectors: WordVectors, words: list[str]) -> Ints:
    """Return the numbers of words as they stand or else in small letters; -1 where neither is there."""
    numbers = vectors.indices(words)
    return np.where(numbers >= 0, numbers, vectors.indices([word.lower() for word in words]))


def cosine_score(rows: NDArray[np.floating]) -> PairScore:
    """Score pairs by the cosine of their rows."""
    units = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return lambda first, second: np.asarray((units[first] * units[second]).sum(axis=1), dtype=np.float64)


def _needed(there: Mapping[str, _Test], file: str, folder: Path) -> _Test:
    if file not in there:
        raise TenorError(f"{file}.csv does not exist in {folder.name}; expected the sets of word-benchmarks.")
    return there[file]
