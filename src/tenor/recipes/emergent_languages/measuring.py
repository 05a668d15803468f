"""What a code is measured by: accuracy, precision, recall, residual entropy.

*Precision* is the share of strings of the language among those that the listener makes of messages from the
prior; a string is one where every concept has exactly one symbol, in whatever order. *Recall* is the mean
log-probability of held-out strings, each estimated from K messages z_k ~ q(z|s):

    log p(s) ≈ log mean_k [ p(s|z_k) p(z_k) / q(z_k|s) ]

Shapes: r runs, b strings, l bits, N concepts.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tenor.layers.straight_through import gumbel
from tenor.metrics.residual_entropy import BitReading
from tenor.recipes.emergent_languages.language import PARTS, ConceptLanguage
from tenor.recipes.emergent_languages.learner import CodeLearner
from tenor.recipes.emergent_languages.network import Codes

_READ = 100_000  # strings that residual entropy is counted on, of languages that have more
_AT_ONCE = 2000  # strings that go through the speakers at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeMeasures:
    """What one run came to."""

    seed: int
    train: float
    """Accuracy: all symbols of a string are understood. Of training strings, those held out at random (NaN
    where there are none), and those with combinations of values that were held out."""
    random: float
    validation: float
    test: float
    language: float
    """Accuracy over the whole language, which no code of l bits can bring above 2**l / size."""
    precision: float
    recall: float
    greedy_residual_entropy: float
    least_residual_entropy: float
    """Of languages with more strings than are counted, of a sample: entropies from counts are then too low,
    by about the number of pairs of patterns and values over twice the sample."""
    messages: int
    """Different messages over the strings that were read."""


def measure(learner: CodeLearner, *, samples: int = 1000, draws: int = 20) -> list[CodeMeasures]:
    """Measure the runs of a learner with the weights that it has."""
    accuracy = {part: [_share(one) for one in learner.right(part)] for part in PARTS}
    whole = [_share(one) for one in learner.right(None)]
    precisions = precision(learner.codes, learner.language, samples=samples)
    recalls = recall(learner, draws=draws)
    rows = learner.rows(None, most=_READ)[0]
    messages = _messages(learner, rows)
    found = []
    for run, seed in enumerate(learner.seeds):
        reading = BitReading(learner.language.strings[rows], messages[run])
        found.append(
            CodeMeasures(
                seed=seed,
                **{part: accuracy[part][run] for part in PARTS},
                language=whole[run],
                precision=precisions[run],
                recall=recalls[run],
                greedy_residual_entropy=reading.residual_entropy(reading.greedy()),
                least_residual_entropy=reading.residual_entropy(reading.least()),
                messages=len(np.unique(messages[run], axis=0)),
            )
        )
    return found


def _messages(learner: CodeLearner, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return every run's most probable messages [r, rows, l] of strings, some strings at a time."""
    parts = np.array_split(rows, max(1, math.ceil(len(rows) / _AT_ONCE)))
    said = [
        most_probable_messages(learner.codes, learner.given([part] * learner.codes.runs)) for part in parts
    ]
    return np.concatenate(said, axis=1)


@torch.no_grad()
def most_probable_messages(codes: Codes, symbols: Tensor) -> NDArray[np.int64]:
    """Return the bits [r, b, l] that the speakers find most probable for symbols [r, b, N]."""
    return codes.speak(symbols).argmax(-1).numpy()


def valid_strings(symbols: NDArray[np.int64], language: ConceptLanguage) -> NDArray[np.bool_]:
    """Tell which strings of symbols [..., N] hold exactly one symbol of every concept, in any order."""
    held = np.sort(symbols // language.values, axis=-1)
    valid: NDArray[np.bool_] = (held == np.arange(language.concepts)).all(axis=-1)
    return valid


@torch.no_grad()
def precision(codes: Codes, language: ConceptLanguage, *, samples: int = 1000) -> list[float]:
    """Return for each run the share of valid strings among those made of messages from its prior."""
    drawn = _noise(codes, samples, what=2)
    messages = codes.sample(codes.prior[:, None].expand(-1, samples, -1, -1), drawn)
    said = codes.listen(messages).argmax(-1).numpy()
    return [float(valid_strings(one, language).mean()) for one in said]


@torch.no_grad()
def recall(learner: CodeLearner, *, draws: int = 20) -> list[float]:
    """Return for each run the mean log-probability of its held-out strings."""
    rows, codes = learner.rows("test"), learner.codes
    symbols = learner.given(rows)
    logits = codes.speak(symbols)
    terms = []
    for draw in range(draws):
        messages = codes.sample(logits, _noise(codes, symbols.shape[1], what=3 + draw))
        terms.append(log_weights(codes, symbols, messages, logits))
    estimates = torch.logsumexp(torch.stack(terms), dim=0) - math.log(draws)  # [r, b]
    return [float(estimates[run, : len(one)].mean()) for run, one in enumerate(rows)]


def log_weights(codes: Codes, symbols: Tensor, messages: Tensor, logits: Tensor) -> Tensor:
    """Return log p(s|z) + log p(z) - log q(z|s) [r, b] of messages [r, b, l, 2] drawn from q's logits."""
    heard = functional.log_softmax(codes.listen(messages), dim=-1)
    likelihood = heard.gather(-1, symbols[..., None])[..., 0].sum(-1)
    prior = (functional.log_softmax(codes.prior, dim=-1)[:, None] * messages).sum(dim=(-2, -1))
    posterior = (functional.log_softmax(logits, dim=-1) * messages).sum(dim=(-2, -1))
    return likelihood + prior - posterior


def _share(right: NDArray[np.bool_]) -> float:
    return float(right.mean()) if right.size else math.nan


def _noise(codes: Codes, count: int, *, what: int) -> Tensor:
    """Draw Gumbel noise [r, count, l, 2], each run's from its own seed."""
    size = (count, codes.config.bits, 2)
    drawn = [np.random.default_rng([seed, 11, what]).random(size, dtype=np.float32) for seed in codes.seeds]
    return gumbel(torch.from_numpy(np.stack(drawn)))
