"""Learning from pairs that belong together: in-batch (multiple) negatives, hard negatives, a margin."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.metrics.intervals import Interval, bootstrap
from tenor.tasks.config import Head, HeadConfig, check_least, check_positive
from tenor.tasks.contrastive.retrieval import retrieval_columns
from tenor.tasks.kind import row_of
from tenor.tasks.spec import TaskSpec
from tenor.tasks.texts.kind import TextKind
from tenor.tasks.texts.spec import TextSpec, settled
from tenor.text.columns import column_names, resolve_all, take_head
from tenor.text.examples import Origin, Row, Triple
from tenor.text.file_profile import FileProfile
from tenor.text.problems import Problems
from tenor.text.readers import read_rows

if TYPE_CHECKING:
    from tenor.encoders.encoder import Encoder
    from tenor.tasks.task import Task
    from tenor.tasks.texts.task import TextTask


GAUSSIAN: tuple[Head, ...] = ("expected_likelihood", "gaussian")
"""Heads that compare texts as Gaussians."""


@dataclass(frozen=True, kw_only=True)
class ContrastiveConfig(HeadConfig):
    """The settings of a ``contrastive`` task."""

    kind: str = "contrastive"
    temperature: float | None = None
    """Divides cosines. Default: 0.05."""
    symmetric: bool | None = None
    """Whether the second text must find the first as well. Default: true."""
    hard_negatives: int | None = None
    """Hard negatives per example, mined anew with the model as it stands before every epoch. Default: 0."""
    margin: float | None = None
    """A partner must be more alike than the hardest negative by so much; takes the place of the softmax over
    the batch. Default: none; 1 for the heads of Gaussians."""
    mega_batch: int | None = None
    """With a margin: batches among whose texts the hardest negatives are sought, with the model as it stands
    before the first of them. Default: 1."""
    scramble: float | None = None
    """In training: probability that the words of a text are put in random order. Default: 0."""

    roles: ClassVar[tuple[str, ...]] = ("first", "second")
    optional_roles: ClassVar[tuple[str, ...]] = ("negative",)
    heads: ClassVar[tuple[Head, ...]] = ("cosine", "expected_likelihood", "gaussian")
    """How texts are compared: by the cosine of their vectors; by the expected likelihood of Gaussians that
    the encoder gives (word operators); or of those that two linear layers make of the vectors."""
    metrics: ClassVar[tuple[str, ...]] = ("mrr", "recall_at_1")

    def check(self) -> None:
        """Refuse numbers that make no sense."""
        super().check()
        check_least(self, hard_negatives=0, mega_batch=1)
        check_positive(self, "temperature", "margin")
        if self.scramble is not None and not 0 <= self.scramble <= 1:
            raise TenorError(f"scramble is {self.scramble}; a probability is from 0 to 1.")
        if not self.has_margin and self.mega_batch is not None:
            raise TenorError("mega_batch is for the loss with a margin; set margin, such as 0.4.")
        for key in ("temperature", "symmetric", "hard_negatives"):
            if self.has_margin and getattr(self, key) is not None:
                raise TenorError(f"{key} is for the softmax over the batch, not for the loss with a margin.")
        if self.has_margin and "negative" in self.columns:
            raise TenorError("columns names negatives, but a loss with a margin seeks them itself.")

    @property
    def has_margin(self) -> bool:
        """Whether the loss is the one with a margin."""
        return self.margin is not None or (self.head or "cosine") in GAUSSIAN


@dataclass(frozen=True, kw_only=True)
class ContrastiveSpec(TextSpec):
    """Nothing but vectors: each text must find its partner."""

    metric: str = "mrr"
    head: Head = "cosine"
    temperature: float = 0.05
    symmetric: bool = True
    hard_negatives: int = 0
    margin: float | None = None
    mega_batch: int = 1
    scramble: float = 0.0

    kind: ClassVar[str] = "contrastive"
    texts: ClassVar[int] = 2
    answers_rows: ClassVar[bool] = False
    config = ContrastiveConfig

    def targets(self, examples: Sequence[Any], *, name: str) -> NDArray[np.int64]:
        """Number the distinct texts of both sides [n, 2], so that copies are not held against each other."""
        numbers: dict[str, int] = {}
        rows = [[numbers.setdefault(text, len(numbers)) for text in each.texts[:2]] for each in examples]
        return np.array(rows, dtype=np.int64).reshape(-1, 2)

    def scores(
        self, predictions: Any, targets: Any, *, repeats: int = 1000, seed: int = 0
    ) -> dict[str, Interval]:
        """Return the mean reciprocal rank and the recall at 1, of both directions, with their intervals."""
        columns = retrieval_columns(predictions, targets)
        return {
            name: bootstrap(_mean, values, repeats=repeats, seed=seed) for name, values in columns.items()
        }

    def plain_scores(self, predictions: Any, targets: Any) -> dict[str, float]:
        """Return the same scores without intervals."""
        return {name: float(each.mean()) for name, each in retrieval_columns(predictions, targets).items()}

    def inputs(self, size: int) -> int:
        """Return the size of a text's vector: a Gaussian is made of one text."""
        return size

    def reads_default(self, model: PoolingConfig) -> bool:
        """Return whether vectors are those of the model: layers of the head's own may make others of them."""
        return self.head != "gaussian" and super().reads_default(model)

    @property
    def gives(self) -> str:
        """Vectors."""
        return "vectors near each other for texts that belong together"


class ContrastiveKind(TextKind):
    """Pulls texts that belong together towards each other."""

    name = "contrastive"
    about = "learns that the two texts of a row belong together; be sure that they mean the same"
    config = ContrastiveConfig
    spec = ContrastiveSpec

    @property
    def task(self) -> "type[TextTask]":
        """The torch task."""
        from tenor.tasks.contrastive.task import ContrastiveTask

        return ContrastiveTask

    def read(self, config: ContrastiveConfig, file: Path, *, problems: Problems) -> Iterator[Any]:
        """Yield pairs, or triples where a column of negatives is named."""
        if "negative" not in config.columns:
            return super().read(config, file, problems=problems)
        return _triples(config, file, problems)

    def example(self, row: Any, origin: Origin) -> Any:
        """Turn a row in memory into a pair, or into a triple where it has a negative."""
        if isinstance(row, Triple):
            return row
        values = row_of(row, (*self.config.roles, "negative"), self.name) if not hasattr(row, "texts") else {}
        if values.get("negative") is None:
            return super().example(row, origin)
        return Triple(values["first"], values["second"], values["negative"], origin)

    def settle(self, config: ContrastiveConfig, examples: Sequence[Any], *, name: str) -> TaskSpec:
        """Put in the defaults."""
        return ContrastiveSpec(
            **settled(
                config,
                temperature=config.temperature or 0.05,
                symmetric=config.symmetric is not False,
                hard_negatives=config.hard_negatives or 0,
                margin=config.margin or (1.0 if config.has_margin else None),
                mega_batch=config.mega_batch or 1,
                scramble=config.scramble or 0.0,
            )
        )

    def build(
        self,
        name: str,
        spec: Any,
        *,
        encoder: "Encoder",
        pooling: PoolingConfig,
        seed: int,
        tasks: "Mapping[str, Task]",
    ) -> "Task":
        """Build the head; only some encoders give Gaussians by themselves."""
        if spec.head == "expected_likelihood" and not encoder.gaussian:
            raise TenorError(
                f"Task {name}: head = 'expected_likelihood' is for encoders whose states are Gaussians "
                f"(operators), not for {encoder.model_type!r}; head = 'gaussian' makes Gaussians of vectors."
            )
        return super().build(name, spec, encoder=encoder, pooling=pooling, seed=seed, tasks=tasks)

    def columns_of(self, survey: FileProfile) -> Mapping[str, str] | None:
        """Two texts and nothing else."""
        roles = survey.roles
        if roles.pair is None or roles.label is not None:
            return None
        return dict(zip(self.config.roles, roles.pair, strict=True))


def _triples(config: ContrastiveConfig, file: Path, problems: Problems) -> Iterator[Triple]:
    rows = read_rows(
        file,
        delimiter=config.delimiter,
        quote=config.quote,
        header=config.header,
        encoding=config.file_encoding,
        problems=problems,
    )
    head = take_head(rows)
    columns = resolve_all(config.columns, column_names(head), str(file))
    for part in (head, rows):
        yield from (triple for row in part if (triple := _triple(row, columns, problems)) is not None)


def _triple(row: Row, columns: Mapping[str, str], problems: Problems) -> Triple | None:
    texts = {role: row.values.get(name, "") for role, name in columns.items()}
    for role, text in texts.items():
        if not text.strip():
            problems.add_row(row, f"the {role} text is empty; row left out")
            return None
    return Triple(texts["first"], texts["second"], texts["negative"], row.origin)


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(values.mean(axis=-1))
