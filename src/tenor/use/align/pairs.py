"""Aligning pairs of texts in words: links, then phrase pairs, as records that training reads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from tenor.model import Model
from tenor.text.alignments import NOWHERE, AlignedPair, Span
from tenor.text.examples import Origin, Row
from tenor.use.align.candidates import LONGEST, constituents, ngrams
from tenor.use.align.extraction import consistent_pairs, maximal_pairs, minimal_pairs
from tenor.use.align.learned import LearnedLinks
from tenor.use.align.paraphrases import align_paraphrases
from tenor.use.align.spacy_phrases import SpacyPhrases
from tenor.use.align.states import Layered, layered_states, mean_word_vectors
from tenor.use.align.words import AlignSettings, Floats, Links, middle_layer

Blocks = Literal["all", "minimal", "maximal"]


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two texts in words, and the constituents of their trees (or other phrases) where these are known."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    origin: Origin = NOWHERE
    trees: tuple[tuple[Span, ...], tuple[Span, ...]] | None = None
    row: Row | None = field(default=None, compare=False, repr=False)  # where it was asked for


@dataclass(frozen=True, slots=True)
class PhraseSettings:
    """Which phrase pairs are kept: all consistent ones, those that hold no other, those that none holds."""

    blocks: Blocks = "all"
    longest: int = LONGEST  # words of an n-gram, where there is no tree


@dataclass(frozen=True)
class Aligner:
    """Links the words of pairs by the vectors of a model, and pairs their phrases.

    It holds no state of the pairs that it has seen: the same pair always gives the same record. With
    ``learned`` the links are made by what was learned from human ones.
    """

    model: Model
    words: AlignSettings | None = None  # None: chosen for every pair, by its wording
    phrases: PhraseSettings = field(default_factory=PhraseSettings)
    learned: LearnedLinks | None = None
    parser: SpacyPhrases | None = None  # finds the phrases of texts without trees

    def __post_init__(self) -> None:
        if self.learned is not None:
            self.learned.check(self.model)

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers whose word vectors are compared."""
        return (
            (middle_layer(self.model.engine.layers),) if self.learned is None else self.learned.learned.layers
        )

    @cached_property
    def centre(self) -> Floats:
        """The mean word vector [width] of the middle layer."""
        (centre,) = mean_word_vectors(self.model, [middle_layer(self.model.engine.layers)])
        return np.asarray(centre)

    def align(self, pairs: Sequence[WordPair]) -> Iterator[AlignedPair]:
        """Yield the alignment of every pair, in order; the word vectors of all are in memory at once."""
        return (found for found, _ in self.align_and_count(pairs))

    def align_and_count(self, pairs: Sequence[WordPair]) -> Iterator[tuple[AlignedPair, int]]:
        """Yield the alignment of every pair, and how many of its two texts the model did not see whole."""
        texts = [words for pair in pairs for words in (pair.first, pair.second)]
        states = layered_states(self.model, texts, self.layers)
        for pair, first, second in zip(self._in_phrases(pairs), states[::2], states[1::2], strict=True):
            # Up to the last word that was seen: what lies beyond the model's limit has no links, and may be
            # many times as long.
            links = np.zeros((first.seen, second.seen), dtype=bool)
            links[np.ix_(first.positions, second.positions)] = self._links(first, second)
            yield phrase_pairs(pair, links, settings=self.phrases), first.cut + second.cut

    def _in_phrases(self, pairs: Sequence[WordPair]) -> Iterator[WordPair]:
        """Yield the pairs with the phrases of their texts, where a parser is to find them."""
        if self.parser is None or any(pair.trees is not None for pair in pairs):
            yield from pairs
            return
        spans = self.parser.spans([words for pair in pairs for words in (pair.first, pair.second)])
        for pair, first, second in zip(pairs, spans[::2], spans[1::2], strict=True):
            yield replace(pair, trees=(tuple(first), tuple(second)))

    def _links(self, first: Layered, second: Layered) -> Links:
        if self.learned is not None:
            return self.learned.links(first.words, second.words, (first.vectors, second.vectors))
        vectors = first.vectors[:, 0], second.vectors[:, 0]
        return align_paraphrases(first.words, second.words, vectors, centre=self.centre, settings=self.words)


def phrase_pairs(pair: WordPair, links: Links, *, settings: PhraseSettings) -> AlignedPair:
    """Pair the candidate phrases of two texts that are consistent with the links.

    ``links`` may end before the texts do; phrases that go beyond are kept, and paired with none.
    """
    sides = pair.first, pair.second
    if pair.trees is None:
        phrases = [ngrams(words, longest=settings.longest) for words in sides]
    else:
        phrases = [constituents(words, spans) for words, spans in zip(sides, pair.trees, strict=True)]
    seen = [
        [span for span in spans if span[1] <= size] for spans, size in zip(phrases, links.shape, strict=True)
    ]
    found = consistent_pairs(links, *seen)
    if settings.blocks != "all":
        found = minimal_pairs(found) if settings.blocks == "minimal" else maximal_pairs(found)
    return AlignedPair(
        *sides,
        tuple((int(i), int(j)) for i, j in np.argwhere(links)),
        tuple(found),
        tuple(phrases[0]),
        tuple(phrases[1]),
        pair.origin,
    )
