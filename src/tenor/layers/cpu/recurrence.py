"""The recurrence of an LSTM with a gradient of its own, for training on a CPU.

torch has no fused backward pass for LSTMs there: it goes back through every operation of every step, which
for small layers takes six times as long as the steps forwards. Here whatever does not wait for the step after
it is worked out for all steps at once. With the gates i, f, o = σ(a) and g = tanh(a),

    a_t = x_t + W h_{t-1}        c_t = f ∘ c_{t-1} + i ∘ g        h_t = o ∘ tanh(c_t)

a step backwards is, where H and C are the gradients of h_t and c_t,

    C += H ∘ o (1 - tanh² c_t)
    ∂a_t = C ∘ g i (1-i),  C ∘ c_{t-1} f (1-f),  C ∘ i (1-g²),  H ∘ tanh(c_t) o (1-o)
    C ← C ∘ f        H ← ∂a_t W + ∂L/∂h_{t-1}

and ∂W = Σ_t ∂a_tᵀ h_{t-1} is one product at the end.

Shapes: n texts, m of them at work in a step, T tokens in time-major order, h hidden size. Gates stand in
torch's order: i, f, g, o.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from tenor.layers.time_major import TimeMajor


def suits(states: Tensor, weights: Sequence[Tensor]) -> bool:
    """Whether the recurrence with its own gradient is what these need: on a CPU, and a gradient is wanted."""
    return (
        states.device.type == "cpu"
        and states.dtype in (torch.float32, torch.float64)
        and torch.is_grad_enabled()
        and not torch.is_autocast_enabled("cpu")
        and (states.requires_grad or any(weight.requires_grad for weight in weights))
    )


def lstm_direction(states: Tensor, time: TimeMajor, weights: Sequence[Tensor], *, reverse: bool) -> Tensor:
    """Return the hidden states [T, h] of one direction; ``weights`` are torch's four of it.

    >>> lstm = torch.nn.LSTM(4, 3)
    >>> states, time = torch.randn(2, 4), TimeMajor.plan(np.array([0, 2]))
    >>> hidden = lstm_direction(states, time, list(lstm.parameters()), reverse=False)
    >>> torch.allclose(hidden, lstm(states)[0], atol=1e-6)
    True
    """
    weight_ih, weight_hh, bias_ih, bias_hh = weights
    gates = functional.linear(states, weight_ih, bias_ih + bias_hh)
    hidden: Tensor = _Recurrence.apply(gates, weight_hh, time, reverse)  # type: ignore[no-untyped-call]
    return hidden


class _Recurrence(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, given: Tensor, weight: Tensor, time: TimeMajor, reverse: bool) -> Tensor:
        gates = given.clone()
        cells, squashed, hidden = (given.new_empty(len(given), weight.shape[1]) for _ in range(3))
        _forwards(gates, weight, time, reverse, cells, squashed, hidden)
        ctx.save_for_backward(weight, gates, cells, squashed, hidden)
        ctx.time, ctx.reverse = time, reverse
        return hidden

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        weight, gates, cells, squashed, hidden = ctx.saved_tensors
        before = torch.from_numpy(_slots_before(ctx.time, reverse=ctx.reverse))
        cells_before, hidden_before = (_rows_or_zeros(states, before) for states in (cells, hidden))
        gates_gradient = _backwards(gradient, weight, ctx.time, ctx.reverse, gates, cells_before, squashed)
        weight_gradient = gates_gradient.t() @ hidden_before if ctx.needs_input_grad[1] else None
        return gates_gradient, weight_gradient, None, None


def _forwards(
    gates: Tensor, weight: Tensor, time: TimeMajor, reverse: bool, cells: Tensor, squashed: Tensor,
    hidden: Tensor,
) -> None:  # fmt: skip
    """Take all steps, in place: ``gates`` [T, 4h] hold x_t first, then i, f, g and o."""
    size, sizes = weight.shape[1], time.batch_sizes.tolist()
    zeros, recurrent = gates.new_zeros(max(sizes, default=0), size), weight.t()
    before = cell_before = zeros[:0]
    each = (gates, gates[:, : 2 * size], *gates.chunk(4, dim=1), cells, squashed, hidden)
    steps = list(zip(sizes, *(part.split_with_sizes(sizes) for part in each), strict=True))
    for m, gate, i_and_f, i, f, g, o, cell, squash, out in reversed(steps) if reverse else steps:
        before, cell_before = _resized(before, m, zeros), _resized(cell_before, m, zeros)
        gate.addmm_(before, recurrent)
        i_and_f.sigmoid_()
        g.tanh_()
        o.sigmoid_()
        torch.mul(f, cell_before, out=cell).addcmul_(i, g)
        torch.tanh(cell, out=squash)
        torch.mul(o, squash, out=out)
        before, cell_before = out, cell


def _backwards(
    gradient: Tensor, weight: Tensor, time: TimeMajor, reverse: bool, gates: Tensor, cells_before: Tensor,
    squashed: Tensor,
) -> Tensor:  # fmt: skip
    """Return the gradients of a_t, [T, 4h]."""
    size, sizes = weight.shape[1], time.batch_sizes.tolist()
    i, f, g, o = gates.view(-1, 4, size).unbind(1)
    by_cell = torch.stack([g * i * (1 - i), cells_before * f * (1 - f), i * (1 - g * g)], dim=1)  # [T, 3, h]
    by_hidden, to_cell = squashed * o * (1 - o), o * (1 - squashed * squashed)
    result = torch.empty_like(gates)
    gate = result.view(-1, 4, size)
    hidden, cell = gradient.new_zeros(2, max(sizes, default=0), size)  # the rows of texts at work
    each = (gradient, by_cell, by_hidden, to_cell, f, gate[:, :3], gate[:, 3], result)
    steps = list(zip(sizes, *(part.split_with_sizes(sizes) for part in each), strict=True))
    for m, own, scale, scale_o, further, forget, from_cell, from_hidden, whole in (
        steps if reverse else reversed(steps)
    ):
        h, c = hidden[:m].add_(own), cell[:m]
        c.addcmul_(h, further)
        torch.mul(scale, c[:, None], out=from_cell)
        torch.mul(h, scale_o, out=from_hidden)
        c.mul_(forget)
        torch.mm(whole, weight, out=h)
    return result


def _resized(state: Tensor, size: int, zeros: Tensor) -> Tensor:
    """Drop the texts that have ended, or begin those that join with zeros: texts are sorted by length."""
    if size <= len(state):
        return state[:size]
    return torch.cat([state, zeros[: size - len(state)]])


def _slots_before(time: TimeMajor, *, reverse: bool) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the slot that each slot's state comes from, T where it begins."""
    sizes, tokens = time.batch_sizes, int(time.batch_sizes.sum())
    firsts = np.cumsum(sizes) - sizes
    step = np.repeat(np.arange(len(sizes)), sizes)
    row = np.arange(tokens) - firsts[step]
    other = np.minimum(step + 1, len(sizes) - 1) if reverse else np.maximum(step - 1, 0)
    there = (other != step) & (row < sizes[other])
    return np.where(there, firsts[other] + row, tokens)


def _rows_or_zeros(states: Tensor, slots: Tensor) -> Tensor:
    """Return rows by their slots; the one behind the last is zeros."""
    return functional.pad(states, (0, 0, 0, 1)).index_select(0, slots)
