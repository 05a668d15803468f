"""How good a task of a model is on a labelled file; or how well plain cosines follow people's scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tenor.errors import TenorError
from tenor.metrics.intervals import Interval
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.model.heads import TrainedTask, find_task
from tenor.model.predicting import predict
from tenor.tasks.config import TableConfig
from tenor.tasks.score_table import ScoreTable
from tenor.tasks.similarity.kind import SimilaritySpec
from tenor.tasks.spec import TaskSpec
from tenor.tasks.table import kind_of
from tenor.text.problems import Problems
from tenor.use.evaluate.columns import find_columns, fitting_tasks

COSINE = "cosine"  # the name of the task that every embedding model can do


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of a task on a file."""

    model: str
    task: str
    kind: str
    rows: int
    scores: Mapping[str, Interval]
    metric: str
    labels: tuple[str, ...] = ()
    confusion: tuple[tuple[int, ...], ...] | None = None
    """Of each true label [row], how many were predicted as each label [column]."""
    tables: tuple[ScoreTable, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: int = 0
    """Rows whose label or score the task does not have: they have no part in the scores."""

    @property
    def accuracy_with_left_out(self) -> float | None:
        """The accuracy if the rows that were left out counted as wrong."""
        accuracy = self.scores.get("accuracy")
        return None if accuracy is None else accuracy.estimate * self.rows / (self.rows + self.left_out)

    def to_json(self) -> dict[str, Any]:
        """Return it for programs."""
        scores = {
            name: {
                "estimate": _rounded(each.estimate),
                "low": _rounded(each.low),
                "high": _rounded(each.high),
            }
            for name, each in self.scores.items()
        }
        about = {
            "model": self.model,
            "task": self.task,
            "kind": self.kind,
            "rows": self.rows,
            "left_out": self.left_out,
        }
        table = None if self.confusion is None else [list(row) for row in self.confusion]
        return about | {
            "metric": self.metric,
            "scores": scores,
            "labels": list(self.labels) or None,
            "confusion": table,
            "tables": [each.to_json() for each in self.tables],
            "notes": list(self.notes),
        }


def evaluate(
    model: Model,
    path: str | Path,
    *,
    task: str | None = None,
    columns: Mapping[str, str | int] | None = None,
    rename: Mapping[str, str] | None = None,
    long: Long = "truncate",
    encoding: str | None = None,
    repeats: int = 1000,
    seed: int = 0,
    problems: Problems,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Score a task on a file.

    Without ``task`` it is the model's only one, or the only one that the file fits; for a model without tasks
    of its own the cosine of its vectors is compared with the scores of pairs. ``columns`` says where text and
    label (or first, second, label or score) stand; left out, they are those of the training file where the
    file has them, else found by content. ``rename`` maps labels of the file to those of the task. Rows whose
    label the task does not have are reported in ``problems`` and left out of the scores.
    """
    trained = _fitting(model, path, encoding) if task is None else None
    trained = trained or task_or_cosine(model, task)
    examples = _examples(path, trained, columns, rename or {}, model, encoding, problems)
    return evaluate_examples(
        model,
        trained,
        examples,
        source=path,
        long=long,
        repeats=repeats,
        seed=seed,
        problems=problems,
        progress=progress,
    )


def _fitting(model: Model, path: str | Path, encoding: str | None) -> TrainedTask | None:
    """Return the only task of its own that a file fits, None where there is no such task."""
    if len(model.own_tasks) < 2:
        return None
    fitting = fitting_tasks(model, path, encoding=encoding)
    if len(fitting) > 1:
        names = ", ".join(task.name for task in fitting)
        raise TenorError(f"{path} fits several tasks of {model.name}: {names}. Choose with --task.")
    return fitting[0] if fitting else None


def task_or_cosine(model: Model, name: str | None) -> TrainedTask:
    """Return a task of a model, or the cosine of its vectors as a task.

    Without a name it is the only task that the model was trained for, else the cosine.
    """
    answering = [
        task for task in model.own_tasks.values() if task.spec.answers_rows or task.spec.answers_words
    ]
    if name is None and len(answering) == 1:
        return answering[0]
    if name in (None, COSINE) and COSINE not in model.tasks:
        return TrainedTask(COSINE, SimilaritySpec(metric="spearman"))
    return find_task(model.tasks, str(name), model=model.name)


def evaluate_examples(
    model: Model,
    trained: TrainedTask,
    examples: Sequence[Any],
    *,
    source: str | Path,
    long: Long = "truncate",
    repeats: int = 1000,
    seed: int = 0,
    problems: Problems,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Score a task on examples; ``source`` says in messages where they are from."""
    if trained.name == COSINE and COSINE not in model.tasks:
        scores = [example.score for example in examples if example.score is not None]
        spec_of_scores = replace(SimilaritySpec(), metric="spearman", range=_span(scores, source))
        trained = replace(trained, spec=spec_of_scores)
    spec = trained.spec
    given = len(examples)
    examples = _possible(examples, trained, problems)
    targets = spec.targets(examples, name=trained.name)
    predictions = predict(model, trained, _rows(examples, spec), long=long, progress=progress)
    counts = spec.confusion(predictions, targets)
    return Evaluation(
        model=model.name,
        task=trained.name,
        kind=spec.kind,
        rows=len(examples),
        scores=spec.scores(predictions, targets, repeats=repeats, seed=seed),
        metric=spec.metric,
        labels=spec.labels_shown,
        confusion=None if counts is None else tuple(tuple(map(int, row)) for row in counts),
        left_out=given - len(examples),
        tables=spec.tables(predictions, targets),
        notes=tuple(spec.notes(targets)),
    )


def _possible(examples: Sequence[Any], task: TrainedTask, problems: Problems) -> Sequence[Any]:
    """Return the examples that the task could get right; report the others, or raise if no other is there."""
    try:
        task.spec.targets(examples, name=task.name)
        return examples
    except TenorError as error:
        if task.spec.answers_words:  # of tag sets that do not fit, single sentences say nothing
            raise
        possible = []
        for example in examples:
            try:
                task.spec.targets([example], name=task.name)
                possible.append(example)
            except TenorError as reason:
                what = str(reason).removeprefix(f"{example.origin}: ").partition(". ")[0].rstrip(".")
                problems.add(example.origin, f"{what}; left out of the scores")
        if not possible:
            raise TenorError(f"No row can be scored. {error}") from error
        return possible


def _rows(examples: Sequence[Any], spec: TaskSpec) -> list[Any]:
    """Return what a task reads of examples: their texts, or the examples themselves."""
    if spec.answers_words or not all(hasattr(example, "texts") for example in examples):
        return list(examples)
    return [example.texts[: spec.texts] for example in examples]


def _examples(
    path: str | Path,
    task: TrainedTask,
    columns: Mapping[str, str | int] | None,
    rename: Mapping[str, str],
    model: Model,
    encoding: str | None,
    problems: Problems,
) -> list[Any]:
    kind = kind_of(task.spec.kind)
    settings: dict[str, Any] = dict(task.spec.file_settings)
    if issubclass(kind.config, TableConfig):
        settings["columns"] = columns or _found_columns(path, task, model, encoding)
    elif columns is not None:
        settings |= columns
    try:
        config = kind.config(kind=kind.name, train=Path(path), file_encoding=encoding, **settings)
    except TypeError as error:
        raise TenorError(f"A {kind.name!r} task has no such columns: {', '.join(settings)}.") from error
    examples = list(kind.read(config, Path(path), problems=problems))
    return [renamed_label(each, rename) for each in examples] if rename else examples


def _found_columns(path: str | Path, task: TrainedTask, model: Model, encoding: str | None) -> dict[str, str]:
    try:
        return find_columns(path, task, encoding=encoding)
    except TenorError as error:
        if task.name == COSINE and model.tasks:
            raise TenorError(
                f"{path} fits no task of {model.name} by its columns and labels. Name a task with --task "
                f"({', '.join(model.tasks)}), and columns and labels that are called otherwise in the file "
                "with --columns and --labels."
            ) from error
        raise


def renamed_label(example: Any, rename: Mapping[str, str]) -> Any:
    """Return an example whose label, or tags, are called as ``rename`` says."""
    if getattr(example, "tags", None) is not None:
        return replace(example, tags=tuple(rename.get(tag, tag) for tag in example.tags))
    if example.label is None:
        return example
    return replace(example, label=rename.get(example.label, example.label))


def _span(scores: list[float], path: str | Path) -> tuple[float, float]:
    finite = [score for score in scores if np.isfinite(score)]
    if not finite or min(finite) == max(finite):
        raise TenorError(f"{path}: all scores are the same; no correlation can be computed.")
    return (min(finite), max(finite))


def _rounded(value: float) -> float | None:
    return round(value, 5) if np.isfinite(value) else None
