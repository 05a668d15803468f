"""Self-learning: map on a dictionary, induce a better dictionary in the shared space, and again.

    D(0) = seed pairs;  repeat  W = orthogonal map on D(k);  D(k+1) = nearest neighbours of XW and Z by CSLS

Words are taken from the most frequent ones of either language. The loop ends when a dictionary comes back
unchanged, or when the objective (mean cosine of nearest neighbours) has not risen by ``least_gain`` within
``patience`` rounds. In the stochastic form candidates are kept with probability p, which starts low and
doubles whenever patience runs out; patience at p = 1 ends the loop (Artetxe et al. 2018).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tenor.errors import TenorError
from tenor.words.crosslingual.induction import Direction, Induced, induce
from tenor.words.crosslingual.maps import orthogonal_map
from tenor.words.crosslingual.seed import Pairs
from tenor.words.neighbours import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfLearningConfig:
    """How the loop induces its dictionaries and when it ends."""

    direction: Direction = "mutual"
    words: int = 20_000  # the most frequent of either side that may enter a dictionary
    csls_k: int = 10
    stochastic: bool = False
    first_keep: float = 0.1
    patience: int = 3
    least_gain: float = 1e-4  # beyond it the dictionary hardly changes, though the loop would go on for hours
    most_rounds: int = 1000
    keep_seed: bool = False  # add the seed pairs to every induced dictionary
    seed: int = 0

    @classmethod
    def vecmap(cls, *, seed: int = 0) -> "SelfLearningConfig":
        """Return the settings of VecMap itself: stochastic, pairs of both directions, and long patience."""
        return cls(direction="union", stochastic=True, patience=50, least_gain=1e-6, seed=seed)

    def __post_init__(self) -> None:
        if not 0 < self.first_keep <= 1:
            raise TenorError(f"first_keep is a probability above 0 and at most 1, not {self.first_keep}.")
        if min(self.words, self.patience, self.most_rounds) < 1 or self.csls_k < 0:
            raise TenorError("words, patience and most_rounds are at least 1, and csls_k is not negative.")


@dataclass(frozen=True, slots=True)
class Round:
    """What one round of the loop came to."""

    number: int
    pairs: int
    objective: float
    keep: float


@dataclass(frozen=True, slots=True)
class Learned:
    """The last dictionary and how the loop got there."""

    pairs: Pairs
    rounds: list[Round]
    settled: bool  # ended by itself, not by most_rounds


def self_learn(
    source: Floats,
    target: Floats,
    seed_pairs: Pairs,
    *,
    config: SelfLearningConfig | None = None,
    progress: Callable[[Round], None] | None = None,
) -> Learned:
    """Grow a dictionary from seed pairs; rows have length 1, those of frequent words come first."""
    config = config or SelfLearningConfig()
    generator = np.random.default_rng(config.seed)
    near_x, near_z = source[: config.words], target[: config.words]
    pairs, rounds, best, last_gain = seed_pairs, list[Round](), -np.inf, 0
    keep = config.first_keep if config.stochastic else 1.0
    for number in range(1, config.most_rounds + 1):
        rotation = orthogonal_map(source[pairs[:, 0]], target[pairs[:, 1]]).source.astype(source.dtype)
        found = induce(
            near_x @ rotation,
            near_z,
            k=config.csls_k,
            direction=config.direction,
            keep=keep,
            generator=generator,
        )
        before, pairs = pairs, _next_pairs(found, seed_pairs, config)
        rounds.append(Round(number, len(pairs), found.objective, keep))
        if progress:
            progress(rounds[-1])
        if keep == 1.0 and np.array_equal(before, pairs):
            return Learned(pairs, rounds, True)
        if found.objective - best >= config.least_gain:
            best, last_gain = found.objective, number
        elif number - last_gain >= config.patience:
            if keep == 1.0:
                return Learned(pairs, rounds, True)
            keep, last_gain = min(1.0, 2 * keep), number
    return Learned(pairs, rounds, False)


def _next_pairs(found: Induced, seed_pairs: Pairs, config: SelfLearningConfig) -> Pairs:
    pairs = np.stack([found.source, found.target], axis=1)
    if config.keep_seed:
        pairs = np.concatenate([seed_pairs, pairs])
    if len(pairs) == 0:
        raise TenorError(
            "Self-learning found no pair of words that are each other's nearest neighbours. The seed is too "
            "small or the spaces too different; give more seed pairs, or use --method vecmap."
        )
    return pairs
