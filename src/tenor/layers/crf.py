"""A linear-chain conditional random field over a packed batch (Lafferty et al., 2001).

    p(y | e) = exp(start[y_1] + Σ_t e_t[y_t] + Σ_t transitions[y_{t-1}, y_t] + end[y_m]) / Z(e)

with the emissions e of an encoder and learned scores of transitions, starts and ends. Parameters are named
and oriented as in pytorch-crf: ``transitions[i, j]`` goes from i to j. Inference is that of
``tenor.layers.viterbi``, in numpy on the CPU: its steps are so small that torch would mostly wait for its own
calls, and the same code serves predictions without torch. The gradient of log Z is known in closed form
(expected counts), so nothing is recorded step by step; it has no second derivative.

Shapes: n sequences, T tokens, k labels.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from tenor.layers.packed import Packing
from tenor.layers.viterbi import FORBIDDEN, ExpectedCounts, Floats, Trellis, viterbi

_INITIAL_RANGE = 0.1


class CRF(nn.Module):
    """Transition, start and end scores, the loss that trains them, Viterbi decoding and marginals.

    The constraints ``allowed`` [k, k], ``allowed_start`` [k] and ``allowed_end`` [k] are False where a label
    may not follow, begin or end. What is forbidden has probability 0 in the loss and is never decoded.

    >>> import numpy as np
    >>> packing = Packing(np.array([0, 3, 5]))
    >>> emissions = torch.tensor([[9.0, 0.0], [0.0, 9.0], [0.0, 5.0], [9.0, 0.0], [0.0, 9.0]])
    >>> crf = CRF(2, allowed=torch.tensor([[True, True], [True, False]]))
    >>> crf.decode(emissions, packing).tolist()  # label 1 may not follow itself
    [0, 1, 0, 0, 1]
    """

    allowed: Tensor | None
    allowed_start: Tensor | None
    allowed_end: Tensor | None

    def __init__(
        self,
        num_labels: int,
        *,
        allowed: Tensor | None = None,
        allowed_start: Tensor | None = None,
        allowed_end: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.num_labels = num_labels
        self.transitions = nn.Parameter(torch.empty(num_labels, num_labels))
        self.start_transitions = nn.Parameter(torch.empty(num_labels))
        self.end_transitions = nn.Parameter(torch.empty(num_labels))
        self._constrain("allowed", allowed, (num_labels, num_labels))
        self._constrain("allowed_start", allowed_start, (num_labels,))
        self._constrain("allowed_end", allowed_end, (num_labels,))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw small random scores."""
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -_INITIAL_RANGE, _INITIAL_RANGE)

    def neg_log_likelihood(self, emissions: Tensor, labels: Tensor, packing: Packing) -> Tensor:
        """Return -log p(labels) of each sequence [n] from emissions [T, k] and labels [T]; 0 if empty."""
        emissions, scores = _precise(emissions), self._scores()
        log_partition: Tensor = _LogPartition.apply(emissions, *scores, packing)  # type: ignore[no-untyped-call]
        # The difference of two large numbers, and so in float64.
        losses = log_partition - _sequence_scores(emissions, labels, packing, *scores)
        return losses.to(emissions.dtype)

    @torch.no_grad()
    def decode(self, emissions: Tensor, packing: Packing) -> Tensor:
        """Return the labels [T] with the highest score of each sequence, by the Viterbi algorithm."""
        labels = viterbi(_array(emissions), packing.starts, *map(_array, self._scores()))
        return torch.from_numpy(labels).to(emissions.device)

    @torch.no_grad()
    def marginals(self, emissions: Tensor, packing: Packing) -> Tensor:
        """Return the posterior probability of each label at each token [T, k], without a gradient."""
        trellis = Trellis(_array(emissions), packing.starts, *map(_array, self._scores()))
        counts = trellis.expected_counts(_array(torch.ones(len(packing))))
        return _tensor(counts.emissions, emissions.device, _precise(emissions).dtype)

    def _scores(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return transitions, start and end scores with the forbidden ones lowered."""
        return (
            _lowered(self.transitions, self.allowed),
            _lowered(self.start_transitions, self.allowed_start),
            _lowered(self.end_transitions, self.allowed_end),
        )

    def _constrain(self, name: str, allowed: Tensor | None, shape: tuple[int, ...]) -> None:
        if allowed is not None and allowed.shape != shape:
            raise ValueError(f"The constraint {name} has the shape {tuple(allowed.shape)}, not {shape}.")
        self.register_buffer(name, None if allowed is None else allowed.bool(), persistent=False)


class _LogPartition(torch.autograd.Function):
    """The log partition function of each sequence [n], whose gradient are expected counts."""

    @staticmethod
    def forward(
        ctx: Any, emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, packing: Packing
    ) -> Tensor:
        ctx.trellis = Trellis(
            _array(emissions), packing.starts, _array(transitions), _array(start), _array(end)
        )
        ctx.kinds = [(scores.device, scores.dtype) for scores in (emissions, transitions, start, end)]
        return _tensor(ctx.trellis.log_partition, emissions.device, torch.float64)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        counts: ExpectedCounts = ctx.trellis.expected_counts(_array(gradient))
        arrays = counts.emissions, counts.transitions, counts.start, counts.end
        return (*(_tensor(array, *kind) for array, kind in zip(arrays, ctx.kinds, strict=True)), None)


def _sequence_scores(
    emissions: Tensor, labels: Tensor, packing: Packing, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    """Return the score of the given labels of each sequence [n], in float64."""
    totals = emissions.new_zeros(len(packing), dtype=torch.float64)
    totals = totals.index_add(0, packing.text_of, emissions.gather(1, labels[:, None])[:, 0].double())
    later = packing.places.nonzero()[:, 0]  # the tokens that have one before them
    between = transitions[labels[later - 1], labels[later]]
    totals = totals.index_add(0, packing.text_of[later], between.double())
    present = packing.lengths.nonzero()[:, 0]
    first, last = packing.firsts[present], packing.firsts[present] + packing.lengths[present] - 1
    edges = start.index_select(0, labels[first]) + end.index_select(0, labels[last])
    return totals.index_add(0, present, edges.double())


def _lowered(scores: Tensor, allowed: Tensor | None) -> Tensor:
    scores = _precise(scores)
    return scores if allowed is None else scores.masked_fill(~allowed, FORBIDDEN)


def _precise(values: Tensor) -> Tensor:
    """Raise half precisions to float32."""
    return values.to(torch.promote_types(values.dtype, torch.float32))


def _array(values: Tensor) -> Floats:
    return values.detach().to("cpu", torch.float64).numpy()


def _tensor(array: Floats, device: torch.device, dtype: torch.dtype) -> Tensor:
    return torch.from_numpy(array).to(device, dtype)
