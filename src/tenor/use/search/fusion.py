"""Joining words and meaning into one score for hybrid search.

    score = cosine + 0.2 · σ · BM25

σ is the standard deviation of the cosine between unrelated texts of the index, so that the weight of a
matching word does not depend on how narrow a model's cosines lie. BM25 is taken as it is, not scaled to the
best hit: a match of rare words, of a name or a code, then counts much, and a match of "the" and "my", the
best that a paraphrase may have to offer, next to nothing. Reciprocal rank fusion cannot tell these apart. The
weight was chosen on finding the answers to questions (QNLI, TREC QA); `bench/search.py` measures it on our
own judged queries, which had no part in the choice.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

WORD_WEIGHT = 0.2
_USUAL_STD = 0.1


def fuse(cosines: Mapping[str, float], bm25: Mapping[str, float], *, cosine_std: float) -> dict[str, float]:
    """Score each item that has a cosine, and perhaps shares words with the query; best first.

    >>> fuse({"a": 0.5, "b": 0.25}, {"b": 10.0}, cosine_std=0.25)
    {'b': 0.75, 'a': 0.5}
    """
    scores = {
        item: cosine + WORD_WEIGHT * cosine_std * bm25.get(item, 0.0) for item, cosine in cosines.items()
    }
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))


def cosine_deviation(vectors: npt.NDArray[np.float32]) -> float:
    """Return the standard deviation of the cosine between different rows of unit vectors [n, d]."""
    if len(vectors) < 10:
        return _USUAL_STD  # too few to tell
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), k=1)]
    return float(np.std(cosines)) or _USUAL_STD
