"""Learning from pairs that belong together: in-batch (multiple) negatives, hard negatives on request."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

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
    from tenor.tasks.texts.task import TextTask


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

    roles: ClassVar[tuple[str, ...]] = ("first", "second")
    optional_roles: ClassVar[tuple[str, ...]] = ("negative",)
    heads: ClassVar[tuple[Head, ...]] = ("cosine",)
    metrics: ClassVar[tuple[str, ...]] = ("mrr", "recall_at_1")

    def check(self) -> None:
        """Refuse numbers that make no sense."""
        super().check()
        check_least(self, hard_negatives=0)
        check_positive(self, "temperature")


@dataclass(frozen=True, kw_only=True)
class ContrastiveSpec(TextSpec):
    """Nothing but vectors: each text must find its partner."""

    metric: str = "mrr"
    head: Head = "cosine"
    temperature: float = 0.05
    symmetric: bool = True
    hard_negatives: int = 0

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
            )
        )

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
