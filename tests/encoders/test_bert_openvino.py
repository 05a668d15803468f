"""The CPU engine against the torch encoder, and its int8 products against numpy."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("openvino")

import openvino
from openvino import opset13 as op

from tenor.encoders.bert import openvino_engine
from tenor.encoders.bert.config import BertConfig
from tenor.encoders.bert.openvino_engine import OpenVINOEngine
from tenor.encoders.bert.openvino_graph import BertGraph, constant
from tenor.encoders.bert.quantize import (
    LinearScales,
    QuantizedOperands,
    best_scales,
    calibration_texts,
    find_scales,
    fold_context,
    graph_inputs,
    rounded,
)
from tenor.encoders.bert.weights import read_tensors
from tenor.encoders.engine import StreamingEngine
from tenor.encoders.table import encoder_type
from tenor.encoders.torch_engine import TorchEngine
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import Tokens

TOKENS = Tokens.from_lists([[2, *range(5, 5 + length), 3] for length in (1, 7, 7, 0, 30)])


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def engine(folder, kind="mean", *, normalize=True, **settings):
    return OpenVINOEngine.load(folder, pooling=PoolingConfig.parse(kind), normalize=normalize, **settings)


@pytest.mark.parametrize("kind", ["mean", "cls", "max", "mean+max"])
@pytest.mark.parametrize("normalize", [True, False])
def test_vectors_equal_torch(kind, normalize, tiny_folder):
    torch = TorchEngine(
        encoder_type("bert").load(tiny_folder), pooling=PoolingConfig.parse(kind), normalize=normalize
    )
    ours = engine(tiny_folder, kind, normalize=normalize)
    assert ours.width == torch.width
    np.testing.assert_allclose(ours.vectors(TOKENS), torch.vectors(TOKENS), atol=1e-5)


@pytest.mark.parametrize("layers", [[0], [1], [2], [2, 0]])
def test_states_equal_torch(layers, tiny_folder):
    torch = TorchEngine(encoder_type("bert").load(tiny_folder), pooling=PoolingConfig(), normalize=True)
    ours = engine(tiny_folder).states(TOKENS, layers=layers)
    assert [len(states) for states in ours] == [len(TOKENS.ids)] * len(layers)
    for states, expected in zip(ours, torch.states(TOKENS, layers=layers), strict=True):
        np.testing.assert_allclose(states, expected, atol=1e-5)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("layers", [[1], [2, 0]])
def test_vectors_and_states_are_those_of_two_passes(layers, normalize, tiny_folder):
    ours = engine(tiny_folder, normalize=normalize)
    vectors, states = ours.vectors_and_states(TOKENS, layers=layers)
    np.testing.assert_allclose(vectors, ours.vectors(TOKENS), atol=1e-6)
    for both, alone in zip(states, ours.states(TOKENS, layers=layers), strict=True):
        np.testing.assert_allclose(both, alone, atol=1e-6)
    with pytest.raises(TenorError, match="no layer 3"):
        ours.vectors_and_states(TOKENS, layers=[3])


def test_segments_reach_the_encoder(tiny_folder):
    segments = np.arange(len(TOKENS.ids), dtype=np.int32) % 2
    pair = Tokens(TOKENS.ids, TOKENS.starts, segments)
    torch = TorchEngine(encoder_type("bert").load(tiny_folder), pooling=PoolingConfig(), normalize=True)
    ours = engine(tiny_folder).vectors(pair)
    np.testing.assert_allclose(ours, torch.vectors(pair), atol=1e-5)
    assert np.abs(ours - torch.vectors(TOKENS)).max() > 1e-3


def test_batches_come_back_in_order_from_several_streams(tiny_folder):
    ours = engine(tiny_folder, threads=3)
    assert isinstance(ours, StreamingEngine)
    batches = [TOKENS.take(np.array([i % 5] * (1 + i % 4))) for i in range(40)]
    for batch, vectors in zip(batches, ours.map(iter(batches)), strict=True):
        np.testing.assert_allclose(vectors, ours.vectors(batch), atol=1e-6)
    assert list(ours.map([])) == []


def test_a_text_alone_or_among_others(tiny_folder):
    ours = engine(tiny_folder)
    together = ours.vectors(TOKENS)
    for text in range(len(TOKENS)):
        np.testing.assert_allclose(ours.vectors(TOKENS.take(np.array([text])))[0], together[text], atol=1e-5)


def test_what_it_cannot_do_is_told(tiny_folder):
    assert not OpenVINOEngine.serves(PoolingConfig.parse("mean@last_four"))
    with pytest.raises(TenorError, match="no pooling 'min'"):
        engine(tiny_folder, "min")
    with pytest.raises(TenorError, match="no layer 3"):
        engine(tiny_folder).states(TOKENS, layers=[0, 3])


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_lower_precisions_stay_close(precision, tiny_folder, own_cache):
    exact = engine(tiny_folder).vectors(TOKENS)
    close = engine(tiny_folder, precision=precision).vectors(TOKENS)
    cosines = (exact * close).sum(axis=1)
    assert cosines.min() > 0.98
    # Not the same numbers: the precision was really lowered.
    assert np.abs(exact - close).max() > 1e-6


def test_scales_are_found_once_and_kept_by_the_weights(tiny_folder, own_cache, make_tiny):
    first = engine(tiny_folder, precision="int8").vectors(TOKENS)
    [kept] = (own_cache / "int8").iterdir()
    written = kept.stat().st_mtime_ns
    np.testing.assert_array_equal(engine(tiny_folder, precision="int8").vectors(TOKENS), first)
    assert kept.stat().st_mtime_ns == written
    engine(make_tiny(seed=5), precision="int8")
    assert len(list((own_cache / "int8").iterdir())) == 2
    kept.write_bytes(b"broken")
    np.testing.assert_array_equal(engine(tiny_folder, precision="int8").vectors(TOKENS), first)


def test_another_tokenizer_has_scales_of_its_own(tiny_folder, own_cache, make_tiny):
    """Else the vectors of a model would depend on which other model was used first."""
    other = make_tiny("other")
    settings = json.loads((other / "tokenizer_config.json").read_text())
    (other / "tokenizer_config.json").write_text(json.dumps(settings | {"do_lower_case": False}))
    for folder in (tiny_folder, other):
        engine(folder, precision="int8")
    assert len(list((own_cache / "int8").iterdir())) == 2


def test_int8_products_are_those_of_numpy():
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(60, 32)).astype(np.float32)
    inputs[:, 3] = 30 * inputs[:, 3] - 50
    weight = rng.normal(size=(8, 32)).astype(np.float32)
    scales = best_scales(inputs, weight)
    values = op.parameter([1, 60, 32], openvino.Type.f32)
    left, [right] = QuantizedOperands({"layer": scales})(values, [weight], "layer")
    product = op.add(op.matmul(left, right, False, True), constant(scales.bias[None, None]))
    model = openvino.Model([op.result(product)], [values], "product")
    compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    ours = compiled([inputs[None]])[0][0]
    # A value on the border between two levels may fall to either side.
    np.testing.assert_allclose(ours, rounded(inputs, weight, scales), atol=0.01 * np.abs(ours).max())
    assert np.abs(ours - inputs @ weight.T).max() > 1e-4


def test_folding_scales_into_the_values_changes_nothing(tiny_folder):
    """Without rounding, shifted and divided values give the same vectors, for any shift and any scale."""
    config, weights = BertConfig.load(tiny_folder), read_tensors(tiny_folder)
    rng = np.random.default_rng(4)
    scales = {}
    for layer in range(config.num_hidden_layers):
        at = f"encoder.layer.{layer}"
        for name, out, width in (
            ("attention.self.query", 3 * config.hidden_size, config.hidden_size),
            ("attention.output.dense", config.hidden_size, config.hidden_size),
            ("intermediate.dense", config.intermediate_size, config.hidden_size),
            ("output.dense", config.hidden_size, config.intermediate_size),
        ):
            shift = np.zeros(width, dtype=np.float32)
            smooth = np.ones(width, dtype=np.float32)
            bias = rng.normal(size=out).astype(np.float32)
            if name == "attention.output.dense":
                shift = rng.normal(size=width).astype(np.float32)
                smooth = rng.uniform(0.2, 5, size=width).astype(np.float32)
            scales[f"{at}.{name}"] = LinearScales(shift, smooth, np.float32(1), bias)
    added = QuantizedOperands(scales).biases
    plain = BertGraph(config, weights, biases=added)
    moved, folded = fold_context(weights, scales, config.num_hidden_layers)
    for name, one in scales.items():  # what the shift takes off must come back through the bias
        if one.shift.any():
            back = weights[f"{name}.weight"] @ one.shift
            folded[name] = replace(folded[name], bias=folded[name].bias + back)
    other = BertGraph(config, moved, biases=QuantizedOperands(folded).biases)
    inputs, _ = graph_inputs(TOKENS)
    core = openvino.Core()
    settings = {"INFERENCE_PRECISION_HINT": "f32"}
    vectors = [
        core.compile_model(graph.vectors(PoolingConfig(), normalize=True), "CPU", settings)(inputs)[0]
        for graph in (plain, other)
    ]
    np.testing.assert_allclose(vectors[1], vectors[0], atol=1e-4)
    exact = engine(tiny_folder).vectors(TOKENS)
    assert np.abs(vectors[0] - exact).max() > 1e-2  # the added biases count


def test_int8_does_not_depend_on_the_batch(tiny_folder, own_cache):
    ours = engine(tiny_folder, precision="int8")
    together = ours.vectors(TOKENS)
    for text in range(len(TOKENS)):
        np.testing.assert_allclose(ours.vectors(TOKENS.take(np.array([text])))[0], together[text], atol=1e-4)


def test_shift_and_scale_tame_outlier_channels():
    rng = np.random.default_rng(3)
    inputs = rng.normal(size=(200, 32)).astype(np.float32)
    inputs[:, 4] = inputs[:, 4] * 40 + 90
    weight = rng.normal(size=(16, 32)).astype(np.float32)
    exact = inputs @ weight.T
    ours = np.square(rounded(inputs, weight, best_scales(inputs, weight)) - exact).mean()
    step = np.abs(inputs).max() / 127
    naive = np.square((np.rint(inputs / step) * step) @ weight.T - exact).mean()
    assert ours < naive / 20


def test_the_bias_takes_off_the_mean_error():
    rng = np.random.default_rng(5)
    inputs, weight = rng.gamma(2, size=(400, 32)).astype("f4"), rng.normal(size=(16, 32)).astype("f4")
    error = rounded(inputs, weight, best_scales(inputs, weight)) - inputs @ weight.T
    assert np.abs(error.mean(axis=0)).max() < 1e-2 * np.abs(error).max()


def test_padding_has_no_part_in_the_scales(tiny_folder):
    found = find_scales(BertConfig.load(tiny_folder), read_tensors(tiny_folder), TOKENS)
    (states,) = engine(tiny_folder).states(TOKENS, layers=[0])
    scales = found["encoder.layer.0.attention.self.query"]
    np.testing.assert_allclose(scales.shift, (states.min(axis=0) + states.max(axis=0)) / 2, atol=1e-5)


def test_calibration_covers_short_and_long(tiny_folder):
    lengths = Tokenizer.load(tiny_folder, max_tokens=10_000).tokenize(calibration_texts()).lengths
    assert len(lengths) > 100
    assert lengths.min() < 6
    assert lengths.max() > 100


def test_few_shapes_are_kept_in_memory(tiny_folder, monkeypatch):
    """The setting cannot be read back, so this holds that it is given and taken, without the way out."""
    given = []

    class Core:
        def compile_model(self, model, device, settings):
            given.append(settings)
            return core.compile_model(model, device, settings)

    core = openvino_engine._core()
    monkeypatch.setattr(openvino_engine, "_core", Core)
    engine(tiny_folder)._compiled((), vectors=True)
    assert [settings.get("CPU_RUNTIME_CACHE_CAPACITY") for settings in given] == ["64"]
