"""Self-learning: map on a dictionary, induce a better dictionary in the shared space, and again.

    D(0) = seed pairs;  repeat  W = orthogonal map on D(k);  D(k+1) = nearest neighbours of XW and Z by CSLS

Words are taken from the most frequent ones of either language. The loop ends when a dictionary comes back
unchanged, or when the objective (mean cosine of nearest neighbours) has not risen by ``threshold`` within
``patience`` iterations. In the stochastic form candidates are kept with probability p, which starts low and
doubles whenever patience runs out; patience at p = 1 ends the loop (Artetxe et al. 2018).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tenor.errors import TenorError
from tenor.words.crosslingual.induction import Direction, InducedDictionary, induce
from tenor.words.crosslingual.maps import orthogonal_map
from tenor.words.crosslingual.seed import Pairs
from tenor.words.neighbours import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfLearningConfig:
    """Settings of self-learning: how dictionaries are induced, and when to stop."""

    direction: Direction = "mutual"
    vocabulary_cutoff: int = 20_000  # dictionaries are induced among the most frequent words of either side
    csls_k: int = 10
    stochastic: bool = False
    stochastic_initial: float = 0.1
    patience: int = 3
    threshold: float = 1e-4  # least gain of the objective that counts as progress
    max_iterations: int = 1000
    keep_seed: bool = False  # add the seed pairs to every induced dictionary
    seed: int = 0

    @classmethod
    def vecmap(cls, *, seed: int = 0) -> "SelfLearningConfig":
        """Return VecMap's own settings: stochastic, the union of both directions, and long patience."""
        return cls(direction="union", stochastic=True, patience=50, threshold=1e-6, seed=seed)

    def __post_init__(self) -> None:
        if not 0 < self.stochastic_initial <= 1:
            raise TenorError(
                f"stochastic_initial is {self.stochastic_initial}; expected a probability above 0, up to 1."
            )
        if min(self.vocabulary_cutoff, self.patience, self.max_iterations) < 1 or self.csls_k < 0:
            raise TenorError(
                "vocabulary_cutoff, patience and max_iterations are 1 or more, csls_k 0 or more."
            )


@dataclass(frozen=True, slots=True)
class Iteration:
    """The dictionary and the objective after one iteration."""

    number: int
    pairs: int
    objective: float
    keep_prob: float


@dataclass(frozen=True, slots=True)
class SelfLearned:
    """The last dictionary, and the iterations that led to it."""

    pairs: Pairs
    iterations: list[Iteration]
    converged: bool  # stopped before max_iterations


def self_learn(
    source: Floats,
    target: Floats,
    seed_pairs: Pairs,
    *,
    config: SelfLearningConfig | None = None,
    progress: Callable[[Iteration], None] | None = None,
) -> SelfLearned:
    """Grow a dictionary from seed pairs; rows are unit vectors, those of frequent words first."""
    config = config or SelfLearningConfig()
    generator = np.random.default_rng(config.seed)
    near_x, near_z = source[: config.vocabulary_cutoff], target[: config.vocabulary_cutoff]
    pairs, iterations, best, last_gain = seed_pairs, list[Iteration](), -np.inf, 0
    keep_prob = config.stochastic_initial if config.stochastic else 1.0
    for number in range(1, config.max_iterations + 1):
        rotation = orthogonal_map(source[pairs[:, 0]], target[pairs[:, 1]]).source.astype(source.dtype)
        induced = induce(
            near_x @ rotation,
            near_z,
            k=config.csls_k,
            direction=config.direction,
            keep_prob=keep_prob,
            generator=generator,
        )
        before, pairs = pairs, _next_pairs(induced, seed_pairs, config)
        iterations.append(Iteration(number, len(pairs), induced.objective, keep_prob))
        if progress:
            progress(iterations[-1])
        if keep_prob == 1.0 and np.array_equal(before, pairs):
            return SelfLearned(pairs, iterations, True)
        if induced.objective - best >= config.threshold:
            best, last_gain = induced.objective, number
        elif number - last_gain >= config.patience:
            if keep_prob == 1.0:
                return SelfLearned(pairs, iterations, True)
            keep_prob, last_gain = min(1.0, 2 * keep_prob), number
    return SelfLearned(pairs, iterations, False)


def _next_pairs(induced: InducedDictionary, seed_pairs: Pairs, config: SelfLearningConfig) -> Pairs:
    pairs = np.stack([induced.source, induced.target], axis=1)
    if config.keep_seed:
        pairs = np.concatenate([seed_pairs, pairs])
    if len(pairs) == 0:
        raise TenorError(
            "Self-learning found no pair of mutual nearest neighbours. The seed is too small, or the spaces "
            "are too different; give more seed pairs, or use --method vecmap."
        )
    return pairs
