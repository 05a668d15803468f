"""A trial of exponents with the whole method that is shipped, on held-out seed pairs.

``alpha_search`` ranks exponents by a supervised map and plain cosine, as Vulić et al. (2020) do;
self-learning and CSLS can gain or lose by them quite differently. So its best exponents and none at all are
tried with the method itself: fitted on all folds of the seed but one, held-out words translated by CSLS.
Exponents are taken only where their gain in reciprocal rank, paired by word, is beyond the noise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.words.crosslingual.alpha_search import AlphaSearch, split_by_source
from tenor.words.crosslingual.lexicon_scores import score_lexicon
from tenor.words.crosslingual.maps import Maps
from tenor.words.crosslingual.seed import KnownPairs, Pairs
from tenor.words.crosslingual.spaces import prepare
from tenor.words.neighbours import Floats

Alphas = tuple[float, float]
Fit = Callable[[Floats, Floats, KnownPairs], Maps]
"""Fits the maps of a method on prepared spaces and seed pairs."""
NONE: Alphas = (0.0, 0.0)
FINALISTS = 2
# Standard errors that a gain must exceed: a one-sided 2.5% for the better of two finalists.
_BEYOND_NOISE = 2.24


@dataclass(frozen=True, slots=True)
class AlphaTrial:
    """The reciprocal rank of every held-out word [words] under each pair of exponents, and under ``NONE``."""

    reciprocal: dict[Alphas, NDArray[np.float64]]

    @property
    def held_out(self) -> int:
        """How many words were translated."""
        return len(self.reciprocal[NONE])

    def mrr(self, alphas: Alphas) -> float:
        """Give the mean reciprocal rank of some exponents."""
        return float(self.reciprocal[alphas].mean())

    def gain(self, alphas: Alphas) -> tuple[float, float]:
        """Give the mean gain over no exponents, and the least gain that noise leaves of it."""
        gains = self.reciprocal[alphas] - self.reciprocal[NONE]
        error = float(gains.std(ddof=1)) / len(gains) ** 0.5 if len(gains) > 1 else np.inf
        return float(gains.mean()), float(gains.mean()) - _BEYOND_NOISE * error

    @property
    def best(self) -> Alphas:
        """The exponents with the largest gain that is beyond the noise, or ``NONE``."""
        sure = [alphas for alphas in self.reciprocal if alphas != NONE and self.gain(alphas)[1] > 0]
        return max(sure, key=lambda alphas: self.gain(alphas)[0], default=NONE)


def finalists(found: AlphaSearch) -> list[Alphas]:
    """Return the best exponents of a search, without (0, 0)."""
    ranked = sorted(
        found.scores, key=lambda pair: (-round(found.scores[pair], 6), abs(pair[0]) + abs(pair[1]))
    )
    return [pair for pair in ranked if pair != NONE][:FINALISTS]


def try_alphas(
    source: Floats,
    target: Floats,
    seed: KnownPairs,
    candidates: Sequence[Alphas],
    fit: Fit,
    *,
    folds: int = 3,
    vocabulary_cutoff: int = 4_000,
    random_seed: int = 0,
) -> AlphaTrial:
    """Try exponents, and none, on the most frequent words by cross-validation on the seed."""
    inside = seed.pairs[(seed.pairs < vocabulary_cutoff).all(axis=1)]
    parts = split_by_source(inside, folds, random_seed)
    x, z = source[:vocabulary_cutoff], target[:vocabulary_cutoff]
    return AlphaTrial(
        {
            alphas: np.concatenate(
                [_fold(prepare(x, alphas[0]), prepare(z, alphas[1]), part, fit) for part in parts]
            )
            for alphas in dict.fromkeys([NONE, *candidates])
        }
    )


def _fold(x: Floats, z: Floats, part: tuple[Pairs, Pairs], fit: Fit) -> NDArray[np.float64]:
    fitted, held_out = (KnownPairs(pairs, len(pairs)) for pairs in part)
    try:
        maps = fit(x, z, fitted)
    except TenorError:  # self-learning may find no pairs in a space of extreme exponents
        return np.zeros(len(held_out.by_source()[0]))
    mapped = (x @ maps.source.astype(np.float32), z @ maps.target.astype(np.float32))
    return score_lexicon(*mapped, held_out, retrieval="csls").reciprocal
