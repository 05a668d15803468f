"""BERT as an OpenVINO graph, written from the weights themselves.

Texts of (nearly) one length make a rectangle of tokens. Query, key and value are three products of one input:
as a single product they would have to be split again, which costs this engine more than it saves. Writing the
graph by hand instead of tracing a torch model starts without torch, and lets the quantiser place its
scales where they belong.

Shapes: B texts, L their longest length, d width, h heads.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import openvino
from numpy.typing import NDArray
from openvino import opset13 as op

from tenor.encoders.bert.config import BertConfig
from tenor.layers.pooling_config import PoolingConfig

Weights = Mapping[str, NDArray[np.float32]]
Node = Any


@dataclass(frozen=True, slots=True)
class States:
    """States [B, L, d] as ``gain`` · ``centred`` + ``offset``: what a LayerNorm gives, still in two parts.

    A quantiser has a gain and an offset of its own, and joins them with these to one step.
    """

    centred: Node
    gain: NDArray[np.float32]  # [d]
    offset: NDArray[np.float32]  # [d]

    @property
    def node(self) -> Node:
        """The states themselves."""
        return scale(self.centred, self.gain, self.offset)


# Takes the input [B, L, in], the weights [out, in] that multiply it and the name of the first layer; returns
# the left operand of the products, and the right one of each.
Operands = Callable[[Node | States, Sequence[NDArray[np.float32]], str], tuple[Node, list[Node]]]

POOLINGS = frozenset({"mean", "cls", "max"})
# Added to the scores of padding: its exponential is exactly 0 in every precision, and it overflows in none.
_NEVER = -10000.0


def plain_operands(
    values: Node | States, weights: Sequence[NDArray[np.float32]], name: str
) -> tuple[Node, list[Node]]:
    """Multiply in the precision of the graph."""
    left = values.node if isinstance(values, States) else values
    return left, [constant(weight) for weight in weights]


def scale(values: Node, gain: NDArray[np.float32], offset: NDArray[np.float32]) -> Node:
    """Multiply and shift each channel of values [B, L, d]."""
    return op.add(op.multiply(values, constant(gain[None, None])), constant(offset[None, None]))


def constant(values: Any) -> Node:
    """Make a float32 constant; it copies the values, since mapped weights are read-only."""
    return op.constant(np.ascontiguousarray(values, dtype=np.float32))


def integers(*values: int) -> Node:
    """Make a constant vector of integers, for shapes and axes."""
    return op.constant(np.asarray(values, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class BertGraph:
    """Builds graphs of one encoder; ``operands`` decides how its linear layers multiply."""

    config: BertConfig
    weights: Weights
    operands: Operands = plain_operands
    biases: Mapping[str, NDArray[np.float32]] | None = None  # added to the linear layers' biases

    def vectors(self, pooling: PoolingConfig, *, normalize: bool) -> openvino.Model:
        """Build the graph ids [B, L], mask [B, L], segments [B, L] -> vectors [B, d · kinds]."""
        return self.vectors_and_states(pooling, (), normalize=normalize)

    def states(self, *layers: int) -> openvino.Model:
        """Build the graph of the same inputs -> states [B, L, d] after each layer (0: the embeddings)."""
        inputs = _Inputs()
        blocks = self._blocks(inputs, max(layers))
        results = [op.result(blocks[layer].node) for layer in layers]
        return openvino.Model(results, inputs.parameters, "states")

    def vectors_and_states(
        self, pooling: PoolingConfig, layers: Sequence[int], *, normalize: bool
    ) -> openvino.Model:
        """Build the graph of the same inputs -> vectors, and states after each layer."""
        inputs = _Inputs()
        blocks = self._blocks(inputs, self.config.num_hidden_layers)
        pooled = [_pool(blocks[-1].node, inputs.mask, kind) for kind in pooling.kinds]
        vectors = pooled[0] if len(pooled) == 1 else op.concat(pooled, 1)
        if normalize:
            vectors = op.normalize_l2(vectors, integers(1), 1e-24, "max")
        results = [op.result(vectors), *(op.result(blocks[layer].node) for layer in layers)]
        return openvino.Model(results, inputs.parameters, "vectors and states" if layers else "vectors")

    def _blocks(self, inputs: "_Inputs", count: int) -> list[States]:
        """Return the states after the embeddings and after each of so many layers."""
        states = self._embed(inputs)
        found = [states]
        for layer in range(count):
            block = f"encoder.layer.{layer}"
            context = self._attend(states, inputs, block)
            [mixed] = self._linear(context, f"{block}.attention.output.dense")
            states = self._norm(op.add(mixed, states.node), f"{block}.attention.output.LayerNorm")
            [hidden] = self._linear(states, f"{block}.intermediate.dense")
            [folded] = self._linear(self._activate(hidden), f"{block}.output.dense")
            states = self._norm(op.add(folded, states.node), f"{block}.output.LayerNorm")
            found.append(states)
        return found

    def _embed(self, inputs: "_Inputs") -> States:
        axis = op.constant(np.int64(0))
        words = op.gather(constant(self.weights["embeddings.word_embeddings.weight"]), inputs.ids, axis)
        segments = op.gather(
            constant(self.weights["embeddings.token_type_embeddings.weight"]), inputs.segments, axis
        )
        places = op.slice(
            constant(self.weights["embeddings.position_embeddings.weight"]),
            integers(0), inputs.longest, integers(1), integers(0),
        )  # fmt: skip
        return self._norm(op.add(op.add(words, segments), places), "embeddings.LayerNorm")

    def _attend(self, states: States, inputs: "_Inputs", block: str) -> Node:
        """Return the context [B, L, d] that each token gathers from the tokens of its text."""
        names = [f"{block}.attention.self.{name}" for name in ("query", "key", "value")]
        shape = integers(0, 0, self.config.num_attention_heads, self.config.head_size)  # 0: as it is
        swap = integers(0, 2, 1, 3)
        query, key, value = (
            op.transpose(op.reshape(part, shape, True), swap) for part in self._linear(states, *names)
        )  # [B, h, L, d / h]
        context = op.scaled_dot_product_attention(query, key, value, inputs.bias)
        return op.reshape(op.transpose(context, swap), integers(0, 0, self.config.hidden_size), True)

    def _linear(self, values: Node | States, *names: str) -> list[Node]:
        """Apply linear layers that share their input."""
        left, rights = self.operands(values, [self.weights[f"{name}.weight"] for name in names], names[0])
        return [
            op.add(op.matmul(left, right, False, True), constant(self._bias(name)[None, None]))
            for name, right in zip(names, rights, strict=True)
        ]

    def _bias(self, name: str) -> NDArray[np.float32]:
        bias = self.weights[f"{name}.bias"]
        return bias if self.biases is None else bias + self.biases[name]

    def _norm(self, values: Node, name: str) -> States:
        centred = op.mvn(values, integers(-1), True, self.config.layer_norm_eps, "inside_sqrt")
        return States(centred, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _activate(self, values: Node) -> Node:
        if self.config.hidden_act == "relu":
            return op.relu(values)
        return op.gelu(values, "erf" if self.config.hidden_act == "gelu" else "tanh")


class _Inputs:
    """The inputs of a graph, and what all its layers derive from them."""

    def __init__(self) -> None:
        self.ids = op.parameter([-1, -1], openvino.Type.i32)
        self.mask = op.parameter([-1, -1], openvino.Type.f32)
        self.segments = op.parameter([-1, -1], openvino.Type.i32)
        self.parameters = [self.ids, self.mask, self.segments]
        self.shape = op.shape_of(self.ids, "i64")
        self.longest = op.gather(self.shape, integers(1), op.constant(np.int64(0)))
        absent = op.subtract(constant(1.0), op.unsqueeze(self.mask, integers(1, 2)))
        self.bias = op.multiply(absent, constant(_NEVER))  # [B, 1, 1, L]


def _pool(states: Node, mask: Node, kind: str) -> Node:
    """Reduce states [B, L, d] to vectors [B, d]; a text without tokens gives zeros."""
    column = op.unsqueeze(mask, integers(2))
    if kind == "cls":
        return op.squeeze(
            op.gather(op.multiply(states, column), integers(0), op.constant(np.int64(1))), integers(1)
        )
    if kind == "max":
        low = op.multiply(op.subtract(constant(1.0), column), constant(-1e30))
        top = op.reduce_max(op.add(op.multiply(states, column), low), integers(1))
        return op.multiply(top, op.reduce_max(mask, integers(1), True))
    total = op.reduce_sum(op.multiply(states, column), integers(1))
    return op.divide(total, op.maximum(op.reduce_sum(column, integers(1)), constant(1.0)))
