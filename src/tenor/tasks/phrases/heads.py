"""The two classifiers of transfer fine-tuning in torch, each one linear layer (Arase & Tsujii, 2019).

The phrasal one says of a phrase of either text whether they are paraphrases, a random pair, or two phrases of
paraphrased sentences that do not belong together (``tenor.tasks.phrases.spec`` has the formulas). The
sentential one says of two texts whether they are paraphrases, from the first state of the sequence that both
make. Weights are drawn from a normal distribution of deviation 0.02, biases are 0.

Shapes: T tokens, P phrase pairs, n texts, d width, k classes.
"""

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from tenor.layers.linear import Linear
from tenor.layers.packed import Packing
from tenor.layers.span_pooling import SpanKind, Spans, pool_spans
from tenor.tasks.heads.pairs import pair_features
from tenor.tasks.pair.kind import PairSpec
from tenor.tasks.phrases.spec import PAIR_FEATURES, PhraseSpec

_DEVIATION = 0.02
UNRELATED, PARAPHRASES = "unrelated", "paraphrase"


class PhraseHead(nn.Module):
    """Classifies pairs of spans.

    >>> import torch
    >>> head = PhraseHead(PhraseSpec(), width=4)
    >>> one, two = Spans(torch.tensor([0]), torch.tensor([2])), Spans(torch.tensor([3]), torch.tensor([4]))
    >>> head(torch.zeros(5, 4), one, two).shape
    torch.Size([1, 3])
    """

    def __init__(self, spec: PhraseSpec, *, width: int) -> None:
        super().__init__()
        self.spec = spec
        self.dropout = nn.Dropout(spec.dropout)
        self.out = _linear(spec.inputs(width), len(spec.labels))

    def features(self, states: Tensor, first: Spans, second: Spans) -> Tensor:
        """Return what is known of each pair of spans [P, 4d] or [P, 2d]."""
        kind: SpanKind = "max" if self.spec.features == "elaborate" else "average"
        u, v = (pool_spans(states, spans, kind) for spans in (first, second))  # [P, d]
        return pair_features(u, v, PAIR_FEATURES[self.spec.features])

    def forward(self, states: Tensor, first: Spans, second: Spans) -> Tensor:
        """Return logits [P, k] from the states [T, d] of a pass."""
        out: Tensor = self.out(self.dropout(self.features(states, first, second)))
        return out.float()

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Return the weights as arrays, under the names of ``phrase_probabilities``."""
        return {name: value.detach().float().cpu().numpy() for name, value in self.out.named_parameters()}


class SentenceHead(nn.Module):
    """Classifies two texts from the first state of the sequence that they make."""

    def __init__(self, *, width: int, dropout: float = 0.2) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.out = _linear(width, 2)

    def forward(self, states: Tensor, packing: Packing) -> Tensor:
        """Return logits [n, 2], unrelated and paraphrase, from the states [T, d] of n pairs of texts."""
        out: Tensor = self.out(self.dropout(states.index_select(0, packing.firsts)))
        return out.float()

    def as_task(self) -> tuple[PairSpec, dict[str, NDArray[np.float32]]]:
        """Return the same classifier as a pair task of a model folder.

        A pair task of two labels has one logit, the difference of the two here: the probabilities are equal.
        """
        spec = PairSpec(
            labels=(UNRELATED, PARAPHRASES),
            head="linear",
            encoding="cross",
            pooling="cls",
            dropout=self.dropout.p,
        )
        weight, bias = self.out.weight.detach(), self.out.bias.detach()
        told = {
            "network.out.weight": (weight[1:] - weight[:1]).float().cpu().numpy(),
            "network.out.bias": (bias[1:] - bias[:1]).float().cpu().numpy(),
        }
        return spec, told


def _linear(inputs: int, outputs: int) -> Linear:
    layer = Linear(inputs, outputs)
    nn.init.normal_(layer.weight, std=_DEVIATION)
    nn.init.zeros_(layer.bias)
    return layer
