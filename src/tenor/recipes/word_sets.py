"""Word similarity and analogy sets for recipes about word vectors: looked up, and scored item by item.

Systems that are compared are scored on the very same items, those whose words all of them have; a word is
looked up as it is written, or else in small letters.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.metrics.outcomes import Outcome
from tenor.recipes.recipe import Context, Settings
from tenor.words.evaluate.sets import AnalogySet, SimilaritySet
from tenor.words.vectors import WordVectors

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
PairScore = Callable[[Ints, Ints], Floats]
"""How alike pairs of words are, given as numbers [n] and [n]: higher is more alike."""

_SEMANTIC = 5  # the first five categories of the Google set


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
    """Return the indices of words as they are written or else in lower case; -1 where neither is there."""
    return vectors.indices(words, or_lowercase=True)


def cosine_score(rows: NDArray[np.floating]) -> PairScore:
    """Score pairs by the cosine of their rows."""
    units = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return lambda first, second: np.asarray((units[first] * units[second]).sum(axis=1), dtype=np.float64)


def shared_vectors(
    context: Context, name: str, train: Callable[[], WordVectors], *, settings: Settings
) -> WordVectors:
    """Return vectors that are trained once for all cells that ask for them with the same settings."""
    folder = context.shared(name, lambda made: train().save(made / "vectors.safetensors"), settings=settings)
    return WordVectors.load(folder / "vectors.safetensors")


def made_up_similarity(
    random: np.random.Generator,
    words: list[str],
    rows: NDArray[np.floating],
    names: Iterable[str],
    *,
    pairs: int,
    noise: float = 0.0,
) -> list[SimilaritySet]:
    """Make similarity sets, all of the same random pairs, whose scores are cosines of rows with noise."""
    first, second = random.integers(0, len(words), size=(2, pairs))
    gold = cosine_score(rows[: len(words)])(first, second)
    if noise:
        gold = gold + noise * random.normal(size=pairs)
    chosen = [(words[a], words[b]) for a, b in zip(first, second, strict=True)]
    return [SimilaritySet(name, chosen, gold.tolist()) for name in names]
