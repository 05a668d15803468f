"""The learner of word operators: paraphrases must be more alike than the hardest negatives.

After Chen and Gimpel (2020). For a pair (s1, s2), with d the log of the expected likelihood of two Gaussians,
and n1, n2 the texts most like s1 and s2 among all other pairs of a mega-batch:

    max(0, δ - d(s1, s2) + d(s1, n1)) + max(0, δ - d(s1, s2) + d(s2, n2))
    + λ Σ_{s in s1, s2, n1, n2} Σ_{w in s} KL(N(A_w ⊙ B_w, A_w²) || N(0, I))

The second line keeps each word near the identity, so that only those words narrow a text that must. Negatives
are sought with the weights at the beginning of a mega-batch, over both sides of all its pairs. With some
probability the words of a text are scrambled, as the order of words is easily learned by heart.

Shapes: p pairs, n texts, k dimensions.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tenor.encoders.operators.encoder import OperatorsEncoder
from tenor.layers.gaussian import expected_likelihood, kl_to_standard
from tenor.layers.packed import PackedBatch
from tenor.tasks.task import Metric
from tenor.text.tokens import Tokens
from tenor.training.learner import Evaluation, Learner, StepContext
from tenor.training.state import State

Ints = NDArray[np.int64]
_AT_ONCE = 128  # texts that are compared with all others at a time
_METRIC = Metric("accuracy")


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSettings:
    """How operators are learned."""

    epochs: int = 2
    batch_size: int = 100
    """Pairs of a step."""
    mega_batch: int = 2
    """Batches among whose texts the hardest negatives are sought."""
    margin: float = 1.0
    prior: float = 0.05
    """Weight λ of the divergence of words from the identity."""
    scramble: float = 0.4
    """Probability that the words of a text are put in random order."""
    lr: float = 1e-2
    held_out: int = 500
    """Pairs by which the best weights are chosen; at most a tenth of all."""


class OperatorLearner(Learner):
    """Pairs of texts [2 p texts, the first and the second side of each pair in turn] and the encoder."""

    def __init__(self, encoder: OperatorsEncoder, tokens: Tokens, settings: OperatorSettings) -> None:
        self.encoder, self._tokens, self.settings = encoder, tokens, settings
        pairs = len(tokens) // 2
        held_out = min(settings.held_out, pairs // 10)
        self.dev, self.train = np.arange(held_out), np.arange(held_out, pairs)
        self._order: Ints = self.train
        self._negatives: Ints = np.zeros((0, 2), dtype=np.int64)

    @property
    def module(self) -> nn.Module:
        """All weights."""
        return self.encoder

    def begin_epoch(self, epoch: int, generator: np.random.Generator) -> int:
        """Put the pairs in random order and return the number of batches."""
        self._order = generator.permutation(self.train)
        return max(1, len(self._order) // self.settings.batch_size)

    def batch(self, position: int, generator: np.random.Generator) -> tuple[Tokens, int]:
        """Return the texts s1, s2, n1, n2 of a batch, one kind after the other, and the number of pairs."""
        size, mega = self.settings.batch_size, self.settings.mega_batch
        place = position % mega
        if place == 0:
            pairs = self._order[position * size : (position + mega) * size]
            self._negatives = hardest_negatives(*self._gaussians(_texts(pairs)), _texts(pairs))
        pairs = self._order[position * size : (position + 1) * size]
        negatives = self._negatives[place * size : place * size + len(pairs)]
        rows = np.concatenate([2 * pairs, 2 * pairs + 1, negatives[:, 0], negatives[:, 1]])
        return scrambled(self._tokens.take(rows), self.settings.scramble, generator), len(pairs)

    def losses(self, piece: Any, context: StepContext) -> dict[str, Tensor]:
        """Return the margin loss and the words' divergence from the prior, a mean over pairs each."""
        tokens, pairs = piece
        batch = PackedBatch.from_tokens(tokens)
        mean, log_var = (each.view(4, pairs, -1) for each in self.encoder.gaussians(batch))
        alike = expected_likelihood(mean[0], log_var[0], mean[1], log_var[1])
        wrong = expected_likelihood(mean[:2], log_var[:2], mean[2:], log_var[2:])  # [2, p]
        loss = (self.settings.margin - alike + wrong).clamp_min(0).sum(dim=0).mean()
        return {"margin": loss, "prior": self.settings.prior * self._word_divergence(batch) / pairs}

    def evaluate(self) -> dict[str, Evaluation]:
        """Say for how many held-out texts the partner is the most alike of all."""
        if not len(self.dev):
            return {}
        texts = _texts(self.dev)
        nearest = most_alike(*self._gaussians(texts), own=np.arange(len(texts))[:, None])
        right = float((nearest == np.arange(len(texts)) ^ 1).mean())
        return {"pairs": Evaluation(scores={"accuracy": right}, metric=_METRIC, rows=len(texts))}

    def tokens(self, batch: Any) -> int:
        """Return the number of tokens of a batch."""
        return len(batch[0].ids)

    def state(self) -> State:
        """Return the negatives of the current mega-batch."""
        return {"negatives": self._negatives}

    def load_state(self, state: State) -> None:
        """Take them back."""
        self._negatives = np.asarray(state["negatives"], dtype=np.int64)

    def _word_divergence(self, batch: PackedBatch) -> Tensor:
        log_scale, shift = self.encoder.operators(batch)
        return kl_to_standard(log_scale.exp() * shift, 2 * log_scale).sum()

    @torch.no_grad()
    def _gaussians(self, texts: Ints) -> tuple[Tensor, Tensor]:
        return self.encoder.gaussians(PackedBatch.from_tokens(self._tokens.take(texts)))


def hardest_negatives(mean: Tensor, log_var: Tensor, texts: Ints) -> Ints:
    """Return for both texts of every pair the text most like it outside the pair, as numbers [p, 2].

    ``texts`` are the numbers of the texts whose Gaussians are given, the two of a pair side by side.
    """
    places = np.arange(len(texts))
    own = np.stack([places, places ^ 1], axis=1)
    negatives: Ints = texts[most_alike(mean, log_var, own=own)].reshape(-1, 2)
    return negatives


@torch.no_grad()
def most_alike(mean: Tensor, log_var: Tensor, *, own: Ints) -> Ints:
    """Return for each text the place of the one most like it, of all but its ``own`` [n, few]."""
    found = np.empty(len(mean), dtype=np.int64)
    for start in range(0, len(mean), _AT_ONCE):
        rows = slice(start, min(start + _AT_ONCE, len(mean)))
        alike = expected_likelihood(mean[rows, None], log_var[rows, None], mean[None], log_var[None])
        alike.scatter_(1, torch.from_numpy(own[rows]), -torch.inf)
        found[rows] = alike.argmax(dim=1).numpy()
    return found


def scrambled(tokens: Tokens, probability: float, generator: np.random.Generator) -> Tokens:
    """Put the tokens of some texts in random order."""
    lengths = np.diff(tokens.starts)
    text_of = np.repeat(np.arange(len(lengths)), lengths)
    chosen = (generator.random(len(lengths)) < probability)[text_of]
    keys = np.where(chosen, generator.random(len(text_of)), np.arange(len(text_of)) / max(1, len(text_of)))
    order = np.lexsort((keys, text_of))
    return Tokens(tokens.ids[order], tokens.starts)


def _texts(pairs: Ints) -> Ints:
    return np.stack([2 * pairs, 2 * pairs + 1], axis=1).reshape(-1)
