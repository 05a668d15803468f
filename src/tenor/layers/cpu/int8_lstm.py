"""An LSTM layer whose products are in int8, for use on a CPU.

Weights are int8 with one scale for each row of a matrix, made once; inputs and hidden states are rounded
anew at every step, by their own range. Gates, cell states and what comes out are float32, and differ by some
hundredths from those of products in float32, which take three times as long.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tenor.errors import TenorError
from tenor.layers.time_major import TimeMajor


class Int8LSTM:
    """One layer, in one direction or both; ``weights`` are torch's four of each direction.

    >>> import numpy as np
    >>> lstm = torch.nn.LSTM(4, 8)
    >>> states, time = torch.randn(3, 4), TimeMajor.plan(np.array([0, 3]))
    >>> with torch.inference_mode():
    ...     hidden = Int8LSTM(list(lstm.parameters()))(states, time)
    >>> torch.allclose(hidden, lstm(states)[0], atol=0.05)
    True
    """

    def __init__(self, weights: Sequence[Tensor]) -> None:
        weights = [weight.detach().float() for weight in weights]
        self.hidden_size = weights[1].shape[1]
        self.directions = len(weights) // 4
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # torch says that its quantised tensors will be replaced
                self._cells = [_cell(*weights[4 * at : 4 * at + 4]) for at in range(self.directions)]
        except (AttributeError, RuntimeError) as error:
            raise TenorError(
                "This machine's torch has no int8 kernels for LSTMs; choose the precision fp32 or bf16."
            ) from error

    def __call__(self, states: Tensor, time: TimeMajor) -> Tensor:
        """Return the hidden states [T, d] of states [T, input size] in time-major order."""
        if not len(states):
            return states.new_zeros(0, self.directions * self.hidden_size)
        zeros = states.new_zeros(self.directions, int(time.batch_sizes[0]), self.hidden_size)
        sizes = torch.from_numpy(time.batch_sizes)
        # has_biases, num_layers, dropout, train, bidirectional
        output: Tensor = torch.quantized_lstm(
            states, sizes, (zeros, zeros), self._cells, True, 1, 0.0, False, self.directions == 2,
            dtype=torch.qint8, use_dynamic=True,
        )[0]  # fmt: skip
        return output


def _cell(weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor) -> Any:
    kernels = torch.ops.quantized
    packed = [_packed(weight_ih, bias_ih), _packed(weight_hh, bias_hh)]
    return kernels.make_quantized_cell_params_dynamic(*packed, bias_ih, bias_hh, not _exact_sums())


def _packed(weight: Tensor, bias: Tensor) -> Any:
    scales = weight.abs().amax(dim=1).clamp_min(1e-8).double() / 127
    zeros = torch.zeros(len(weight), dtype=torch.int64)
    whole = torch.quantize_per_channel(weight, scales, zeros, 0, torch.qint8)
    return torch.ops.quantized.linear_prepack(whole, bias)


def _exact_sums() -> bool:
    """Whether the processor adds products of 8 bits without overflow (VNNI); others need inputs of 7 bits."""
    known = getattr(torch.cpu, "_is_vnni_supported", None)
    return known is not None and bool(known())
