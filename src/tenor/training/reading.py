"""The examples of all tasks of a run, read from files or given in memory, and checked before any training."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tenor.assets.cache import sha256_of
from tenor.errors import TenorError
from tenor.tasks.config import TaskConfig
from tenor.tasks.kind import IN_MEMORY
from tenor.tasks.table import kind_of
from tenor.text.example_statistics import ExampleStatistics
from tenor.text.examples import Origin
from tenor.text.problems import Problems
from tenor.training.check import contradiction_warnings, too_many_problems
from tenor.training.validation_split import split_rows

TRAIN, DEV = "train", "dev"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskExamples:
    """What a task learns from, what it is measured by, and what a person should know of both."""

    train: Sequence[Any]
    dev: Sequence[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    bad_rows: list[str] = field(default_factory=list)
    """What was wrong with rows, a line each file; the same is part of the notes."""
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """For each part (train, dev): file, sha256, rows, repeated rows, problems."""


def read_tasks(
    tasks: Mapping[str, TaskConfig], *, strict: bool = False, seed: int = 1
) -> dict[str, TaskExamples]:
    """Read the files of all tasks, or say what is wrong with the first that cannot be trained on."""
    return {name: read_task(name, task, strict=strict, seed=seed) for name, task in tasks.items()}


def read_task(name: str, task: TaskConfig, *, strict: bool = False, seed: int = 1) -> TaskExamples:
    """Read the train and dev files of one task; ``seed`` chooses the rows that are kept for dev."""
    assert task.train is not None
    notes: list[str] = []
    bad_rows: list[str] = []
    parts = {TRAIN: _read(name, task, task.train, strict, notes, bad_rows)}
    if task.dev_file is not None:
        parts[DEV] = _read(name, task, task.dev_file, strict, notes, bad_rows)
    checked = _checked(name, task, _with_split(name, task, parts, notes, seed), notes)
    return replace(checked, bad_rows=bad_rows)


def given_task(name: str, task: TaskConfig, train: Any, dev: Any = None, *, seed: int = 1) -> TaskExamples:
    """Take the examples of a task from memory: lists of rows, or tables of pandas or pyarrow."""
    notes: list[str] = []
    parts = {TRAIN: _given(name, task, train, notes)}
    if dev is not None:
        parts[DEV] = _given(name, task, dev, notes)
    return _checked(name, task, _with_split(name, task, parts, notes, seed), notes)


def _with_split(
    name: str, task: TaskConfig, parts: dict[str, "_Part"], notes: list[str], seed: int
) -> dict[str, "_Part"]:
    """Keep a part of the train rows for dev, where that is asked for."""
    if not isinstance(task.dev, float):
        return parts
    whole = parts[TRAIN]
    rows = dict(zip((TRAIN, DEV), split_rows(whole.examples, task.dev, seed=seed), strict=True))
    if not rows[DEV] or not rows[TRAIN]:
        raise TenorError(
            f"Task {name}: dev = {task.dev:g} keeps no row of {whole.about['file']} for evaluation: there "
            "are too few different rows. Give more, or a dev file, or leave dev out."
        )
    notes.append(
        f"Task {name}: {len(rows[DEV]):,} of {len(whole.examples):,} rows are kept for evaluation (dev = "
        f"{task.dev:g})."
    )
    return {part: _part_of(whole, chosen) for part, chosen in rows.items()}


def _part_of(whole: "_Part", rows: Sequence[int]) -> "_Part":
    """Take some rows of a file; both parts are known by the hash of all of it."""
    examples, tally = [whole.examples[row] for row in rows], ExampleStatistics()
    for example in examples:
        tally.add(example)
    return _Part(examples, tally, whole.about | _counts(tally, whole.about["problems"]))


def objective_files(objectives: Mapping[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the files that objectives read, with their hashes: a run is not continued with others."""
    return {
        f"objectives.{name}": {
            part: {"file": str(file), "sha256": sha256_of(Path(file))} for part, file in config.files.items()
        }
        for name, config in objectives.items()
        if getattr(config, "files", None)
    }


@dataclass(frozen=True, slots=True)
class _Part:
    examples: list[Any]
    tally: ExampleStatistics
    about: dict[str, Any]


def _checked(name: str, task: TaskConfig, parts: Mapping[str, _Part], notes: list[str]) -> TaskExamples:
    train, dev = parts[TRAIN], parts.get(DEV)
    if dev is None:
        notes.append(
            f"Task {name} has no dev file: it will not be evaluated (dev = 0.2 keeps some rows for it)."
        )
    wrong = kind_of(task.kind).faults(task, train.tally, None if dev is None else dev.tally)
    if wrong:
        raise TenorError(f"Task {name}: {wrong[0].rstrip('.')}.")
    files = {part: each.about for part, each in parts.items()}
    if dev is not None:
        shared = int(np.isin(dev.tally.fingerprints(), train.tally.fingerprints()).sum())
        files[DEV] = files[DEV] | {"shared": shared}
        if shared:
            notes.append(
                f"Warning: task {name}: {shared:,} of {len(dev.examples):,} dev rows also appear in "
                "train; scores on dev will be optimistic."
            )
    return TaskExamples(
        train=train.examples, dev=[] if dev is None else dev.examples, notes=notes, files=files
    )


def _read(
    name: str, task: TaskConfig, file: Path, strict: bool, notes: list[str], bad_rows: list[str]
) -> _Part:
    problems, tally, examples = Problems(strict), ExampleStatistics(), []
    for example in kind_of(task.kind).read(task, file, problems=problems):
        tally.add(example)
        examples.append(example)
    if wrong := too_many_problems(tally.count, problems):
        raise TenorError(f"Task {name}: {wrong[0].rstrip('.')}. Are columns and delimiter right?")
    if not examples:
        raise TenorError(
            f"Task {name}: {file} has no usable rows; leave the file out, or give one with rows."
        )
    if (summary := problems.summary()) is not None:
        notes.append(f"Task {name}: {summary}")
        bad_rows.append(f"Task {name}: {problems.brief()}")
    notes += _contradicting(name, tally)
    about = {"file": str(file), "sha256": sha256_of(file)}
    return _Part(examples, tally, about | _counts(tally, problems.count))


def _contradicting(name: str, tally: ExampleStatistics) -> list[str]:
    return [f"Warning: task {name}: {warning}" for warning in contradiction_warnings(tally)]


def _given(name: str, task: TaskConfig, rows: Any, notes: list[str]) -> _Part:
    kind, columns = kind_of(task.kind), getattr(task, "columns", {})
    tally, examples, digest = ExampleStatistics(), [], hashlib.sha256()
    for number, row in enumerate(rows_of(rows), start=1):
        example = kind.example(_renamed(row, columns), Origin(IN_MEMORY, number))
        tally.add(example)
        examples.append(example)
        digest.update(repr(example).encode("utf-8", "backslashreplace"))
    if not examples:
        raise TenorError(f"Task {name}: no rows are given; there is nothing to train on.")
    notes += _contradicting(name, tally)
    return _Part(examples, tally, {"file": IN_MEMORY, "sha256": digest.hexdigest()} | _counts(tally, 0))


def _counts(tally: ExampleStatistics, problems: int) -> dict[str, Any]:
    return {"rows": tally.count, "repeated": tally.repeated(), "problems": problems}


def rows_of(rows: Any) -> Iterable[Any]:
    """Return the rows of a list, or of a table of pandas, pyarrow or Hugging Face datasets, as mappings."""
    if hasattr(rows, "to_pylist"):  # pyarrow
        return rows.to_pylist()  # type: ignore[no-any-return]
    if hasattr(rows, "to_dict") and hasattr(rows, "columns"):  # pandas
        return rows.to_dict("records")  # type: ignore[no-any-return]
    if isinstance(rows, str | bytes | Mapping):
        raise TenorError(f"Rows are a {type(rows).__name__}; expected a list of rows, a table or a path.")
    return rows  # type: ignore[no-any-return]


def _renamed(row: Any, columns: Mapping[str, str | int]) -> Any:
    """Bring the columns of a mapping under the names of their roles."""
    if not isinstance(row, Mapping) or not columns:
        return row
    missing = [column for column in columns.values() if column not in row]
    if missing:
        raise TenorError(f"A row has no column {missing[0]!r}; it has {', '.join(map(str, row))}.")
    return {role: row[column] for role, column in columns.items()}
