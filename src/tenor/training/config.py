"""How a model is trained, as a run file states it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from tenor.errors import TenorError
from tenor.tasks.config import TaskConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """The ``[training]`` section of a run file.

    >>> TrainingConfig(epochs=3).tokens_per_pass
    4096
    """

    epochs: int = 10
    tokens_per_pass: int = 4096
    """Bounds memory only, never changes results."""
    encoder_rate: float = 1e-5
    head_rate: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("epochs", "tokens_per_pass"):
            if getattr(self, name) < 1:
                raise TenorError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        for name in ("encoder_rate", "head_rate"):
            rate = getattr(self, name)
            if not (math.isfinite(rate) and rate >= 0):
                raise TenorError(
                    f"{name} is {rate}; a learning rate is a number of at least 0, such as 1e-5."
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """A whole run file: the encoder to start from, the tasks by name, the training."""

    encoder: str = "minilm"
    """A starter, a folder, or ``hub:NAME``."""
    pooling: str = "mean"
    seed: int = 1
    tasks: Mapping[str, TaskConfig] = field(default_factory=lambda: MappingProxyType({}))
    training: TrainingConfig = field(default_factory=TrainingConfig)
