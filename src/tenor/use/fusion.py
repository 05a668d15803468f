"""Joining a lexical and a vector ranking into one."""

from collections.abc import Hashable, Sequence

# The usual constant; it keeps the first rank of one list from outweighing agreement of both.
RANK_OFFSET = 60


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[Hashable]], *, offset: int = RANK_OFFSET
) -> dict[Hashable, float]:
    """Score every item by the sum of 1 / (offset + rank) over the rankings that hold it, best first.

    >>> reciprocal_rank_fusion([["a", "b"], ["b", "c"]], offset=0)
    {'b': 1.5, 'a': 1.0, 'c': 0.5}
    """
    scores: dict[Hashable, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, 1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (offset + rank)
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))
