"""Weights of an encoder under the names of its parameters, checked before anything is allocated."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch

from tenor.encoders.encoder import Encoder
from tenor.encoders.stored import SAFETENSORS, Stored, read_stored, write_safetensors
from tenor.errors import TenorError

AnyEncoder = TypeVar("AnyEncoder", bound=Encoder)


def load_weights(build: Callable[[], AnyEncoder], folder: str | Path) -> AnyEncoder:
    """Build an encoder and give it the weights of a folder, which must be just its own."""
    # Built without storage first: sizes of a hostile config.json cost nothing, nor do random weights.
    with torch.device("meta"):
        encoder = build()
    stored = read_stored(folder)
    _check(stored, {name: tuple(value.shape) for name, value in encoder.state_dict().items()}, folder)
    encoder = encoder.to_empty(device="cpu")
    for name, value in encoder.state_dict().items():
        np.copyto(value.numpy(), stored[name].to_float32())
    return encoder.eval()


def save_weights(encoder: Encoder, folder: Path) -> None:
    """Write all weights in float32."""
    tensors = {
        name: Stored("F32", value.detach().float().cpu().contiguous().numpy())
        for name, value in encoder.state_dict().items()
    }
    write_safetensors(folder / SAFETENSORS, tensors)


def _check(stored: Mapping[str, Stored], expected: Mapping[str, tuple[int, ...]], where: str | Path) -> None:
    if missing := [name for name in expected if name not in stored]:
        raise TenorError(f"{where} lacks the weight {missing[0]!r}, which its config.json asks for.")
    if surplus := [name for name in stored if name not in expected]:
        raise TenorError(f"{where} holds the weight {surplus[0]!r}, which its config.json does not know.")
    for name, shape in expected.items():
        if stored[name].shape != shape:
            raise TenorError(
                f"{where}: {name!r} has the shape {list(stored[name].shape)}, but config.json asks for "
                f"{list(shape)}; the two files belong to different models."
            )
        if stored[name].format not in ("F32", "F16", "BF16"):
            raise TenorError(
                f"{where}: {name!r} is stored as {stored[name].format}; weights are F32, F16 or BF16."
            )
