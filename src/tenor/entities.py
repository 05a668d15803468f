"""Entities read off a sequence of tags, counted as conlleval counts chunks.

A tag is ``O``, or a prefix (B begin, I inside, E end, S single) with the type of an entity, as in ``B-PER``;
BILOU's L and U are read as E and S. Every sequence has a reading, also an illegal one: a word continues the
entity before it when it is I or E, has the same type and follows B or I; any other word with a prefix begins
a new entity. The readers of tags and the scores of entities both rest on this one rule.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

OUTSIDE = "O"
UNTYPED = "_"  # the type of bare tags such as "B", as in seqeval
_PREFIXES = {"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S"}


class Entity(NamedTuple):
    """An entity of a type that takes ``words[begin:end]``."""

    type: str
    begin: int
    end: int


@lru_cache(maxsize=1 << 12)
def split_tag(tag: str) -> tuple[str, str]:
    """Split a tag into its prefix (B, I, E, S or O) and its type; what is no tag of a span is outside.

    >>> split_tag("B-PER"), split_tag("U-LOC"), split_tag("I"), split_tag("O"), split_tag("NOUN")
    (('B', 'PER'), ('S', 'LOC'), ('I', '_'), ('O', ''), ('O', ''))
    """
    if tag in ("B", "I", "E", "S"):
        return tag, UNTYPED
    if tag[1:2] == "-" and tag[0] in _PREFIXES:
        return _PREFIXES[tag[0]], tag[2:] or UNTYPED
    return OUTSIDE, ""


def is_span_tag(tag: str) -> bool:
    """Whether a tag belongs to a scheme of spans: O, or a prefix with or without a type."""
    return tag == OUTSIDE or split_tag(tag)[0] != OUTSIDE


def lenient_entities(tags: Iterable[str]) -> list[Entity]:
    """Return the entities of a sequence of tags, from left to right, whether it is legal or not.

    >>> lenient_entities(["B-PER", "I-PER", "O", "I-LOC", "I-ORG"])  # doctest: +NORMALIZE_WHITESPACE
    [Entity(type='PER', begin=0, end=2), Entity(type='LOC', begin=3, end=4),
     Entity(type='ORG', begin=4, end=5)]
    """
    entities: list[Entity] = []
    before = OUTSIDE, ""
    for position, (prefix, kind) in enumerate(map(split_tag, tags)):
        if before[0] in "BI" and prefix in "IE" and kind == before[1]:
            entities[-1] = entities[-1]._replace(end=position + 1)
        elif prefix != OUTSIDE:
            entities.append(Entity(kind, position, position + 1))
        before = prefix, kind
    return entities
