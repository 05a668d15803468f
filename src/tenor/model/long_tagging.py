"""Texts of very many words in stretches that are tagged apart, so that memory and time stay bounded.

A stretch ends behind the end of a sentence where there is one, and reads some words of its neighbours on both
sides; every word has the tag of the one stretch that owns it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tenor.entities import split_tag
from tenor.tasks.tag.answer import TagAnswer
from tenor.text.tag_schemes import repair

OWNED = 1_024
"""The most words of a stretch."""
CONTEXT = 64
"""Words that a stretch reads beside its own, on either side."""
_ENDS = frozenset(".!?…。！？")


class Stretch(NamedTuple):
    """Words ``begin:end`` are read, of which ``first:last`` are its own."""

    begin: int
    first: int
    last: int
    end: int


def stretches_of(words: Sequence[str]) -> list[Stretch]:
    """Cut the words of a text into stretches; a text of few words is one.

    >>> [stretch.last - stretch.first for stretch in stretches_of(["a"] * 2_500)]
    [1024, 1024, 452]
    """
    if len(words) <= OWNED:
        return [Stretch(0, 0, len(words), len(words))]
    stretches, first = [], 0
    while first < len(words):
        last = _sentence_end(words, first)
        stretches.append(Stretch(max(0, first - CONTEXT), first, last, min(len(words), last + CONTEXT)))
        first = last
    return stretches


def _sentence_end(words: Sequence[str], first: int) -> int:
    """Return where a stretch ends: behind the last end of a sentence in its second half, else when full."""
    full = first + OWNED
    if full >= len(words):
        return len(words)
    for last in range(full, first + OWNED // 2, -1):
        if words[last - 1] in _ENDS:
            return last
    return full


def joined_answers(stretches: Sequence[Stretch], answers: Sequence[TagAnswer]) -> TagAnswer:
    """Put the answers of stretches together, each word's from its own; seams are made legal."""
    tags: list[str] = []
    probabilities: list[float] = []
    gates: list[dict[str, float]] = []
    for stretch, answer in zip(stretches, answers, strict=True):
        own = slice(stretch.first - stretch.begin, stretch.last - stretch.begin)
        tags += answer.tags[own]
        probabilities += answer.probabilities[own]
        gates += (answer.gates or ())[own]
    spans = answers[0].spans
    if spans:
        # Models learn bio or bioes; prefixes of an end or a single word tell which.
        tags = repair(tags, "bioes" if any(split_tag(tag)[0] in "ES" for tag in set(tags)) else "bio")
    experts = None if answers[0].gates is None else tuple(gates)
    return TagAnswer(tuple(tags), tuple(probabilities), spans, experts)
