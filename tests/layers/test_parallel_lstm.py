"""LSTMs side by side are, run by run, torch's own."""

import torch
from torch import nn

from tenor.layers.parallel_lstm import ParallelLinear, ParallelLSTM


def _filled(layer):
    torch.manual_seed(3)
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.5)
    return layer


def test_each_run_is_the_lstm_of_torch_with_its_weights():
    lstm = _filled(ParallelLSTM(3, input_size=4, hidden_size=5))
    inputs = torch.randn(3, 6, 4)
    states = lstm(inputs, steps=7)  # [t, r, b, h]
    for run in range(3):
        other = nn.LSTM(4, 5)
        with torch.no_grad():
            other.weight_ih_l0.copy_(lstm.weight_ih[run].T)
            other.weight_hh_l0.copy_(lstm.weight_hh[run].T)
            other.bias_ih_l0.copy_(lstm.bias[run, 0])
            other.bias_hh_l0.zero_()
        expected, _ = other(inputs[run].expand(7, 6, 4))
        torch.testing.assert_close(states[:, run], expected)


def test_a_run_gets_no_gradient_from_another():
    lstm, linear = _filled(ParallelLSTM(2, input_size=3, hidden_size=4)), _filled(ParallelLinear(2, 4, 2))
    linear(lstm(torch.randn(2, 5, 3), steps=3)[-1])[0].sum().backward()
    for parameter in (*lstm.parameters(), *linear.parameters()):
        assert parameter.grad[0].abs().sum() > 0
        assert parameter.grad[1].abs().sum() == 0
