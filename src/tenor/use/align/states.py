"""Word vectors for alignment: from several layers at once, with the positions of the words that are read."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from tenor.model import Model, WordStates
from tenor.use.align.words import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Layered:
    """The words of a text that a model saw, with a vector of every layer asked for."""

    words: tuple[str, ...]
    positions: list[int]  # of these words among those given: a model drops some, and all beyond its limit
    vectors: Floats  # [words, layers, width]
    seen: int  # words given, up to the last that the model reads
    cut: bool  # whether the text goes on beyond


def layered_states(model: Model, texts: Sequence[Sequence[str]], layers: Sequence[int]) -> list[Layered]:
    """Return the words and vectors of every text."""
    found = model.layered_word_states(texts, layers=layers)
    return [_layered(words, states) for words, states in zip(texts, found, strict=True)]


def _layered(words: Sequence[str], states: WordStates) -> Layered:
    positions = _positions(words, states)
    seen = positions[-1] + 1 if states.cut and positions else len(words)
    return Layered(states.words, positions, states.vectors, seen, states.cut)


def mean_word_vectors(model: Model, layers: Sequence[int]) -> Floats:
    """Return the mean word vectors [layers, width] over some everyday sentences.

    They are the calibration texts of int8. The mean is not that of the pairs to align, so a pair gives the
    same links in whatever company it comes.
    """
    text = files("tenor.encoders").joinpath("calibration.txt").read_text(encoding="utf-8")
    states = model.layered_word_states(text.splitlines(), layers=layers)
    centre: Floats = np.concatenate([state.vectors for state in states]).mean(axis=0)
    return centre


def _positions(words: Sequence[str], states: WordStates) -> list[int]:
    begins = np.cumsum([0, *(len(word) + 1 for word in words[:-1])])
    positions: list[int] = np.searchsorted(begins, states.spans[:, 0]).tolist()
    return positions
