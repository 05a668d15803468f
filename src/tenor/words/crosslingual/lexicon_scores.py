"""Scores of bilingual lexicon induction: mean reciprocal rank and precision at k, with intervals.

For every test word of the source language all target words are ranked; the rank of its best translation
counts. Pairs with a word outside the vocabularies are skipped and counted.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.metrics.intervals import Interval, bootstrap
from tenor.words.crosslingual.ranks import gold_ranks
from tenor.words.crosslingual.seed import KnownPairs
from tenor.words.neighbours import Floats, mean_of_nearest, unit_rows

Retrieval = Literal["cosine", "csls"]


@dataclass(frozen=True, slots=True)
class LexiconScore:
    """Ranks of the correct translations, and the scores that follow from them, from 0 to 1."""

    ranks: NDArray[np.int64]  # [test words]
    total: int  # pairs in the test dictionary
    covered: int  # pairs of which both words are known
    retrieval: Retrieval

    @property
    def reciprocal(self) -> NDArray[np.float64]:
        """1 / rank per test word; its mean is the MRR."""
        return 1.0 / self.ranks

    def mrr(self) -> Interval:
        """Mean reciprocal rank with its interval over test words."""
        return bootstrap(_mean, self.reciprocal)

    def precision(self, k: int) -> Interval:
        """Share of test words with a right word among the first ``k``, with its interval."""
        return bootstrap(_mean, (self.ranks <= k).astype(np.float64))


def score_lexicon(
    source: Floats, target: Floats, test: KnownPairs, *, retrieval: Retrieval = "cosine", csls_k: int = 10
) -> LexiconScore:
    """Rank all target words for the source words of ``test``; both sides lie in one space already.

    >>> space = np.eye(3, dtype=np.float32)
    >>> perfect = score_lexicon(space, space, KnownPairs(np.array([[0, 0], [2, 2]]), total=2))
    >>> float(perfect.mrr().estimate)
    1.0
    """
    if len(test) == 0:
        raise TenorError(
            f"None of the {test.total:,} test pairs has both words in the vocabularies; check which language "
            "stands first in the file, and whether it is lower-cased as the vectors are (--lowercase)."
        )
    rows, gold = test.by_source()
    x, z = unit_rows(source), unit_rows(target)
    penalty = mean_of_nearest(z, x, csls_k) / 2 if retrieval == "csls" else None
    ranks = gold_ranks(x[rows], z, gold, penalty=penalty)
    return LexiconScore(ranks, test.total, len(test), retrieval)


def _mean(values: NDArray[np.generic]) -> NDArray[np.float64]:
    mean: NDArray[np.float64] = np.asarray(values, dtype=np.float64).mean(axis=-1)
    return mean
