"""A generated corpus of two domains: the same templates of sentences, disjoint lists of names."""

import numpy as np
from numpy.typing import NDArray

from tenor.text.examples import Origin, TaggedSentence
from tenor.words.vectors import WordVectors

_TEMPLATES = (
    "PER met PER in LOC .",
    "ORG of LOC sold MISC to ORG .",
    "the MISC was made by ORG",
    "PER , head of ORG , left LOC on monday .",
    "shares of ORG fell .",
    "it rained in LOC again .",
    "PER said that the MISC works .",
    "nothing was said on monday .",
)
_TYPES = ("LOC", "MISC", "ORG", "PER")
_DESCRIPTIONS = ("location", "miscellaneous", "organization", "person")
_NAMES, _DOMAINS, _SIZE = 12, 2, 12
_TWO_WORDS = 0.4  # of the names


def _name(kind: str, number: int, domain: int) -> str:
    return f"{kind.lower()}{'ab'[domain]}{number}"


def made_up_sentences(count: int, generator: np.random.Generator, *, domain: int) -> list[TaggedSentence]:
    """Fill templates with names of a domain."""
    return [
        _filled(str(generator.choice(_TEMPLATES)), generator, domain, Origin("made up", number))
        for number in range(1, count + 1)
    ]


def _filled(template: str, generator: np.random.Generator, domain: int, origin: Origin) -> TaggedSentence:
    words, tags = [], []
    for part in template.split():
        if part not in _TYPES:
            words.append(part)
            tags.append("O")
            continue
        length = 1 + int(generator.random() < _TWO_WORDS)
        words += [_name(part, int(generator.integers(_NAMES)), domain) for _ in range(length)]
        tags += [f"B-{part}", f"I-{part}"][:length]
    return TaggedSentence(tuple(words), origin, tuple(tags))


def made_up_vectors() -> WordVectors:
    """Make vectors in which the names of a type lie near its description, those of both domains alike."""
    generator = np.random.default_rng(0)
    other = sorted({word for template in _TEMPLATES for word in template.split()} - set(_TYPES))
    words, rows = list(other), [generator.normal(size=(len(other), _SIZE))]
    for kind, description in zip(_TYPES, _DESCRIPTIONS, strict=True):
        names = [_name(kind, number, domain) for domain in range(_DOMAINS) for number in range(_NAMES)]
        centre = 2 * generator.normal(size=_SIZE)
        words += [description, *names]
        rows.append(centre + generator.normal(size=(1 + len(names), _SIZE)))
    table: NDArray[np.float32] = np.concatenate(rows).astype(np.float32)
    return WordVectors(words, table)
