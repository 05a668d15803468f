"""A task with nothing left open: what it predicts, free of files and torch.

A run file may leave most of it to the data (labels, range) and to defaults. What was settled is written into
the model folder (``tenor.json``) and read again for use: it turns predictions into answers, and scores them.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError, did_you_mean
from tenor.layers.pooling_config import PoolingConfig
from tenor.metrics.intervals import Interval
from tenor.tasks.answer import Answer
from tenor.tasks.score_table import ScoreTable

Weights = Mapping[str, NDArray[np.float32]]
Predictions = Any
"""One prediction per row: an array [n, …], or a list where rows have predictions of different sizes."""


@dataclass(frozen=True, kw_only=True)
class TaskSpec:
    """What a task predicts; each kind has its own."""

    metric: str = "accuracy"

    kind: ClassVar[str] = ""
    texts: ClassVar[int] = 1
    """How many texts a row has in use."""
    answers_words: ClassVar[bool] = False
    """Whether it says something of every word, not of the whole row."""
    answers_rows: ClassVar[bool] = True
    """Whether it says something of a row by itself."""

    @property
    def file_settings(self) -> Mapping[str, Any]:
        """Settings of its kind by which files are read as those were that it was trained on."""
        return {}

    @property
    def shares_head_of(self) -> str | None:
        """The task whose head this one uses, None where it has its own."""
        return None

    @property
    def labels_shown(self) -> tuple[str, ...]:
        """The labels that it gives, for people; empty where it gives none."""
        return ()

    @property
    def probability_labels(self) -> tuple[str, ...]:
        """The labels that it gives probabilities of, in their order; empty where it gives none."""
        return ()

    def probabilities(self, predictions: Predictions) -> Predictions:
        """Return the probabilities among predictions: [n, labels], or [words, labels] of every row."""
        return predictions

    # ------------------------------------------------------------------ saving

    def to_json(self) -> dict[str, Any]:
        """Return the kind and what differs from the defaults."""
        values = asdict(self)
        return {"kind": self.kind} | {
            each.name: values[each.name] for each in fields(self) if getattr(self, each.name) != each.default
        }

    @classmethod
    def from_json(cls, table: Mapping[str, Any], *, where: str) -> Self:
        """Read what ``to_json`` wrote, trusting nothing."""
        hints = get_type_hints(cls)
        known = {each.name: each for each in fields(cls)}
        given = {key: value for key, value in table.items() if key != "kind"}
        for key, value in given.items():
            if key not in known:
                raise TenorError(f"{where} has an unknown setting {key!r}.{did_you_mean(key, known)}")
            if not fits(value, hints[key]):
                raise TenorError(f"{where}: {key} is {str(value)[:60]!r}, which is not understood.")
        for name, each in known.items():
            if name not in given and each.default is MISSING:
                raise TenorError(f"{where} lacks the setting {name!r}.")
        spec = cls(**{key: _tuples(value) for key, value in given.items()})
        if (wrong := spec.wrong()) is not None:
            raise TenorError(f"{where}: {wrong}.")
        return spec

    def wrong(self) -> str | None:
        """Say why no head could be built from these settings, None where one can."""
        return None

    def weight_shapes(self, hidden_size: int, *, pooling: PoolingConfig) -> Mapping[str, tuple[int, ...]]:
        """Return the weights that a file must hold for it, by name; none where that is found out on loading.

        ``hidden_size`` is that of the encoder, ``pooling`` the model's.
        """
        return {}

    # ----------------------------------------------------------------- scoring

    @abstractmethod
    def targets(self, examples: Sequence[Any], *, name: str) -> Any:
        """Return what the examples say is right, or say which of them says something impossible."""

    @abstractmethod
    def scores(
        self, predictions: Predictions, targets: Any, *, repeats: int = 1000, seed: int = 0
    ) -> dict[str, Interval]:
        """Return all scores with their bootstrap intervals; ``metric`` is among them."""

    def plain_scores(self, predictions: Predictions, targets: Any) -> dict[str, float]:
        """Return all scores without intervals, quickly."""
        return {name: each.estimate for name, each in self.scores(predictions, targets, repeats=1).items()}

    def confusion(self, predictions: Predictions, targets: Any) -> NDArray[np.int64] | None:
        """Count how often each label was given [true, given]; None where there is no such table."""
        return None

    def notes(self, targets: Any) -> list[str]:
        """Return what a person should know of the targets that scores are computed with, a sentence each."""
        return []

    def tables(self, predictions: Predictions, targets: Any) -> tuple[ScoreTable, ...]:
        """Return tables of scores beside the figures, for `tenor evaluate` and the report."""
        return ()

    # --------------------------------------------------------------------- use

    def answers(self, predictions: Predictions) -> list[Answer]:
        """Put predictions into words, a row each."""
        raise TenorError(f"A task of kind {self.kind!r} says nothing of single rows.")

    def gold(self, example: Any) -> Any:
        """Return what an example says is right, in the form of an answer's ``predicted``."""
        return example.label

    def prediction_row(self, example: Any, answer: Answer) -> dict[str, Any]:
        """Return what a run's ``predictions.jsonl`` says of a row; see ``tenor.report.predicted``."""
        return {"gold": self.gold(example)} | answer.prediction()

    @property
    def gives(self) -> str:
        """What it gives, for a model's card."""
        return ", ".join(self.labels_shown[:20]) + (", …" if len(self.labels_shown) > 20 else "")


def fits(value: Any, hint: Any) -> bool:
    """Whether a value out of JSON has the type of a field."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin is tuple:
        if not isinstance(value, list) or (inner[-1] is not Ellipsis and len(value) != len(inner)):
            return False
        return all(fits(each, inner[0]) for each in value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and -1e300 < value < 1e300
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is type(None):
        return value is None
    if origin is Union or inner:
        return any(fits(value, each) for each in inner)
    return isinstance(value, hint)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value
