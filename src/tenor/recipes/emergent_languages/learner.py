"""The learner of discrete codes: many runs of one configuration, trained by the one loop.

What is minimised for each run is the negative evidence lower bound, with the reconstruction averaged over
positions and a weight on the divergence, as in the authors' public code:

    mean_j -log p(s_j|z)  +  β · Σ_t KL(q(z_t|s) || p(z_t))  +  penalty · Σ_tensors ‖w‖

The losses of all runs are summed, so that the gradient of a run does not depend on its neighbours; neither do
its initialisation, its hold-out, its batches and its noise, which are drawn from its own seed. Optimizers
must work number by number (Adam), without clipping by the norm of all gradients.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tenor.layers.straight_through import gumbel
from tenor.recipes.emergent_languages.language import ConceptLanguage, Part, Split, split_language
from tenor.recipes.emergent_languages.network import CodeConfig, Codes, kl_to_prior
from tenor.tasks.task import Metric
from tenor.training.learner import Evaluation, Learner, StepContext
from tenor.training.state import State

_ACCURACY = Metric("accuracy")
_SCORED = 2000  # strings of a part that are scored, of languages that have more
_EPOCHS_AS_PUBLISHED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTraining:
    """How codes are learned, beside the settings of the loop."""

    steps: int = 4000
    batch: int = 64
    lr: float = 5e-3
    beta: float = 1 / 720
    """Weight of the divergence from the prior."""
    norm_penalty: float = 0.0
    weight_decay: float = 0.0
    combinations: int = 8
    """Combinations of two values that are held out for testing, and as many for validation."""
    random: int = 50
    """Strings that are held out at random."""
    evaluations: int = 8
    """How often validation strings are scored; the weights of the best are kept, for each run its own."""


class CodeLearner(Learner):
    """Speakers and listeners of several seeds, side by side.

    >>> learner = CodeLearner(CodeConfig(bits=4, units=4), ConceptLanguage(2, 4), seeds=(1, 2),
    ...                       training=CodeTraining(steps=8, combinations=1, random=1, evaluations=2))
    >>> learner.begin_epoch(0, np.random.default_rng(1))
    4
    """

    def __init__(
        self,
        config: CodeConfig,
        language: ConceptLanguage,
        *,
        seeds: Sequence[int],
        training: CodeTraining | None = None,
    ) -> None:
        self.config, self.language, self.training = config, language, training or CodeTraining()
        self.seeds = tuple(seeds)
        self.codes = Codes(config, concepts=language.concepts, symbols=language.symbols, seeds=self.seeds)
        self.splits = [self._split(seed) for seed in self.seeds]
        self._symbols = torch.from_numpy(language.to_symbols(language.strings))  # [size, N]
        self._epoch = 0
        self._best = {name: each.detach().clone() for name, each in self.codes.named_parameters()}
        self._best_scores = torch.full((len(self.seeds),), -1.0)

    @property
    def module(self) -> nn.Module:
        """All weights."""
        return self.codes

    def begin_epoch(self, epoch: int, generator: np.random.Generator) -> int:
        """Return the number of steps between two evaluations."""
        self._epoch = epoch
        return max(1, self.training.steps // self.training.evaluations)

    def batch(self, position: int, generator: np.random.Generator) -> tuple[Tensor, Tensor]:
        """Draw symbols [r, b, N] and Gumbel noise [r, b, l, 2], each run's from its own seed and the step."""
        size = (self.training.batch, self.config.bits, 2)
        rows, noise = [], []
        for seed, split in zip(self.seeds, self.splits, strict=True):
            own = np.random.default_rng(batch_stream(seed, self._epoch, position))
            rows.append(own.choice(split.train, self.training.batch))
            noise.append(own.random(size, dtype=np.float32))
        return self._symbols[np.stack(rows)], gumbel(torch.from_numpy(np.stack(noise)))

    def losses(self, piece: Any, context: StepContext) -> dict[str, Tensor]:
        """Return the parts of the negative bound, summed over runs."""
        symbols, noise = piece
        logits = self.codes.speak(symbols)
        heard = self.codes.listen(self.codes.sample(logits, noise))
        flat = functional.cross_entropy(heard.flatten(0, 2), symbols.flatten(), reduction="sum")
        divergence = kl_to_prior(logits, self.codes.prior).mean(dim=1).sum()
        losses = {
            "reconstruction": flat / (symbols.shape[1] * symbols.shape[2]),
            "divergence": self.training.beta * divergence,
        }
        if self.training.norm_penalty:
            norms = [each.flatten(1).norm(dim=1).sum() for each in self.codes.parameters()]
            losses["norms"] = self.training.norm_penalty * torch.stack(norms).sum()
        return losses

    def evaluate(self) -> dict[str, Evaluation]:
        """Score validation strings, and keep each run's best weights; of equals the later ones."""
        scores = torch.tensor([float(right.mean()) for right in self.right("validation")])
        better = scores >= self._best_scores
        self._best_scores = torch.where(better, scores, self._best_scores)
        with torch.no_grad():
            for name, weights in self.codes.named_parameters():
                self._best[name][better] = weights[better]
        mean = float(scores.mean())
        rows = sum(len(split.validation) for split in self.splits)
        return {"validation": Evaluation(scores={"accuracy": mean}, metric=_ACCURACY, rows=rows)}

    def take_best(self) -> None:
        """Give every run the weights that were best on its validation strings."""
        with torch.no_grad():
            for name, weights in self.codes.named_parameters():
                weights.copy_(self._best[name])

    def right(self, part: Part | None) -> list[NDArray[np.bool_]]:
        """Tell for every run which strings of a part, or of the whole language, it gets across."""
        rows = self.rows(part)
        if not any(len(one) for one in rows):
            return [np.zeros(0, dtype=bool) for _ in rows]
        said = self.said(rows)
        return [
            (said[run, : len(one)] == self.language.to_symbols(self.language.strings[one])).all(axis=-1)
            for run, one in enumerate(rows)
        ]

    @torch.no_grad()
    def said(self, rows: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return what the listeners understand [r, most rows, N]; shorter runs are filled up."""
        return self.codes.listen(self.codes.sample(self.codes.speak(self.given(rows)))).argmax(-1).numpy()

    def given(self, rows: list[NDArray[np.int64]]) -> Tensor:
        """Return the symbols [r, most rows, N] of each run's rows; shorter ones are filled up."""
        longest = max(len(one) for one in rows)
        filled = [np.pad(one, (0, longest - len(one))) for one in rows]
        return self._symbols[np.stack(filled)]

    def rows(self, part: Part | None, *, most: int = _SCORED) -> list[NDArray[np.int64]]:
        """Return at most so many strings of a part, run by run; None is the whole language."""
        every = np.arange(len(self.language))
        rows = [every if part is None else getattr(split, part) for split in self.splits]
        return [
            one if len(one) <= most else np.random.default_rng(3).choice(one, most, replace=False)
            for one in rows
        ]

    def state(self) -> State:
        """Return the best weights so far."""
        return {"best": dict(self._best), "scores": self._best_scores}

    def load_state(self, state: State) -> None:
        """Take them back."""
        self._best_scores = state["scores"]
        for name, weights in state["best"].items():
            self._best[name].copy_(weights)

    def _split(self, seed: int) -> Split:
        return split_language(
            self.language,
            combinations=self.training.combinations,
            random=self.training.random,
            seed=seed,
        )


def batch_stream(seed: int, epoch: int, position: int) -> list[int]:
    """Return the key of the random stream of a batch.

    Short keys are filled up with zeros, so that [seed, 1] and [seed, 1, 0] are one stream: the first steps of
    epochs 1 and 7 draw from the numbers that the weights and the hold-out came from. That is two steps of a
    run, whose draws are of another kind; it is left as published results have it. Later epochs, which only
    longer runs have, are kept apart from the streams of the measures, [seed, 11, …].
    """
    return [seed, epoch, position] if epoch < _EPOCHS_AS_PUBLISHED else [seed, epoch, position, 1]
