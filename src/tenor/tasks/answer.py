"""Answers: what a task says of one row, as people and programs read it.

Each becomes JSON lines, cells of a table, the JSON of the API and a line of a run's predictions. A kind of
one's own may bring another class with the same methods.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class Answer(ABC):
    """What a task says of one row."""

    @property
    @abstractmethod
    def predicted(self) -> Any:
        """The prediction in the form of the example's gold: a label, labels, a number, tags."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return it for programs, rounded."""

    @abstractmethod
    def cells(self) -> dict[str, str]:
        """Return the cells of a table: under "" the answer itself, under further names what goes with it."""

    def to_api(self) -> dict[str, Any]:
        """Return what the HTTP API answers."""
        return self.to_json()

    def prediction(self) -> dict[str, Any]:
        """Return what a run's ``predictions.jsonl`` keeps beside gold and texts."""
        return {"predicted": self.predicted}


@dataclass(frozen=True, slots=True)
class LabelAnswer(Answer):
    """A label, or any number of labels, and the probability of each.

    >>> answer = LabelAnswer(("positive",), {"negative": 0.1, "positive": 0.9})
    >>> answer.label, answer.probabilities["positive"]
    ('positive', 0.9)
    """

    labels: tuple[str, ...]
    probabilities: Mapping[str, float]
    several: bool = False
    """Whether a row may have any number of labels."""
    separator: str = "|"
    """What stands between several labels in a cell."""

    @property
    def label(self) -> str | None:
        """The label, where there is exactly one."""
        return self.labels[0] if len(self.labels) == 1 else None

    @property
    def predicted(self) -> str | list[str] | None:
        """The label, or all labels."""
        return list(self.labels) if self.several else self.label

    def to_json(self) -> dict[str, Any]:
        """Return labels and probabilities."""
        named: dict[str, Any] = {"labels": list(self.labels)} if self.several else {"label": self.label}
        return named | {"probabilities": {label: round(p, 5) for label, p in self.probabilities.items()}}

    def cells(self) -> dict[str, str]:
        """Return the labels, and a cell for the probability of each."""
        return {"": self.separator.join(self.labels)} | {
            label: f"{p:.4f}" for label, p in self.probabilities.items()
        }

    def to_api(self) -> dict[str, Any]:
        """Return labels as a list, whether one or several, and probabilities."""
        return {"labels": list(self.labels), "probabilities": dict(self.probabilities), "score": None}

    def prediction(self) -> dict[str, Any]:
        """Return the labels and all probabilities."""
        return {"predicted": self.predicted, "probabilities": dict(self.probabilities)}


@dataclass(frozen=True, slots=True)
class ScoreAnswer(Answer):
    """A number on a scale."""

    score: float

    @property
    def predicted(self) -> float:
        """The number."""
        return self.score

    def to_json(self) -> dict[str, Any]:
        """Return the score."""
        return {"score": round(self.score, 4)}

    def cells(self) -> dict[str, str]:
        """Return the score."""
        return {"": f"{self.score:.3f}"}

    def to_api(self) -> dict[str, Any]:
        """Return the score beside empty labels."""
        return {"labels": [], "probabilities": None, "score": self.score}
