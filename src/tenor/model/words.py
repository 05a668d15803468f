"""Contextual vectors of words: the mean of each word's pieces, for aligning texts and for probing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.engine import Engine, Floats
from tenor.model.encoding import refuse_not_finite
from tenor.text.batching import plan_batches
from tenor.text.tokenizer import Text, Tokenizer
from tenor.text.tokens import NOT_A_WORD, Ints, Tokens
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
    return [one_layer(states) for states in found]


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
        some = [texts[number] for number in chosen]
        states = states_of_words(engine, some, tokenizer.tokenize(some, words=True), layers=layers)
        found |= dict(zip(chosen, states, strict=True))
    return [found[number] for number in range(len(texts))]


@dataclass(frozen=True, slots=True, eq=False)
class EncodedTexts:
    """Texts after one pass: their tokens, their vectors for heads, and the vectors of their words."""

    tokens: Tokens  # with the word of every piece
    pooled: Floats  # [n, width], not scaled to length 1
    words: list[WordStates]


def encode_with_words(
    engine: Engine, tokenizer: Tokenizer, texts: Sequence[str], *, layer: int
) -> EncodedTexts:
    """Tokenise and encode every text once, for its pooled vector and for its words after a layer.

    Texts that fit the engine's token budget together share one pass.
    """
    tokens = tokenizer.tokenize(texts, words=True)
    pooled = np.empty((len(texts), engine.width), dtype=np.float32)
    words: dict[int, WordStates] = {}
    for batch in plan_batches(tokens.lengths, engine.token_budget):
        part = tokens.take(batch)
        pooled[batch], (states,) = engine.vectors_and_states(part, layers=[layer])
        refuse_not_finite(states)
        refuse_not_finite(pooled[batch])
        words |= _batch_states(texts, batch, part, states[:, None])
    return EncodedTexts(tokens, pooled, [one_layer(words[number]) for number in range(len(texts))])


def one_layer(states: WordStates) -> WordStates:
    """Return word vectors [n, width] of those of a single layer [n, 1, width]."""
    return replace(states, vectors=states.vectors[:, 0])


def states_of_words(
    engine: Engine, texts: Sequence[Text], tokens: Tokens, *, layers: Sequence[int]
) -> list[WordStates]:
    """Return the word vectors [n, layers, width] of texts whose ``tokens`` know their words."""
    found: dict[int, WordStates] = {}
    for batch in plan_batches(tokens.lengths, engine.token_budget):
        part = tokens.take(batch)
        states = np.stack(engine.states(part, layers=layers), axis=1)
        refuse_not_finite(states)
        found |= _batch_states(texts, batch, part, states)
    return [found[number] for number in range(len(texts))]


def _batch_states(
    texts: Sequence[Text], batch: NDArray[np.int64], tokens: Tokens, states: Floats
) -> dict[int, WordStates]:
    """Return the word vectors of the texts of a batch from the states [T, layers, width] of its tokens."""
    assert tokens.words is not None
    assert tokens.dropped is not None
    found = {}
    for row, number in enumerate(batch.tolist()):
        own = slice(int(tokens.starts[row]), int(tokens.starts[row + 1]))
        text = texts[number]
        words = split_words(text) if isinstance(text, str) else join_words(list(text))
        means = _mean_over_pieces(words, tokens.words[own], states[own])
        found[number] = replace(means, cut=bool(tokens.dropped[row]))
    return found


def _mean_over_pieces(words: Words, word: Ints, states: Floats) -> WordStates:
    """Average the states [t, layers, width] of each word's pieces; ``word`` [t] numbers their words."""
    states, word = states[word != NOT_A_WORD], word[word != NOT_A_WORD]
    seen, owner = np.unique(word, return_inverse=True)
    sums = np.zeros((len(seen), *states.shape[1:]), dtype=np.float32)
    np.add.at(sums, owner, states)
    counts = np.bincount(owner, minlength=len(seen)).astype(np.float32)
    vectors: Floats = np.divide(sums, counts[:, None, None], dtype=np.float32)
    return WordStates(tuple(words.words[number] for number in seen), words.spans[seen], vectors)
