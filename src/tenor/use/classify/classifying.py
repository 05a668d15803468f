"""What a model's tasks say of texts or pairs: labels with probabilities, and scores; or of a whole file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.model.heads import TrainedTask, find_task
from tenor.model.predicting import predict, predict_from_vectors
from tenor.tasks.predictions import chosen
from tenor.text.examples import Pair, Sentence
from tenor.text.problems import Problems
from tenor.text.readers import read_pairs, read_texts
from tenor.use.windows import windows

Row = str | tuple[str, str]
WINDOW_ROWS = 8_192
WINDOW_CHARACTERS = 8_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a task says of one text or pair: labels with probabilities, or a score.

    >>> answer = Answer(("positive",), {"negative": 0.1, "positive": 0.9})
    >>> answer.label, answer.probabilities["positive"]
    ('positive', 0.9)
    """

    labels: tuple[str, ...] = ()  # one, or with several labels per text any number
    probabilities: Mapping[str, float] | None = None
    score: float | None = None

    @property
    def label(self) -> str | None:
        """The label, where there is exactly one."""
        return self.labels[0] if len(self.labels) == 1 else None

    def to_json(self, *, several: bool = False) -> dict[str, Any]:
        """Return it for programs; ``several`` where a text may have any number of labels."""
        if self.score is not None:
            return {"score": round(self.score, 4)}
        told: dict[str, Any] = {"labels": list(self.labels)} if several else {"label": self.label}
        probabilities = {label: round(p, 5) for label, p in (self.probabilities or {}).items()}
        return told | {"probabilities": probabilities}


@dataclass(frozen=True, slots=True)
class Answered:
    """A text or pair of a file and what each task says of it."""

    example: Sentence | Pair
    answers: Mapping[str, Answer]
    several: frozenset[str] = frozenset()  # tasks in which a text may have any number of labels

    def to_json(self) -> dict[str, Any]:
        """Return line, texts and answers for programs."""
        texts = self.example.texts
        named = {"text": texts[0]} if len(texts) == 1 else dict(zip(("first", "second"), texts, strict=True))
        told = {name: each.to_json(several=name in self.several) for name, each in self.answers.items()}
        return {"line": self.example.origin.line, **named, "tasks": told}


def classify(
    model: Model,
    rows: Sequence[Row],
    *,
    tasks: Sequence[str] | None = None,
    long: Long = "truncate",
    progress: Callable[[int], None] | None = None,
) -> list[dict[str, Answer]]:
    """Return what each task says of each text, or of each pair of texts.

    ``tasks`` are all that fit when None: those about single texts for texts, those about two for pairs.
    """
    sides = {1 if isinstance(row, str) else len(row) for row in rows}
    if len(sides) > 1 or not sides <= {1, 2}:
        raise TypeError("classify takes a list of texts, or a list of pairs of texts, not a mixture.")
    found = chosen_tasks(model, tasks, pairs=sides == {2})
    texts = [(row,) if isinstance(row, str) else tuple(row) for row in rows]
    return _answers(model, found, texts, long, progress)


def classify_file(
    model: Model,
    path: str | Path,
    *,
    tasks: Sequence[str] | None = None,
    column: str | int | None = None,
    columns: Mapping[str, str | int] | None = None,
    long: Long = "truncate",
    problems: Problems,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Answered]:
    """Yield the answers for the texts of a file in order, in memory that does not grow with the file.

    Pairs are read where the tasks are about two texts; ``columns`` then names both (first, second),
    ``column`` that of single texts; both are found by content when left out. Empty texts are reported and
    left out.
    """
    pairs = columns is not None or (tasks is not None and all(_about_pairs(model, name) for name in tasks))
    found = chosen_tasks(model, tasks, pairs=pairs)
    several = frozenset(task.name for task in found if task.spec.separator is not None)
    read = _read_pairs(path, columns, problems) if pairs else _read_texts(path, column, problems)
    for window in windows(read, _characters, most=WINDOW_ROWS, most_characters=WINDOW_CHARACTERS):
        answers = _answers(model, found, [example.texts for example in window], long, progress)
        for example, answer in zip(window, answers, strict=True):
            yield Answered(example, answer, several)


def chosen_tasks(model: Model, names: Sequence[str] | None, *, pairs: bool) -> list[TrainedTask]:
    """Return the tasks of the given names, or all that fit, or say what is wrong."""
    if names is None:
        found = [task for task in model.tasks.values() if _fits(task, pairs) and task.spec.kind != "match"]
        if found:
            return found
        others = ", ".join(model.tasks)
        about = "two texts" if pairs else "single texts"
        hint = f"Its tasks: {others}; choose with --task." if others else "Train some with tenor train."
        raise TenorError(f"{model.name} has no task about {about}. {hint}")
    found = [find_task(model.tasks, name, model=model.name) for name in names]
    for task in found:
        if task.spec.kind == "match":
            raise TenorError(f"Task {task.name} gives vectors, not labels: use tenor embed or tenor compare.")
        if not _fits(task, pairs):
            needed, given = ("two texts", "single texts") if not pairs else ("single texts", "pairs")
            raise TenorError(f"Task {task.name} is about {needed}, but {given} were given.")
    return found


def answers_of(task: TrainedTask, predictions: NDArray[Any]) -> list[Answer]:
    """Put predictions [n, labels] or scores [n] into words."""
    spec = task.spec
    if spec.kind == "similarity":
        return [Answer(score=float(score)) for score in predictions]
    picked = chosen(spec, predictions)
    rows = picked if spec.separator is not None else np.eye(len(spec.labels), dtype=int)[picked]
    return [
        Answer(
            tuple(label for label, given in zip(spec.labels, row, strict=True) if given),
            dict(zip(spec.labels, map(float, probabilities), strict=True)),
        )
        for row, probabilities in zip(rows, predictions, strict=True)
    ]


def _answers(
    model: Model,
    tasks: Sequence[TrainedTask],
    rows: Sequence[Sequence[str]],
    long: Long,
    progress: Callable[[int], None] | None,
) -> list[dict[str, Answer]]:
    found: list[dict[str, Answer]] = [{} for _ in rows]
    if not rows:
        return found
    texts = list(zip(*rows, strict=True))  # sides, each of n texts
    shared = [task for task in tasks if task.spec.reads_default(model.settings.pooling)]
    if shared:
        # One pass serves all heads that read the model's own vectors.
        vectors = np.split(model.pooled([text for side in texts for text in side], long=long), len(texts))
    for task in tasks:
        if task in shared:
            predictions = predict_from_vectors(model, task, vectors, texts)
        else:
            predictions = predict(model, task, rows, long=long)
        for answers, answer in zip(found, answers_of(task, predictions), strict=True):
            answers[task.name] = answer
    if progress is not None:
        progress(len(rows))
    return found


def _read_texts(path: str | Path, column: str | int | None, problems: Problems) -> Iterator[Sentence | Pair]:
    yield from read_texts(path, column=column, problems=problems)


def _read_pairs(
    path: str | Path, columns: Mapping[str, str | int] | None, problems: Problems
) -> Iterator[Sentence | Pair]:
    yield from read_pairs(path, columns=columns, problems=problems)


def _about_pairs(model: Model, name: str) -> bool:
    return find_task(model.tasks, name, model=model.name).spec.kind != "classify"


def _fits(task: TrainedTask, pairs: bool) -> bool:
    return (task.spec.kind != "classify") is pairs


def _characters(example: Sentence | Pair) -> int:
    return sum(map(len, example.texts))
