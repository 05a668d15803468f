"""What a task is, as a run file states it: the settings that all kinds have, and those that some share.

Each kind has a config of its own beside it, with its own keys only. Errors begin with the setting that they
are about, so that a run file can name its line.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from tenor.errors import TenorError, did_you_mean
from tenor.layers.pooling_config import PoolingConfig

Head = Literal["linear", "mlp", "residual", "cosine", "affine", "expected_likelihood", "gaussian"]
NETWORKS: tuple[Head, ...] = ("linear", "mlp", "residual")
"""Heads that are networks over features, not functions of a cosine."""
WITH_BLOCKS: tuple[Head, ...] = ("residual",)
"""Networks of residual blocks."""


@dataclass(frozen=True, kw_only=True)
class TaskConfig:
    """The settings of ``[tasks.NAME]`` that every kind has."""

    kind: str
    train: Path | None = None
    """The file to train on; None where examples are given in memory."""
    dev: Path | float | None = None
    """Examples that are never trained on, to measure by: a file, or the part of the train examples that is
    kept for it, such as 0.2 (chosen by the seed, of every class alike, equal texts on one side)."""
    batch_size: int = 16
    """Examples of this task in a step."""
    weight: float = 1.0
    """Of this task's loss in the sum of all tasks; 0: it is scored, not trained."""
    lr: float | None = None
    """The learning rate of this task's head. Default: ``head_lr``."""
    file_encoding: str | None = None
    """Of the files, as in ``"cp1250"``. Default: UTF-8, or found by content."""

    metrics: ClassVar[tuple[str, ...]] = ()
    """The scores that the best checkpoint may be chosen by, the default first."""

    def __post_init__(self) -> None:
        self.check()

    @property
    def dev_file(self) -> Path | None:
        """The file of dev, where it is one."""
        return self.dev if isinstance(self.dev, Path) else None

    @property
    def cross(self) -> bool:
        """Whether several texts of a row are encoded as one sequence."""
        return False

    def check(self) -> None:
        """Refuse settings that make no sense, by errors that begin with the setting's name."""
        check_least(self, batch_size=1)
        check_positive(self, "lr")
        if isinstance(self.dev, float) and not 0 < self.dev < 1:
            raise TenorError(
                f"dev is {self.dev:g}; as a number it is the part of the train examples that is kept to "
                "evaluate on, such as 0.2."
            )
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise TenorError(f"weight is {self.weight}; it must be a number of at least 0.")


@dataclass(frozen=True, kw_only=True)
class TableConfig(TaskConfig):
    """A task whose examples are the rows of a table: CSV, TSV, JSON lines or Parquet."""

    columns: Mapping[str, str | int] = field(default_factory=dict)
    """Which column holds what: names, or 0-based numbers."""
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    """Delimiter, quote and header are found out from the content of a file when left out."""

    roles: ClassVar[tuple[str, ...]] = ()
    """What its columns hold."""
    optional_roles: ClassVar[tuple[str, ...]] = ()
    """What is read where a column is named for it."""

    def check(self) -> None:
        """Refuse columns that the kind does not read, and too few of them."""
        super().check()
        known = self.roles + self.optional_roles
        for role in self.columns:
            if role not in known:
                listed_roles = listed(self.roles or self.optional_roles)
                near = did_you_mean(role, known)
                raise TenorError(f"columns names {role!r}, but {self.kind!r} reads {listed_roles}.{near}")
        missing = [role for role in self.roles if role not in self.columns]
        if missing and self.train is not None:
            raise TenorError(
                f"columns does not name the column of {listed(missing)}, which a {self.kind!r} task needs."
            )
        if any(isinstance(column, int) and column < 0 for column in self.columns.values()):
            raise TenorError("columns holds a negative number; columns are counted from 0.")


@dataclass(frozen=True, kw_only=True)
class HeadConfig(TableConfig):
    """A task whose head reads one vector per text."""

    head: Head | None = None
    hidden_size: int | None = None
    """Of the head's inner layers. Default: that of the encoder."""
    blocks: int | None = None
    """Residual blocks of ``head = "residual"``. Default: 2."""
    dropout: float | None = None
    """Default: 0.1."""
    pooling: str | None = None
    """The head's own pooling, such as "cls", "pooler", "mean@mix". Default: the model's."""
    metric: str | None = None
    """The score that the best checkpoint is chosen by."""

    heads: ClassVar[tuple[Head, ...]] = NETWORKS
    """Those to choose from, the default first: linear; mlp, two layers; residual, with batch norm, dropout
    and skip connections; cosine; affine, a · cosine + c."""
    of_networks: ClassVar[tuple[str, ...]] = ("hidden_size", "blocks", "dropout")
    """Settings of heads that are networks."""

    def check(self) -> None:
        """Refuse heads that the kind does not have, and settings that are not the head's."""
        super().check()
        self.check_head()
        if self.metric is not None and self.metric not in self.metrics:
            known = ", ".join(self.metrics)
            raise TenorError(f"metric is {self.metric!r}, but a {self.kind!r} task has {known}.")
        check_least(self, hidden_size=1, blocks=0)
        check_fraction(self, "dropout")
        if self.pooling is not None:
            try:
                PoolingConfig.parse(self.pooling)
            except TenorError as error:
                raise TenorError(f"pooling is not understood: {error}") from error

    def check_head(self) -> None:
        """Refuse a head that the task does not have, and settings of another head."""
        choices = self.head_choices
        if self.head is not None and self.head not in choices:
            raise TenorError(f"head is {self.head!r}, but {self.of_what} can have {', '.join(choices)}.")
        head = self.head or choices[0]
        if head not in NETWORKS:
            for key in self.of_networks:
                if getattr(self, key) is not None:
                    raise TenorError(
                        f"{key} is not for the head {head!r}; choose head = 'mlp', for instance."
                    )
        if self.blocks is not None and head not in WITH_BLOCKS:
            raise TenorError(f"blocks is for the head {listed(WITH_BLOCKS, 'or')!r}, not {head!r}.")

    @property
    def head_choices(self) -> tuple[Head, ...]:
        """The heads to choose from with these settings, the default first."""
        return self.heads

    @property
    def of_what(self) -> str:
        """What has the head, for messages."""
        return f"a {self.kind!r} task"


def check_least(config: object, **least: int) -> None:
    """Refuse numbers below the least of each setting; None passes."""
    for name, lowest in least.items():
        value = getattr(config, name)
        if value is not None and value < lowest:
            raise TenorError(f"{name} is {value}; it must be at least {lowest}.")


def check_choice(config: object, name: str, known: Iterable[str]) -> None:
    """Refuse a name that a table does not have."""
    value, known = getattr(config, name), list(known)
    if value not in known:
        raise TenorError(
            f"{name} is {value!r}; known are {', '.join(known)}.{did_you_mean(str(value), known)}"
        )


def check_fraction(config: object, *names: str) -> None:
    """Refuse numbers that are no part of a whole; None passes."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not 0 <= value < 1:
            raise TenorError(f"{name} is {value}; it must be at least 0 and below 1.")


def check_positive(config: object, *names: str) -> None:
    """Refuse numbers that are not above 0; None passes."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not (math.isfinite(value) and value > 0):
            raise TenorError(f"{name} is {value}; it must be above 0.")


def listed(names: Sequence[str], last: str = "and") -> str:
    """Write names as people do.

    >>> listed(["text", "label"])
    'text and label'
    """
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
