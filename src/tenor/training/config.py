"""How a model is trained, as a run file states it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, Literal

from tenor.encoders.from_scratch import FromScratch
from tenor.errors import TenorError
from tenor.tasks.config import TaskConfig, check_choice
from tenor.training.plan import Surgery
from tenor.training.sampling import SAMPLERS
from tenor.training.schedules import SCHEDULES

# Written out here, and not taken from the modules that use them, so that reading a run file imports no torch.
EpochEnd = Literal["longest", "shortest"]
LossWeighting = Literal["fixed", "uncertainty"]
TrainingPrecision = Literal["auto", "fp32", "bf16"]
OptimizerKind = Literal["adamw", "adam", "rmsprop", "sgd"]
Frozen = Literal["none", "embeddings", "encoder"]
FitHeads = Literal["never", "start", "always"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """The ``[training]`` section of a run file.

    >>> TrainingConfig(epochs=3).micro_batch_tokens
    4096
    """

    epochs: int = 10
    steps: int | None = None
    """Ends the run after so many steps, in the midst of an epoch if need be."""
    micro_batch_tokens: int = 4096
    """Bounds memory only, never changes results."""

    task_sampling: str = "joint"
    """A batch of every task in each step (joint), one task after the other (sequential), their batches in
    random order (shuffled), or a task drawn for each step by its size: proportional, uniform, temperature,
    annealed."""
    epoch_end: EpochEnd = "longest"
    """Of joint steps: until the longest task is through, while shorter ones begin again, or the shortest."""
    examples_per_epoch: int | None = None
    """Random rows of each task in an epoch, drawn anew each time; all when left out."""
    temperature: float = 2.0
    """Of task_sampling = "temperature": 1 is proportional, more is nearer to uniform."""
    bucket_batches: int = 0
    """Batches among which rows are sorted by length; 0 leaves the order random."""

    encoder_lr: float = 1e-5
    head_lr: float = 1e-3
    optimizer: OptimizerKind = "adamw"
    weight_decay: float = 0.01
    layer_decay: float = 1.0
    """Factor of the learning rate from each layer of the encoder to the one below."""
    freeze: Frozen = "none"
    """What of the encoder is not trained."""
    freeze_first: int = 0
    """The first so many layers, and the embeddings, are not trained."""
    train_last: int | None = None
    """Only the last so many layers of the encoder are trained."""
    fit_heads: FitHeads = "never"
    """start: heads begin as a logistic regression (of a · cosine + c: least squares) on the vectors of the
    encoder, and the model is never worse on dev than that; always: they are fitted anew before every
    evaluation, for an encoder that an objective alone trains. never: heads begin at random."""
    schedule: str = "linear"
    warmup: float = 0.1
    """A part of all steps if below 1, else their number."""
    plateau_patience: int = 1
    plateau_factor: float = 0.5
    """Of schedule = "plateau": after so many evaluations without gain all learning rates are multiplied by
    this."""
    max_grad_norm: float = 1.0
    """The greatest norm of the gradients; 0: they are not clipped."""
    dropout: float | None = None
    """In the encoder; as its own files say when left out."""
    gradient_balancing: Surgery = "none"
    """pcgrad takes out of each task's gradient what conflicts with another's; equal_norm brings the gradients
    of all tasks to one norm on the parameters that they share, times the tasks' weights."""
    loss_weighting: LossWeighting = "fixed"
    """uncertainty learns a weight for each task, beside those of the tasks' sections."""

    eval_steps: int = 0
    """Score dev every so many steps; 0: after each epoch."""
    ema: float = 0.0
    """The decay of an exponential moving average of the weights, such as 0.99, which is scored and kept; 0:
    none."""
    eval_on_start: bool = False
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
        for name in ("epochs", "micro_batch_tokens", "steps", "examples_per_epoch", "plateau_patience"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise TenorError(f"{name} is {value}; it must be at least 1.")
        for name in (
            "freeze_first",
            "train_last",
            "bucket_batches",
            "eval_steps",
            "patience",
            "checkpoint_steps",
        ):
            if (getattr(self, name) or 0) < 0:
                raise TenorError(f"{name} is {getattr(self, name)}; it must be at least 0.")
        check_choice(self, "task_sampling", SAMPLERS)
        check_choice(self, "schedule", SCHEDULES)
        self._check_rates()
        self._check_parts()

    def _check_rates(self) -> None:
        for name in ("encoder_lr", "head_lr"):
            rate = getattr(self, name)
            if not (math.isfinite(rate) and rate >= 0):
                raise TenorError(
                    f"{name} is {rate}; a learning rate is a number of at least 0, such as 1e-5."
                )
        for name in ("weight_decay", "warmup", "max_grad_norm", "checkpoint_minutes"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise TenorError(f"{name} is {value}; it must be a number of at least 0.")

    def _check_parts(self) -> None:
        for name in ("layer_decay", "plateau_factor"):
            if not 0 < getattr(self, name) <= 1:
                raise TenorError(f"{name} is {getattr(self, name)}; it must be above 0 and at most 1.")
        if not (math.isfinite(self.temperature) and self.temperature > 0):
            raise TenorError(f"temperature is {self.temperature}; it must be above 0.")
        if not 0 <= self.ema < 1:
            raise TenorError(f"ema is {self.ema}; it must be at least 0 and below 1, such as 0.99.")
        if self.dropout is not None and not 0 <= self.dropout < 1:
            raise TenorError(f"dropout is {self.dropout}; it must be at least 0 and below 1.")
        if self.fit_heads == "always" and self.ema:
            raise TenorError('fit_heads = "always" does not go with ema; take "start", or leave out ema.')
        if not self.monitor.strip():
            raise TenorError("monitor is empty; write mean, or a task's name.")
        if self.gradient_balancing == "equal_norm" and self.loss_weighting == "uncertainty":
            raise TenorError(
                'gradient_balancing = "equal_norm" sets how much each task pulls, so that weights cannot be '
                "learned beside it: leave out one of them."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateConfig:
    """``[updates.NAME]``: one move of an optimizer in a step.

    >>> UpdateConfig(groups=("heads.*",), lr=1e-3).has_optimizer
    True
    """

    losses: tuple[str, ...] | None = None
    """Names of losses, of tasks or of objectives, or patterns such as "*.adversary". Default: all."""
    without: tuple[str, ...] = ()
    """Losses that are left out."""
    groups: tuple[str, ...] | None = None
    """The parameter groups that move: encoder, heads, heads.TASK (tasks with an ``lr``), adapter, an
    objective's name, or patterns. Default: all."""
    every: int = 1
    """Made at every so many steps."""
    optimizer: OptimizerKind | None = None
    lr: float | None = None
    """An optimizer or a learning rate of its own. Default: those of ``[training]``."""

    def __post_init__(self) -> None:
        if self.every < 1:
            raise TenorError(f"every is {self.every}; it must be at least 1.")
        if self.lr is not None and not (math.isfinite(self.lr) and self.lr > 0):
            raise TenorError(f"lr is {self.lr}; it must be above 0.")

    @property
    def has_optimizer(self) -> bool:
        """Whether it has an optimizer of its own."""
        return self.optimizer is not None or self.lr is not None

    def moves(self, group: str) -> bool:
        """Whether it moves a parameter group."""
        return self.groups is None or any(fnmatchcase(group, pattern) for pattern in self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """A whole run file: the encoder to start from, the tasks by name, the training."""

    encoder: str = "minilm"
    """A starter, a folder, or ``hub:NAME``."""
    pooling: str | None = None
    """How the vectors of a text's tokens become one. Default: the encoder's own, mostly mean."""
    seed: int = 1
    max_tokens: int | None = None
    """The most tokens of a text, or of two texts as one sequence. Default: what the encoder's files say."""
    from_scratch: FromScratch | None = None
    """A new encoder, whose vocabulary is learned from the train files, in place of ``encoder``."""
    tasks: Mapping[str, TaskConfig] = field(default_factory=lambda: MappingProxyType({}))
    objectives: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """``[objectives.NAME]``: extra pressure on training, each by its ``method``."""
    updates: Mapping[str, UpdateConfig] = field(default_factory=lambda: MappingProxyType({}))
    """``[updates.NAME]``: what a step moves, in this order. Default: one update of all losses."""
    training: TrainingConfig = field(default_factory=TrainingConfig)
    given: frozenset[str] | None = None
    """Which settings a person has given, such as ``training.epochs``: the others are chosen by what is there
    to learn from. None: all are taken as they stand."""
