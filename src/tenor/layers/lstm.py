"""LSTM layers over a packed batch, with the regularisation of AWD-LSTM (Merity et al., 2018).

Texts advance together in time-major order, so that padding is never computed. Dropout of inputs and between
layers is variational: one mask per text and layer, the same at all tokens (Gal & Ghahramani, 2016). Weight
dropout (DropConnect) drops entries of the hidden-to-hidden matrices, anew in each forward pass of training:
the recurrence is then regularised at no cost per step. Cell states per token are worked out in a loop of our
own, since torch returns the last ones only.

Shapes: n texts, T tokens, h hidden size, d = h × directions.
"""

from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn
from torch.nn import functional

from tenor.errors import TenorError
from tenor.layers.cpu import recurrence
from tenor.layers.cpu.dropout import dropout
from tenor.layers.cpu.int8_lstm import Int8LSTM
from tenor.layers.locked_dropout import locked_dropout
from tenor.layers.packed import Packing
from tenor.layers.time_major import TimeMajor


@dataclass(frozen=True, slots=True)
class LSTMConfig:
    """Sizes and dropout probabilities of an LSTM.

    ``dropout`` is on the output of every layer and ``input_dropout`` on the input of the first, both
    variational; ``weight_dropout`` is on the hidden-to-hidden matrices.

    >>> LSTMConfig(input_size=50, hidden_size=100).output_size
    200
    """

    input_size: int
    hidden_size: int
    num_layers: int = 1
    bidirectional: bool = True
    dropout: float = 0.0
    input_dropout: float = 0.0
    weight_dropout: float = 0.0

    def __post_init__(self) -> None:
        if min(self.input_size, self.hidden_size, self.num_layers) < 1:
            raise TenorError(
                "An LSTM needs an input size, a hidden size and a number of layers of at least 1."
            )
        for name in (field.name for field in fields(self) if field.name.endswith("dropout")):
            if not 0 <= getattr(self, name) < 1:
                raise TenorError(f"{name} is {getattr(self, name)}; a dropout probability is in [0, 1).")

    @property
    def output_size(self) -> int:
        """The size d of a token's state: all directions side by side."""
        return self.hidden_size * (2 if self.bidirectional else 1)


@dataclass(frozen=True, slots=True, eq=False)
class LSTMOutput:
    """The states of all layers; forward and backward directions lie side by side."""

    last: Tensor  # [T, d], the last layer's states after dropout
    layers: tuple[Tensor, ...]  # [T, d] each, hidden states before dropout
    cells: tuple[Tensor, ...] | None  # [T, d] each, cell states if asked for


class PackedLSTM(nn.Module):
    """A stack of LSTM layers; parameters are named ``layers.0.weight_ih_l0`` and so on, as torch does.

    >>> import numpy as np
    >>> lstm = PackedLSTM(LSTMConfig(input_size=4, hidden_size=3, num_layers=2))
    >>> output = lstm(torch.randn(5, 4), Packing(np.array([0, 3, 5])))
    >>> output.last.shape, len(output.layers)
    (torch.Size([5, 6]), 2)
    """

    def __init__(self, config: LSTMConfig) -> None:
        super().__init__()
        self.config = config
        sizes = [config.input_size] + [config.output_size] * (config.num_layers - 1)
        self.layers = nn.ModuleList(
            nn.LSTM(size, config.hidden_size, bidirectional=config.bidirectional) for size in sizes
        )
        self._int8: list[Int8LSTM] | None = None

    def quantize(self) -> None:
        """Take products in int8 from now on, without gradients; the weights themselves stay as they are."""
        self._int8 = [Int8LSTM(self._weights(layer)) for layer in self.layers]

    def forward(self, states: Tensor, packing: Packing, *, cells: bool = False) -> LSTMOutput:
        """Return the states of all layers from states [T, input size], and cell states if asked for."""
        time = TimeMajor.plan(packing.starts)
        order = torch.from_numpy(time.order).to(states.device)
        slots = torch.from_numpy(time.slots).to(states.device)
        training = self.training
        states = locked_dropout(states, packing, self.config.input_dropout, training=training)
        hidden_layers, cell_layers = [], []
        for number in range(len(self.layers)):
            hidden, cell = self._run(number, states.index_select(0, order), time, cells)
            hidden_layers.append(hidden.index_select(0, slots))
            if cell is not None:
                cell_layers.append(cell.index_select(0, slots))
            states = locked_dropout(hidden_layers[-1], packing, self.config.dropout, training=training)
        return LSTMOutput(states, tuple(hidden_layers), tuple(cell_layers) if cells else None)

    def _run(self, number: int, states: Tensor, time: TimeMajor, cells: bool) -> tuple[Tensor, Tensor | None]:
        """Return a layer's hidden states [T, d] in time-major order, and its cell states or None."""
        if self._int8 is not None and not cells and not torch.is_grad_enabled():
            return self._int8[number](states, time), None
        weights = self._weights(self.layers[number])
        states = states.to(weights[0].dtype)
        if not cells:
            if len(states) and recurrence.suits(states, weights):
                return _with_own_gradient(states, time, weights), None
            return _fused(states, time, weights), None
        directions = [_step_by_step(states, time, weights[:4], reverse=False)]
        if self.config.bidirectional:
            directions.append(_step_by_step(states, time, weights[4:], reverse=True))
        hidden, cell = zip(*directions, strict=True)
        return torch.cat(hidden, dim=-1), torch.cat(cell, dim=-1)

    def _weights(self, layer: nn.Module) -> list[Tensor]:
        """Return a layer's four tensors per direction, with weight dropout while training."""
        p = self.config.weight_dropout if self.training else 0.0
        return [
            dropout(parameter, p) if name.startswith("weight_hh") else parameter
            for name, parameter in layer.named_parameters()
        ]


def _with_own_gradient(states: Tensor, time: TimeMajor, weights: list[Tensor]) -> Tensor:
    """Run one direction, or both side by side."""
    directions = [
        recurrence.lstm_direction(states, time, weights[first : first + 4], reverse=first > 0)
        for first in range(0, len(weights), 4)
    ]
    return directions[0] if len(directions) == 1 else torch.cat(directions, dim=1)


def _fused(states: Tensor, time: TimeMajor, weights: list[Tensor]) -> Tensor:
    """Run torch's own kernel, as ``nn.LSTM`` calls it, on weights that need not be its parameters."""
    directions, hidden_size = len(weights) // 4, weights[1].shape[1]
    if not len(states):
        return states.new_zeros(0, directions * hidden_size)
    zeros = states.new_zeros(directions, int(time.batch_sizes[0]), hidden_size)
    batch_sizes = torch.from_numpy(time.batch_sizes)
    # has_biases, num_layers, dropout, train, bidirectional
    output: Tensor = torch.lstm(
        states, batch_sizes, (zeros, zeros), weights, True, 1, 0.0, False, directions == 2
    )[0]
    return output


def _step_by_step(
    states: Tensor, time: TimeMajor, weights: list[Tensor], *, reverse: bool
) -> tuple[Tensor, Tensor]:
    """Return the hidden and cell states [T, h] of one direction, in time-major order."""
    weight_ih, weight_hh, bias_ih, bias_hh = weights
    inputs = functional.linear(states, weight_ih, bias_ih + bias_hh)  # [T, 4h]
    hidden = cell = inputs.new_zeros(0, weight_hh.shape[1])
    steps = time.steps()
    visited: list[tuple[Tensor, Tensor]] = []
    for step in reversed(steps) if reverse else steps:
        size = step.stop - step.start
        hidden, cell = _resized(hidden, size), _resized(cell, size)
        gates = inputs[step] + functional.linear(hidden, weight_hh)
        input_gate, forget_gate, candidate, output_gate = gates.chunk(4, dim=-1)  # torch's order
        cell = forget_gate.sigmoid() * cell + input_gate.sigmoid() * candidate.tanh()
        hidden = output_gate.sigmoid() * cell.tanh()
        visited.append((hidden, cell))
    if not visited:
        return hidden, cell
    hiddens, cells = zip(*(visited[::-1] if reverse else visited), strict=True)
    return torch.cat(hiddens), torch.cat(cells)


def _resized(state: Tensor, size: int) -> Tensor:
    """Drop the texts that have ended, or begin those that join with zeros: texts are sorted by length."""
    if size <= len(state):
        return state[:size]
    return functional.pad(state, (0, 0, 0, size - len(state)))
