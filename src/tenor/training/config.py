"""How a model is trained, as a run file states it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from tenor.errors import TenorError
from tenor.model.fresh import FreshConfig
from tenor.tasks.config import TaskConfig
from tenor.training.plan import Surgery

# Written out here, and not taken from the modules that use them, so that reading a run file imports no torch.
Mixing = Literal["joint", "sequential", "shuffled", "proportional", "uniform", "temperature", "annealed"]
EpochEnd = Literal["longest", "shortest"]
ScheduleKind = Literal["constant", "linear", "cosine", "slanted", "inverse_sqrt", "plateau"]
Weighing = Literal["fixed", "uncertainty"]
TrainingPrecision = Literal["auto", "fp32", "bf16"]
OptimiserKind = Literal["adamw", "adam", "rmsprop", "sgd"]
Frozen = Literal["none", "embeddings", "encoder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """The ``[training]`` section of a run file.

    >>> TrainingConfig(epochs=3).tokens_per_pass
    4096
    """

    epochs: int = 10
    steps: int | None = None
    """Ends the run after so many steps, in the midst of an epoch if need be."""
    tokens_per_pass: int = 4096
    """Bounds memory only, never changes results."""

    mixing: Mixing = "joint"
    """A batch of every task in each step (joint), one task after the other (sequential), their batches in
    random order (shuffled), or a task drawn for each step by its size: proportional, uniform, temperature,
    annealed."""
    epoch_end: EpochEnd = "longest"
    """Of joint steps: until the longest task is through, while shorter ones begin again, or the shortest."""
    examples_per_epoch: int | None = None
    """Random rows of each task in an epoch, drawn anew each time; all when left out."""
    temperature: float = 2.0
    """Of mixing = "temperature": 1 is proportional, more is nearer to uniform."""
    bucket: int = 0
    """Batches among which rows are sorted by length; 0 leaves all to chance."""

    encoder_rate: float = 1e-5
    head_rate: float = 1e-3
    optimiser: OptimiserKind = "adamw"
    weight_decay: float = 0.01
    layer_decay: float = 1.0
    """Factor of the rate from each layer of the encoder to the one below."""
    freeze: Frozen = "none"
    """What of the encoder is not trained."""
    freeze_first: int = 0
    """The first so many layers, and the embeddings, are not trained."""
    train_last: int | None = None
    """Only the last so many layers of the encoder are trained."""
    schedule: ScheduleKind = "linear"
    warmup: float = 0.1
    """A part of all steps if below 1, else their number."""
    plateau_patience: int = 1
    plateau_factor: float = 0.5
    """Of schedule = "plateau": after so many evaluations without gain all rates are multiplied by this."""
    clip: float = 1.0
    """The greatest length of the gradients; 0 leaves them."""
    dropout: float | None = None
    """In the encoder; as its own files say when left out."""
    gradients: Surgery = "sum"
    """pcgrad takes out of each task's gradient what works against another's; balanced makes all tasks pull
    equally at what they share, by their weights, however long their gradients are."""
    weighing: Weighing = "fixed"
    """uncertainty learns a weight for each task, beside those of the tasks' sections."""

    evaluate_steps: int = 0
    """Score dev every so many steps; 0: after each epoch."""
    average: float = 0.0
    """Score and keep an average of the weights of about the last 1 / (1 - average) steps; 0: as they are."""
    evaluate_first: bool = False
    """Score dev before the first step too, so that the curves begin where the encoder stands."""
    monitor: str = "mean"
    """The score that chooses the model: mean, a task, or one of its scores, such as sentiment.accuracy."""
    patience: int = 0
    """Stop after so many evaluations without gain; 0: never."""
    checkpoint_steps: int = 0
    checkpoint_minutes: float = 5.0
    """How often the run is saved, beside after every evaluation; 0: not by this clock."""
    precision: TrainingPrecision = "auto"

    def __post_init__(self) -> None:
        for name in ("epochs", "tokens_per_pass", "steps", "examples_per_epoch", "plateau_patience"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise TenorError(f"{name} is {value}; it must be at least 1.")
        for name in (
            "freeze_first",
            "train_last",
            "bucket",
            "evaluate_steps",
            "patience",
            "checkpoint_steps",
        ):
            if (getattr(self, name) or 0) < 0:
                raise TenorError(f"{name} is {getattr(self, name)}; it must be at least 0.")
        self._check_rates()
        self._check_parts()

    def _check_rates(self) -> None:
        for name in ("encoder_rate", "head_rate"):
            rate = getattr(self, name)
            if not (math.isfinite(rate) and rate >= 0):
                raise TenorError(
                    f"{name} is {rate}; a learning rate is a number of at least 0, such as 1e-5."
                )
        for name in ("weight_decay", "warmup", "clip", "checkpoint_minutes"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise TenorError(f"{name} is {value}; it must be a number of at least 0.")

    def _check_parts(self) -> None:
        for name in ("layer_decay", "plateau_factor"):
            if not 0 < getattr(self, name) <= 1:
                raise TenorError(f"{name} is {getattr(self, name)}; it must be above 0 and at most 1.")
        if not (math.isfinite(self.temperature) and self.temperature > 0):
            raise TenorError(f"temperature is {self.temperature}; it must be above 0.")
        if not 0 <= self.average < 1:
            raise TenorError(f"average is {self.average}; it must be at least 0 and below 1, such as 0.99.")
        if self.dropout is not None and not 0 <= self.dropout < 1:
            raise TenorError(f"dropout is {self.dropout}; it must be at least 0 and below 1.")
        if not self.monitor.strip():
            raise TenorError("monitor is empty; write mean, or a task's name.")
        if self.gradients == "balanced" and self.weighing == "uncertainty":
            raise TenorError(
                'gradients = "balanced" sets how much each task pulls, so that weights cannot be learned '
                "beside it: leave weighing out, or gradients."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """A whole run file: the encoder to start from, the tasks by name, the training."""

    encoder: str = "minilm"
    """A starter, a folder, or ``hub:NAME``."""
    pooling: str = "mean"
    seed: int = 1
    max_tokens: int | None = None
    """The most tokens of a text, or of two texts as one sequence. Default: what the encoder's files say."""
    fresh: FreshConfig | None = None
    """A new encoder, whose vocabulary is learned from the train files, in place of ``encoder``."""
    tasks: Mapping[str, TaskConfig] = field(default_factory=lambda: MappingProxyType({}))
    training: TrainingConfig = field(default_factory=TrainingConfig)
