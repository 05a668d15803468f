"""Grid search for the exponents of a pair of languages (α source, α target), cross-validated on the seed.

The seed pairs are split into folds by source word. For every pair of exponents the map is fitted on all folds
but one, and the held-out words are translated; the mean reciprocal rank over all of them decides. Spaces are
cut to the most frequent words, so that the whole grid takes seconds to minutes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.crosslingual.maps import Maps, advanced_map, orthogonal_map
from tenor.words.crosslingual.ranks import gold_ranks
from tenor.words.crosslingual.seed import KnownPairs, Pairs
from tenor.words.crosslingual.spaces import prepare
from tenor.words.neighbours import Floats, unit_rows

GRID = (-0.5, -0.25, -0.15, 0.0, 0.15, 0.25, 0.5)  # of Vulić et al. 2020


@dataclass(frozen=True, slots=True)
class AlphaSearch:
    """The best exponents, and the held-out mean reciprocal rank of every pair of exponents."""

    best: tuple[float, float]
    scores: dict[tuple[float, float], float]
    held_out: int  # words that were translated


def search_alphas(
    source: Floats,
    target: Floats,
    seed: KnownPairs,
    *,
    grid: Sequence[float] = GRID,
    folds: int = 5,
    vocabulary_cutoff: int = 20_000,
    orthogonal: bool = False,
    progress: Callable[[int], None] | None = None,
    random_seed: int = 0,
) -> AlphaSearch:
    """Score all pairs of exponents by cross-validation on the seed; ties go to the smaller exponents.

    ``orthogonal`` fits orthogonal maps; so does any search in which a fold leaves fewer pairs than twice the
    dimensions, too few for the advanced mapping.
    """
    from threadpoolctl import threadpool_limits

    inside = seed.pairs[(seed.pairs < vocabulary_cutoff).all(axis=1)]
    parts = split_by_source(inside, folds, random_seed)
    orthogonal = orthogonal or len(inside) * (folds - 1) // folds < 2 * source.shape[1]
    fit = orthogonal_map if orthogonal else advanced_map
    targets = {alpha: prepare(target[:vocabulary_cutoff], alpha) for alpha in grid}
    scores: dict[tuple[float, float], float] = {}
    # The matrices are small: more than one thread would mostly wait, and on a busy machine for long.
    with threadpool_limits(1, "blas"):
        for first in grid:
            x = prepare(source[:vocabulary_cutoff], first)
            for second in grid:
                ranks = np.concatenate([_fold(x, targets[second], part, fit) for part in parts])
                scores[first, second] = float((1.0 / ranks).mean())
                if progress:
                    progress(1)
    best = max(scores, key=lambda pair: (round(scores[pair], 6), -abs(pair[0]) - abs(pair[1])))
    return AlphaSearch(best, scores, len(np.unique(inside[:, 0])))


def split_by_source(pairs: Pairs, folds: int, random_seed: int) -> list[tuple[Pairs, Pairs]]:
    """Split pairs into (fitted, held out), so that no source word is on both sides."""
    words = np.unique(pairs[:, 0])
    if folds < 2 or len(words) < 2 * folds:
        raise TenorError(
            f"Searching for alpha by {folds}-fold cross-validation needs at least {2 * max(folds, 2)} seed "
            f"words, and {len(words)} are in both vocabularies; give alpha yourself, such as -0.25,0.15."
        )
    fold_of = np.random.default_rng(random_seed).permutation(len(words)) % folds
    fold = fold_of[np.searchsorted(words, pairs[:, 0])]
    return [(pairs[fold != number], pairs[fold == number]) for number in range(folds)]


def _fold(
    x: Floats, z: Floats, part: tuple[Pairs, Pairs], fit: Callable[[Floats, Floats], Maps]
) -> NDArray[np.int64]:
    fitted, held_out = part
    maps = fit(x[fitted[:, 0]], z[fitted[:, 1]])
    rows, gold = KnownPairs(held_out, len(held_out)).by_source()
    queries = unit_rows(x[rows] @ maps.source.astype(np.float32))
    return gold_ranks(queries, unit_rows(z @ maps.target.astype(np.float32)), gold)
