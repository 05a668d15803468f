"""What examination and wrappers take: something that says how probable each label of a row, or of a word, is.

A task of a model is one (:func:`predictor`), and so is any object with the same two members: an ensemble, a
model of another library, a function in a class.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from tenor.errors import TenorError
from tenor.model.encoding import Long
from tenor.model.heads import TrainedTask, find_task
from tenor.model.model import Model
from tenor.model.predicting import predict
from tenor.tasks.kind import IN_MEMORY
from tenor.tasks.spec import Predictions
from tenor.tasks.table import kind_of
from tenor.text.examples import Origin


@runtime_checkable
class Predictor(Protocol):
    """Gives the probabilities of labels."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities."""

    def predict_proba(self, rows: Sequence[Any]) -> Predictions:
        """Return probabilities [n, labels] of rows, or a list with an array [words, labels] for each."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskPredictor:
    """A task of a model."""

    model: Model
    task: TrainedTask
    long: Long = "truncate"

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the task."""
        return self.task.spec.probability_labels

    def predict_proba(self, rows: Sequence[Any]) -> Predictions:
        """Return what the task's head gives each label: probabilities of rows, or of the words of each."""
        spec = self.task.spec
        if spec.answers_words:
            kind = kind_of(spec.kind)
            rows = [kind.example(row, Origin(IN_MEMORY, number)) for number, row in enumerate(rows, 1)]
        else:
            rows = [(row,) if isinstance(row, str) else row for row in rows]
        return spec.probabilities(predict(self.model, self.task, rows, long=self.long))


def predictor(model: Model, task: str, *, long: Long = "truncate") -> TaskPredictor:
    """Open a task of a model as a predictor.

    >>> from tenor import load
    >>> mood = predictor(load("minilm"), "sentiment")               # doctest: +SKIP
    >>> mood.labels, mood.predict_proba(["a fine film"]).shape      # doctest: +SKIP
    (('negative', 'positive'), (1, 2))
    """
    found = find_task(model.tasks, task, model=model.name)
    if not found.spec.probability_labels:
        raise TenorError(f"Task {task} gives no probabilities of labels.")
    return TaskPredictor(model, found, long)
