"""A majority vote over rankings (Lange et al., 2020).

Names are ordered by their mean rank, where ties share the average rank. Names of the same mean rank are
ordered by how many rankings have them at the contested place; what is equal in that too shares the place.
The paper does not state its rule; this one gives the five rankings of its Table 3.
"""

from collections.abc import Mapping, Sequence

from tenor.errors import TenorError

Ranking = Mapping[str, float]
"""name -> rank from 1 on; ties share the average of their ranks."""


def ranked(scores: Mapping[str, float], *, largest_first: bool = False) -> dict[str, float]:
    """Rank names by their scores, the smallest first.

    >>> ranked({"nl": 5.0, "en": 5.0, "fi": 9.0})
    {'nl': 1.5, 'en': 1.5, 'fi': 3.0}
    """
    values = [-value if largest_first else value for value in scores.values()]
    return {
        name: sum(other < value for other in values) + (1 + sum(other == value for other in values)) / 2
        for name, value in zip(scores, values, strict=True)
    }


def vote(rankings: Sequence[Ranking]) -> dict[str, float]:
    """Return the ranking that several rankings of the same names vote for, the best first.

    >>> vote([{"de": 1, "en": 2, "fi": 3}, {"en": 1, "de": 2, "fi": 3}])
    {'de': 1.5, 'en': 1.5, 'fi': 3.0}
    """
    if not rankings or any(set(each) != set(rankings[0]) for each in rankings):
        raise TenorError("A vote needs rankings of the very same names.")
    means = {name: round(sum(each[name] for each in rankings) / len(rankings), 9) for name in rankings[0]}
    decided: dict[str, float] = {}
    while len(decided) < len(means):
        left = {name: mean for name, mean in means.items() if name not in decided}
        tied = [name for name in left if left[name] == min(left.values())]
        place = len(decided) + 1
        votes = {name: sum(each[name] == place for each in rankings) for name in tied}
        first = [name for name in tied if votes[name] == max(votes.values())]
        decided |= dict.fromkeys(first, place + (len(first) - 1) / 2)
    return decided


def spelled(ranking: Ranking) -> str:
    """Write a ranking down, ties with an equals sign.

    >>> spelled({"en": 1.5, "fi": 3.0, "de": 1.5})
    'en = de > fi'
    """
    ranks = sorted(set(ranking.values()))
    return " > ".join(" = ".join(name for name in ranking if ranking[name] == rank) for rank in ranks)
