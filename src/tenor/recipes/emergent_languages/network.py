"""Speaker, listener and prior of a discrete code, for many runs side by side.

The speaker turns a string into bits, q(z|s) = Π_t q(z_t|s); the listener turns bits into a string,
p(s|z) = Π_j p(s_j|z); the prior p(z) = Π_t p(z_t) is a table. Together they are a variational autoencoder
with a discrete bottleneck (Gupta, Resnick, Foerster, Dai and Cho, 2020).

    speaker    embeddings of the N symbols side by side -> 2 logits a bit (``speakers.py``)
    listener   the message, two numbers a bit -> embedding -> LSTM over N steps, the same input at each
               -> logits of all symbols at every step

Shapes: r runs, b strings, N concepts, l bits, V symbols.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tenor.errors import TenorError, did_you_mean
from tenor.layers.parallel_lstm import ParallelLinear, ParallelLSTM
from tenor.layers.straight_through import straight_through
from tenor.recipes.emergent_languages.speakers import SPEAKERS

_SIZES = ("bits", "units", "speaker_embedding", "projection", "listener_embedding")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeConfig:
    """Bandwidth (bits) and capacity (units, and the sizes around them) of a code.

    >>> CodeConfig(bits=12, units=64).listener_units
    64
    """

    bits: int
    units: int = 64
    """Hidden size of the speaker, and of the listener unless it has its own."""
    own_listener_units: int | None = None
    speaker: str = "mlp"
    """mlp or lstm."""
    speaker_embedding: int = 16
    projection: int = 32
    """Between the states of an LSTM speaker and its bits."""
    listener_embedding: int = 64
    temperature: float = 1.0
    """Of the relaxation whose gradient is taken."""

    def __post_init__(self) -> None:
        for name in _SIZES:
            if getattr(self, name) < 1:
                raise TenorError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        if not self.temperature > 0:
            raise TenorError(f"temperature is {self.temperature}; it must be above 0.")
        if self.speaker not in SPEAKERS:
            near = did_you_mean(self.speaker, SPEAKERS) or f" There are {', '.join(SPEAKERS)}."
            raise TenorError(f"There is no speaker {self.speaker!r}.{near}")

    @property
    def listener_units(self) -> int:
        """Hidden size of the listener."""
        return self.own_listener_units or self.units


class Codes(nn.Module):
    """Speakers, listeners and priors of as many runs as there are seeds; no run knows of another.

    >>> codes = Codes(CodeConfig(bits=5, units=4), concepts=3, symbols=12, seeds=(1, 2))
    >>> codes.speak(torch.zeros(2, 7, 3, dtype=torch.long)).shape
    torch.Size([2, 7, 5, 2])
    """

    def __init__(self, config: CodeConfig, *, concepts: int, symbols: int, seeds: tuple[int, ...]) -> None:
        super().__init__()
        runs = len(seeds)
        self.config, self.concepts, self.symbols, self.seeds = config, concepts, symbols, seeds
        self.embedding = nn.Parameter(torch.zeros(runs, symbols, config.speaker_embedding))
        self.speaker = SPEAKERS[config.speaker](
            runs,
            input_size=concepts * config.speaker_embedding,
            units=config.units,
            projection=config.projection,
            bits=config.bits,
        )
        self.heard = ParallelLinear(runs, 2 * config.bits, config.listener_embedding)
        self.listener = ParallelLSTM(
            runs, input_size=config.listener_embedding, hidden_size=config.listener_units
        )
        self.to_symbols = ParallelLinear(runs, config.listener_units, symbols)
        self.prior = nn.Parameter(torch.zeros(runs, config.bits, 2))
        self._initialise()

    @property
    def runs(self) -> int:
        """The number of runs side by side."""
        return len(self.seeds)

    def speak(self, symbols: Tensor) -> Tensor:
        """Return the logits of messages [r, b, l, 2] from symbols [r, b, N]."""
        offsets = self.symbols * torch.arange(self.runs)[:, None, None]
        embedded = functional.embedding(symbols + offsets, self.embedding.flatten(0, 1)).flatten(2)
        logits: Tensor = self.speaker(embedded)
        return logits

    def listen(self, messages: Tensor) -> Tensor:
        """Return the logits of symbols [r, b, N, V] from one-hot messages [r, b, l, 2]."""
        runs, count = messages.shape[:2]
        states = self.listener(self.heard(messages.flatten(2)), steps=self.concepts)  # [N, r, b, h]
        rows = states.permute(1, 2, 0, 3).reshape(runs, count * self.concepts, -1)
        logits: Tensor = self.to_symbols(rows).view(runs, count, self.concepts, self.symbols)
        return logits

    def sample(self, logits: Tensor, noise: Tensor | None = None) -> Tensor:
        """Return one-hot messages: drawn where there is noise, else the most probable bits."""
        return straight_through(logits, noise, temperature=self.config.temperature)

    def sizes(self) -> dict[str, int]:
        """Count the parameters of one run: those of the speaker, of the listener, and all."""
        speaker = [self.embedding, *self.speaker.parameters()]
        listener = [*self.heard.parameters(), *self.listener.parameters(), *self.to_symbols.parameters()]
        counts = {
            "speaker": sum(each[0].numel() for each in speaker),
            "listener": sum(each[0].numel() for each in listener),
        }
        return counts | {"all": sum(counts.values()) + self.prior[0].numel()}

    @torch.no_grad()
    def _initialise(self) -> None:
        """Draw each run's weights from its own seed, as torch's layers do; the prior begins uniform."""
        generators = [np.random.default_rng([seed, 1]) for seed in self.seeds]
        for run, generator in enumerate(generators):
            self.embedding[run] = _float32(generator.standard_normal(self.embedding.shape[1:]))
        for layer in self.modules():
            if isinstance(layer, ParallelLSTM | ParallelLinear):
                fan = layer.hidden_size if isinstance(layer, ParallelLSTM) else layer.weight.shape[1]
                bound = 1 / sqrt(fan)
                for parameter in layer.parameters():
                    for run, generator in enumerate(generators):
                        drawn = generator.uniform(-bound, bound, parameter.shape[1:])
                        parameter[run] = _float32(drawn)


def kl_to_prior(logits: Tensor, prior: Tensor) -> Tensor:
    """Return Σ_t KL(q(z_t|s) || p(z_t)) [r, b] of posterior [r, b, l, 2] and prior logits [r, l, 2]."""
    posterior = functional.log_softmax(logits, dim=-1)
    reference = functional.log_softmax(prior, dim=-1)[:, None]
    return (posterior.exp() * (posterior - reference)).sum(dim=(-2, -1))


def _float32(drawn: np.ndarray) -> Tensor:
    return torch.from_numpy(drawn.astype(np.float32))
