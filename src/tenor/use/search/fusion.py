"""Joining words and meaning into one score for hybrid search.

    score = cosine + 0.2 · spread · BM25

The spread is the standard deviation of the cosine between texts of the index that have nothing to do with
each other, so that the weight of a matching word does not depend on how narrow a model's cosines lie. BM25 is
taken as it is, not scaled to the best hit: a match of rare words, of a name or a code, then counts much, and
a match of "the" and "my", the best that a paraphrase may have to offer, next to nothing. Fusing ranks cannot
tell these apart. On finding the answers to questions (QNLI, TREC QA) the sum had nDCG@10 0.856 and 0.677,
reciprocal rank fusion 0.827 and 0.659, either ranking alone at most 0.813 and 0.619; `bench/search.py` shows
them on our own judged queries, which had no part in the choice.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

WORD_WEIGHT = 0.2
_USUAL_SPREAD = 0.1


def fuse(cosines: Mapping[str, float], bm25: Mapping[str, float], *, spread: float) -> dict[str, float]:
    """Score each item that has a cosine, and perhaps shares words with the query; best first.

    >>> fuse({"a": 0.5, "b": 0.25}, {"b": 10.0}, spread=0.25)
    {'b': 0.75, 'a': 0.5}
    """
    scores = {item: cosine + WORD_WEIGHT * spread * bm25.get(item, 0.0) for item, cosine in cosines.items()}
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))


def chance_spread(vectors: npt.NDArray[np.float32]) -> float:
    """Return the standard deviation of the cosine between different rows of some unit vectors [n, width]."""
    if len(vectors) < 10:
        return _USUAL_SPREAD  # too few to tell
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), k=1)]
    return float(np.std(cosines)) or _USUAL_SPREAD
