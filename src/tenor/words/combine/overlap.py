"""Whether tables of word vectors are of one language, judged by their frequent words.

Tables list frequent words first. Of two tables of one language, most of the first words of either stand among
the frequent words of the other; of two languages only names, numbers and chance (en "die", de "die") do.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from tenor.words.vectors import WordVectors

ONE_LANGUAGE = 0.5
"""Share of frequent words in common below which tables are hardly of one language."""
_FIRST, _AMONG = 1000, 10_000


def frequent_overlap(sources: Sequence[WordVectors]) -> float:
    """Return the share of a source's 1,000 first words among the 10,000 first of another; the least of all.

    >>> one, two = WordVectors(["the", "of"], np.eye(2)), WordVectors(["der", "of"], np.eye(2))
    >>> frequent_overlap([one, two])
    0.5
    """
    # A small table of one subject may lack the frequent words of a large one: the better direction counts.
    return min(max(_share(a, b), _share(b, a)) for a, b in combinations(sources, 2))


def _share(first: WordVectors, second: WordVectors) -> float:
    words = [word.lower() for word in first.words[:_FIRST]]
    among = {word.lower() for word in second.words[:_AMONG]}
    return float(np.mean([word in among for word in words])) if words else 0.0
