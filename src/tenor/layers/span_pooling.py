"""One vector per span out of one vector per token, as indexed reductions on the flat axis.

For the tokens i … j of a span, with states e:

    average     mean of e_i … e_j                               d
    max         largest value of each dimension                 d
    attention   Σ softmax(v · e) e over the span, v learned     d   (``SpanAttention``)
    endpoint    [e_i ; e_j]                                     2d
    diff_sum    [e_j + e_i ; e_j - e_i]                         2d
    coherent    [e¹_i ; e²_j ; e³_i · e⁴_j]                     2a + 1

where coherent cuts e into e¹ … e⁴ of the sizes a, a, b, b with a : b = 480 : 32 (Seo et al., 2019). Tokens
outside a span are never read: neither its vector nor a gradient depends on them.

Shapes: T tokens, P spans, S tokens of all spans (a token counts once per span that it is in), d width.
"""

from functools import cached_property
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

SpanKind = Literal["average", "max", "endpoint", "diff_sum", "coherent"]
# Sizes of the four parts of a state, of 1024 in all, in the paper that coherent is from.
_COHERENT = (480, 32, 1024)


class Spans:
    """Stretches ``begins[p]:ends[p]`` of the flat axis, none empty; they may overlap.

    >>> spans = Spans(torch.tensor([0, 1]), torch.tensor([2, 2]))
    >>> spans.tokens.tolist(), spans.span_of.tolist()
    ([0, 1, 1], [0, 0, 1])
    """

    def __init__(self, begins: Tensor, ends: Tensor) -> None:
        self.begins, self.ends = begins, ends  # [P] each

    @classmethod
    def from_arrays(
        cls, begins: NDArray[np.int64], ends: NDArray[np.int64], device: torch.device | str = "cpu"
    ) -> "Spans":
        """Build from numpy arrays [P]."""
        return cls(torch.from_numpy(begins).to(device), torch.from_numpy(ends).to(device))

    def __len__(self) -> int:
        return len(self.begins)

    @cached_property
    def lengths(self) -> Tensor:
        """The number of tokens of each span [P]."""
        return self.ends - self.begins

    @cached_property
    def span_of(self) -> Tensor:
        """The span that each of the S tokens belongs to."""
        return torch.repeat_interleave(torch.arange(len(self), device=self.begins.device), self.lengths)

    @cached_property
    def tokens(self) -> Tensor:
        """The places of the S tokens on the flat axis, span after span."""
        firsts = torch.cumsum(self.lengths, 0) - self.lengths
        within = torch.arange(len(self.span_of), device=self.begins.device) - firsts[self.span_of]
        return self.begins[self.span_of] + within


def pool_spans(states: Tensor, spans: Spans, kind: SpanKind) -> Tensor:
    """Reduce states [T, d] to one vector per span [P, …].

    >>> states = torch.tensor([[1.0, -4.0], [3.0, -2.0]])
    >>> whole = Spans(torch.tensor([0]), torch.tensor([2]))
    >>> pool_spans(states, whole, "max").tolist(), pool_spans(states, whole, "average").tolist()
    ([[3.0, -2.0]], [[2.0, -3.0]])
    """
    if kind in ("average", "max"):
        inside = states.index_select(0, spans.tokens)  # [S, d]
        return _average(inside, spans) if kind == "average" else _max(inside, spans)
    first, last = states.index_select(0, spans.begins), states.index_select(0, spans.ends - 1)
    if kind == "endpoint":
        return torch.cat([first, last], dim=-1)
    if kind == "diff_sum":
        return torch.cat([last + first, last - first], dim=-1)
    return _coherent(first, last)


def span_width(kind: SpanKind, width: int) -> int:
    """Return the length of a span's vector where a token's has ``width``.

    >>> [span_width(kind, 256) for kind in ("average", "endpoint", "coherent")]
    [256, 512, 241]
    """
    if kind == "coherent":
        return 2 * _coherent_sizes(width)[0] + 1
    return width if kind in ("average", "max") else 2 * width


class SpanAttention(nn.Module):
    """A mean of a span's tokens, weighted by the softmax of a learned score; at first the plain mean."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.score = nn.Linear(width, 1, bias=False)  # a bias would cancel in the softmax
        nn.init.zeros_(self.score.weight)

    def forward(self, states: Tensor, spans: Spans) -> Tensor:
        """Return [P, d] from states [T, d]."""
        inside = states.index_select(0, spans.tokens)  # [S, d]
        scores = self.score(inside)[:, 0]  # [S]
        # Without the largest score of each span the softmax is the same, and never overflows.
        top = scores.detach().new_full((len(spans),), float("-inf"))
        top = top.scatter_reduce(0, spans.span_of, scores.detach(), reduce="amax")
        raised = torch.exp(scores - top[spans.span_of])
        total = raised.new_zeros(len(spans)).index_add(0, spans.span_of, raised)
        weights = raised / total[spans.span_of]
        return _sum(inside * weights[:, None], spans)


def _sum(inside: Tensor, spans: Spans) -> Tensor:
    return inside.new_zeros(len(spans), inside.shape[1]).index_add(0, spans.span_of, inside)


def _average(inside: Tensor, spans: Spans) -> Tensor:
    return _sum(inside, spans) / spans.lengths[:, None].to(inside.dtype)


def _max(inside: Tensor, spans: Spans) -> Tensor:
    if not len(spans):
        return inside
    # Spans lie one after the other, which takes less than half of the time of an indexed reduction.
    return torch.segment_reduce(inside, "max", lengths=spans.lengths)


def _coherent_sizes(width: int) -> tuple[int, int]:
    """Return a and b with 2a + 2b = width."""
    a = round(_COHERENT[0] * width / _COHERENT[2])
    return a, width // 2 - a


def _coherent(first: Tensor, last: Tensor) -> Tensor:
    a, b = _coherent_sizes(first.shape[1])
    inner, outer = first[:, 2 * a : 2 * a + b], last[:, 2 * a + b : 2 * a + 2 * b]
    product = (inner * outer).sum(dim=-1, keepdim=True)
    return torch.cat([first[:, :a], last[:, a : 2 * a], product], dim=-1)
