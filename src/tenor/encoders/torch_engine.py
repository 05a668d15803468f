"""Any encoder in torch as an engine for use: where it has no engine of its own, and on GPUs.

Shapes: n texts, T tokens, d hidden size.
"""

from collections.abc import Sequence
from copy import copy

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tenor.encoders.encoder import Encoder, States
from tenor.encoders.engine import Floats, Precision, check_layers
from tenor.errors import TenorError
from tenor.layers.layer_mix import mean_of_last
from tenor.layers.packed import PackedBatch
from tenor.layers.pooling import pool
from tenor.layers.pooling_config import PoolingConfig, PoolingKind
from tenor.machine.devices import find_device
from tenor.text.tokens import Tokens

# Measured: on a CPU a pass should stay in its caches, a GPU wants to be filled.
_TOKEN_BUDGETS = {"cpu": 1024, "cuda": 32768}


class TorchEngine:
    """Runs an encoder with one pooling, without gradients.

    >>> from tenor.encoders.bert.config import BertConfig
    >>> from tenor.encoders.bert.encoder import BertEncoder
    >>> size = {"vocab_size": 50, "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 16}
    >>> encoder = BertEncoder(BertConfig(num_hidden_layers=1, **size))
    >>> engine = TorchEngine(encoder, pooling=PoolingConfig(("mean",)), normalize=True)
    >>> engine.vectors(Tokens.from_lists([[1, 2, 3], [4]])).shape
    (2, 8)
    """

    def __init__(
        self,
        encoder: Encoder,
        *,
        pooling: PoolingConfig,
        normalize: bool,
        precision: Precision = "fp32",
        device: torch.device | str = "cpu",
    ) -> None:
        self.device = find_device(device)
        _check_pooling(pooling, encoder)
        self._pooling = pooling
        self._normalize = normalize
        self._precision: Precision = precision
        self._encoder = _in_precision(encoder.eval().to(self.device), precision)

    @property
    def name(self) -> str:
        """What does the arithmetic, for people."""
        return f"torch {self.device.type}"

    @property
    def precision(self) -> Precision:
        """The precision of the linear layers."""
        return self._precision

    @property
    def width(self) -> int:
        """Length of a vector."""
        return self._encoder.hidden_size * len(self._pooling.kinds)

    @property
    def layers(self) -> int:
        """Number of layers; states 0 are the embeddings, states ``layers`` the output."""
        return self._encoder.num_layers

    @property
    def token_budget(self) -> int:
        """The number of tokens of one pass at which this engine is fastest."""
        return _TOKEN_BUDGETS.get(self.device.type, _TOKEN_BUDGETS["cpu"])

    def raw(self) -> "TorchEngine":
        """Return the same engine with vectors as pooled, never scaled to length 1; the weights are shared."""
        if not self._normalize:
            return self
        other = copy(self)
        other._normalize = False
        return other

    @torch.inference_mode()
    def vectors(self, tokens: Tokens) -> Floats:
        """Encode texts to pooled vectors [n, dimension], in one pass."""
        return self._pooled(self._to_last_layer(tokens, all_states=self._pooling.reads_layers))

    @torch.inference_mode()
    def states(self, tokens: Tokens, *, layers: Sequence[int]) -> list[Floats]:
        """Encode texts to one vector per token [T, d] after each of these layers, in one pass."""
        check_layers(layers, self.layers)
        found = self._encoder(self._pack(tokens), upto=max(layers), all_states=True)
        assert found.layers is not None
        return [_to_numpy(found.layers[layer]) for layer in layers]

    @torch.inference_mode()
    def vectors_and_states(self, tokens: Tokens, *, layers: Sequence[int]) -> tuple[Floats, list[Floats]]:
        """Encode texts to vectors [n, dimension] and to states [T, d] after these layers, in one pass."""
        check_layers(layers, self.layers)
        states = self._to_last_layer(tokens, all_states=True)
        assert states.layers is not None
        return self._pooled(states), [_to_numpy(states.layers[layer]) for layer in layers]

    def _to_last_layer(self, tokens: Tokens, *, all_states: bool) -> States:
        pooler, packed = self._pooling.reads_pooler, self._pack(tokens)
        states: States = self._encoder(packed, all_states=all_states, pooler=pooler)
        return states

    def _pooled(self, states: States) -> Floats:
        vectors = torch.cat([self._pool(states, kind) for kind in self._pooling.kinds], dim=-1)
        return _to_numpy(functional.normalize(vectors, dim=-1) if self._normalize else vectors)

    def _pack(self, tokens: Tokens) -> PackedBatch:
        return PackedBatch.from_tokens(tokens, self.device)

    def _pool(self, states: States, kind: PoolingKind) -> Tensor:
        chosen = states.last
        if self._pooling.reads_layers:
            assert states.layers is not None
            chosen = mean_of_last(states.layers, 4)
        return pool(chosen, states.packing, kind, token=self._pooling.token, pooler=states.pooler)


def _in_precision(encoder: Encoder, precision: Precision) -> Encoder:
    """Turn the weights that may be so to the asked precision; all else stays in float32."""
    if precision == "int8" and not (_on_cpu(encoder) and encoder.quantize()):
        raise TenorError(
            f"The torch engine has no int8 for {encoder.model_type!r} on this device; choose the precision "
            "fp32 or bf16, or, for BERT on a CPU, install the CPU engine with pip install 'tenor[fast]'."
        )
    if precision == "bf16":
        for module in encoder.low_precision_modules():
            module.to(torch.bfloat16)
    return encoder


def _on_cpu(encoder: Encoder) -> bool:
    return all(parameter.device.type == "cpu" for parameter in encoder.parameters())


def _check_pooling(pooling: PoolingConfig, encoder: Encoder) -> None:
    if pooling.learned:
        raise TenorError(
            f"The pooling {str(pooling)!r} has weights of its own: it serves heads, not the torch engine."
        )
    if pooling.reads_pooler and not encoder.has_pooler:
        raise TenorError("The checkpoint has no pooler; choose another pooling, such as 'mean' or 'cls'.")


def _to_numpy(values: Tensor) -> Floats:
    out: Floats = np.ascontiguousarray(values.float().cpu().numpy())
    return out
