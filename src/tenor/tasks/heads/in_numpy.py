"""The heads for use, in numpy: the same numbers as ``head.py`` in evaluation, without importing torch.

A folder's heads then run on the vectors of whatever engine encodes, and a command that needs one head does
not wait for torch. The weights carry the names that they have in torch.

Shapes: n rows, d width, f inputs, o outputs.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tenor.tasks.texts.config import Feature
from tenor.tasks.texts.spec import TextSpec

Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]
_EPSILON = 1e-8  # of the cosine, as in pairs.py
_NORM_EPSILON = 1e-5  # of batch norm, as in torch
_NORM = ("weight", "bias", "running_mean", "running_var")
_ROWS = 4096  # at once, so that features of many rows do not fill the memory


def run_head(
    spec: TextSpec, weights: Weights, sides: Sequence[Floats], overlap: Floats | None = None
) -> Floats:
    """Return raw numbers [n, o] from the vectors of each side [n, d]; ``overlap`` [n] is Jaccard's."""
    parts = [
        _run(spec, weights, [side[at : at + _ROWS] for side in sides], _rows(overlap, at))
        for at in range(0, len(sides[0]), _ROWS)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, spec.outputs), dtype=np.float32)


def weight_shapes(spec: TextSpec, width: int, hidden: int) -> dict[str, tuple[int, ...]]:
    """Return the weights that a head must have, by name, to check a file by."""
    inputs, outputs = spec.inputs(width), spec.outputs
    inner = spec.hidden_size or hidden
    if spec.head in ("cosine", "expected_likelihood"):
        return {}
    if spec.head == "gaussian":
        return _layer("network.mean", inputs, inputs) | _layer("network.log_var", inputs, inputs)
    if spec.head == "affine":
        return {"slope": (), "offset": ()}
    if spec.head == "linear":
        return _layer("network.out", inputs, outputs)
    shapes = _layer("network.first", inputs, inner) | _layer("network.out", inner, outputs)
    for block in range(spec.blocks if spec.head == "residual" else 0):
        at = f"network.blocks.{block}"
        shapes |= _layer(f"{at}.linear", inner, inner)
        shapes |= {f"{at}.norm.{name}": (inner,) for name in _NORM}
    return shapes


def row_cosines(u: Floats, v: Floats) -> Floats:
    """Return the cosine of the vectors in the same rows [n]; 0 where one is all zeros."""
    lengths = np.maximum(np.linalg.norm(u, axis=1), _EPSILON) * np.maximum(
        np.linalg.norm(v, axis=1), _EPSILON
    )
    return np.asarray(np.clip(np.einsum("nd,nd->n", u, v) / lengths, -1, 1), dtype=np.float32)


def _layer(name: str, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def _rows(values: Floats | None, at: int) -> Floats | None:
    return None if values is None else values[at : at + _ROWS]


def _run(spec: TextSpec, weights: Weights, sides: Sequence[Floats], overlap: Floats | None) -> Floats:
    if spec.head in ("cosine", "affine"):
        value = row_cosines(sides[0], sides[1])[:, None]
        return value if spec.head == "cosine" else weights["slope"] * value + weights["offset"]
    x = _inputs(spec, sides, overlap)
    if spec.head == "linear":
        return _linear(weights, "network.out", x)
    h = _linear(weights, "network.first", x)
    if spec.head == "mlp":
        return _linear(weights, "network.out", np.maximum(h, 0))
    for block in range(spec.blocks):
        h = h + np.maximum(_normed(weights, f"network.blocks.{block}", h), 0)
    return _linear(weights, "network.out", h)


def _inputs(spec: TextSpec, sides: Sequence[Floats], overlap: Floats | None) -> Floats:
    if len(sides) == 2:
        return np.concatenate([_feature(name, sides[0], sides[1], overlap) for name in spec.features], axis=1)
    return sides[0] if overlap is None else np.concatenate([sides[0], overlap[:, None]], axis=1)


def _feature(name: Feature, u: Floats, v: Floats, overlap: Floats | None) -> Floats:
    if name == "cosine":
        return row_cosines(u, v)[:, None]
    if name == "jaccard":
        assert overlap is not None
        return overlap[:, None]
    made: dict[Feature, Floats] = {"u": u, "v": v}
    if name not in made:
        made[name] = u * v if name == "product" else np.abs(u - v) if name == "abs" else u - v
    return made[name]


def _linear(weights: Weights, name: str, x: Floats) -> Floats:
    return np.asarray(x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"], dtype=np.float32)


def _normed(weights: Weights, name: str, h: Floats) -> Floats:
    """Return BN(W · h + b) with the statistics that training has kept."""
    mean, variance = weights[f"{name}.norm.running_mean"], weights[f"{name}.norm.running_var"]
    scale = weights[f"{name}.norm.weight"] / np.sqrt(variance + np.float32(_NORM_EPSILON))
    out: Floats = (_linear(weights, f"{name}.linear", h) - mean) * scale + weights[f"{name}.norm.bias"]
    return out
