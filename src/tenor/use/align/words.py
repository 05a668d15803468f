"""Which words of two texts say the same: links from the contextual vectors of the words.

The score of a word pair (i, j) is the cosine of their vectors, a little more for two forms of one word, a
little less for a word against punctuation and for two words far apart in relative position. To each score
those of the neighbouring pairs (i ± 1, j ± 1) and (i ± 2, j ± 2) are added with small weights, so that
of two equal words the one in the right context wins. Links are then made in this order:

1. mutual best: i is the best counterpart of j and j of i (one to one);
2. the same again on the words that are left, as long as the score is above a floor;
3. shared: beside a link, a word gets a further counterpart (``afterwards`` and ``after that``) where the
   geometric mean of the softmax probabilities along row and column is above a threshold;
4. grown: a word still alone joins its best counterpart when that is linked to a neighbour of the word.

Vectors come from the middle of the encoder. Early layers see little but the word itself (of equal words they
cannot tell the right one), late ones carry the whole sentence in every word. docs/align.md has the figures by
which the defaults were chosen. All functions treat both texts alike: swapping the texts transposes the links.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.text.function_words import ENGLISH

Floats = NDArray[np.float32]
Links = NDArray[np.bool_]  # [n, m], true where word i of the first text and word j of the second are linked


@dataclass(frozen=True, slots=True)
class AlignSettings:
    """The constants of the alignment, in units of cosine where nothing else is said."""

    depth: float = 0.5  # which layer the vectors are taken after, as a part of all layers
    same_stem: float = 0.1  # added for two forms of one content word
    punctuation: float = 0.2  # subtracted for a word against punctuation
    distance: float = 0.1  # subtracted in proportion to the distance between relative positions (0 to 1)
    near: float = 0.2  # weight of the pairs (i ± 1, j ± 1)
    far: float = 0.1  # weight of the pairs (i ± 2, j ± 2)
    min_score: float = 0.25  # no link below this score,
    min_context: float = 0.4  # nor below this one together with the weighted scores of the neighbours
    floor: float = 0.5  # links of steps 2 and 4 need this score,
    content_floor: float = 0.5  # or this one between two content words, where these are known
    temperature: float = 0.05  # of the softmax of step 3
    shared_threshold: float = 0.1  # of step 3, a probability
    gap_score: float = 0.2  # mean score of the word pairs of two spans that are linked whole (paraphrases)
    max_gap: int = 5  # words of such a span


DEFAULTS = AlignSettings()


def align_words(
    first: Sequence[str],
    second: Sequence[str],
    vectors: tuple[Floats, Floats],
    *,
    settings: AlignSettings = DEFAULTS,
) -> Links:
    """Link the words of two texts, given a vector for each word.

    >>> north, east = np.eye(2, dtype=np.float32)
    >>> vectors = np.stack([north, east]), np.stack([east, north])
    >>> links = align_words(["red", "wine"], ["wine", "red"], vectors)
    >>> np.argwhere(links).tolist()
    [[0, 1], [1, 0]]
    """
    scores = word_scores(first, second, cosines(*vectors), settings=settings)
    return links_from_scores(scores, settings=settings)


def cosines(first: Floats, second: Floats) -> Floats:
    """Return the cosines [n, m] of all vectors [n, d] with all vectors [m, d]; a zero vector has cosine 0."""
    tiny = np.float32(1e-9)
    unit = [side / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), tiny) for side in (first, second)]
    return np.asarray(unit[0] @ unit[1].T, dtype=np.float32)  # [n, m]


def word_scores(
    first: Sequence[str], second: Sequence[str], matrix: Floats, *, settings: AlignSettings = DEFAULTS
) -> Floats:
    """Adjust cosines [n, m] by what the words look like and where they stand."""
    position = [(np.arange(len(words)) + 0.5) / max(1, len(words)) for words in (first, second)]
    distance = np.abs(np.subtract.outer(*position))
    stems = [np.array([stem(word) for word in words], dtype=object) for words in (first, second)]
    same_stem = np.equal.outer(*stems) & (stems[0] != "")[:, None]
    punctuation = [
        np.array([is_punctuation(word) for word in words], dtype=bool) for words in (first, second)
    ]
    mixed = np.not_equal.outer(*punctuation)
    adjusted = matrix + settings.same_stem * same_stem
    adjusted = adjusted - settings.punctuation * mixed - settings.distance * distance
    return np.asarray(adjusted, dtype=np.float32)


def links_from_scores(
    scores: Floats, *, content: Links | None = None, settings: AlignSettings = DEFAULTS
) -> Links:
    """Make links from the scores [n, m] of all word pairs, in the four steps of this module.

    ``content`` [n, m] marks the pairs of two content words, which need less of a score.
    """
    if not scores.size:
        return np.zeros(scores.shape, dtype=bool)
    good: Links = scores >= settings.floor
    if content is not None:
        good |= content & (scores >= settings.content_floor)
    in_context = with_neighbours(scores, near=settings.near, far=settings.far)
    links = iterated_best(in_context, good)
    shared = shared_links(in_context, temperature=settings.temperature, threshold=settings.shared_threshold)
    links = _attach(links, lambda links: shared & ~links & (_beside(links) | _beside(links.T).T))
    links &= (scores >= settings.min_score) & (in_context >= settings.min_context)
    return grown_links(links, scores, good)


def with_neighbours(scores: Floats, *, near: float, far: float) -> Floats:
    """Add to each score those of the pairs one and two steps along the diagonal, with their weights."""
    total = scores.copy()
    for step, weight in ((1, near), (2, far)):
        total[step:, step:] += np.float32(weight) * scores[:-step, :-step]
        total[:-step, :-step] += np.float32(weight) * scores[step:, step:]
    return total


def mutual_best(scores: Floats) -> Links:
    """Link i and j where each is the best counterpart of the other; at most one link a word.

    >>> mutual_best(np.array([[0.9, 0.1], [0.8, 0.2]], dtype=np.float32)).tolist()
    [[True, False], [False, False]]
    """
    links = np.zeros(scores.shape, dtype=bool)
    if scores.size:
        best = scores.argmax(axis=1)  # [n]
        rows = np.flatnonzero(scores.argmax(axis=0)[best] == np.arange(len(best)))
        links[rows, best[rows]] = True
    return links


def iterated_best(scores: Floats, allowed: Links) -> Links:
    """Link mutual bests, then again and again those among the words left over, where ``allowed``."""
    links = mutual_best(scores)
    while True:
        rows, columns = _alone(links)
        free = allowed & rows & columns
        found = mutual_best(np.where(free, scores, np.float32(-np.inf))) & free
        if not found.any():
            return links
        links |= found


def shared_links(scores: Floats, *, temperature: float, threshold: float) -> Links:
    """Mark pairs whose softmax probabilities along row and column have a geometric mean above a threshold."""
    along_row, along_column = softmax_probabilities(scores, temperature=temperature)
    return np.asarray(np.sqrt(along_row * along_column) > threshold)


def softmax_probabilities(scores: Floats, *, temperature: float) -> tuple[Floats, Floats]:
    """Return the softmax of the scores [n, m] along every row, and the one along every column."""
    logits = scores / np.float32(temperature)
    probabilities = []
    for axis in (1, 0):
        shifted = np.exp(logits - logits.max(axis=axis, keepdims=True, initial=-np.inf))
        probabilities.append(shifted / shifted.sum(axis=axis, keepdims=True))
    return probabilities[0], probabilities[1]


def grown_links(links: Links, scores: Floats, good: Links) -> Links:
    """Let a word without link join its best counterpart, where that is ``good`` and linked to a neighbour."""
    best_of_row = good & (scores >= scores.max(axis=1, keepdims=True, initial=-np.inf))
    best_of_column = good & (scores >= scores.max(axis=0, keepdims=True, initial=-np.inf))

    def joining(links: Links) -> Links:
        rows, columns = _alone(links)
        found: Links = (best_of_row & rows & _beside(links)) | (best_of_column & columns & _beside(links.T).T)
        return found

    return _attach(links, joining)


def middle_layer(layers: int, *, depth: float = DEFAULTS.depth) -> int:
    """Return the layer at the given part of the depth: 3 of 6, 6 of 12, 0 where there are no layers."""
    return min(layers, max(min(1, layers), round(depth * layers)))


# Ending, what replaces it, and how many letters must stand before it.
_ENDINGS = (
    ("ies", "y", 2), ("ing", "", 4), ("ed", "", 4), ("es", "", 4), ("ly", "", 4), ("s", "", 3), ("e", "", 4),
)  # fmt: skip


def stem(word: str) -> str:
    """Return a crude stem of a content word, which its forms mostly share; "" for other words."""
    lower = word.casefold()
    if lower in ENGLISH or is_punctuation(lower):
        return ""
    for ending, other, before in _ENDINGS:
        if lower.endswith(ending) and len(lower) - len(ending) >= before:
            return lower[: -len(ending)] + other
    return lower


def is_punctuation(word: str) -> bool:
    """Say whether a word is punctuation or symbols only."""
    return not any(character.isalnum() for character in word)


def _alone(links: Links) -> tuple[Links, Links]:
    """Mark the words without a link: those of the first text [n, 1], those of the second [1, m]."""
    return np.asarray(~links.any(axis=1, keepdims=True)), np.asarray(~links.any(axis=0, keepdims=True))


def _attach(links: Links, joining: Callable[[Links], Links]) -> Links:
    """Add the links that ``joining`` finds for the present ones, until it finds no more."""
    while (found := joining(links)).any():
        links = links | found
    return links


def _beside(links: Links) -> Links:
    """Mark (i, j) where i - 1 or i + 1 is linked to j."""
    found = np.zeros_like(links)
    found[1:] |= links[:-1]
    found[:-1] |= links[1:]
    return found
