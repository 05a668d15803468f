"""The examples of all tasks of a run, read and checked before anything is trained."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tenor.assets.cache import sha256_of
from tenor.errors import TenorError
from tenor.tasks.config import TaskConfig
from tenor.tasks.data import faults, read_examples
from tenor.text.problems import Problems
from tenor.text.tally import Tally
from tenor.training.check import too_many_problems


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskExamples:
    """What a task learns from, what it is measured by, and what a person should know of both."""

    train: list[Any]
    dev: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """For each part (train, dev): file, sha256, rows, repeated rows, problems."""


def read_tasks(tasks: Mapping[str, TaskConfig], *, strict: bool = False) -> dict[str, TaskExamples]:
    """Read the files of all tasks, or say what is wrong with the first that cannot be trained on."""
    return {name: read_task(name, task, strict=strict) for name, task in tasks.items()}


def read_task(name: str, task: TaskConfig, *, strict: bool = False) -> TaskExamples:
    """Read the train and dev files of one task."""
    notes: list[str] = []
    train, train_tally, about = _read(name, task, task.train, strict, notes)
    files = {"train": about}
    dev: list[Any] = []
    dev_tally = None
    if task.dev is not None:
        dev, dev_tally, files["dev"] = _read(name, task, task.dev, strict, notes)
    else:
        notes.append(f"Task {name} has no dev file: nothing to measure it by.")
    if wrong := faults(task, train_tally, dev_tally):
        raise TenorError(f"Task {name}: {wrong[0].rstrip('.')}.")
    if dev_tally is not None:
        shared = int(np.isin(dev_tally.prints(), train_tally.prints()).sum())
        files["dev"] = dict(files["dev"]) | {"shared": shared}
        if shared:
            notes.append(
                f"Warning: task {name}: {shared:,} of {len(dev):,} dev rows also stand in train; scores on "
                "dev will flatter."
            )
    return TaskExamples(train=train, dev=dev, notes=notes, files=files)


def _read(
    name: str, task: TaskConfig, file: Path, strict: bool, notes: list[str]
) -> tuple[list[Any], Tally, dict[str, Any]]:
    problems, tally, examples = Problems(strict), Tally(), []
    for example in read_examples(task, file, problems=problems):
        tally.add(example)
        examples.append(example)
    if wrong := too_many_problems(tally.count, problems):
        raise TenorError(f"Task {name}: {wrong[0].rstrip('.')}. Are columns and delimiter right?")
    if not examples:
        raise TenorError(
            f"Task {name}: {file} has no usable rows; leave the file out, or give one with rows."
        )
    if (summary := problems.summary()) is not None:
        notes.append(f"Task {name}: {file}: {summary}")
    about = {
        "file": str(file),
        "sha256": sha256_of(file),
        "rows": tally.count,
        "repeated": tally.repeated(),
        "problems": problems.count,
    }
    return examples, tally, about
