"""How good a task of a model is on a labelled file; or how well plain cosines follow people's scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tenor.errors import TenorError
from tenor.metrics.classes import confusion
from tenor.metrics.intervals import Interval
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.model.heads import TrainedTask, find_task
from tenor.model.predicting import predict
from tenor.tasks.config import ROLES, Kind, TaskConfig
from tenor.tasks.data import Example, read_examples
from tenor.tasks.predictions import chosen
from tenor.tasks.scoring import interval_scores
from tenor.tasks.spec import TaskSpec
from tenor.tasks.targets import label_targets, score_targets
from tenor.text.batching import distinct
from tenor.text.columns import guess_roles, take_head
from tenor.text.examples import Triple
from tenor.text.problems import Problems
from tenor.text.readers import read_rows

COSINE = "cosine"  # the name of the task that every embedding model can do


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of a task on a file."""

    model: str
    task: str
    kind: Kind
    rows: int
    scores: Mapping[str, Interval]
    metric: str
    labels: tuple[str, ...] = ()
    confusion: tuple[tuple[int, ...], ...] | None = None
    """Of each true label [row], how many were given each label [column]."""

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
        told = {"model": self.model, "task": self.task, "kind": self.kind, "rows": self.rows}
        table = None if self.confusion is None else [list(row) for row in self.confusion]
        return told | {
            "metric": self.metric,
            "scores": scores,
            "labels": list(self.labels) or None,
            "confusion": table,
        }


def evaluate(
    model: Model,
    path: str | Path,
    *,
    task: str | None = None,
    columns: Mapping[str, str | int] | None = None,
    rename: Mapping[str, str] | None = None,
    long: Long = "truncate",
    repeats: int = 1000,
    seed: int = 0,
    problems: Problems,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Score a task on a file.

    Without ``task`` the cosine of a model's vectors is compared with the scores of pairs. ``columns`` says
    where text and label (or first, second, label or score) stand; found by content when left out. ``rename``
    maps labels of the file to those of the task.
    """
    found = _cosine() if task in (None, COSINE) and COSINE not in model.tasks else None
    trained = found or find_task(model.tasks, str(task), model=model.name)
    examples = _examples(path, trained, columns, rename or {}, model, problems)
    if found is not None:
        scores = [example.score for example in examples if example.score is not None]
        trained = replace(found, spec=replace(found.spec, range=_span(scores, path)))
    targets = _targets(trained, examples, model)
    rows = [example.texts[: 1 if trained.spec.kind == "classify" else 2] for example in examples]
    predictions = predict(model, trained, rows, long=long, progress=progress)
    spec = trained.spec
    table = None
    if spec.labels and spec.separator is None:
        counts = confusion(targets, chosen(spec, predictions), len(spec.labels))
        table = tuple(tuple(map(int, row)) for row in counts)
    return Evaluation(
        model=model.name,
        task=trained.name,
        kind=spec.kind,
        rows=len(examples),
        scores=interval_scores(spec, predictions, targets, repeats=repeats, seed=seed),
        metric=spec.metric,
        labels=spec.labels,
        confusion=table,
    )


def find_columns(path: str | Path, kind: Kind) -> dict[str, str]:
    """Find the columns that a kind of task reads by their names and content."""
    if str(path) == "-":
        raise TenorError("The columns of standard input cannot be found out: name them.")
    rows = read_rows(path, problems=Problems())
    roles = guess_roles(take_head(rows))
    first, second = roles.pair or (None, None)
    found = {"text": roles.text, "first": first, "second": second, "label": roles.label, "score": roles.score}
    if found["label"] is None and kind in ("classify", "pair"):
        found["label"] = roles.score  # classes written as numbers look like scores
    if found["score"] is None:
        found["score"] = roles.label
    missing = [role for role in ROLES[kind] if found[role] is None]
    if missing:
        example = ",".join(f"{role}=COLUMN" for role in ROLES[kind])
        raise TenorError(
            f"{path}: the column of the {missing[0]} cannot be told. Name all, as in --columns {example}."
        )
    return {role: str(found[role]) for role in ROLES[kind]}


def _examples(
    path: str | Path,
    task: TrainedTask,
    columns: Mapping[str, str | int] | None,
    rename: Mapping[str, str],
    model: Model,
    problems: Problems,
) -> list[Any]:
    kind = task.spec.kind
    if columns is None:
        try:
            columns = find_columns(path, kind)
        except TenorError as error:
            if task.name == COSINE and model.tasks:
                raise TenorError(f"{error} Or name a task: {', '.join(model.tasks)}.") from error
            raise
    config = TaskConfig(kind=kind, train=Path(path), columns=columns)
    examples = list(read_examples(config, Path(path), problems=problems))
    return [_renamed(each, rename) for each in examples] if rename else examples


def _renamed(example: Example, rename: Mapping[str, str]) -> Example:
    if isinstance(example, Triple) or example.label is None:
        return example
    return replace(example, label=rename.get(example.label, example.label))


def _targets(task: TrainedTask, examples: Sequence[Any], model: Model) -> Any:
    spec = task.spec
    if spec.kind == "match":
        texts = model.tokenizer.tokenize([text for each in examples for text in each.texts[:2]])
        return distinct(texts)[1].reshape(-1, 2)
    if spec.kind == "similarity":
        return score_targets(spec, examples, name=task.name)
    return label_targets(spec, examples, name=task.name)


def _cosine() -> TrainedTask:
    return TrainedTask(COSINE, TaskSpec(kind="similarity", head="cosine", metric="spearman"))


def _span(scores: list[float], path: str | Path) -> tuple[float, float]:
    finite = [score for score in scores if np.isfinite(score)]
    if not finite or min(finite) == max(finite):
        raise TenorError(f"{path}: every score is the same; nothing can be compared with them.")
    return (min(finite), max(finite))


def _rounded(value: float) -> float | None:
    return round(value, 5) if np.isfinite(value) else None
