"""Tagging schemes: how entities of several words are written as one tag per word.

=======  ====================================================  ==========================
scheme   the tags of an entity                                 "New York", "Rome" in a row
=======  ====================================================  ==========================
iob1     I on every word; B only right behind one of its type  I-LOC I-LOC B-LOC
bio      B on the first word, I on the others (IOB2)           B-LOC I-LOC B-LOC
bioes    B, I …, E; S on a single word (IOBES; BILOU is read)  B-LOC E-LOC S-LOC
plain    tags that are no spans, such as parts of speech       PROPN PROPN PROPN
=======  ====================================================  ==========================

Illegal sequences are read as conlleval reads them (see ``tenor.entities``) and can be repaired by writing
the entities anew; what was changed is counted.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.entities import OUTSIDE, UNTYPED, Entity, is_span_tag, lenient_entities, split_tag
from tenor.errors import TenorError, did_you_mean

__all__ = [
    "Entity",
    "RepairRule",
    "TagScheme",
    "allowed_transitions",
    "convert",
    "entities_of",
    "guess_scheme",
    "repair",
    "scheme_named",
    "tags_of",
]

TagScheme = Literal["plain", "iob1", "bio", "bioes"]
RepairRule = Literal["split", "retype"]
Flags = NDArray[np.bool_]

_NAMES: dict[str, TagScheme] = {
    "plain": "plain", "iob1": "iob1", "bio": "bio", "iob2": "bio",
    "bioes": "bioes", "iobes": "bioes", "bilou": "bioes",
}  # fmt: skip
_NEARLY_ALL = 0.9  # of the tags have to be those of spans; the others are slips of the pen
_LONG_ENTITY = 50  # words: no scheme of bio has entities of this length on average


def scheme_named(name: str) -> TagScheme:
    """Return the scheme of a name, also of its other names.

    >>> scheme_named("IOB2"), scheme_named("BILOU")
    ('bio', 'bioes')
    """
    scheme = _NAMES.get(name.casefold())
    if scheme is None:
        known = ", ".join(_NAMES)
        raise TenorError(
            f"There is no tagging scheme {name!r}; there are {known}.{did_you_mean(name, _NAMES)}"
        )
    return scheme


def entities_of(
    tags: Sequence[str], scheme: Literal["lenient", "iob1", "bio", "bioes"] = "lenient"
) -> list[Entity]:
    """Return the entities of a sequence of tags, from left to right.

    The lenient reading is that of conlleval and of seqeval's default mode. Under a scheme only the entities
    count whose tags are exactly those that the scheme writes for them.

    >>> entities_of(["O", "I-PER", "B-PER"])
    [Entity(type='PER', begin=1, end=2), Entity(type='PER', begin=2, end=3)]
    >>> entities_of(["O", "I-PER", "B-PER"], "bio")
    [Entity(type='PER', begin=2, end=3)]
    """
    entities = lenient_entities(tags)
    if scheme == "lenient":
        return entities
    written, legal = _split_all(tags), _split_all(tags_of(entities, len(tags), scheme))
    return [e for e in entities if written[e.begin : e.end] == legal[e.begin : e.end]]


def tags_of(entities: Iterable[Entity], length: int, scheme: TagScheme) -> list[str]:
    """Write entities as the tags of ``length`` words.

    >>> tags_of([Entity("LOC", 0, 2), Entity("LOC", 2, 3)], 4, "bioes")
    ['B-LOC', 'E-LOC', 'S-LOC', 'O']
    """
    _refuse_plain(scheme)
    tags, last = [OUTSIDE] * length, Entity("", 0, 0)
    for entity in sorted(entities, key=lambda entity: entity.begin):
        _check_place(entity, last, length)
        prefixes = _prefixes(entity, last, scheme)
        tags[entity.begin : entity.end] = [_tag(prefix, entity.type) for prefix in prefixes]
        last = entity
    return tags


def _prefixes(entity: Entity, last: Entity, scheme: TagScheme) -> str:
    size = entity.end - entity.begin
    if scheme == "bioes":
        return "S" if size == 1 else "B" + "I" * (size - 2) + "E"
    touches = last.end == entity.begin and last.type == entity.type
    return ("B" if scheme == "bio" or touches else "I") + "I" * (size - 1)


def _tag(prefix: str, kind: str) -> str:
    return prefix if kind == UNTYPED else f"{prefix}-{kind}"


def _check_place(entity: Entity, last: Entity, length: int) -> None:
    if not 0 <= entity.begin < entity.end <= length:
        raise TenorError(
            f"The entity {entity.type} [{entity.begin}, {entity.end}) does not lie in a sentence of "
            f"{length} words; expected 0 ≤ begin < end ≤ {length}."
        )
    if entity.begin < last.end:
        raise TenorError(
            f"The entities {last.type} [{last.begin}, {last.end}) and {entity.type} [{entity.begin}, "
            f"{entity.end}) overlap; a word has one tag, so keep one of them."
        )


def convert(tags: Sequence[str], source: TagScheme, target: TagScheme) -> tuple[list[str], int]:
    """Rewrite tags from one scheme to another; also count the tags that were illegal in the first.

    >>> convert(["I-PER", "I-PER", "O"], "bio", "bioes")
    (['B-PER', 'E-PER', 'O'], 1)
    """
    if source == target == "plain":
        return list(tags), 0
    _refuse_plain(source)
    entities = lenient_entities(tags)
    legal = tags_of(entities, len(tags), source)
    repaired = sum(
        split_tag(old) != split_tag(new) or not is_span_tag(old) for old, new in zip(tags, legal, strict=True)
    )
    return legal if source == target else tags_of(entities, len(tags), target), repaired


def repair(tags: Sequence[str], scheme: TagScheme, *, rule: RepairRule = "split") -> list[str]:
    """Make a sequence legal in its scheme; what is legal stays as it is.

    Where a word goes on with an entity of another type, ``split`` begins a new one, so that the entities stay
    those that the sequence is read as; ``retype`` keeps them one, of the type of its last word.

    >>> repair(["O", "I-PER", "I-LOC"], "bio"), repair(["O", "I-PER", "I-LOC"], "bio", rule="retype")
    (['O', 'B-PER', 'B-LOC'], ['O', 'B-LOC', 'I-LOC'])
    """
    if rule == "split":
        return convert(tags, scheme, scheme)[0]
    if scheme == "iob1":
        raise TenorError("In iob1 an entity of another type may follow at once; retype is for bio and bioes.")
    return tags_of(_retyped(tags), len(tags), scheme)


def _retyped(tags: Sequence[str]) -> list[Entity]:
    """Return the entities, where a word goes on with the one before it whatever its type."""
    entities: list[Entity] = []
    before = OUTSIDE
    for position, (prefix, kind) in enumerate(_split_all(tags)):
        if before in "BI" and prefix in "IE":
            entities[-1] = Entity(kind, entities[-1].begin, position + 1)
        elif prefix != OUTSIDE:
            entities.append(Entity(kind, position, position + 1))
        before = prefix
    return entities


def _refuse_plain(scheme: TagScheme) -> None:
    if scheme == "plain":
        raise TenorError("Plain tags hold no entities; entities are written in iob1, bio or bioes.")


def _split_all(tags: Iterable[str]) -> list[tuple[str, str]]:
    return [split_tag(tag) for tag in tags]


def guess_scheme(tags: Iterable[Sequence[str]] | Mapping[str, int]) -> TagScheme:
    """Guess the scheme from sequences of tags, or from how often each tag occurs.

    From counts alone iob1 is guessed where B is so rare that entities of bio would have to be very long.

    >>> guess_scheme([["B-PER", "I-PER", "O"], ["O", "B-LOC"]]), guess_scheme([["DET", "NOUN"]])
    ('bio', 'plain')
    """
    if isinstance(tags, Mapping):
        return _of_prefixes(tags, *_prefix_counts(tags))
    counts, inside, begun = Counter[str](), 0, 0
    for sequence in tags:
        counts.update(sequence)
        first, second = _begins(sequence)
        inside, begun = inside + first, begun + second
    return _of_prefixes(counts, inside, begun)


def _of_prefixes(counts: Mapping[str, int], inside: int, begun: int) -> TagScheme:
    """Decide by prefixes; ``inside`` and ``begun`` weigh entities that begin with I against those with B."""
    total = sum(counts.values())
    prefixes = {split_tag(tag)[0] for tag, count in counts.items() if count} - {OUTSIDE}
    if not prefixes or sum(n for tag, n in counts.items() if is_span_tag(tag)) < _NEARLY_ALL * total:
        return "plain"
    if prefixes & {"E", "S"}:
        return "bioes"
    return "iob1" if inside > begun else "bio"


def _begins(tags: Sequence[str]) -> tuple[int, int]:
    """Count the entities that begin with I, and with B where iob1 would not write it."""
    last, inside, begun = Entity("", -1, -1), 0, 0
    for entity in lenient_entities(tags):
        touches = last.end == entity.begin and last.type == entity.type
        prefix = split_tag(tags[entity.begin])[0]
        inside += prefix == "I"
        begun += prefix == "B" and not touches
        last = entity
    return inside, begun


def _prefix_counts(counts: Mapping[str, int]) -> tuple[int, int]:
    """Count the tags with I, and those with B so weighted that both are equal where entities are too long."""
    prefixes = Counter[str]()
    for tag, count in counts.items():
        prefixes[split_tag(tag)[0]] += count
    return prefixes["I"], _LONG_ENTITY * prefixes["B"]


def allowed_transitions(labels: Sequence[str], scheme: TagScheme) -> tuple[Flags, Flags, Flags]:
    """Say which tag may follow which [k, k], which may begin [k] and which may end [k] a sequence.

    Row i, column j is true where ``labels[j]`` may stand right behind ``labels[i]``. Every sequence along
    allowed transitions is legal in the scheme. With plain tags everything is allowed.

    >>> follows, begins, ends = allowed_transitions(["O", "B-X", "I-X"], "bio")
    >>> follows.tolist(), begins.tolist()
    ([[True, True, False], [True, True, True], [True, True, True]], [True, True, False])
    """
    size = len(labels)
    if scheme == "plain":
        return np.ones((size, size), bool), np.ones(size, bool), np.ones(size, bool)
    tags, edge = _split_all(labels), (OUTSIDE, "")  # a sequence stands between two words outside
    follows = [[_may_follow(one, two, scheme) for two in tags] for one in tags]
    begins = [_may_follow(edge, tag, scheme) for tag in tags]
    ends = [_may_follow(tag, edge, scheme) for tag in tags]
    return np.asarray(follows, bool).reshape(size, size), np.asarray(begins, bool), np.asarray(ends, bool)


def _may_follow(before: tuple[str, str], tag: tuple[str, str], scheme: TagScheme) -> bool:
    same = before[1] == tag[1]
    if scheme == "iob1":
        return tag[0] in "OI" or (tag[0] == "B" and before[0] in "BI" and same)
    if scheme == "bio":
        return tag[0] in "OB" or (tag[0] == "I" and before[0] in "BI" and same)
    if before[0] in "BI":
        return tag[0] in "IE" and same
    return tag[0] in "OBS"
