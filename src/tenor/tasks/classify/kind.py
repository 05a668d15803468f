"""Putting a text into a class, or into several: sentiment, topics, intents."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tenor.errors import TenorError
from tenor.tasks.config import Head, TaskConfig
from tenor.tasks.spec import TaskSpec
from tenor.tasks.texts.kind import TextKind
from tenor.tasks.texts.labels import (
    LabelConfig,
    LabelSpec,
    label_faults,
    labels_of,
    separator_in,
    settle_labels,
    split_counts,
)
from tenor.tasks.texts.spec import settled
from tenor.text.example_statistics import ExampleStatistics
from tenor.text.file_profile import FileProfile

if TYPE_CHECKING:
    from tenor.tasks.texts.task import TextTask


@dataclass(frozen=True, kw_only=True)
class ClassifyConfig(LabelConfig):
    """The settings of a ``classify`` task.

    >>> ClassifyConfig(columns={"text": 0, "label": 1}).batch_size
    16
    """

    kind: str = "classify"
    multi_label: str | None = None
    """What separates the labels where a text may have several."""

    roles: ClassVar[tuple[str, ...]] = ("text", "label")
    heads: ClassVar[tuple[Head, ...]] = ("linear", "mlp", "residual")

    def check(self) -> None:
        """Refuse a separator that separates nothing."""
        super().check()
        if self.multi_label == "":
            raise TenorError("multi_label is empty; it is what separates two labels, such as '|'.")


@dataclass(frozen=True, kw_only=True)
class ClassifySpec(LabelSpec):
    """A number per label; with a separator each label holds or not."""

    separator: str | None = None
    """Between the labels of a text that may have several."""

    kind: ClassVar[str] = "classify"
    config = ClassifyConfig

    @property
    def several(self) -> str | None:
        """The separator."""
        return self.separator

    @property
    def file_settings(self) -> Mapping[str, Any]:
        """What separates labels: with it, a row may also have none."""
        return {} if self.separator is None else {"multi_label": self.separator}

    @property
    def outputs(self) -> int:
        """One number per label."""
        return len(self.labels)


class ClassifyKind(TextKind):
    """Puts texts into classes."""

    name = "classify"
    about = "predicts the label of a text"
    config = ClassifyConfig
    spec = ClassifySpec

    @property
    def task(self) -> "type[TextTask]":
        """The torch task."""
        from tenor.tasks.classify.task import ClassifyTask

        return ClassifyTask

    def faults(
        self, config: ClassifyConfig, train: ExampleStatistics, dev: ExampleStatistics | None
    ) -> list[str]:
        """Say what is wrong with the labels."""
        return label_faults(config, train, dev, several=config.multi_label)

    def classes(self, config: ClassifyConfig, examples: Sequence[Any]) -> Mapping[str, int] | None:
        """Count the labels, where a text has one only."""
        if config.multi_label is not None:
            return None
        return Counter(label for each in examples for label in labels_of(each, None))

    def fits(self, config: ClassifyConfig) -> bool:
        """A linear layer can be fitted."""
        return config.head in (None, "linear")

    def settle(self, config: ClassifyConfig, examples: Sequence[Any], *, name: str) -> TaskSpec:
        """Find the labels."""
        own = settle_labels(config, examples, name=name, several=config.multi_label)
        if config.multi_label is not None:
            own |= {"separator": config.multi_label, "metric": config.metric or "f1_micro"}
        return ClassifySpec(**settled(config, **own))

    def guess(self, path: str | Path, survey: FileProfile | None) -> TaskConfig | None:
        """Return settings with the columns, and with what separates labels where a cell holds several."""
        config = super().guess(path, survey)
        separator = None if survey is None else separator_in(survey)
        if not isinstance(config, ClassifyConfig) or separator is None:
            return config
        return replace(config, multi_label=separator)

    def label_counts(self, config: ClassifyConfig, tally: ExampleStatistics) -> Counter[str]:
        """Count labels one by one, also those that stand in a cell together."""
        return split_counts(tally.labels, config.multi_label)

    def columns_of(self, survey: FileProfile) -> Mapping[str, str] | None:
        """A text and a label."""
        roles = survey.roles
        if roles.pair is not None or roles.text is None or roles.label is None:
            return None
        return {"text": roles.text, "label": roles.label}
