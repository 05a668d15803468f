"""BERT in torch as an engine for use: where no CPU engine is installed, and on GPUs.

Shapes: n texts, T tokens, d width.
"""

from collections.abc import Sequence
from copy import copy
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.encoders.bert.encoder import BertEncoder, States
from tenor.encoders.engine import Floats, Precision, check_layers
from tenor.errors import TenorError
from tenor.layers.layer_mix import mean_of_last
from tenor.layers.packed import PackedBatch
from tenor.layers.pooling import pool
from tenor.layers.pooling_config import PoolingConfig, PoolingKind
from tenor.machine import guard
from tenor.text.tokens import Tokens

# Measured: on a CPU a pass should stay in its caches, a GPU wants to be filled.
_TOKEN_BUDGETS = {"cpu": 1024, "cuda": 32768}


class TorchEngine:
    """Runs a BERT encoder with one pooling, without gradients.

    >>> from tenor.encoders.bert.config import BertConfig
    >>> encoder = BertEncoder(BertConfig(vocabulary=50, width=8, layers=1, heads=2, hidden=16))
    >>> engine = TorchEngine(encoder, pooling=PoolingConfig(("mean",)), normalize=True)
    >>> engine.vectors(Tokens.from_lists([[1, 2, 3], [4]])).shape
    (2, 8)
    """

    def __init__(
        self,
        encoder: BertEncoder,
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

    @classmethod
    def load(
        cls,
        folder: str | Path,
        *,
        pooling: PoolingConfig,
        normalize: bool,
        precision: Precision = "fp32",
        device: torch.device | str = "cpu",
    ) -> "TorchEngine":
        """Load a checkpoint folder."""
        guard()  # even for fp32: the limit counts only if it is there before the process's first kernel
        encoder = BertCheckpoint.load(folder).encoder
        return cls(encoder, pooling=pooling, normalize=normalize, precision=precision, device=device)

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
        return self._encoder.config.width * len(self._pooling.kinds)

    @property
    def layers(self) -> int:
        """Number of layers; states 0 are the embeddings, states ``layers`` the output."""
        return self._encoder.config.layers

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
        """Encode texts to pooled vectors [n, width], in one pass."""
        states = self._encoder(
            self._pack(tokens),
            all_states=self._pooling.layers != "last",
            pooler="pooler" in self._pooling.kinds,
        )
        vectors = torch.cat([self._pool(states, kind) for kind in self._pooling.kinds], dim=-1)
        return _to_numpy(functional.normalize(vectors, dim=-1) if self._normalize else vectors)

    @torch.inference_mode()
    def states(self, tokens: Tokens, *, layers: Sequence[int]) -> list[Floats]:
        """Encode texts to one vector per token [T, d] after each of these layers, in one pass."""
        check_layers(layers, self.layers)
        found = self._encoder(self._pack(tokens), upto=max(layers), all_states=True)
        assert found.layers is not None
        return [_to_numpy(found.layers[layer]) for layer in layers]

    def _pack(self, tokens: Tokens) -> PackedBatch:
        return PackedBatch.from_tokens(tokens, self.device)

    def _pool(self, states: States, kind: PoolingKind) -> Tensor:
        if kind == "pooler":
            assert states.pooler is not None
            return states.pooler
        chosen = states.last if states.layers is None else mean_of_last(states.layers, 4)
        return pool(chosen, states.packing, kind, token=self._pooling.token)


def find_device(device: torch.device | str) -> torch.device:
    """Resolve a device's name ("auto", "cpu", "cuda", "cuda:1", …), or say what is there."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        here = "cpu and cuda" if torch.cuda.is_available() else "cpu"
        raise TenorError(f"The device {str(device)!r} is not usable here; torch has {here}.") from error
    return found


def _in_precision(encoder: BertEncoder, precision: Precision) -> BertEncoder:
    """Turn the weights of the blocks' linear layers to the asked precision; all else stays in float32."""
    if precision == "int8":
        raise TenorError(
            "The torch engine has no int8; install the CPU engine with pip install 'tenor[fast]', or choose "
            "the precision fp32 or bf16."
        )
    if precision == "bf16":
        for module in encoder.blocks.modules():
            if isinstance(module, nn.Linear):
                module.to(torch.bfloat16)
    return encoder


def _check_pooling(pooling: PoolingConfig, encoder: BertEncoder) -> None:
    if pooling.layers == "mix":
        raise TenorError(
            "A learned mix of layers has weights of its own: it serves heads, not the torch engine."
        )
    if "pooler" in pooling.kinds and encoder.pooler is None:
        raise TenorError("The checkpoint has no pooler; choose another pooling, such as 'mean' or 'cls'.")


def _to_numpy(values: Tensor) -> Floats:
    out: Floats = np.ascontiguousarray(values.float().cpu().numpy())
    return out
