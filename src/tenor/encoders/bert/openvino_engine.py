"""BERT in OpenVINO: the engine for CPUs.

Each thread runs a stream of its own, so that several batches are under way and no thread waits for another
inside a layer. Shapes: n texts, T tokens, d width.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import fields
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import openvino
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from tenor.assets import cache_folder
from tenor.encoders.bert.config import BertConfig
from tenor.encoders.bert.openvino_graph import POOLINGS, BertGraph, Weights
from tenor.encoders.bert.quantize import (
    VERSION,
    LinearScales,
    QuantizedOperands,
    calibration_texts,
    find_scales,
    fold_context,
    graph_inputs,
)
from tenor.encoders.bert.weights import read_tensors
from tenor.encoders.engine import Floats, Precision, check_layers
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.machine import guard, thread_count
from tenor.tensors import Stored, write_safetensors
from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import Tokens

# Measured: a pass should stay in the caches of one core.
_TOKEN_BUDGET = 512
# Its generated kernels are made anew for every shape of a batch; without them texts of many lengths run up to
# a tenth faster in int8, and no slower in fp32. It also keeps 1.5 MB for every shape that it has met: with
# 450 shapes, as a server's batches have them, it grew by 708 MB, and no end was seen. With 64 kept it grew by
# 311 MB and stopped, at the same CPU time; with none kept it took about 30% more (one run of each, on a busy
# machine).
_TUNING = {"SNIPPETS_MODE": "DISABLE", "CPU_RUNTIME_CACHE_CAPACITY": "64"}
_HINTS: dict[Precision, str] = {"fp32": "f32", "bf16": "bf16", "int8": "f32"}


class OpenVINOEngine:
    """Runs a BERT encoder with one pooling on the CPU."""

    def __init__(
        self,
        config: BertConfig,
        weights: Weights,
        *,
        pooling: PoolingConfig,
        normalize: bool,
        precision: Precision = "fp32",
        scales: dict[str, LinearScales] | None = None,
        threads: int | None = None,
    ) -> None:
        if precision == "int8" and scales is None:
            raise ValueError("int8 needs the scales of the linear layers.")
        if not self.serves(pooling):
            raise TenorError(f"The CPU engine has no pooling {str(pooling)!r}; torch has it.")
        self.config = config
        self._pooling, self._normalize, self._precision = pooling, normalize, precision
        self._threads = threads or thread_count()
        self._graph = BertGraph(config, weights)
        if scales is not None:
            weights, scales = fold_context(weights, scales, config.num_hidden_layers)
            operands = QuantizedOperands(scales)
            self._graph = BertGraph(config, weights, operands, operands.biases)
        # Compiled when first needed: `compare` wants states and vectors, `embed` only vectors.
        self._compiled = lru_cache(maxsize=None)(self._compile)

    @classmethod
    def load(
        cls,
        folder: str | Path,
        *,
        pooling: PoolingConfig,
        normalize: bool,
        precision: Precision = "fp32",
        threads: int | None = None,
    ) -> "OpenVINOEngine":
        """Load a checkpoint folder; int8 scales are found once per checkpoint and kept in the cache."""
        guard()  # even for fp32: the limit counts only if it is there before the process's first kernel
        config, weights = BertConfig.load(folder), read_tensors(folder)
        scales = _cached_scales(folder, config, weights) if precision == "int8" else None
        return cls(
            config,
            weights,
            pooling=pooling,
            normalize=normalize,
            precision=precision,
            scales=scales,
            threads=threads,
        )

    @staticmethod
    def serves(pooling: PoolingConfig) -> bool:
        """Whether this engine has a pooling; the rarer ones are torch's."""
        return not pooling.reads_layers and set(pooling.kinds) <= POOLINGS

    @property
    def name(self) -> str:
        """What does the arithmetic, for people."""
        return "openvino"

    @property
    def precision(self) -> Precision:
        """The precision of the linear layers."""
        return self._precision

    @property
    def width(self) -> int:
        """Length of a vector."""
        return self.config.hidden_size * len(self._pooling.kinds)

    @property
    def layers(self) -> int:
        """Number of layers; states 0 are the embeddings, states ``layers`` the output."""
        return self.config.num_hidden_layers

    @property
    def token_budget(self) -> int:
        """The number of tokens of one pass at which this engine is fastest."""
        return _TOKEN_BUDGET

    def raw(self) -> "OpenVINOEngine":
        """Return the same engine with vectors as pooled, never scaled to length 1; the weights are shared."""
        if not self._normalize:
            return self
        other = copy(self)
        other._normalize = False
        other._compiled = lru_cache(maxsize=None)(other._compile)
        return other

    def vectors(self, tokens: Tokens) -> Floats:
        """Encode texts to pooled vectors [n, width], in one pass."""
        return next(self.map([tokens]))

    def states(self, tokens: Tokens, *, layers: Sequence[int]) -> list[Floats]:
        """Encode texts to one vector per token [T, d] after each of these layers, in one pass."""
        check_layers(layers, self.layers)
        request, present = _infer(self._compiled(tuple(layers), vectors=False), tokens)
        return [_states(request, number, present) for number in range(len(layers))]

    def vectors_and_states(self, tokens: Tokens, *, layers: Sequence[int]) -> tuple[Floats, list[Floats]]:
        """Encode texts to vectors [n, width] and to states [T, d] after each of these layers, in one pass."""
        check_layers(layers, self.layers)
        request, present = _infer(self._compiled(tuple(layers), vectors=True), tokens)
        vectors: Floats = np.array(request.get_output_tensor(0).data)
        return vectors, [_states(request, 1 + number, present) for number in range(len(layers))]

    def map(self, batches: Iterable[Tokens]) -> Iterator[Floats]:
        """Yield the vectors of each batch, in order, with one batch per thread under way and one waiting."""
        compiled = self._compiled((), vectors=True)
        free = [compiled.create_infer_request() for _ in range(self._threads + 1)]
        under_way: deque[Any] = deque()
        for batch in batches:
            if not free:
                yield self._finish(under_way[0])
                free.append(under_way.popleft())
            request = free.pop()
            request.start_async(graph_inputs(batch)[0])
            under_way.append(request)
        while under_way:
            yield self._finish(under_way.popleft())

    def _finish(self, request: Any) -> Floats:
        request.wait()
        vectors: Floats = np.array(request.get_output_tensor(0).data)
        return vectors

    def _compile(self, layers: tuple[int, ...], *, vectors: bool) -> Any:
        """Compile the graph of the states after some layers, of the vectors, or of both."""
        if vectors:
            model = self._graph.vectors_and_states(self._pooling, layers, normalize=self._normalize)
        else:
            model = self._graph.states(*layers)
        settings = {
            "INFERENCE_PRECISION_HINT": _HINTS[self._precision],
            "INFERENCE_NUM_THREADS": self._threads,
            "NUM_STREAMS": self._threads,
        }
        try:
            return _core().compile_model(model, "CPU", settings | _TUNING)
        except RuntimeError:  # A version that does not know the setting.
            return _core().compile_model(model, "CPU", settings)


def _infer(compiled: Any, tokens: Tokens) -> tuple[Any, NDArray[np.bool_]]:
    """Run one pass; return the request with its outputs, and which of the flat rows are real tokens."""
    inputs, present = graph_inputs(tokens)
    # A request of its own, which costs next to nothing: several threads may ask at a time.
    request = compiled.create_infer_request()
    request.infer(inputs)
    return request, present


def _states(request: Any, number: int, present: NDArray[np.bool_]) -> Floats:
    """Copy an output [B, L, d] of a request, whose memory it is, to states [T, d] without padding."""
    states: Floats = request.get_output_tensor(number).data.reshape(len(present), -1)[present]
    return states


@lru_cache
def _core() -> Any:
    return openvino.Core()


def _cached_scales(folder: str | Path, config: BertConfig, weights: Weights) -> dict[str, LinearScales]:
    """Return the int8 scales of a checkpoint, from the cache or found now and kept."""
    tokenizer = Tokenizer.load(folder, max_tokens=min(256, config.max_position_embeddings))
    tokens = tokenizer.tokenize(calibration_texts())
    # All that the scales follow from: weights alone would let two tokenizers share those of the first.
    digest = sha256(f"int8 {VERSION} {config} {tokens.starts.tolist()} {tokens.ids.tolist()}".encode())
    for name in sorted(weights):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(weights[name]).data)
    kept = cache_folder() / "int8" / f"{digest.hexdigest()[:24]}.safetensors"
    try:
        return _unpack(load_file(kept))
    except (OSError, SafetensorError, KeyError, ValueError):
        scales = find_scales(config, weights, tokens)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_safetensors(kept, {name: Stored("F32", value) for name, value in _pack(scales).items()})
    except (OSError, TenorError):
        pass  # A cache that cannot be written costs time next time, nothing else.
    return scales


def _pack(scales: dict[str, LinearScales]) -> dict[str, Floats]:
    parts = [field.name for field in fields(LinearScales)]
    return {f"{name}:{part}": getattr(one, part) for name, one in scales.items() for part in parts}


def _unpack(tensors: dict[str, Floats]) -> dict[str, LinearScales]:
    parts = [field.name for field in fields(LinearScales)]
    names = {name.rpartition(":")[0] for name in tensors}
    return {name: LinearScales(*(tensors[f"{name}:{part}"] for part in parts)) for name in names}
