"""Which columns of a file a trained task reads, and which task of a model a file is for."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tenor.errors import TenorError
from tenor.model import Model
from tenor.model.heads import TrainedTask, trained_columns
from tenor.tasks.config import TableConfig
from tenor.tasks.table import kind_of
from tenor.text.columns import column_names, guess_roles, take_head
from tenor.text.examples import Row
from tenor.text.header import as_number
from tenor.text.problems import Problems
from tenor.text.readers import read_rows

_LABELS = re.compile(r"\s*[|;,]\s*")  # between labels of one cell

_NAMES = {"first": "first text", "second": "second text"}


def find_columns(path: str | Path, task: TrainedTask, *, encoding: str | None = None) -> dict[str, str]:
    """Find the columns that a task reads: those that it was trained on, else by names and content."""
    if str(path) == "-":
        raise TenorError("The columns of standard input cannot be found by content: name them (--columns).")
    roles = _roles(task)
    found = columns_in(_head(path, [task], encoding), task)
    missing = [role for role in roles if role not in found]
    if missing:
        example = ",".join(f"{role}=COLUMN" for role in roles)
        what = _NAMES.get(missing[0], missing[0])
        raise TenorError(
            f"{path}: the column with the {what} was not found. Name all, as in --columns {example}."
        )
    return found


def columns_in(head: Sequence[Row], task: TrainedTask) -> dict[str, str]:
    """Return the column of every role of a task that is found in the first rows of a file."""
    if trained := trained_columns(task, column_names(head)):
        return trained
    roles = guess_roles(head)
    first, second = roles.pair or (None, None)
    found = {"text": roles.text, "first": first, "second": second, "label": roles.label, "score": roles.score}
    # Classes written as numbers look like scores, and the other way round.
    found["label"], found["score"] = found["label"] or roles.score, found["score"] or roles.label
    return {role: str(found[role]) for role in _roles(task) if found.get(role) is not None}


def fitting_tasks(model: Model, path: str | Path, *, encoding: str | None = None) -> list[TrainedTask]:
    """Return the tasks of a model that the rows of a file could be of."""
    if str(path) == "-":
        return []
    tasks = list(model.tasks.values())
    head = _head(path, tasks, encoding) if any(map(_roles, tasks)) else []
    return [task for task in tasks if _fits(task, path, head)]


def _head(path: str | Path, tasks: Sequence[TrainedTask], encoding: str | None) -> list[Row]:
    columns = (task.made.get("columns") for task in tasks)
    named = {str(name) for own in columns if isinstance(own, dict) for name in own.values()}
    words = [name for name in named if not name.isdigit()]
    return take_head(read_rows(path, encoding=encoding, named=words, problems=Problems()))


def _fits(task: TrainedTask, path: str | Path, head: Sequence[Row]) -> bool:
    if not _roles(task):
        return kind_of(task.spec.kind).guess(path, None) is not None
    columns = columns_in(head, task)
    if len(columns) < len(_roles(task)):
        return False
    if "score" in columns:
        return all(as_number(cell) is not None for cell in _cells(head, columns, "score"))
    labels = set(task.spec.labels_shown)
    cells = _cells(head, columns, "label")
    return any(cell in labels or labels.intersection(_LABELS.split(cell)) for cell in cells)


def _cells(head: Sequence[Row], columns: Mapping[str, str], role: str) -> list[str]:
    cells = (row.values.get(columns.get(role, ""), "").strip() for row in head)
    return [cell for cell in cells if cell]


def _roles(task: TrainedTask) -> tuple[str, ...]:
    config = kind_of(task.spec.kind).config
    return config.roles if issubclass(config, TableConfig) else ()
