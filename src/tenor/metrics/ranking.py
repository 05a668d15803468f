"""How good a ranked list is, against graded relevance judgements.

A judgement maps an item to a grade of relevance (0 = not relevant). Items without one count as grade 0, the
usual convention for small judged sets. Gains are the grades (linear), discounted by log2(rank + 1):

    DCG@k = sum over ranks r = 1..k of grade(r) / log2(r + 1);   nDCG@k = DCG@k / DCG@k of the best order
"""

from collections.abc import Hashable, Mapping, Sequence, Set
from typing import Any

import numpy as np


def ndcg(ranked: Sequence[Hashable], judged: Mapping[Any, float], *, k: int = 10) -> float:
    """Return the normalised discounted cumulative gain of the first ``k`` items; 0 where nothing is relevant.

    >>> round(ndcg(["b", "a", "x"], {"a": 3, "b": 1}), 4)
    0.7967
    """
    best = _dcg(sorted(judged.values(), reverse=True)[:k])
    return _dcg([judged.get(item, 0.0) for item in ranked[:k]]) / best if best > 0 else 0.0


def recall_at(ranked: Sequence[Hashable], relevant: Set[Hashable], *, k: int = 10) -> float:
    """Return the fraction of the relevant items among the first ``k``; 0 where there are none.

    >>> recall_at(["a", "x", "b"], {"a", "b"}, k=2)
    0.5
    """
    return len(relevant & set(ranked[:k])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranked: Sequence[Hashable], relevant: Set[Hashable], *, k: int = 10) -> float:
    """Return 1 / rank of the first relevant item among the first ``k``, else 0; its mean over queries is MRR.

    >>> reciprocal_rank(["x", "a", "b"], {"a", "b"})
    0.5
    """
    return next((1.0 / rank for rank, item in enumerate(ranked[:k], 1) if item in relevant), 0.0)


def _dcg(gains: Sequence[float]) -> float:
    ranks = np.arange(1, len(gains) + 1)
    return float(np.sum(np.asarray(gains, dtype=np.float64) / np.log2(ranks + 1)))
