"""Pairs with links, as the aligner's network sees them.

An eighth of the pairs is held out, none of whose texts stands in another pair. All examples are in memory:
about 100 kB for two sentences, as the vectors of words are kept in half precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tenor.errors import TenorError
from tenor.model import Model
from tenor.text.alignments import AlignedPair
from tenor.text.grouped_split import hold_out
from tenor.use.align.learned.grid import View, layers_of, view
from tenor.use.align.states import layered_states, mean_word_vectors
from tenor.use.align.words import Floats, Links, middle_layer

HELD_OUT = 1 / 8  # of the pairs
FEWEST = 16  # pairs; of fewer nothing can be learned and held out
_WINDOW = 400  # pairs whose word vectors of all layers are in memory at once


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """Two texts, and which of their words are linked."""

    seen: View
    links: Links  # [n, m]
    origin: str = ""  # the file and line that it came from

    def swapped(self) -> "Example":
        """Return the same with the texts the other way round."""
        return Example(self.seen.swapped(), self.links.T, self.origin)


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """What is learned from and what is held out, and the encoder whose word vectors these are."""

    encoder_name: str
    encoder: str  # its fingerprint
    layers: tuple[int, ...]
    middle: int  # the place of the middle layer among them
    centre: Floats  # [layers, width], the mean word vectors
    train: list[Example]
    held_out: list[Example]
    unlabelled: bool = False  # the links were made without supervision


def look_at(model: Model, gold: Sequence[AlignedPair], *, unlabelled: bool = False) -> Examples:
    """Bring pairs with links into the form that is learned from; several aligners may learn from it.

    ``unlabelled`` says that the links were made without supervision.
    """
    held = _held_out(gold)
    layers = layers_of(model.engine.layers)
    middle = layers.index(middle_layer(model.engine.layers))
    centre = mean_word_vectors(model, layers)
    seen = _examples(model, gold, centre, layers, middle, unlabelled)
    examples = list(zip(seen, held, strict=True))
    return Examples(
        model.name,
        model.fingerprint,
        layers,
        middle,
        centre,
        [example for example, out in examples if not out and example.links.size],
        [example for example, out in examples if out and example.links.size],
        unlabelled,
    )


def _held_out(gold: Sequence[AlignedPair]) -> list[bool]:
    if len(gold) < FEWEST:
        raise TenorError(f"An aligner is learned from at least {FEWEST} pairs; there are {len(gold)}.")
    if not any(pair.links for pair in gold):
        raise TenorError(
            'None of the pairs has a link: an aligner is learned from "links" that people have made.'
        )
    texts = [(" ".join(pair.first), " ".join(pair.second)) for pair in gold]
    held: list[bool] = hold_out(texts, max(1, round(HELD_OUT * len(gold)))).tolist()
    if not any(held) or all(held) or not any(p.links for p, out in zip(gold, held, strict=True) if out):
        raise TenorError(
            "No pairs with links can be held out to choose by: nearly all share texts with others. "
            "Give more pairs of other texts."
        )
    return held


def _examples(
    model: Model,
    gold: Sequence[AlignedPair],
    centre: Floats,
    layers: tuple[int, ...],
    middle: int,
    unlabelled: bool,
) -> list[Example]:
    examples = []
    for begin in range(0, len(gold), _WINDOW):
        window = gold[begin : begin + _WINDOW]
        states = layered_states(
            model, [words for pair in window for words in (pair.first, pair.second)], layers
        )
        for pair, first, second in zip(window, states[::2], states[1::2], strict=True):
            links = np.zeros((len(pair.first), len(pair.second)), dtype=bool)
            links[tuple(np.array(pair.links, dtype=np.int64).reshape(-1, 2).T)] = True
            vectors = first.vectors, second.vectors
            seen = view(
                first.words, second.words, vectors, centre=centre, middle=middle, unlabelled=unlabelled
            )
            kept = links[np.ix_(first.positions, second.positions)]
            examples.append(Example(seen.halved(), kept, str(pair.origin)))
    return examples
