"""Many small LSTMs at once, each with weights of its own and one input that is repeated at every step.

An experiment with many seeds trains many small networks of one shape. One after the other they spend their
time between kernels; side by side, a step of all of them is one batched product. The runs share nothing: run
r of a batch is, number by number, the LSTM that would be trained alone.

The input x of a sequence is the same at all its steps (a vector that is unrolled into a sequence), so that
its part of the gates is computed once.

Shapes: r runs, b sequences of each, i input size, h hidden size, t steps.
"""

import torch
from torch import Tensor, nn


class ParallelLSTM(nn.Module):
    """Unrolls inputs [r, b, i] to hidden states [t, r, b, h], from zero states.

    Gates stand in torch's order (input, forget, candidate, output); one bias stands for torch's two.

    >>> lstm = ParallelLSTM(3, input_size=4, hidden_size=5)
    >>> lstm(torch.randn(3, 2, 4), steps=7).shape
    torch.Size([7, 3, 2, 5])
    """

    def __init__(self, runs: int, *, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.weight_ih = nn.Parameter(torch.zeros(runs, input_size, 4 * hidden_size))
        self.weight_hh = nn.Parameter(torch.zeros(runs, hidden_size, 4 * hidden_size))
        self.bias = nn.Parameter(torch.zeros(runs, 1, 4 * hidden_size))

    def forward(self, inputs: Tensor, *, steps: int) -> Tensor:
        """Return the hidden states of all steps."""
        given = torch.baddbmm(self.bias, inputs, self.weight_ih)  # [r, b, 4h], the same at every step
        hidden = cell = None
        states = []
        for _ in range(steps):
            gates = given if hidden is None else torch.baddbmm(given, hidden, self.weight_hh)
            input_gate, forget_gate, candidate, output_gate = gates.chunk(4, dim=-1)
            added = input_gate.sigmoid() * candidate.tanh()
            cell = added if cell is None else torch.addcmul(added, forget_gate.sigmoid(), cell)
            hidden = output_gate.sigmoid() * cell.tanh()
            states.append(hidden)
        return torch.stack(states)


class ParallelLinear(nn.Module):
    """Maps [r, b, i] to [r, b, o] with a matrix and a bias for each run.

    >>> ParallelLinear(3, 4, 2)(torch.randn(3, 5, 4)).shape
    torch.Size([3, 5, 2])
    """

    def __init__(self, runs: int, input_size: int, output_size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(runs, input_size, output_size))
        self.bias = nn.Parameter(torch.zeros(runs, 1, output_size))

    def forward(self, inputs: Tensor) -> Tensor:
        """Map each run's rows by its own matrix."""
        return torch.baddbmm(self.bias, inputs, self.weight)
