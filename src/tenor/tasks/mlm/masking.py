"""Which tokens a masked language model must guess, and what it sees in their place.

A share of all tokens (15 %) is chosen; of these 80 % become [MASK], 10 % a random token and 10 % stay as they
are (Devlin et al., 2019). Special tokens are never chosen.

    uniform                   every token with the same probability, at least one of every text; whole words
                              at once where asked for
    inverse_sqrt_frequency    ⌈0.15 n⌉ of the n tokens of a batch, drawn one after the other without
                              replacement, each with probability ∝ count(token)^(-1/2): rare tokens are
                              learned more often (Wu & Dredze, 2020)
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.text.tokens import Tokens

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Selection = Literal["uniform", "inverse_sqrt_frequency"]
SELECTIONS: tuple[Selection, ...] = get_args(Selection)
KEPT = -100  # the label of a token that is not to be guessed


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskingConfig:
    """How tokens are hidden."""

    probability: float = 0.15
    whole_word_masking: bool = False
    masked: float = 0.8
    replaced: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.probability < 1:
            raise TenorError(f"mlm_probability is {self.probability}; it must be above 0 and below 1.")
        if min(self.masked, self.replaced) < 0 or self.masked + self.replaced > 1:
            raise TenorError("masked and replaced are parts of a whole; together they are at most 1.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vocabulary:
    """What masking must know of the tokens: the id of [MASK], and which ids stand for something."""

    mask: int
    usual: Ints
    """The ids that may take a token's place, in ascending order: no special ones."""
    inside: NDArray[np.bool_]
    """For every id, whether it goes on with the word of the piece before."""


def inverse_sqrt_frequency(ids: Ints, size: int) -> Floats:
    """Return count^(-1/2) of every id of a vocabulary [V], from all ids of a corpus; 1 where it has none.

    >>> inverse_sqrt_frequency(np.array([1, 1, 1, 1, 2], dtype=np.int32), 3).tolist()
    [1.0, 0.5, 1.0]
    """
    counts = np.maximum(1, np.bincount(ids, minlength=size))
    return np.asarray(counts**-0.5, dtype=np.float64)


def mask_tokens(
    tokens: Tokens,
    vocabulary: Vocabulary,
    config: MaskingConfig,
    generator: np.random.Generator,
    *,
    weights: Floats | None = None,
) -> tuple[Ints, Ints]:
    """Return what the model sees [T] and what it must guess [T], ``KEPT`` where nothing.

    With ``weights``, one for each id [V], tokens are drawn in proportion to them.

    >>> tokens = Tokens.from_lists([[0, 5, 6, 7, 1]])
    >>> known = Vocabulary(mask=2, usual=np.arange(5, 9, dtype=np.int32), inside=np.zeros(9, dtype=bool))
    >>> seen, labels = mask_tokens(tokens, known, MaskingConfig(probability=0.3), np.random.default_rng(1))
    >>> bool((labels[seen == 2] >= 5).all()), int(seen[0]), int(seen[-1])
    (True, 0, 1)
    """
    ids = tokens.ids
    usual = _is_usual(ids, vocabulary)
    if weights is None:
        chosen = _uniform(tokens, usual, vocabulary, config, generator)
    else:
        chosen = _weighted(ids, usual, weights, config.probability, generator)
    labels = np.where(chosen, ids, KEPT).astype(np.int32)
    return _seen(ids, chosen, vocabulary, config, generator), labels


def _uniform(
    tokens: Tokens,
    usual: NDArray[np.bool_],
    vocabulary: Vocabulary,
    config: MaskingConfig,
    generator: np.random.Generator,
) -> NDArray[np.bool_]:
    text_of = np.repeat(np.arange(len(tokens)), tokens.lengths)
    word_of = _words(tokens.ids, usual, text_of, vocabulary, whole=config.whole_word_masking)
    score = generator.random(int(word_of[-1]) + 1 if len(word_of) else 0)[word_of]
    chosen: NDArray[np.bool_] = usual & (score < config.probability)
    return chosen | _at_least_one(chosen, usual, score, text_of, len(tokens))


def _weighted(
    ids: Ints,
    usual: NDArray[np.bool_],
    weights: Floats,
    probability: float,
    generator: np.random.Generator,
) -> NDArray[np.bool_]:
    """Draw tokens without replacement: the smallest of exponential variables with the weights as rates."""
    places = np.flatnonzero(usual)
    count = math.ceil(round(probability * len(places), 9))  # 0.15 · 20 is 3, not a little more
    waits = generator.standard_exponential(len(places)) / weights[ids[places]]
    chosen = np.zeros(len(ids), dtype=bool)
    chosen[places[np.argsort(waits)[:count]]] = True
    return chosen


def _is_usual(ids: Ints, vocabulary: Vocabulary) -> NDArray[np.bool_]:
    known = np.zeros(len(vocabulary.inside), dtype=bool)
    known[vocabulary.usual] = True
    return known[ids]


def _words(
    ids: Ints, usual: NDArray[np.bool_], text_of: NDArray[np.int64], vocabulary: Vocabulary, *, whole: bool
) -> NDArray[np.int64]:
    """Number what is chosen at once [T]: words, or single tokens."""
    if not whole:
        return np.arange(len(ids))
    begins = ~vocabulary.inside[ids] | ~usual
    if len(ids):
        begins[0] = True
        begins[1:] |= (text_of[1:] != text_of[:-1]) | ~usual[:-1]
    return np.cumsum(begins) - 1


def _at_least_one(
    chosen: NDArray[np.bool_],
    usual: NDArray[np.bool_],
    score: NDArray[np.float64],
    text_of: NDArray[np.int64],
    count: int,
) -> NDArray[np.bool_]:
    """Choose what has the lowest score in texts where nothing was chosen."""
    lowest = np.full(count, np.inf)
    np.minimum.at(lowest, text_of[usual], score[usual])
    has = np.zeros(count, dtype=bool)
    has[text_of[chosen]] = True
    lone: NDArray[np.bool_] = usual & ~has[text_of] & (score == lowest[text_of])
    return lone


def _seen(
    ids: Ints,
    chosen: NDArray[np.bool_],
    vocabulary: Vocabulary,
    config: MaskingConfig,
    generator: np.random.Generator,
) -> Ints:
    places = np.flatnonzero(chosen)
    fate = generator.random(len(places))
    seen = ids.copy()
    seen[places[fate < config.masked]] = vocabulary.mask
    other = places[(fate >= config.masked) & (fate < config.masked + config.replaced)]
    if len(vocabulary.usual):
        seen[other] = generator.choice(vocabulary.usual, size=len(other))
    return seen
