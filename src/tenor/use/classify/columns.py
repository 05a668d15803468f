"""The columns whose texts some tasks read: those that they were trained on, where a file has them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tenor.model.heads import TrainedTask, trained_columns
from tenor.text.columns import column_names, take_head
from tenor.text.problems import Problems
from tenor.text.readers import read_rows

_TEXTS = ("text", "first", "second")


def columns_of_texts(
    tasks: Sequence[TrainedTask], path: str | Path, *, encoding: str | None = None
) -> dict[str, str]:
    """Return the columns of the texts by role; none unless the file has them and all tasks want the same.

    The label need not be there. Columns without names count only where the file has all that training had,
    and what cannot be read twice is not looked into.
    """
    given = [_trained(task) for task in tasks]
    if not any(given) or not Path(path).is_file():
        return {}
    named = [name for own in given for name in own.values() if not name.isdigit()]
    rows = read_rows(path, encoding=encoding, named=named, problems=Problems())
    names = column_names(take_head(rows))
    found = [own for task, own in zip(tasks, given, strict=True) if _has(names, task, own)]
    return found[0] if found and all(own == found[0] for own in found) else {}


def _trained(task: TrainedTask) -> dict[str, str]:
    columns = task.made.get("columns")
    if not isinstance(columns, Mapping):
        return {}
    return {role: str(columns[role]) for role in _TEXTS if role in columns}


def _has(names: Sequence[str], task: TrainedTask, own: Mapping[str, str]) -> bool:
    if all(name.isdigit() for name in own.values()):
        return bool(trained_columns(task, names))
    return set(own.values()) <= set(names)
