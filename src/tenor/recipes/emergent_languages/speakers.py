"""Speakers: from the embedded symbols of a string to two logits for every bit, one table by name.

``lstm`` is the paper's: an LSTM whose input is the whole string at every step, one bit a step, with one
projection for all bits. ``mlp`` has one hidden layer and a column of its own for every bit: it learns in
thousands of steps what the other needs hundreds of thousands for, as the bits of the first begin as copies of
each other.

Shapes: r runs, b strings, i numbers of an embedded string, l bits.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from tenor.layers.parallel_lstm import ParallelLinear, ParallelLSTM


class LSTMSpeaker(nn.Module):
    """Unrolls a string into bits."""

    def __init__(self, runs: int, *, input_size: int, units: int, projection: int, bits: int) -> None:
        super().__init__()
        self.bits = bits
        self.lstm = ParallelLSTM(runs, input_size=input_size, hidden_size=units)
        self.projection = ParallelLinear(runs, units, projection)
        self.to_bit = ParallelLinear(runs, projection, 2)

    def forward(self, embedded: Tensor) -> Tensor:
        """Return logits [r, b, l, 2] from embedded strings [r, b, i]."""
        runs, count, _ = embedded.shape
        states = self.lstm(embedded, steps=self.bits)  # [l, r, b, h]
        rows = states.permute(1, 2, 0, 3).reshape(runs, count * self.bits, -1)
        logits: Tensor = self.to_bit(self.projection(rows)).view(runs, count, self.bits, 2)
        return logits


class MLPSpeaker(nn.Module):
    """Gives all bits at once from one hidden layer; ``projection`` is not used."""

    def __init__(self, runs: int, *, input_size: int, units: int, projection: int, bits: int) -> None:
        super().__init__()
        self.bits = bits
        self.hidden = ParallelLinear(runs, input_size, units)
        self.to_bits = ParallelLinear(runs, units, 2 * bits)

    def forward(self, embedded: Tensor) -> Tensor:
        """Return logits [r, b, l, 2] from embedded strings [r, b, i]."""
        logits: Tensor = self.to_bits(torch.tanh(self.hidden(embedded)))
        return logits.view(*embedded.shape[:2], self.bits, 2)


SPEAKERS: Mapping[str, Callable[..., nn.Module]] = {"mlp": MLPSpeaker, "lstm": LSTMSpeaker}
