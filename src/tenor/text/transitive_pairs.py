"""Pairs that follow from labelled ones by transitivity: what equals the same is equal, and differs alike.

    a = b and b = c   →   a = c          a = b and b ≠ c   →   a ≠ c

Labels are noisy and a long chain carries every fault on, so that nothing is concluded within or from a group
of many texts, nor from one in which two texts are called different all the same.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from tenor.text.grouped_split import components
from tenor.text.overlap import normalise

Pair = tuple[str, str]


def implied_pairs(
    pairs: Sequence[Pair], same: Sequence[bool], *, largest: int = 4
) -> list[tuple[Pair, bool]]:
    """Return pairs that are not given but follow, and whether they say the same, each once.

    ``largest`` is the number of texts of a group from which something is concluded.

    >>> implied_pairs([("a", "b"), ("B", "c"), ("c", "d")], [True, True, False])
    [(('a', 'c'), True), (('a', 'd'), False), (('b', 'd'), False)]
    """
    groups = _groups(pairs, same)
    apart = [pair for pair, alike in zip(pairs, same, strict=True) if not alike]
    contradicted = {
        id(groups[normalise(a)]) for a, b in apart if groups[normalise(a)] is groups[normalise(b)]
    }
    known = {_key(*pair) for pair in pairs}
    found = []

    def sound(group: list[str]) -> bool:
        return len(group) <= largest and id(group) not in contradicted

    def follow() -> Iterator[tuple[Pair, bool]]:
        for group in {id(group): group for group in groups.values()}.values():
            if sound(group):
                yield from ((pair, True) for pair in combinations(group, 2))
        for first, second in apart:
            one, other = groups[normalise(first)], groups[normalise(second)]
            if one is not other and sound(one) and sound(other):
                yield from (((a, b), False) for a in one for b in other)

    for pair, alike in follow():
        key = _key(*pair)
        if key not in known:
            known.add(key)
            found.append((pair, alike))
    return found


def _groups(pairs: Sequence[Pair], same: Sequence[bool]) -> dict[str, list[str]]:
    """Return for each text, in its normal form, all that are said to say the same, as they first stand."""
    spelling: dict[str, str] = {}
    for pair in pairs:
        for text in pair:
            spelling.setdefault(normalise(text), text)
    # A text by itself is a group too: a pair of it with itself ties it to nothing else.
    ties = [pair for pair, alike in zip(pairs, same, strict=True) if alike] + [
        (each, each) for each in spelling.values()
    ]
    groups: dict[int, list[str]] = {}
    of: dict[str, list[str]] = {}
    for number, pair in zip(components(ties).tolist(), ties, strict=True):
        group = groups.setdefault(number, [])
        for text in map(normalise, pair):
            if text not in of:
                of[text] = group
                group.append(spelling[text])
    return of


def _key(first: str, second: str) -> frozenset[str]:
    return frozenset((normalise(first), normalise(second)))
