"""LSTM layers in int8 against the same in float32, and where the precision reaches."""

import numpy as np
import pytest
import torch

import tenor
from small_tagger import tagged_rows
from tenor.errors import TenorError
from tenor.layers.cpu import int8_lstm
from tenor.layers.cpu.int8_lstm import Int8LSTM
from tenor.layers.lstm import LSTMConfig, PackedLSTM
from tenor.layers.packed import Packing
from tenor.layers.time_major import TimeMajor
from tenor.training.api import train

STARTS = np.cumsum([0, 4, 0, 7, 1, 7, 2], dtype=np.int64)


def quantised(weight):
    """Round a matrix as int8 with a scale for each row does."""
    scale = weight.abs().amax(dim=1, keepdim=True) / 127
    return (weight / scale).round() * scale


@pytest.mark.parametrize("bidirectional", [False, True])
def test_states_are_those_of_rounded_weights(bidirectional):
    torch.manual_seed(0)
    lstm = PackedLSTM(LSTMConfig(input_size=24, hidden_size=16, num_layers=2, bidirectional=bidirectional))
    packing, states = Packing(STARTS), torch.randn(int(STARTS[-1]), 24)
    rounded = PackedLSTM(lstm.config)
    rounded.load_state_dict(
        {
            name: quantised(value) if "weight" in name else value
            for name, value in lstm.eval().state_dict().items()
        }
    )
    with torch.inference_mode():
        exact, expected = lstm(states, packing).last, rounded.eval()(states, packing).last
        lstm.quantize()
        given = lstm(states, packing).last
    assert not torch.equal(given, exact)
    assert (given - expected).abs().max() < 0.02  # what is left is the rounding of inputs
    assert (given - exact).abs().mean() < 0.01


def test_gradients_and_saved_weights_stay_those_of_float32():
    lstm = PackedLSTM(LSTMConfig(input_size=4, hidden_size=8)).eval()
    packing, states = Packing(np.array([0, 3])), torch.randn(3, 4)
    before, names = lstm(states, packing).last, list(lstm.state_dict())
    lstm.quantize()
    assert list(lstm.state_dict()) == names
    assert torch.equal(lstm(states, packing).last, before)


def test_no_text_has_no_states():
    layer = Int8LSTM(list(torch.nn.LSTM(4, 8, bidirectional=True).parameters()))
    with torch.inference_mode():
        assert layer(torch.zeros(0, 4), TimeMajor.plan(np.array([0, 0]))).shape == (0, 16)


def test_a_torch_without_the_kernels_is_told(monkeypatch):
    def missing(*_):
        raise AttributeError("no such kernel")

    monkeypatch.setattr(int8_lstm, "_cell", missing)
    with pytest.raises(TenorError, match="no int8 kernels for LSTMs; choose the precision fp32 or bf16"):
        Int8LSTM(list(torch.nn.LSTM(4, 8).parameters()))


def test_the_precision_reaches_vectors_and_tags_of_a_model(tmp_path):
    rows = tagged_rows(60)
    run = train(
        None,
        {"names": {"kind": "tag", "train": rows, "batch_size": 8}},
        from_scratch={"model_type": "lstm", "hidden_size": 16, "embedding_size": 16},
        out=tmp_path / "run",
        epochs=6,
        encoder_lr=1e-2,
        head_lr=1e-2,
        precision="fp32",
    )
    words = [words for words, _ in rows]
    exact, fast = (tenor.load(run.folder / "model", precision=precision) for precision in ("fp32", "int8"))
    assert fast.precision == "int8"
    assert fast.network.encoder.lstm._int8 is not None
    assert exact.network.encoder.lstm._int8 is None
    pairs = list(zip(exact.tag(words), fast.tag(words), strict=True))
    assert all(one.tags == two.tags for one, two in pairs)
    assert any(one.probabilities != two.probabilities for one, two in pairs)
    texts = [" ".join(some) for some in words]
    gaps = np.abs(exact.encode(texts) - fast.encode(texts))
    assert 0 < gaps.max() < 0.1
