"""The arithmetic of training: float32, or bfloat16 products over float32 weights where that is faster."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import torch

from tenor.machine import best_precision, guard

TrainingPrecision = Literal["auto", "fp32", "bf16"]


def choose_precision(asked: TrainingPrecision, device: torch.device) -> Literal["fp32", "bf16"]:
    """Settle on a precision: asked for, or bf16 where it clearly pays on this CPU or the GPU has it."""
    if device.type == "cpu":
        guard()  # the limit counts only if it is there before the process's first kernel
    if asked != "auto":
        return asked
    if device.type == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported() else "fp32"
    return best_precision() if device.type == "cpu" else "fp32"


@contextmanager
def arithmetic_of(precision: Literal["fp32", "bf16"], device: torch.device) -> Iterator[None]:
    """Compute the block in a precision; weights, their gradients and the optimizer stay in float32."""
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bf16"):
        yield
