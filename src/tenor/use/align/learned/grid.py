"""What the learned aligner sees of two texts: numbers for every word pair, and a vector for every word.

A grid [n, m, k] holds for word i of the first text and word j of the second:

* for every layer the cosine of the two word vectors, as they are and centred,
* whether they are the same word, forms of one word, the share of letter pairs they have in common (Dice),
  and how far apart they stand (in parts of the whole text),
* the score in context and the link by which the texts are aligned without supervision,
* in pairs, first text and second: whether the word is a stop word, whether it is punctuation, and its softmax
  probability among the scores of its row or column.

What learns from links that were made without supervision sees nothing of how these were made: score, link and
probabilities are 0 then, or it would learn to repeat them. It has to find them by other signs, which keeps
what is regular in them and little of what is wrong.

The pairs stand last, so that :func:`swapped` has little to do. Word vectors go in as they are, centred, at
unit length per layer: what kind of word it is is for the network to learn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.text.function_words import ENGLISH
from tenor.use.align.paraphrases import SHIFT, paraphrase_links, settings_for
from tenor.use.align.words import (
    Floats,
    cosines,
    is_punctuation,
    middle_layer,
    softmax_probabilities,
    stem,
    with_neighbours,
    word_scores,
)

Halves = NDArray[np.float16]

DEPTHS = (1 / 6, 1 / 2, 5 / 6)  # of the layers that are looked at
ONE_SIDED = 3  # features that come in pairs, one of either text
_SHARED = 6  # features of both words, beside two cosines a layer
_LENGTH = np.float32(8.0)  # of a word's input per layer: numbers of about 0.4, which networks learn from well


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Two texts as the network sees them."""

    grid: Floats  # [n, m, k]
    first: Floats | Halves  # [n, layers * width]
    second: Floats | Halves  # [m, layers * width]

    def swapped(self) -> "View":
        """Return the view of the same texts the other way round."""
        order = np.arange(self.grid.shape[2])
        order[-2 * ONE_SIDED :] = order[-2 * ONE_SIDED :].reshape(-1, 2)[:, ::-1].ravel()
        return View(np.ascontiguousarray(self.grid.transpose(1, 0, 2)[:, :, order]), self.second, self.first)

    def halved(self) -> "View":
        """Return the same with words in half precision, to hold many of them."""
        return View(self.grid, self.first.astype(np.float16), self.second.astype(np.float16))


def layers_of(count: int) -> tuple[int, ...]:
    """Return the layers that are looked at, among 0 to ``count``; the middle one is always there.

    >>> layers_of(6), layers_of(12), layers_of(2), layers_of(0)
    ((1, 3, 5), (2, 6, 10), (1, 2), (0,))
    """
    return tuple(sorted({middle_layer(count, depth=depth) for depth in DEPTHS}))


def features(layers: int) -> int:
    """Return the depth k of a grid."""
    return 2 * layers + _SHARED + 2 * ONE_SIDED


def view(
    first: Sequence[str],
    second: Sequence[str],
    vectors: tuple[Floats, Floats],
    *,
    centre: Floats,
    middle: int,
    unlabelled: bool = False,
) -> View:
    """Look at two texts, given the vectors [words, layers, width] of their words.

    ``centre`` [layers, width] is the mean word; ``middle`` the position of the middle layer among the layers.
    With ``unlabelled`` the links made without supervision, and what leads to them, are left out.
    """
    centred = vectors[0] - centre, vectors[1] - centre
    layers = range(centre.shape[0])
    plain = [cosines(vectors[0][:, layer], vectors[1][:, layer]) for layer in layers]
    close = [cosines(centred[0][:, layer], centred[1][:, layer]) for layer in layers]
    rules = [np.zeros_like(plain[0])] * 4 if unlabelled else _rules(first, second, close[middle])
    shared, sided = [*_look(first, second), *rules[:2]], [*_kinds(first, second), *rules[2:]]
    grid = np.stack([*plain, *close, *shared, *sided], axis=-1).astype(np.float32)
    return View(grid, _inputs(centred[0]), _inputs(centred[1]))


def _rules(first: Sequence[str], second: Sequence[str], matrix: Floats) -> list[Floats]:
    """Return four grids of what is known without supervision: score in context, link, both softmaxes."""
    settings = settings_for(first, second)
    scores = word_scores(first, second, matrix + np.float32(SHIFT), settings=settings)
    in_context = with_neighbours(scores, near=settings.near, far=settings.far)
    links = paraphrase_links(first, second, scores, settings=settings)
    probabilities = softmax_probabilities(in_context, temperature=settings.temperature)
    return [in_context, links.astype(np.float32), *probabilities]


def _inputs(centred: Floats) -> Floats:
    lengths = np.maximum(np.linalg.norm(centred, axis=-1, keepdims=True), np.float32(1e-6))
    unit = centred * (_LENGTH / lengths)
    return np.asarray(unit.reshape(len(centred), -1), dtype=np.float32)


def _look(first: Sequence[str], second: Sequence[str]) -> list[Floats]:
    """Compare the words by letters and positions: same word, same stem, letter pairs in common, distance."""
    lower = [[word.casefold() for word in words] for words in (first, second)]
    same = np.equal.outer(*(np.array(words, dtype=object) for words in lower))
    stems = [np.array([stem(word) for word in words], dtype=object) for words in lower]
    same_stem = np.equal.outer(*stems) & (stems[0] != "")[:, None]
    position = [(np.arange(len(words)) + 0.5) / max(1, len(words)) for words in lower]
    distance = np.abs(np.subtract.outer(*position))
    parts = (same, same_stem, letter_overlap(*lower), distance)
    return [np.asarray(part, dtype=np.float32) for part in parts]


def letter_overlap(first: Sequence[str], second: Sequence[str]) -> Floats:
    """Return the Dice overlaps [n, m] of the sets of letter pairs, ends of the word included.

    >>> [round(overlap, 2) for overlap in letter_overlap(["cat"], ["cats", "dog"])[0].tolist()]
    [0.67, 0.0]
    """
    numbers: dict[str, int] = {}
    sides = [[_letter_pairs(word, numbers) for word in words] for words in (first, second)]
    held = [np.zeros((len(side), len(numbers)), dtype=np.float32) for side in sides]
    for matrix, side in zip(held, sides, strict=True):
        for row, pairs in enumerate(side):
            matrix[row, pairs] = 1
    sizes = [np.maximum(matrix.sum(axis=1), 1) for matrix in held]
    return np.asarray(2 * (held[0] @ held[1].T) / np.add.outer(*sizes), dtype=np.float32)


def _letter_pairs(word: str, numbers: dict[str, int]) -> list[int]:
    bounded = f"^{word}$"
    pairs = {bounded[at : at + 2] for at in range(len(bounded) - 1)}
    return [numbers.setdefault(pair, len(numbers)) for pair in pairs]


def _kinds(first: Sequence[str], second: Sequence[str]) -> list[Floats]:
    """Return four grids: stop words of the first and the second text; punctuation of either."""
    shape = len(first), len(second)
    stop = [np.array([word.casefold() in ENGLISH for word in words]) for words in (first, second)]
    punctuation = [np.array([is_punctuation(word) for word in words]) for words in (first, second)]
    sides = stop[0][:, None], stop[1][None, :], punctuation[0][:, None], punctuation[1][None, :]
    return [np.broadcast_to(side, shape).astype(np.float32) for side in sides]
