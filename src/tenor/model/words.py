"""Contextual vectors of words: the mean of each word's pieces, for aligning texts and for probing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.engine import Engine, Floats
from tenor.text.batching import plan_batches
from tenor.text.tokenizer import Text, Tokenizer
from tenor.text.tokens import NOT_A_WORD, Ints
from tenor.text.words import Words, join_words, split_words


@dataclass(frozen=True, slots=True, eq=False)
class WordStates:
    """The words of a text that the model sees, their places in it, and a vector for each.

    The spans of a text given as a list of words are places in the words joined by single spaces.
    """

    words: tuple[str, ...]
    spans: NDArray[np.int64]  # [n, 2]
    vectors: Floats  # [n, width], or of several layers [n, layers, width]
    cut: bool = False  # whether the text goes on beyond what the model reads


def word_states(
    engine: Engine, tokenizer: Tokenizer, texts: Sequence[Text], *, layer: int | None = None
) -> list[WordStates]:
    """Return the word vectors of every text, taken after the given layer (the last, when None)."""
    layer = engine.layers if layer is None else layer
    found = layered_word_states(engine, tokenizer, texts, layers=[layer])
    return [replace(states, vectors=states.vectors[:, 0]) for states in found]


def layered_word_states(
    engine: Engine, tokenizer: Tokenizer, texts: Sequence[Text], *, layers: Sequence[int]
) -> list[WordStates]:
    """Return the word vectors of every text after each of some layers, by one pass over the texts."""
    for layer in layers:
        if not 0 <= layer <= engine.layers:
            raise ValueError(
                f"There is no layer {layer}: this encoder has 0 (the embeddings) to {engine.layers}."
            )
    found: dict[int, WordStates] = {}
    # The tokenizer takes texts or lists of words, not a mixture.
    for split in (False, True):
        chosen = [number for number, text in enumerate(texts) if isinstance(text, str) is not split]
        states = _states(engine, tokenizer, [texts[number] for number in chosen], layers)
        found |= dict(zip(chosen, states, strict=True))
    return [found[number] for number in range(len(texts))]


def _states(
    engine: Engine, tokenizer: Tokenizer, texts: list[Text], layers: Sequence[int]
) -> list[WordStates]:
    tokens = tokenizer.tokenize(texts, words=True)
    assert tokens.dropped is not None
    found: dict[int, WordStates] = {}
    for batch in plan_batches(tokens.lengths, engine.token_budget):
        part = tokens.take(batch)
        states = np.stack(engine.states(part, layers=layers), axis=1)
        assert part.words is not None
        for place, number in enumerate(batch.tolist()):
            own = slice(int(part.starts[place]), int(part.starts[place + 1]))
            text = texts[number]
            words = split_words(text) if isinstance(text, str) else join_words(list(text))
            means = _mean_over_pieces(words, part.words[own], states[own])
            found[number] = replace(means, cut=bool(tokens.dropped[number]))
    return [found[number] for number in range(len(texts))]


def _mean_over_pieces(words: Words, word: Ints, states: Floats) -> WordStates:
    """Average the states [t, layers, width] of each word's pieces; ``word`` [t] numbers their words."""
    states, word = states[word != NOT_A_WORD], word[word != NOT_A_WORD]
    seen, owner = np.unique(word, return_inverse=True)
    sums = np.zeros((len(seen), *states.shape[1:]), dtype=np.float32)
    np.add.at(sums, owner, states)
    counts = np.bincount(owner, minlength=len(seen)).astype(np.float32)
    vectors: Floats = np.divide(sums, counts[:, None, None], dtype=np.float32)
    return WordStates(tuple(words.words[number] for number in seen), words.spans[seen], vectors)
