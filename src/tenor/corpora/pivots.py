"""Paraphrases from translations: texts of one language that have the same translation into another."""

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from tenor.corpora.tatoeba import read_tatoeba_asset
from tenor.text.overlap import normalise

TextPair = tuple[str, str]


def pivots(pairs: Iterable[TextPair], *, fewest: int = 5) -> Iterator[TextPair]:
    """Yield English texts that have the same translation, neighbours among all of that translation.

    ``fewest`` is the number of words that a text must have.

    >>> pairs = [("Go on home now, Tom.", "x"), ("Tom, go home right now.", "x"), ("Hello.", "x")]
    >>> list(pivots(pairs))
    [('Go on home now, Tom.', 'Tom, go home right now.')]
    """
    by_translation: dict[str, dict[str, str]] = {}
    for english, other in pairs:
        if len(english.split()) >= fewest:
            by_translation.setdefault(normalise(other), {}).setdefault(normalise(english), english)
    for same in by_translation.values():
        yield from pairwise(same.values())


def tatoeba_paraphrases(*, fewest: int = 3) -> list[TextPair]:
    """Return English paraphrases of the asset of Tatoeba, which must have been fetched, each pair once."""
    translated = chain(read_tatoeba_asset("spa"), read_tatoeba_asset("ukr"))
    return list(dict.fromkeys(pivots((pair.texts for pair in translated), fewest=fewest)))
