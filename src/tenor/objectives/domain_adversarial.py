"""Domain-adversarial training (Ganin et al., 2016): features from which no domain, or language, can be told.

A discriminator D reads the features F(x) of texts without labels behind a layer that reverses gradients:

    D(x) = softmax(Tᵀ ReLU(Vᵀ F(x)))        V [d, h], T [h, o] for o domains
    θ_D ← θ_D - η ∂L_D/∂θ_D                 θ_F ← θ_F - η (∂L_C/∂θ_F - λ ∂L_D/∂θ_F)

L_D is the cross-entropy of the domain that the text comes from, a mean over words (or texts), L_C the tasks'
own loss. D sees a batch with as many texts of each domain at every so many steps; what was learned from the
labels of some languages then serves others (Lange et al., 2020). F(x) are the encoder's states, or the
embeddings that it gets, after the map between both where there is one (``tenor.model.feature_map``).

Shapes: r texts, T tokens, W words, d hidden size.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tenor.errors import TenorError
from tenor.layers.gradient_reversal import reverse_gradient
from tenor.layers.pooling import pool_mean
from tenor.model.network import Network, join
from tenor.objectives.domain_adversarial_config import DomainAdversarialConfig
from tenor.objectives.objective import ForwardPass, Objective, Step
from tenor.tasks.task import EncoderOutput, TaskBatch
from tenor.tasks.texts.kind import own_seed
from tenor.text.lines import read_lines
from tenor.text.opening import open_bytes
from tenor.text.problems import Problems
from tenor.text.tokenizer import Text, Tokenizer
from tenor.text.tokens import Tokens

Places = NDArray[np.int64]


class DomainAdversarial(Objective, nn.Module):
    """A discriminator of domains, and the reversed gradient that it sends back.

    ``texts`` are those of each domain from memory, as strings or lists of words; else the files are read.
    """

    def __init__(
        self,
        name: str,
        config: DomainAdversarialConfig,
        texts: Mapping[str, Sequence[Text]] | None = None,
    ) -> None:
        super().__init__()
        self.name, self.config = name, config
        self._given = texts
        self._calls = 0
        self._mean_units = 1.0

    def prepare(self, network: Network, tokenizer: Tokenizer | None, *, seed: int) -> None:
        """Tokenise the texts and make the discriminator."""
        if tokenizer is None:
            raise TenorError(f"The objective {self.name!r} has texts to tokenise, and there is no tokenizer.")
        texts = self._given if self._given is not None else _read(self.config.texts)
        _check(self.name, texts)
        self.domains = tuple(texts)
        self._tokens = [tokenizer.tokenize(list(each), words=True) for each in texts.values()]
        with torch.random.fork_rng(devices=[]):
            size = self._feature_size(network)
            torch.manual_seed(own_seed(seed, self.name))
            self.discriminator = nn.Sequential(
                nn.Linear(size, self.config.hidden_size),
                nn.ReLU(),
                nn.Linear(self.config.hidden_size, len(self.domains)),
            ).to(network.device)

    def _feature_size(self, network: Network) -> int:
        """Return the size of the features, once it is clear that there are weights to press on."""
        longest = int(self._tokens[0].lengths.argmax())
        batch = _batch([self._tokens[0].take(np.array([longest]))], [0])
        features = self._features(network, network.see({self.name: batch})[self.name])
        if not features.requires_grad:
            raise TenorError(
                f"The objective {self.name!r} presses on the {self.config.reads}, below which no weight is "
                "trained; train some, or give an adapter such as FeatureMap."
            )
        return features.shape[1]

    def batch(self, generator: np.random.Generator) -> TaskBatch | None:
        """Draw as many texts of each domain, at every so many steps."""
        self._calls += 1
        if self._calls % self.config.every:
            return None
        each = -(-self.config.batch_size // len(self.domains))
        drawn = [
            generator.choice(len(tokens), size=each, replace=each > len(tokens)) for tokens in self._tokens
        ]
        parts = [tokens.take(rows) for tokens, rows in zip(self._tokens, drawn, strict=True)]
        batch = _batch(parts, range(len(parts)))
        self._mean_units = len(self._units(batch)) / len(batch)
        return batch

    def losses(self, forward: ForwardPass, step: Step) -> Mapping[str, Tensor]:
        """Return the cross-entropy of the domains, of a step that has texts for it."""
        if self.name not in forward.batches:
            return {}
        batch, seen = forward.batches[self.name], forward.seen[self.name]
        assert batch.targets is not None
        logits = self.logits(reverse_gradient(self.features(forward), self.config.weight))
        domains = batch.targets[torch.from_numpy(self._units(batch)).to(batch.targets.device)]
        total = functional.cross_entropy(logits, domains, reduction="sum")
        # By the words of the whole batch, which may go through the encoder in several passes.
        return {self.name: total / max(1.0, self._mean_units * len(seen.packing))}

    def features(self, forward: ForwardPass) -> Tensor:
        """Return F(x) of every word [W, d] or text [r, d] of the objective's own batch."""
        seen, tokens = forward.seen[self.name], forward.batches[self.name].tokens
        values = self._features(forward.network, seen)
        if self.config.level == "text":
            return pool_mean(values, seen.packing)
        return values.index_select(0, torch.from_numpy(_first_pieces(tokens)).to(values.device))

    def logits(self, features: Tensor) -> Tensor:
        """Return what the discriminator says of features, before the softmax [W, o]."""
        logits: Tensor = self.discriminator(features.float())
        return logits

    def _features(self, network: Network, seen: EncoderOutput) -> Tensor:
        if self.config.reads == "states":
            return seen.last
        return network.encoder.input_embeddings(seen.batch)

    def _units(self, batch: TaskBatch) -> Places:
        """Return the row of the batch that each word, or text, belongs to."""
        if self.config.level == "text":
            return np.arange(len(batch), dtype=np.int64)
        tokens = batch.tokens
        rows = np.repeat(np.arange(len(tokens), dtype=np.int64), tokens.lengths)
        return rows[_first_pieces(tokens)]

    def state(self) -> dict[str, Any]:
        """Return how many steps there were."""
        return {"calls": self._calls}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on counting."""
        self._calls = int(state["calls"])


def _first_pieces(tokens: Tokens) -> Places:
    """Return the positions of the first piece of every word."""
    assert tokens.words is not None
    first = np.ones(len(tokens.words), dtype=bool)
    first[1:] = tokens.words[1:] != tokens.words[:-1]
    first[tokens.starts[:-1][tokens.lengths > 0]] = True
    return np.flatnonzero(first & (tokens.words >= 0))


def _batch(parts: Sequence[Tokens], domains: Sequence[int]) -> TaskBatch:
    tokens = join(list(parts))
    targets = np.repeat(np.asarray(domains, dtype=np.int64), [len(part) for part in parts])
    return TaskBatch(
        rows=np.arange(len(tokens), dtype=np.int64), tokens=tokens, targets=torch.from_numpy(targets)
    )


def _read(files: Mapping[str, str]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for domain, file in files.items():
        with open_bytes(Path(file)) as opened:
            lines = read_lines(opened, encoding="utf-8-sig", problems=Problems())
            texts[domain] = [line.strip() for _, line in lines if line.strip()]
    return texts


def _check(name: str, texts: Mapping[str, Sequence[Text]]) -> None:
    if len(texts) < 2:
        raise TenorError(
            f"The objective {name!r} tells domains apart, but has texts of {len(texts)}; give it a table "
            "texts with a file for each of two or more."
        )
    for domain, own in texts.items():
        if not any(own):
            raise TenorError(f"The objective {name!r} has no texts of {domain!r}; give a file with some.")
