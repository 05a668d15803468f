"""The recurrence with its own gradient against torch's LSTM and numerical differentiation."""

import numpy as np
import pytest
import torch

from tenor.layers.cpu import recurrence
from tenor.layers.lstm import LSTMConfig, PackedLSTM
from tenor.layers.packed import Packing
from tenor.layers.time_major import TimeMajor

RAGGED = [4, 0, 7, 1, 7, 2]


def time_of(lengths):
    return TimeMajor.plan(np.cumsum([0, *lengths], dtype=np.int64))


def torch_output(states, time, lstm, *, directions):
    zeros = states.new_zeros(directions, int(time.batch_sizes[0]), lstm.hidden_size)
    sizes = torch.from_numpy(time.batch_sizes)
    weights = list(lstm.parameters())
    return torch.lstm(states, sizes, (zeros, zeros), weights, True, 1, 0.0, True, directions == 2)[0]


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("lengths", [RAGGED, [1], [3, 3], [1, 1, 1], [9, 1]])
def test_states_and_gradients_equal_torch(lengths, bidirectional):
    torch.manual_seed(0)
    lstm = torch.nn.LSTM(5, 3, bidirectional=bidirectional).double()
    packed = PackedLSTM(LSTMConfig(input_size=5, hidden_size=3, bidirectional=bidirectional)).double()
    packed.layers[0].load_state_dict(lstm.state_dict())
    time, packing = time_of(lengths), Packing(np.cumsum([0, *lengths], dtype=np.int64))
    states = torch.randn(sum(lengths), 5, dtype=torch.float64, requires_grad=True)
    order, slots = torch.from_numpy(time.order), torch.from_numpy(time.slots)
    expected = torch_output(states[order], time, lstm, directions=1 + bidirectional)[slots]
    ours = packed(states, packing).last
    assert "_Recurrence" in _graph(ours)
    torch.testing.assert_close(ours, expected)
    weight = torch.randn_like(expected)
    for given, wanted in zip(
        torch.autograd.grad((ours * weight).sum(), [states, *packed.parameters()]),
        torch.autograd.grad((expected * weight).sum(), [states, *lstm.parameters()]),
        strict=True,
    ):
        torch.testing.assert_close(given, wanted)


def _graph(tensor):
    """Return the names of all nodes of the graph of gradients."""
    names, waiting, seen = [], [tensor.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(type(node).__name__)
            waiting += [further for further, _ in node.next_functions]
    return " ".join(names)


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_equal_differences(reverse):
    torch.manual_seed(1)
    weights = [each.detach().double().requires_grad_() for each in torch.nn.LSTM(3, 2).parameters()]
    states = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    time = time_of([2, 4, 1])
    assert torch.autograd.gradcheck(
        lambda states, *weights: recurrence.lstm_direction(states, time, weights, reverse=reverse),
        (states, *weights),
    )


def test_a_frozen_lstm_still_passes_gradients_on():
    packed = PackedLSTM(LSTMConfig(input_size=4, hidden_size=3)).requires_grad_(False)
    states = torch.randn(5, 4, requires_grad=True)
    packed(states, Packing(np.array([0, 2, 5]))).last.sum().backward()
    assert states.grad is not None
    assert states.grad.abs().sum() > 0


def test_torch_runs_what_needs_no_gradient_or_another_precision():
    weights = list(torch.nn.LSTM(4, 3).parameters())
    states = torch.randn(2, 4)
    assert recurrence.suits(states, weights)
    assert not recurrence.suits(states.bfloat16(), weights)
    with torch.no_grad():
        assert not recurrence.suits(states, weights)
    assert not recurrence.suits(states, [weight.detach() for weight in weights])


def test_second_derivatives_are_refused():
    packed = PackedLSTM(LSTMConfig(input_size=4, hidden_size=3))
    states, scale = (torch.randn(size, requires_grad=True) for size in ((5, 4), ()))
    (gradient,) = torch.autograd.grad(
        (packed(states, Packing(np.array([0, 2, 5]))).last * scale).sum(), states, create_graph=True
    )
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradient.sum().backward()
