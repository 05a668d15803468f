"""Word similarity and analogy sets for recipes about word vectors: read, looked up, scored item by item.

Files are those of the folder word-benchmarks: `,word1,word2,similarity` and `,type,word1,word2,word3,target`.
Systems that are compared are scored on the very same items, those whose words all of them have.
"""

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.metrics.outcomes import Outcome
from tenor.words.vectors import WordVectors

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
PairScore = Callable[[Ints, Ints], Floats]
"""How alike pairs of words are, given as numbers [n] and [n]: higher is more alike."""
Answer = Callable[[Ints], Ints]
"""The answers [q] to questions [q, 3]."""

SIMILARITY = "word-similarity/monolingual/en"
ANALOGY = "word-analogy/monolingual/en"
# name -> files that make up the set; the two parts of WordSim-353 share pairs, which are taken once.
SIMILARITY_FILES: Mapping[str, tuple[str, ...]] = {
    "RG-65": ("rg-65.csv",),
    "MC-30": ("mc-30.csv",),
    "WS-353": ("wordsim353-sim.csv", "wordsim353-rel.csv"),
    "MTurk-771": ("mturk-771.csv",),
    "SimLex-999": ("simlex999.csv",),
    "MEN": ("men.csv",),
    "MTurk-287": ("mturk-287.csv",),
    "YP-130": ("yp-130.csv",),
    "Verb-143": ("verb-143.csv",),
}
ANALOGY_FILES: Mapping[str, str] = {"Google": "google-analogies.csv", "MSR": "msr.csv"}
_SEMANTIC = 5  # the first five categories of the Google set


@dataclass(frozen=True, slots=True, eq=False)
class SimilaritySet:
    """Pairs of words with people's scores."""

    name: str
    pairs: list[tuple[str, str]]
    gold: Floats

    def known(self, vectors: WordVectors) -> tuple[Ints, Ints, Floats]:
        """Return the numbers [n], [n] and scores [n] of the pairs whose words are both there."""
        first, second = (look_up(vectors, [pair[side] for pair in self.pairs]) for side in (0, 1))
        kept = (first >= 0) & (second >= 0)
        return first[kept], second[kept], self.gold[kept]

    def outcome(self, vectors: WordVectors, score: PairScore) -> Outcome:
        """Correlate people's scores with those of a system (Spearman)."""
        first, second, gold = self.known(vectors)
        if len(gold) < 3:
            raise TenorError(f"Only {len(gold)} pairs of {self.name} have vectors; 3 or more are needed.")
        return Outcome.of("spearman", gold, score(first, second), items=f"{self.name} ({len(gold)} pairs)")


@dataclass(frozen=True, slots=True, eq=False)
class AnalogySet:
    """Questions a : b :: c : d, by category."""

    name: str
    words: list[tuple[str, str, str, str]]
    categories: list[str]

    def known(
        self, vectors: WordVectors, most: int | None = None, seed: int = 0
    ) -> tuple[Ints, NDArray[np.bool_]]:
        """Return word numbers [q, 4] of the questions that can be asked, and which are semantic [q].

        With ``most``, so many are drawn at random, always the same ones.
        """
        numbers = look_up(vectors, [word for question in self.words for word in question]).reshape(-1, 4)
        semantic = self.semantic()
        kept = np.flatnonzero((numbers >= 0).all(axis=1))
        if most is not None and len(kept) > most:
            kept = np.sort(np.random.default_rng(seed).choice(kept, most, replace=False))
        return numbers[kept], semantic[kept]

    def semantic(self) -> NDArray[np.bool_]:
        """Tell which questions are about the world and not about grammar; only Google's set has both."""
        if self.name != "Google":
            return np.zeros(len(self.words), dtype=bool)
        first = set(list(dict.fromkeys(self.categories))[:_SEMANTIC])
        return np.array([category in first for category in self.categories])


def read_similarity(folder: Path, names: Iterable[str] = SIMILARITY_FILES) -> list[SimilaritySet]:
    """Read similarity sets of the folder word-benchmarks."""
    return [
        _similarity(name, [folder / SIMILARITY / file for file in SIMILARITY_FILES[name]]) for name in names
    ]


def read_analogies(folder: Path, names: Iterable[str] = ANALOGY_FILES) -> list[AnalogySet]:
    """Read analogy sets of the folder word-benchmarks."""
    made = []
    for name in names:
        rows = _rows(folder / ANALOGY / ANALOGY_FILES[name])
        words = [(row["word1"], row["word2"], row["word3"], row["target"]) for row in rows]
        made.append(AnalogySet(name, words, [row["type"] for row in rows]))
    return made


def look_up(vectors: WordVectors, words: list[str]) -> Ints:
    """Return the numbers of words as they stand or else in lower case; -1 where neither is there."""
    numbers = vectors.indices(words)
    return np.where(numbers >= 0, numbers, vectors.indices([word.lower() for word in words]))


def cosine_score(rows: NDArray[np.floating]) -> PairScore:
    """Score pairs by the cosine of their rows."""
    units = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return lambda first, second: np.asarray((units[first] * units[second]).sum(axis=1), dtype=np.float64)


def _similarity(name: str, files: list[Path]) -> SimilaritySet:
    found: dict[tuple[str, str], float] = {}
    for file in files:
        for row in _rows(file):
            pair = (row["word1"].strip(), row["word2"].strip())
            if name == "MEN":  # its words carry their part of speech: sun-n
                pair = (pair[0][:-2], pair[1][:-2])
            if row["similarity"].strip():  # a few rows of SemEval-made sets have no score
                found.setdefault(pair, float(row["similarity"]))
    return SimilaritySet(name, list(found), np.array(list(found.values())))


def _rows(file: Path) -> list[dict[str, str]]:
    try:
        with open(file, encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))
    except FileNotFoundError as error:
        raise TenorError(f"{file} does not exist; it belongs to the data folder word-benchmarks.") from error
