"""int8 linear layers: scales found once, on sentences of ours.

A product x W becomes ((x - z) / s)(s W) + z W with both factors rounded to 8 bits. The shift z centres every
input channel, and the scale s moves the channels' outliers into the weights, where a scale per output
channel absorbs them: s_c = half-range(x_c)^a / max|W_c|^(1 - a), as in SmoothQuant (Xiao et al., 2023) and
Outlier Suppression+ (Wei et al., 2023). For every layer, the exponent a is the one with the least error of
the layer's output on the calibration sentences; the mean of the error that remains is taken off the bias.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

import numpy as np
import openvino
from numpy.typing import NDArray
from openvino import opset13 as op

from tenor.encoders.bert.config import BertConfig
from tenor.encoders.bert.openvino_graph import (
    BertGraph,
    Node,
    States,
    Weights,
    constant,
    plain_operands,
    scale,
)
from tenor.text.batching import plan_batches
from tenor.text.tokens import Tokens

Floats = NDArray[np.float32]
VERSION = 1  # of the method: part of the cache's key
_EXPONENTS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# Added to each end of a channel's range, as a part of it: other texts reach further than the calibration's,
# and clipping them costs more than the coarser step (mean cosine of 400 questions: 0.9980 without,
# 0.9985 with; of 2,000 other questions: 0.9985).
_MARGIN = 0.25
SHARING = (".query", ".key", ".value")  # layers of one input have their scales under the first's name
_ROWS = 768  # tokens kept of each layer's input, drawn evenly
_PARAGRAPH = 7  # sentences joined, so that long texts are seen too


@dataclass(frozen=True, slots=True)
class LinearScales:
    """How the input of one linear layer is rounded to 8 bits."""

    shift: Floats  # [in] taken off the input's channels
    smooth: Floats  # [in] what the shifted channels are divided by, and the weight's multiplied with
    top: Floats  # [] the 256 levels reach from -top to top · 127 / 128
    bias: Floats  # [out] what is added to the layer's bias

    @property
    def is_plain(self) -> bool:
        """Whether the channels stay as they are."""
        return not self.shift.any() and bool((self.smooth == 1).all())


def calibration_texts() -> list[str]:
    """Return the sentences on which scales are found, alone and joined to paragraphs."""
    text = files("tenor.encoders").joinpath("calibration.txt").read_text(encoding="utf-8")
    lines = text.splitlines()
    paragraphs = [" ".join(lines[begin : begin + _PARAGRAPH]) for begin in range(0, len(lines), _PARAGRAPH)]
    return lines + paragraphs


class Recorder:
    """Stands in for the operands of a graph and keeps each linear layer's input as an output of the graph."""

    def __init__(self) -> None:
        self.inputs: dict[str, Node] = {}
        self.weights: dict[str, list[Floats]] = {}

    def __call__(
        self, values: Node | States, weights: Sequence[Floats], name: str
    ) -> tuple[Node, list[Node]]:
        """Record and multiply plainly."""
        left, rights = plain_operands(values, weights, name)
        self.inputs[name], self.weights[name] = left, list(weights)
        return left, rights


class QuantizedOperands:
    """The operands of int8 products, by a layer's scales."""

    def __init__(self, scales: Mapping[str, LinearScales]) -> None:
        self._scales = scales

    @property
    def biases(self) -> dict[str, Floats]:
        """What is added to each layer's bias; query, key and value share their input's scales."""
        added: dict[str, Floats] = {}
        for name, scales in self._scales.items():
            together = SHARING if name.endswith(SHARING[0]) else ("",)
            stem = name.removesuffix(together[0])
            for ending, part in zip(together, np.split(scales.bias, len(together)), strict=True):
                added[stem + ending] = part
        return added

    def __call__(
        self, values: Node | States, weights: Sequence[Floats], name: str
    ) -> tuple[Node, list[Node]]:
        """Round both sides; the engine fuses the rounding into int8 products.

        The channels are scaled first and then rounded alike: rounding with ranges per channel is far slower.
        """
        one = self._scales[name]
        low, high = constant(-one.top), constant(one.top * 127 / 128)
        left = op.fake_quantize(_scaled(values, one), low, high, low, high, 256)
        return left, [_rounded_weight(weight * one.smooth) for weight in weights]


def _scaled(values: Node | States, one: LinearScales) -> Node:
    """Shift and divide the channels of a layer's input, in one step with a LayerNorm's own."""
    if isinstance(values, States):
        return scale(values.centred, values.gain / one.smooth, (values.offset - one.shift) / one.smooth)
    if one.is_plain:
        return values
    return scale(values, np.reciprocal(one.smooth), -one.shift / one.smooth)


def fold_context(
    weights: Weights, scales: Mapping[str, LinearScales], layers: int
) -> tuple[dict[str, Floats], dict[str, LinearScales]]:
    """Move the scales of attention's output into the values that it averages, where they cost nothing.

    The weights of attention sum to 1, so shifting and dividing the values shifts and divides their averages.
    """
    weights, scales = dict(weights), dict(scales)
    for layer in range(layers):
        block = f"encoder.layer.{layer}.attention"
        value, query, dense = (f"{block}.{name}" for name in ("self.value", "self.query", "output.dense"))
        one = scales[dense]
        weights[f"{value}.weight"] = weights[f"{value}.weight"] / one.smooth[:, None]
        weights[f"{value}.bias"] = (weights[f"{value}.bias"] - one.shift) / one.smooth
        weights[f"{dense}.weight"] = weights[f"{dense}.weight"] * one.smooth
        added = np.split(scales[query].bias, len(SHARING))
        added[-1] = added[-1] / one.smooth
        scales[query] = replace(scales[query], bias=np.concatenate(added))
        scales[dense] = replace(one, shift=np.zeros_like(one.shift), smooth=np.ones_like(one.smooth))
    return weights, scales


def _rounded_weight(weight: Floats) -> Node:
    top = _top(weight)
    return op.fake_quantize(
        constant(weight), constant(-top), constant(top), constant(-top), constant(top), 255
    )


def find_scales(config: BertConfig, weights: Weights, tokens: Tokens) -> dict[str, LinearScales]:
    """Find the scales of every linear layer from what flows through the encoder for these texts."""
    recorder = Recorder()
    model = BertGraph(config, weights, recorder).states(config.num_hidden_layers)
    outputs = [op.result(node) for node in recorder.inputs.values()]
    seen = _record(openvino.Model(outputs, model.get_parameters(), "inputs"), tokens)
    return {
        name: best_scales(rows, np.concatenate(recorder.weights[name]))
        for name, rows in zip(recorder.inputs, seen, strict=True)
    }


def best_scales(inputs: Floats, weight: Floats) -> LinearScales:
    """Choose the scales of one layer with the least squared error of its output.

    >>> rng = np.random.default_rng(0)
    >>> inputs, weight = rng.normal(size=(64, 16)).astype("f4"), rng.normal(size=(8, 16)).astype("f4")
    >>> inputs[:, 3] *= 50  # an outlier channel
    >>> scales = best_scales(inputs, weight)
    >>> error = rounded(inputs, weight, scales) - inputs @ weight.T
    >>> bool(np.abs(error).max() < 0.02 * np.abs(inputs @ weight.T).max())
    True
    """
    exact = inputs @ weight.T
    low, high = inputs.min(axis=0), inputs.max(axis=0)
    shift = (low + high) / 2
    half = np.maximum((high - low) * (0.5 + _MARGIN), 1e-5)
    best: tuple[float, LinearScales] | None = None
    for exponent in _EXPONENTS:
        smooth = _smooth(half, weight, exponent)
        top = np.asarray((half / smooth).max(), dtype=np.float32)
        trial = LinearScales(shift, smooth, top, weight @ shift)
        error = rounded(inputs, weight, trial) - exact
        mean = error.mean(axis=0)
        loss = float(np.square(error - mean).sum())
        if best is None or loss < best[0]:
            best = loss, replace(trial, bias=trial.bias - mean)
    assert best is not None
    return best[1]


def rounded(inputs: Floats, weight: Floats, scales: LinearScales) -> Floats:
    """Multiply as the int8 engine does, in numpy, the addition to the bias included."""
    step = scales.top / 128
    levels = np.clip(np.rint((inputs - scales.shift) / (scales.smooth * step)), -128, 127)
    moved = weight * scales.smooth
    unit = _top(moved) / 127
    out = (levels * step) @ (np.rint(moved / unit) * unit).T + scales.bias
    return out.astype(np.float32)


def _smooth(half: Floats, weight: Floats, exponent: float) -> Floats:
    strong = np.maximum(np.abs(weight).max(axis=0), 1e-5)
    smooth = half**exponent / strong ** (1 - exponent)
    out: Floats = (smooth / np.exp(np.log(smooth).mean())).astype(np.float32)
    return out


def _top(weight: Floats) -> Floats:
    out: Floats = np.maximum(np.abs(weight).max(axis=1, keepdims=True), 1e-8)
    return out


def _record(model: openvino.Model, tokens: Tokens) -> list[Floats]:
    """Run the calibration texts and return a sample of rows of every output."""
    compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    kept: list[list[Floats]] = [[] for _ in compiled.outputs]
    for batch in plan_batches(tokens.lengths, 1024):
        chosen = tokens.take(batch)
        inputs, present = graph_inputs(chosen)
        results = compiled(inputs)
        for rows, output in zip(kept, compiled.outputs, strict=True):
            rows.append(results[output].reshape(len(present), -1)[present])
    return [_sample(np.concatenate(rows)) for rows in kept]


def _sample(rows: Floats) -> Floats:
    """Keep evenly spread rows, and every row that holds a channel's extreme, which decides the ranges."""
    extremes = np.unique(np.concatenate([rows.argmax(axis=0), rows.argmin(axis=0)]))
    spread = np.linspace(0, len(rows) - 1, min(_ROWS, len(rows))).astype(np.int64)
    sample: Floats = rows[np.union1d(extremes, spread)]
    return sample


def graph_inputs(tokens: Tokens) -> tuple[dict[int, Any], NDArray[np.bool_]]:
    """Pad a batch to the graph's inputs; the flags say which of the flat rows are real tokens."""
    ids, mask = tokens.to_padded(length=max(1, int(tokens.lengths.max(initial=0))))
    present = mask.astype(bool)
    segments = np.zeros_like(ids)
    if tokens.segments is not None:
        segments[present] = tokens.segments
    return {0: ids, 1: mask.astype(np.float32), 2: segments}, present.reshape(-1)
