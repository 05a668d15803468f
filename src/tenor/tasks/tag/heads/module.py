"""Heads in torch: the base, and those that score every label of every word (softmax and CRF).

    softmax   p(y_i) = softmax(W h_i + b), decoded as the best sequence that the scheme allows, or as the
              best label of every word, repaired by a rule
    crf       p(y) ∝ exp(Σ_i (W h_i + b)[y_i] + Σ_i A[y_{i-1}, y_i])        (Lafferty et al., 2001)

Shapes: W words, n sentences, d hidden size, k labels, b bits of a word's shape.
"""

import itertools
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tenor.layers.crf import CRF
from tenor.layers.linear import Linear
from tenor.layers.packed import Packing
from tenor.layers.viterbi import viterbi
from tenor.tasks.tag.heads.head import UNKNOWN, constraints
from tenor.tasks.tag.kind import TagSpec
from tenor.text.ragged import Ragged
from tenor.text.tag_schemes import repair
from tenor.text.word_shapes import SHAPES

Floats = NDArray[np.float32]


class TagHead(nn.Module, ABC):
    """Reads the vectors of words and, where the task has them, the bits of their shapes."""

    def __init__(self, spec: TagSpec) -> None:
        super().__init__()
        self.spec = spec

    @abstractmethod
    def forward(self, words: Tensor, shapes: Tensor | None) -> Any:
        """Return what ``losses`` and ``predict`` take, from words [W, d] and bits of shapes [W, b]."""

    @abstractmethod
    def losses(self, output: Any, numbers: Ragged) -> dict[str, Tensor]:
        """Return named losses, means over words; ``numbers`` are the labels by sentence."""

    @abstractmethod
    def predict(self, output: Any, starts: NDArray[np.int64]) -> list[Floats]:
        """Return the predictions of every sentence, whose words begin at ``starts`` [n + 1]."""


class EmissionHead(TagHead):
    """A score for each label of each word, with or without a CRF over them."""

    def __init__(self, spec: TagSpec, inputs: int, *, crf: bool) -> None:
        super().__init__(spec)
        count = len(spec.labels)
        self._allowed = constraints(spec)
        self.out = Linear(inputs, count)
        self.shapes = Linear(len(SHAPES), count, bias=False) if spec.casing else None
        flags = {key: torch.from_numpy(value) for key, value in self._allowed.items()}
        self.crf = CRF(count, **flags) if crf else None

    def forward(self, words: Tensor, shapes: Tensor | None) -> Tensor:
        """Return the scores of all labels for every word [W, k]."""
        out: Tensor = self.out(words)
        if self.shapes is not None and shapes is not None:
            out = out + self.shapes(shapes.to(out.device, out.dtype))
        return out.float()

    def losses(self, output: Any, numbers: Ragged) -> dict[str, Tensor]:
        """Return the negative log-likelihood per word; words of unknown tags do not count.

        A CRF scores whole sentences, so that it leaves out those with an unknown tag.
        """
        labels = torch.from_numpy(numbers.values).to(output.device)
        if self.crf is None:
            known = functional.cross_entropy(output, labels, ignore_index=UNKNOWN, reduction="sum")
            return {"loss": known / max(1, len(labels))}
        packing = Packing(numbers.starts, output.device)
        likelihoods = self.crf.neg_log_likelihood(output, labels.clamp(min=0), packing)
        gaps = np.concatenate([[0], np.cumsum(numbers.values == UNKNOWN)])[numbers.starts]
        known = torch.from_numpy(np.diff(gaps) == 0).to(output.device)
        return {"loss": likelihoods[known].sum() / max(1, len(labels))}

    def predict(self, output: Any, starts: NDArray[np.int64]) -> list[Floats]:
        """Return the label of each word and the probabilities of all [words, 1 + k]."""
        return split_rows(self.decoded(output.detach(), starts), starts)

    def decoded(self, emissions: Tensor, starts: NDArray[np.int64]) -> Floats:
        """Return labels and probabilities of all words of the batch [W, 1 + k]."""
        if self.crf is not None:
            packing = Packing(starts, emissions.device)
            best = self.crf.decode(emissions, packing).cpu().numpy()
            probabilities = self.crf.marginals(emissions, packing).cpu().numpy()
        else:
            probabilities = emissions.softmax(dim=1).cpu().numpy()
            best = self._best(probabilities, starts)
        return np.concatenate([best[:, None], probabilities], axis=1).astype(np.float32)

    def _best(self, probabilities: Floats, starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the label of each word [W] out of the probabilities of each by itself."""
        rule = self.spec.decoding
        if rule == "viterbi" or not self.spec.spans:
            none = np.zeros(len(self.spec.labels))
            scores = np.log(np.maximum(probabilities, 1e-30))
            return viterbi(scores, starts, np.zeros((len(none), len(none))), none, none, **self._allowed)
        labels = self.spec.labels
        tags = [labels[number] for number in probabilities.argmax(axis=1).tolist()]
        sentences = (tags[begin:end] for begin, end in itertools.pairwise(starts.tolist()))
        numbers = {label: number for number, label in enumerate(labels)}
        repaired = [tag for each in sentences for tag in repair(each, self.spec.scheme, rule=rule)]
        return np.array([numbers[tag] for tag in repaired], dtype=np.int64)


def split_rows(table: Floats, starts: NDArray[np.int64]) -> list[Floats]:
    """Cut a table of words [W, …] into sentences."""
    return np.split(table, starts[1:-1]) if len(starts) > 1 else []
