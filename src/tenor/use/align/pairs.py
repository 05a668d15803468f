"""Aligning pairs of texts in words: links, then phrase pairs, as records that training reads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Literal

import numpy as np

from tenor.model import Model, WordStates
from tenor.text.alignments import NOWHERE, AlignedPair, Span
from tenor.text.examples import Origin
from tenor.use.align.candidates import LONGEST, constituents, ngrams
from tenor.use.align.extraction import consistent_pairs, maximal_pairs, minimal_pairs
from tenor.use.align.model1 import WordTable
from tenor.use.align.paraphrases import PARAPHRASES, align_paraphrases
from tenor.use.align.words import AlignSettings, Floats, Links, middle_layer

Blocks = Literal["all", "minimal", "maximal"]
MODEL1 = np.float32(0.1)  # weight of IBM Model 1 beside the cosines


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two texts in words, and the constituents of their trees where these are known."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    origin: Origin = NOWHERE
    trees: tuple[tuple[Span, ...], tuple[Span, ...]] | None = None


@dataclass(frozen=True, slots=True)
class PhraseSettings:
    """Which phrase pairs are kept: all consistent ones, those that hold no other, those that none holds."""

    blocks: Blocks = "all"
    longest: int = LONGEST  # words of an n-gram, where there is no tree


@dataclass(frozen=True)
class Aligner:
    """Links the words of pairs by the vectors of a model, and pairs their phrases.

    It holds no state of the pairs that it has seen: the same pair always gives the same record.
    """

    model: Model
    words: AlignSettings = PARAPHRASES
    phrases: PhraseSettings = field(default_factory=PhraseSettings)
    table: WordTable | None = None  # of IBM Model 1, trained on the pairs themselves

    @cached_property
    def centre(self) -> Floats:
        """The mean word vector [width], over some everyday sentences and not over the pairs.

        So a pair gives the same links in whatever company it comes.
        """
        states = self.model.word_states(_everyday(), layer=middle_layer(self.model.engine.layers))
        return np.asarray(np.concatenate([state.vectors for state in states]).mean(axis=0), dtype=np.float32)

    def align(self, pairs: Sequence[WordPair]) -> Iterator[AlignedPair]:
        """Yield the alignment of every pair, in order; the word vectors of all are in memory at once."""
        texts = [words for pair in pairs for words in (pair.first, pair.second)]
        states = self.model.word_states(texts, layer=middle_layer(self.model.engine.layers))
        for pair, first, second in zip(pairs, states[::2], states[1::2], strict=True):
            yield phrase_pairs(pair, self._links(pair, first, second), settings=self.phrases)

    def _links(self, pair: WordPair, first: WordStates, second: WordStates) -> Links:
        links = np.zeros((len(pair.first), len(pair.second)), dtype=bool)
        vectors = first.vectors, second.vectors
        bonus = None if self.table is None else MODEL1 * self.table.chances(first.words, second.words)
        found = align_paraphrases(
            first.words, second.words, vectors, centre=self.centre, bonus=bonus, settings=self.words
        )
        links[np.ix_(_places(pair.first, first), _places(pair.second, second))] = found
        return links


def phrase_pairs(pair: WordPair, links: Links, *, settings: PhraseSettings) -> AlignedPair:
    """Pair the candidate phrases of two texts that are consistent with the links."""
    sides = pair.first, pair.second
    if pair.trees is None:
        phrases = [ngrams(words, longest=settings.longest) for words in sides]
    else:
        phrases = [constituents(words, spans) for words, spans in zip(sides, pair.trees, strict=True)]
    found = consistent_pairs(links, *phrases)
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


def _places(words: Sequence[str], states: WordStates) -> list[int]:
    """Return the places of the words that the model saw: it drops some, and all beyond its limit."""
    begins = np.cumsum([0, *(len(word) + 1 for word in words[:-1])])
    places: list[int] = np.searchsorted(begins, states.spans[:, 0]).tolist()
    return places


def _everyday() -> list[str]:
    """Return sentences of many kinds: those by which encoders are made ready for whole numbers."""
    text = files("tenor.encoders.bert").joinpath("calibration.txt").read_text(encoding="utf-8")
    return text.splitlines()
