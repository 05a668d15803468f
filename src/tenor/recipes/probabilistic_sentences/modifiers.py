"""Sentences made vaguer by their parts of speech: modifiers deleted, or replaced by vague words.

A modifier is an adjective before a noun, an adverb in -ly, or a number before a plural. Deleted ones make a
sentence shorter, so that its length gives the answer away; replaced ones leave the number of words as it was.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tenor.text.examples import TaggedSentence

Kind = Literal["adjective", "adverb", "number"]
VAGUE: Mapping[Kind, tuple[str, ...]] = {
    "adjective": ("certain", "particular", "different", "other"),
    "adverb": ("somehow", "somewhat", "sometimes"),
    "number": ("some", "several", "many"),
}
"""What modifiers are replaced by, drawn at random."""
_VAGUE_ALREADY = frozenset(
    ("certain", "particular", "different", "other", "some", "several", "many", "few", "such", "same", "own",
     "various", "more", "most", "much", "any", "whole", "similar", "general", "usual")
)  # fmt: skip
_NOUNS = ("NN", "NNS", "NNP", "NNPS")
_ATTACHED = re.compile(r" (n't|'s|'re|'ve|'ll|'d|'m|'|[.,;:?!%)])(?= |$)", re.IGNORECASE)
_MOST_WORDS = 30


@dataclass(frozen=True, slots=True)
class Vaguer:
    """A sentence, and the same made vaguer in two ways."""

    text: str
    deleted: str
    replaced: str


def made_vaguer(
    sentences: Iterable[TaggedSentence], *, most: int, generator: np.random.Generator
) -> list[Vaguer]:
    """Return up to ``most`` sentences that have a modifier, chosen at random, with their vaguer versions."""
    kept = [
        (sentence.words, kinds)
        for sentence in sentences
        if len(sentence.words) <= _MOST_WORDS and any(kinds := modifiers(sentence))
    ]
    chosen = generator.permutation(len(kept))[:most]
    return [_vaguer(kept[place][0], kept[place][1], generator) for place in chosen.tolist()]


def modifiers(sentence: TaggedSentence) -> list[Kind | None]:
    """Return of every word which kind of modifier it is.

    >>> from tenor.text.examples import Origin
    >>> words, tags = "two black dogs slowly ate other food".split(), "CD JJ NNS RB VBD JJ NN".split()
    >>> modifiers(TaggedSentence(tuple(words), Origin("a", 1), tuple(tags)))
    [None, 'adjective', None, 'adverb', None, None, None]
    """
    assert sentence.tags is not None
    following = [*sentence.tags[1:], ""]
    return [
        _kind(word.lower(), tag, after)
        for word, tag, after in zip(sentence.words, sentence.tags, following, strict=True)
    ]


def _kind(word: str, tag: str, following: str) -> Kind | None:
    if word in _VAGUE_ALREADY or not word.isalnum():  # "three-year" and "6.5" would be several words
        return None
    if tag in ("JJ", "JJS") and following in (*_NOUNS, "JJ"):
        return "adjective"
    if tag == "RB" and word.endswith("ly"):
        return "adverb"
    return "number" if tag == "CD" and following == "NNS" else None


def _vaguer(words: tuple[str, ...], kinds: list[Kind | None], generator: np.random.Generator) -> Vaguer:
    deleted = [word for word, kind in zip(words, kinds, strict=True) if kind is None]
    replaced = list(_replaced(words, kinds, generator))
    return Vaguer(*(joined(each) for each in (words, deleted, replaced)))


def _replaced(
    words: tuple[str, ...], kinds: list[Kind | None], generator: np.random.Generator
) -> Iterator[str]:
    for word, kind in zip(words, kinds, strict=True):
        yield word if kind is None else str(generator.choice(VAGUE[kind]))


def joined(words: Iterable[str]) -> str:
    """Write a treebank's words as people do, clitics and punctuation attached.

    >>> joined(["He", "did", "n't", "go", ",", "Ann", "'s", "dog", "did", "."])
    "He didn't go, Ann's dog did."
    """
    return _ATTACHED.sub(r"\1", " ".join(words))
