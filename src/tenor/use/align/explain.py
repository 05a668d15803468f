"""Which phrases of two texts say the same, and what of either text has no counterpart in the other."""

from dataclasses import dataclass

import numpy as np

from tenor.model import WordStates
from tenor.use.align.phrases import (
    Block,
    content_blocks,
    extended_blocks,
    finest_blocks,
    merged_blocks,
    phrase_cosine,
    phrase_links,
    same_words,
    unmatched,
)
from tenor.use.align.words import DEFAULTS, AlignSettings, cosines, links_from_scores, word_scores


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A part of a text: the characters ``text[begin:end]`` of the whole."""

    text: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class PhrasePair:
    """A phrase of the first text and its counterpart in the second; ``score`` is the cosine of the two."""

    first: TextSpan
    second: TextSpan
    score: float
    same_words: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """The matching of two texts, in the order of the first.

    ``words`` are those of each text that the model saw, ``links`` pairs of positions among them. Every word
    is in a phrase or in a span of ``only_first`` or ``only_second``; punctuation may be in neither.
    """

    phrases: tuple[PhrasePair, ...]
    only_first: tuple[TextSpan, ...]
    only_second: tuple[TextSpan, ...]
    words: tuple[tuple[str, ...], tuple[str, ...]]
    links: tuple[tuple[int, int], ...]


def explain(
    texts: tuple[str, str], states: tuple[WordStates, WordStates], *, settings: AlignSettings = DEFAULTS
) -> Explanation:
    """Match the phrases of two texts, given a vector for each of their words."""
    first, second = (side.words for side in states)
    vectors = states[0].vectors, states[1].vectors
    scores = word_scores(first, second, cosines(*vectors), settings=settings)
    links = links_from_scores(scores, settings=settings)
    usable = phrase_links(links, scores, first, second)
    blocks = merged_blocks(finest_blocks(usable), first, second)
    blocks = extended_blocks(content_blocks(blocks, first, second), first, second, vectors)
    return Explanation(
        tuple(_phrase_pair(block, texts, states) for block in blocks),
        _left(texts[0], states[0], [block.first for block in blocks]),
        _left(texts[1], states[1], [block.second for block in blocks]),
        (first, second),
        tuple((int(i), int(j)) for i, j in np.argwhere(links)),
    )


def _phrase_pair(block: Block, texts: tuple[str, str], states: tuple[WordStates, WordStates]) -> PhrasePair:
    return PhrasePair(
        _text_span(texts[0], states[0], block.first),
        _text_span(texts[1], states[1], block.second),
        phrase_cosine(block, (states[0].vectors, states[1].vectors)),
        same_words(block, states[0].words, states[1].words),
    )


def _left(text: str, state: WordStates, covered: list[tuple[int, int]]) -> tuple[TextSpan, ...]:
    return tuple(_text_span(text, state, span) for span in unmatched(state.words, covered))


def _text_span(text: str, state: WordStates, words: tuple[int, int]) -> TextSpan:
    begin, end = int(state.spans[words[0], 0]), int(state.spans[words[1] - 1, 1])
    return TextSpan(text[begin:end], begin, end)
