"""The packed LSTM against torch's own, its cell states against LSTMCell, and its dropouts."""

import itertools
import warnings

import numpy as np
import pytest
import torch

from tenor.errors import TenorError
from tenor.layers.locked_dropout import LockedDropout
from tenor.layers.lstm import LSTMConfig, PackedLSTM
from tenor.layers.packed import Packing

LENGTHS = [4, 0, 7, 1, 7, 2]


def packing_of(lengths):
    return Packing(np.cumsum([0, *lengths], dtype=np.int64))


def small(**settings):
    torch.manual_seed(0)
    return PackedLSTM(LSTMConfig(**{"input_size": 5, "hidden_size": 3, **settings}))


def torch_lstm(lstm):
    """Return torch's LSTM with the same weights."""
    config = lstm.config
    reference = torch.nn.LSTM(
        config.input_size, config.hidden_size, config.num_layers, bidirectional=config.bidirectional
    )
    renamed = {}
    for name, value in lstm.state_dict().items():
        _, layer, name = name.split(".")
        renamed[name.replace("_l0", f"_l{layer}")] = value
    reference.load_state_dict(renamed)
    return reference


@pytest.mark.parametrize("cells", [False, True])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("num_layers", [1, 2, 3])
def test_equals_torch(num_layers, bidirectional, cells):
    lstm = small(num_layers=num_layers, bidirectional=bidirectional, dropout=0.5, weight_dropout=0.5).eval()
    reference, packing = torch_lstm(lstm), packing_of(LENGTHS)
    states = torch.randn(packing.tokens, 5)
    output = lstm(states, packing, cells=cells)
    for begin, end in itertools.pairwise(packing.starts):
        if end > begin:
            torch.testing.assert_close(output.last[begin:end], reference(states[begin:end])[0])
    assert len(output.layers) == num_layers
    assert output.layers[-1] is output.last


@pytest.mark.parametrize("bidirectional", [False, True])
def test_gradients_equal_in_both_ways(bidirectional):
    lstm, packing = small(num_layers=2, bidirectional=bidirectional), packing_of(LENGTHS)
    states = torch.randn(packing.tokens, 5)
    gradients = []
    for cells in (False, True):
        lstm.zero_grad()
        lstm(states, packing, cells=cells).last.pow(2).sum().backward()
        gradients.append([parameter.grad.clone() for parameter in lstm.parameters()])
    for fused, by_steps in zip(*gradients, strict=True):
        torch.testing.assert_close(fused, by_steps, rtol=1e-4, atol=1e-5)


def test_cell_states_by_hand():
    lstm, packing = small(), packing_of(LENGTHS)
    states, layer = torch.randn(packing.tokens, 5), lstm.layers[0]
    output = lstm(states, packing, cells=True)
    for suffix, part, backward in (("", slice(0, 3), False), ("_reverse", slice(3, 6), True)):
        cell = torch.nn.LSTMCell(5, 3)
        cell.load_state_dict({name: getattr(layer, f"{name}_l0{suffix}") for name in cell.state_dict()})
        for begin, end in itertools.pairwise(packing.starts):
            hidden = memory = torch.zeros(1, 3)
            for token in reversed(range(begin, end)) if backward else range(begin, end):
                hidden, memory = cell(states[token][None], (hidden, memory))
                torch.testing.assert_close(output.last[token, part], hidden[0])
                torch.testing.assert_close(output.cells[0][token, part], memory[0])
    assert lstm(states, packing).cells is None


@pytest.mark.parametrize("cells", [False, True])
def test_texts_do_not_influence_one_another(cells):
    lstm, packing = small(num_layers=2), packing_of(LENGTHS)
    states = torch.randn(packing.tokens, 5)
    together = lstm(states, packing, cells=cells)
    for begin, end in itertools.pairwise(packing.starts):
        alone = lstm(states[begin:end], packing_of([end - begin]), cells=cells)
        torch.testing.assert_close(alone.last, together.last[begin:end])
        if cells:
            torch.testing.assert_close(alone.cells[1], together.cells[1][begin:end])


@pytest.mark.parametrize("cells", [False, True])
@pytest.mark.parametrize("lengths", [[], [0, 0]])
def test_no_tokens(lengths, cells):
    lstm = small(num_layers=2, dropout=0.3, input_dropout=0.3, weight_dropout=0.3)
    output = lstm(torch.zeros(0, 5), packing_of(lengths), cells=cells)
    assert output.last.shape == (0, 6)
    assert [layer.shape for layer in output.layers] == [(0, 6)] * 2


def test_locked_dropout():
    packing = packing_of([4, 0, 5])
    torch.manual_seed(0)
    dropped = LockedDropout(0.4)(torch.ones(9, 1000), packing)
    assert dropped[:4].eq(dropped[0]).all()
    assert dropped[4:].eq(dropped[4]).all()
    assert not torch.equal(dropped[0], dropped[4])
    assert dropped[0].mean().item() == pytest.approx(1, abs=0.1)
    assert dropped.unique().tolist() == pytest.approx([0, 1 / 0.6], rel=1e-3)
    assert LockedDropout(0.4).eval()(torch.ones(9, 3), packing).eq(1).all()


def test_dropout_of_the_output_is_locked():
    lstm, packing = small(hidden_size=50, dropout=0.5), packing_of([6, 6])
    output = lstm(torch.randn(12, 5), packing)
    kept = (output.last != 0).view(2, 6, 100)
    assert kept.eq(kept[:, :1]).all()
    assert not torch.equal(kept[0], kept[1])
    torch.testing.assert_close(output.last[kept.view(12, 100)], 2 * output.layers[0][kept.view(12, 100)])


def test_dropout_of_the_input():
    lstm, packing = small(input_dropout=0.5, num_layers=2), packing_of([3])
    states = torch.ones(3, 5, requires_grad=True)
    lstm(states, packing).last.sum().backward()
    assert states.grad.eq(0).eq(states.grad[0].eq(0)).all()
    assert states.grad.eq(0).any()


@pytest.mark.parametrize("cells", [False, True])
def test_weight_dropout(cells):
    lstm, packing = small(weight_dropout=0.5, num_layers=2), packing_of([4, 3])
    states = torch.randn(7, 5)
    before = {name: value.clone() for name, value in lstm.state_dict().items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second = (lstm(states, packing, cells=cells).last for _ in range(2))
    assert not torch.equal(first, second)
    first.sum().backward()
    recurrent = lstm.layers[0].weight_hh_l0.grad
    assert recurrent.eq(0).any()
    assert recurrent.ne(0).any()
    assert lstm.layers[0].weight_ih_l0.grad.ne(0).all()
    assert all(torch.equal(value, before[name]) for name, value in lstm.state_dict().items())
    lstm.eval()
    plain = small(num_layers=2).eval()
    torch.testing.assert_close(lstm(states, packing, cells=cells).last, plain(states, packing).last)


@pytest.mark.parametrize("cells", [False, True])
def test_half_precision(cells):
    lstm, packing = small(num_layers=2), packing_of(LENGTHS)
    states = torch.randn(packing.tokens, 5)
    exact = lstm(states, packing).last
    with torch.autocast("cpu", torch.bfloat16):
        mixed = lstm(states, packing, cells=cells).last
    torch.testing.assert_close(mixed.float(), exact, rtol=0.05, atol=0.02)
    mixed.float().sum().backward()
    half = lstm.bfloat16()(states, packing, cells=cells).last
    torch.testing.assert_close(half.float(), exact, rtol=0.05, atol=0.02)


def test_names_of_parameters():
    names = set(small(num_layers=2).state_dict())
    assert {"layers.0.weight_ih_l0", "layers.1.weight_hh_l0_reverse"} <= names
    assert len(names) == 16


@pytest.mark.parametrize("wrong", [{"dropout": 1.0}, {"weight_dropout": -0.1}, {"num_layers": 0}])
def test_wrong_settings(wrong):
    with pytest.raises(TenorError):
        LSTMConfig(**{"input_size": 5, "hidden_size": 3, **wrong})
