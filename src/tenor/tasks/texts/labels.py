"""Tasks with labels: their settings, which labels there are, answers and scores."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.metrics.classes import class_figures, class_scores, confusion, label_scores
from tenor.metrics.intervals import Interval
from tenor.tasks.answer import Answer, LabelAnswer
from tenor.tasks.config import HeadConfig, check_fraction
from tenor.tasks.texts.predictions import sigmoid, softmax
from tenor.tasks.texts.spec import TextSpec
from tenor.tasks.texts.targets import label_targets
from tenor.text.example_statistics import ExampleStatistics
from tenor.text.examples import Pair, Sentence
from tenor.text.file_profile import FileProfile
from tenor.text.readers import LABELS

_SEPARATORS = ("|", ";", ",")
_OFTEN = 0.1  # of the rows have more than one label
_LABEL_WORDS = 3
METRICS = ("accuracy", "f1_macro", "f1_micro", "f1", "matthews")


@dataclass(frozen=True, kw_only=True)
class LabelConfig(HeadConfig):
    """A task that gives labels."""

    labels: tuple[str, ...] | None = None
    """All labels, in order; of two labels of a pair the second is the positive one. Default: those of the
    train examples, sorted."""
    class_weight: Literal["balanced"] | None = None
    """balanced: rare labels weigh more in the loss, so that all weigh the same in all."""
    label_smoothing: float | None = None
    """The part of the target that is spread over all labels. Default: 0."""
    calibrate: bool | None = None
    """Whether, after training, the head's slope and offsets are fitted to the dev examples, so that of what
    it says with 80% four in five are right. Default: false."""

    metrics: ClassVar[tuple[str, ...]] = METRICS

    def check(self) -> None:
        """Refuse labels that are none, and calibration without dev examples."""
        super().check()
        check_fraction(self, "label_smoothing")
        if self.labels is not None and (len(set(self.labels)) != len(self.labels) or len(self.labels) < 2):
            raise TenorError("labels must name at least two labels, each once.")
        if self.calibrate:
            for key in ("multi_label", "share_head_with"):
                if getattr(self, key, None) is not None:
                    raise TenorError(f"calibrate cannot be asked for beside {key}; leave one of them out.")
            if self.dev is None and self.train is not None:
                raise TenorError("calibrate is fitted to dev rows, but the task has no dev file; give one.")


@dataclass(frozen=True, kw_only=True)
class LabelSpec(TextSpec):
    """A task that gives labels."""

    labels: tuple[str, ...] = ()
    class_weight: Literal["balanced"] | None = None
    label_smoothing: float = 0.0

    @property
    def several(self) -> str | None:
        """What separates the labels of a row that may have several; None where it has one."""
        return None

    @property
    def labels_shown(self) -> tuple[str, ...]:
        """The labels."""
        return self.labels

    @property
    def probability_labels(self) -> tuple[str, ...]:
        """The labels."""
        return self.labels

    def wrong(self) -> str | None:
        """Say why no head could be built from these settings."""
        if len(self.labels) < 2 or len(set(self.labels)) != len(self.labels):
            return "it needs at least two different labels"
        return super().wrong()

    def predictions(self, raw: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the probability of every label [n, labels]."""
        values = np.asarray(raw, dtype=np.float64)
        return softmax(values) if self.several is None else sigmoid(values)

    def chosen(self, predictions: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the label of each row [n], or with several labels a one for each that holds [n, labels]."""
        if self.several is not None:
            return (predictions >= 0.5).astype(np.int64)
        return np.asarray(predictions.argmax(axis=1), dtype=np.int64)

    def targets(self, examples: Sequence[Any], *, name: str) -> NDArray[np.int64]:
        """Return the number of each example's label [n], or ones for its labels [n, labels]."""
        return label_targets(self.labels, self.several, examples, name=name)

    def scores(
        self, predictions: Any, targets: Any, *, repeats: int = 1000, seed: int = 0
    ) -> dict[str, Interval]:
        """Return accuracy, F1 and Matthews' correlation with their intervals."""
        given = self.chosen(predictions)
        if self.several is not None:
            return label_scores(targets, given, repeats=repeats, seed=seed)
        return class_scores(targets, given, len(self.labels), repeats=repeats, seed=seed)

    def plain_scores(self, predictions: Any, targets: Any) -> dict[str, float]:
        """Return the same scores without intervals."""
        if self.several is not None:
            return super().plain_scores(predictions, targets)
        table = confusion(targets, self.chosen(predictions), len(self.labels))
        return {name: float(value) for name, value in class_figures(table).items()}

    def confusion(self, predictions: Any, targets: Any) -> NDArray[np.int64] | None:
        """Count how often each label was given for each."""
        if self.several is not None:
            return None
        return confusion(targets, self.chosen(predictions), len(self.labels))

    def answers(self, predictions: Any) -> list[Answer]:
        """Return the labels of each row with all probabilities."""
        picked = self.chosen(predictions)
        rows = picked if self.several is not None else np.eye(len(self.labels), dtype=int)[picked]
        return [
            LabelAnswer(
                tuple(label for label, given in zip(self.labels, row, strict=True) if given),
                dict(zip(self.labels, map(float, probabilities), strict=True)),
                self.several is not None,
                self.several or "|",
            )
            for row, probabilities in zip(rows, predictions, strict=True)
        ]

    def gold(self, example: Any) -> Any:
        """Return the label, or the labels."""
        return example.label if self.several is None else labels_of(example, self.several)


def settle_labels(
    config: LabelConfig, examples: Sequence[Any], *, name: str, several: str | None = None
) -> dict[str, Any]:
    """Return what a config and examples settle of labels."""
    labels = config.labels or _found_labels(config, examples, name, several)
    if config.metric == "f1" and len(labels) > 2:
        raise TenorError(
            f"Task {name}: the metric f1 is for two labels, but there are {len(labels)}; use f1_macro."
        )
    return {
        "labels": labels,
        "class_weight": config.class_weight,
        "label_smoothing": config.label_smoothing or 0.0,
    }


def _found_labels(
    config: LabelConfig, examples: Sequence[Sentence | Pair], name: str, several: str | None
) -> tuple[str, ...]:
    found = Counter(label for example in examples for label in labels_of(example, several))
    if len(found) < 2:
        only = next(iter(found), "")
        column = config.columns.get("label", "label")
        raise TenorError(
            f"Task {name}: every label is {only!r}; there is nothing to classify. At least two values are "
            f"needed in the column {column!r}."
        )
    return tuple(sorted(found, key=_in_order))


def labels_of(example: Sentence | Pair, separator: str | None) -> list[str]:
    """Return the label of an example, or the labels that the separator parts.

    >>> from tenor.text.examples import Origin
    >>> labels_of(Sentence("…", Origin("a", 1), label="news | sport"), "|")
    ['news', 'sport']
    """
    label = (example.label or "").strip()
    if separator is None:
        return [label] if label else []
    return [part.strip() for part in label.split(separator) if part.strip()]


def split_counts(labels: Mapping[str, int], separator: str | None) -> Counter[str]:
    """Count labels one by one, where a separator parts those of a cell.

    >>> split_counts({"a|b": 2, "b": 1}, "|")["b"]
    3
    """
    if separator is None:
        return Counter(labels)
    counts: Counter[str] = Counter()
    for cell, count in labels.items():
        counts.update({part.strip(): count for part in cell.split(separator) if part.strip()})
    return counts


def guess_separator(labels: Mapping[str, int]) -> str | None:
    """Return what seems to separate several labels in a cell; None where each cell holds one.

    >>> guess_separator({"news|sport": 3, "news": 5, "sport": 4}), guess_separator({"good": 3, "bad": 4})
    ('|', None)
    """
    for separator in _SEPARATORS:
        parts = split_counts(labels, separator)
        joined = {cell: count for cell, count in labels.items() if separator in cell}
        fewer = len(parts) < len(labels) + _stand_alone(labels, joined, separator)
        if sum(joined.values()) < _OFTEN * sum(labels.values()) or len(parts) < 2 or not fewer:
            continue
        # Parts come again in other cells, and read like labels, not like clauses.
        if all(len(part.split()) <= _LABEL_WORDS for part in parts) and min(parts.values()) > 1:
            return separator
    return None


def separator_in(survey: FileProfile) -> str | None:
    """Return what separates several labels of a row in a file; None where each row has one."""
    labels = survey.statistics.labels
    if survey.label_arrays:
        return LABELS if any(LABELS in cell for cell in labels) else None
    return guess_separator(labels)


def _stand_alone(labels: Mapping[str, int], joined: Mapping[str, int], separator: str) -> bool:
    """Whether each cell that holds several labels has one that other cells hold alone.

    >>> _stand_alone({"news, money": 3, "news": 5}, {"news, money": 3}, ",")
    True
    >>> _stand_alone({"London, UK": 3, "Leeds, UK": 5}, {"London, UK": 3, "Leeds, UK": 5}, ",")
    False
    """
    return all(any(part.strip() in labels for part in cell.split(separator)) for cell in joined)


def _in_order(label: str) -> tuple[int, float, str]:
    """Sort numbers by value and before words."""
    try:
        number = float(label)
        return (0, number, label) if math.isfinite(number) else (1, 0.0, label)
    except ValueError:
        return (1, 0.0, label)


def label_faults(
    config: LabelConfig, train: ExampleStatistics, dev: ExampleStatistics | None, *, several: str | None
) -> list[str]:
    """Say why nothing could be learned from these labels, if so."""
    labels, unknown = _split(train, several), list[str]()
    if (text := _text_for_label(train)) is not None:
        return [f"the labels look like texts ({text[:60]!r}); are the columns of text and label swapped?"]
    if train.too_many_labels and several is None:
        return [f"the label has more than {len(train.labels):,} values; is it the right column?"]
    if not labels:
        return ["no row has a label; at least two values are needed"]
    if len(labels) < 2:
        return [f"every label is {next(iter(labels), '')!r}; at least two values are needed"]
    if config.labels is not None:
        unknown = sorted(labels - set(config.labels))
        if unknown:
            return [f"the setting labels lacks labels of the train file: {_some(unknown)}"]
        labels = set(config.labels)
    if dev is not None and not train.too_many_labels:
        unknown = sorted(_split(dev, several) - labels)
    return (
        [f"the dev file has labels that do not occur in the train file: {_some(unknown)}"] if unknown else []
    )


def _text_for_label(tally: ExampleStatistics) -> str | None:
    """Return a label where labels are longer than the texts and hardly ever the same twice."""
    words = tally.words()
    if words is None or len(tally.labels) <= tally.count / 2 or tally.count < 4:
        return None
    sizes = sorted(len(label.split()) for label in tally.labels)
    return max(tally.labels, key=len) if sizes[len(sizes) // 2] > max(2, words.median) else None


def _split(tally: ExampleStatistics, separator: str | None) -> set[str]:
    if separator is None:
        return set(tally.labels)
    parts = {part.strip() for label in tally.labels for part in label.split(separator)}
    return parts - {""}


def _some(labels: list[str]) -> str:
    return ", ".join(map(repr, labels[:5]))
