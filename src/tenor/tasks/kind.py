"""What a kind of task owns: its settings, how examples are read, how a task is settled and built.

A kind is one module or folder of this room and one line of ``tasks/table.py``; what was settled
(``TaskSpec``) answers and scores, the torch task (``Task``) is trained. Nothing of torch is imported before
``build``.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.tasks.config import TaskConfig
from tenor.tasks.spec import TaskSpec
from tenor.tasks.survey import DataSurvey
from tenor.text.example_statistics import ExampleStatistics
from tenor.text.examples import Origin
from tenor.text.file_profile import FileProfile
from tenor.text.problems import Problems

if TYPE_CHECKING:
    from tenor.encoders.encoder import Encoder
    from tenor.tasks.task import Task

IN_MEMORY = "(in memory)"
"""The file that rows are said to come from that were never in one."""


class Kind(ABC):
    """A kind of task."""

    name: ClassVar[str]
    about: ClassVar[str]
    """What it learns, as the end of "This task …"."""
    config: ClassVar[type[TaskConfig]]
    spec: ClassVar[type[TaskSpec]]

    # --------------------------------------------------------------- examples

    @abstractmethod
    def read(self, config: Any, file: Path, *, problems: Problems) -> Iterator[Any]:
        """Yield the examples of a file; rows that cannot be used are reported to ``problems``."""

    @abstractmethod
    def example(self, row: Any, origin: Origin) -> Any:
        """Turn a row in memory into an example: an example already, a mapping, a tuple, or a text."""

    def faults(self, config: Any, train: ExampleStatistics, dev: ExampleStatistics | None) -> list[str]:
        """Say why nothing could be learned from such examples; empty where it could."""
        return []

    def suggested_training(self, examples: int) -> Mapping[str, int | float]:
        """Return settings of ``[training]`` that suit it on a trained transformer, where they are its own."""
        return {}

    def survey(self) -> DataSurvey:
        """Return what sees all examples for `tenor check`, to say more of them than counts."""
        return DataSurvey()

    def guess(self, path: str | Path, survey: FileProfile | None) -> TaskConfig | None:
        """Return settings for a data file that looks as if it was of this kind, None where it does not.

        ``survey`` tells of the columns of a table; None where the file is no table.
        """
        return None

    def classes(self, config: Any, examples: Sequence[Any]) -> Mapping[str, int] | None:
        """Return how many examples each class has, where each has one text and one class; else None."""
        return None

    def label_counts(self, config: Any, tally: ExampleStatistics) -> Counter[str]:
        """Return how often each label occurs."""
        return tally.labels

    def fits(self, config: Any) -> bool:
        """Return whether the head that settings ask for can be fitted to an encoder as it stands."""
        return False

    def suggest(self, config: Any, examples: Sequence[Any]) -> Mapping[str, tuple[Any, str]]:
        """Return settings that suit these examples better than the defaults, each with the reason."""
        return {}

    # --------------------------------------------------------------- building

    @abstractmethod
    def settle(self, config: Any, examples: Sequence[Any], *, name: str) -> TaskSpec:
        """Settle what a section of a run file leaves open, by defaults and by the examples to train on."""

    @abstractmethod
    def build(
        self,
        name: str,
        spec: Any,
        *,
        encoder: "Encoder",
        pooling: PoolingConfig,
        seed: int,
        tasks: Mapping[str, "Task"],
    ) -> "Task":
        """Build the task on an encoder; ``tasks`` are those built before it, whose parts it may share."""

    def join(self, name: str, spec: Any, specs: Mapping[str, TaskSpec]) -> TaskSpec:
        """Return a specification with what it takes over from those of other tasks, or say why it cannot."""
        return spec  # type: ignore[no-any-return]

    def check_together(self, configs: Mapping[str, TaskConfig]) -> None:
        """Refuse settings of this kind's tasks that do not go with those of others."""
        return


def row_of(row: Any, roles: Sequence[str], kind: str) -> Mapping[str, Any]:
    """Bring a row in memory under the names of its parts: a mapping by name, a tuple by order.

    >>> row_of(("A fine film.", "good"), ("text", "label"), "classify")
    {'text': 'A fine film.', 'label': 'good'}
    """
    if isinstance(row, Mapping):
        return row
    if isinstance(row, str):
        row = (row,)
    if not isinstance(row, Sequence) or len(row) > len(roles):
        raise TenorError(
            f"A row of a {kind!r} task is {str(row)[:60]!r}; expected a table or a tuple of "
            f"{', '.join(roles)}."
        )
    return dict(zip(roles, row, strict=False))
