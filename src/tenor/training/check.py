"""Looking at a data file or a whole run file before anything is trained: what is there, and what is wrong."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tenor.encoders.table import encoder_type
from tenor.errors import TenorError
from tenor.model.loading import find_model
from tenor.tasks.config import TaskConfig, listed
from tenor.tasks.survey import DataSurvey, Part
from tenor.tasks.table import KINDS, check_on_encoder, check_together, kind_of
from tenor.tasks.texts.labels import separator_in, split_counts
from tenor.text.columns import Roles
from tenor.text.example_statistics import ExampleStatistics, Quantiles
from tenor.text.file_profile import FileProfile, profile_file
from tenor.text.problems import Problems
from tenor.training.config import RunConfig
from tenor.training.runfile import looks_like_run, read_run

_FEW = 8  # examples
_MANY = 0.2  # of the rows contradict others: rather a column is missing than labels are wrong


@dataclass(frozen=True, slots=True)
class DataReport:
    """The report on one data file, perhaps compared with another."""

    survey: FileProfile
    against: str | None = None
    shared: int | None = None
    """Examples of the file that also stand in the other one."""
    wrong: list[str] = field(default_factory=list)
    details: DataSurvey = field(default_factory=DataSurvey)
    """What the kind that recognises the file says of it."""
    warnings: list[str] = field(default_factory=list)
    separator: str | None = None
    """What seems to separate several labels in a cell."""

    @property
    def labels(self) -> Counter[str]:
        """How often each label occurs, also those that stand in a cell together."""
        return split_counts(self.survey.statistics.labels, self.separator)

    def as_dict(self) -> dict[str, Any]:
        """Return it for programs."""
        found = self.survey
        roles = {"text": found.roles.text, "pair": found.roles.pair, "label": found.roles.label}
        return {
            "file": found.file,
            "format": found.format,
            "rows": found.rows,
            "columns": list(found.columns),
            "roles": roles | {"score": found.roles.score},
            "empty_cells": found.empty,
            **tally_dict(found.statistics),
            "labels": dict(self.labels.most_common()),
            "multi_label": self.separator,
            **problems_dict(found.problems),
            **self.details.to_json(),
            **({} if self.against is None else {"against": self.against, "shared": self.shared}),
            "wrong": self.wrong,
            "warnings": self.warnings,
        }


@dataclass(frozen=True, slots=True)
class FileReport:
    """What the examples of one file of a task are like."""

    file: str
    tally: ExampleStatistics
    problems: Problems
    labels: Counter[str] = field(default_factory=Counter)
    """How often each label occurs, also those that stand in a cell together."""

    def as_dict(self) -> dict[str, Any]:
        """Return it for programs."""
        counts = tally_dict(self.tally) | {"labels": dict(self.labels.most_common())}
        return {"file": self.file, **counts, **problems_dict(self.problems)}


@dataclass(frozen=True, slots=True)
class TaskReport:
    """What the files of a task are like; ``shared`` counts the dev examples that also stand in train."""

    name: str
    kind: str
    train: FileReport | None
    dev: FileReport | None
    shared: int | None
    wrong: list[str]
    details: DataSurvey = field(default_factory=DataSurvey)
    dev_part: float | None = None
    """The part of the train rows that is kept for dev, where that is asked for."""
    warnings: list[str] = field(default_factory=list)
    """What training would not fail on, but a person should look at."""

    def as_dict(self) -> dict[str, Any]:
        """Return it for programs."""
        files = {"train": self.train, "dev": self.dev}
        told = {key: None if report is None else report.as_dict() for key, report in files.items()}
        about = {"name": self.name, "kind": self.kind, **told, "shared": self.shared, "wrong": self.wrong}
        return about | {"dev_part": self.dev_part, "warnings": self.warnings} | self.details.to_json()


@dataclass(frozen=True, slots=True)
class RunReport:
    """The report on a run file."""

    file: str
    run: RunConfig
    tasks: list[TaskReport]
    wrong: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return it for programs."""
        return {"file": self.file, "tasks": [task.as_dict() for task in self.tasks], "wrong": self.wrong}


def check(
    path: str | Path, *, against: str | Path | None = None, encoding: str | None = None, strict: bool = False
) -> DataReport | RunReport:
    """Report on a file, deciding by its content whether it is a run file or data.

    ``wrong`` of the report lists what training would fail on; it is empty when all is well.
    """
    if not looks_like_run(path):
        return check_data(path, against=against, encoding=encoding, strict=strict)
    if encoding is not None:
        raise TenorError(
            "A run file is UTF-8; file_encoding of a task in it is the encoding of its data files."
        )
    if against is not None:
        raise TenorError("A run file is not compared with another file; its own train and dev files are.")
    return check_run(path, strict=strict)


def check_data(
    path: str | Path, *, against: str | Path | None = None, encoding: str | None = None, strict: bool = False
) -> DataReport:
    """Report on a data file; with ``against``, also on what it shares with another one."""
    found, details = _survey(path, strict, encoding)
    wrong = [] if found.usable else [_no_text(found)]
    wrong += too_many_problems(found.statistics.count, found.problems)
    wrong += _one_label(found)
    separator = separator_in(found) if found.roles.pair is None else None
    warnings = label_warnings(split_counts(found.statistics.labels, separator), found.statistics.count)
    warnings += contradiction_warnings(found.statistics)
    report = DataReport(found, wrong=wrong, details=details, warnings=warnings, separator=separator)
    if against is None:
        return report
    other, _ = _survey(against, strict, None)
    shared = int(np.isin(found.statistics.fingerprints(), other.statistics.fingerprints()).sum())
    return replace(report, against=str(against), shared=shared)


def _one_label(found: FileProfile) -> list[str]:
    labels = found.statistics.labels
    if found.roles.label is None or len(labels) != 1:
        return []
    return [
        f"every label in the column {found.roles.label!r} is {next(iter(labels))!r}; at least two are needed"
    ]


def _no_text(found: FileProfile) -> str:
    if not found.roles.texts:
        return f"no column of {found.file} could be taken for text"
    return (
        f"which column of {found.file} holds the text cannot be guessed; name it, such as "
        "tenor init FILE --columns text=COLUMN,label=COLUMN"
    )


def _survey(path: str | Path, strict: bool, encoding: str | None) -> tuple[FileProfile, DataSurvey]:
    """Look at a file as the kind that recognises it reads it, else as a table."""
    for kind in KINDS.values():
        if (config := kind.guess(path, None)) is not None:
            tally, problems, details = ExampleStatistics(), Problems(strict), kind.survey()
            for example in kind.read(config, Path(path), problems=problems):
                tally.add(example)
                details.add(example, "train")
            about = f"data of a {kind.name!r} task, which {kind.about}"
            return FileProfile(str(path), about, tally.count, (), {}, Roles(), tally, problems), details
    return profile_file(path, encoding=encoding, problems=Problems(strict)), DataSurvey()


def check_run(path: str | Path, *, strict: bool = False) -> RunReport:
    """Report on a run file: reads all its data."""
    run = read_run(path)
    tasks = [check_task(name, task, strict=strict) for name, task in run.tasks.items()]
    wrong = [f"task {task.name}: {what}" for task in tasks for what in task.wrong]
    wrong += _together(run.tasks)
    wrong += _unmonitored(run)
    wrong += _unfit_encoder(run, Path(path).parent)
    return RunReport(str(path), run, tasks, wrong)


def check_task(name: str, task: TaskConfig, *, strict: bool = False) -> TaskReport:
    """Read the train and dev files of a task and say what they hold."""
    wrong: list[str] = []
    details = kind_of(task.kind).survey()
    train = _read(task, "train", strict, wrong, details)
    dev = _read(task, "dev", strict, wrong, details)
    shared = None
    if train is not None:
        wrong += kind_of(task.kind).faults(task, train.tally, dev.tally if dev else None)
    if train is not None and dev is not None:
        shared = int(np.isin(dev.tally.fingerprints(), train.tally.fingerprints()).sum())
    part = task.dev if isinstance(task.dev, float) else None
    warnings = [] if train is None else label_warnings(train.labels, train.tally.count)
    for file in filter(None, (train, dev)):
        warnings += contradiction_warnings(file.tally)
    return TaskReport(name, task.kind, train, dev, shared, wrong, details, part, warnings)


def label_warnings(labels: Mapping[str, int], examples: int) -> list[str]:
    """Warn of spellings of one label, and of files with next to nothing to learn from.

    >>> label_warnings({"pos": 9, "Pos": 3, "neg": 12}, 24)
    ["the labels 'pos' and 'Pos' differ only in case or spacing; are they one?"]
    """
    spellings: dict[str, list[str]] = {}
    for label in labels:
        spellings.setdefault(" ".join(label.split()).casefold(), []).append(label)
    found = [
        f"the labels {listed([repr(each) for each in same])} differ only in case or spacing; are they one?"
        for same in spellings.values()
        if len(same) > 1
    ]
    if 0 < examples < _FEW:
        counted = "is only 1 example" if examples == 1 else f"are only {examples} examples"
        found.append(f"there {counted}: too few to learn from or to evaluate on")
    return found


def contradiction_warnings(tally: ExampleStatistics) -> list[str]:
    """Warn of texts that a file has with different labels."""
    found = tally.contradictions()
    if found is None:
        return []
    many = found.rows > _MANY * tally.count
    return [f"{found}; {'are the columns right?' if many else 'which label is right?'}"]


def _read(
    task: TaskConfig, part: Part, strict: bool, wrong: list[str], details: DataSurvey
) -> FileReport | None:
    file = task.train if part == "train" else task.dev_file
    if file is None:
        return None
    report = FileReport(str(file), ExampleStatistics(), Problems(strict))
    try:
        for example in kind_of(task.kind).read(task, file, problems=report.problems):
            report.tally.add(example)
            details.add(example, part)
    except TenorError as error:
        if strict:
            raise
        wrong.append(str(error).rstrip("."))
        return None
    wrong += too_many_problems(report.tally.count, report.problems)
    return replace(report, labels=kind_of(task.kind).label_counts(task, report.tally))


def too_many_problems(usable: int, problems: Problems) -> list[str]:
    """Say so when a file is broken more often than not: it was probably not understood."""
    if problems.count <= usable:
        return []
    first = problems.first[0]
    return [f"{problems.count:,} problems in {usable:,} usable rows of {first.origin.file}; first {first}"]


def _together(tasks: Mapping[str, TaskConfig]) -> list[str]:
    """Say which tasks do not go together, such as by a head that cannot be shared."""
    try:
        check_together(tasks)
    except TenorError as error:
        told = str(error)
        return [told[0].lower() + told[1:]]
    return []


def _unmonitored(run: RunConfig) -> list[str]:
    """Say which score is asked for that no dev file can give."""
    measured = [name for name, task in run.tasks.items() if task.dev is not None]
    training = run.training
    if training.monitor != "mean":
        task = training.monitor.partition(".")[0]
        return [] if task in measured else [f"monitor is {training.monitor!r}, but {task!r} has no dev file"]
    watching = training.patience > 0 or training.schedule == "plateau"
    return (
        ["patience and plateau watch a score, but no task has a dev file"]
        if watching and not measured
        else []
    )


def _unfit_encoder(run: RunConfig, folder: Path) -> list[str]:
    """Say why training could not begin with the run's encoder, or its tasks not stand on it."""
    try:
        if run.from_scratch is not None:
            run.from_scratch.check()
            check_on_encoder(run.tasks, encoder_type(run.from_scratch.model_type))
        elif not run.encoder.startswith("hub:"):  # which may have to be fetched: not looked for here
            named = folder / run.encoder
            check_on_encoder(run.tasks, find_model(named if named.is_dir() else run.encoder).type)
    except TenorError as error:
        told = str(error).rstrip(".")
        return [f"the encoder {run.encoder!r}: {told}" if run.from_scratch is None else told]
    return []


def tally_dict(tally: ExampleStatistics) -> dict[str, Any]:
    """Return the counts of a tally for programs."""
    return {
        "examples": tally.count,
        "repeated": tally.repeated(),
        "words": _spread_dict(tally.words()),
        "labels": dict(tally.labels.most_common()),
        "scores": _spread_dict(tally.scores()),
    }


def _spread_dict(spread: Quantiles | None) -> dict[str, float] | None:
    if spread is None:
        return None
    return {"least": spread.min, "median": spread.median, "p95": spread.p95, "most": spread.max}


def problems_dict(problems: Problems) -> dict[str, Any]:
    """Return problems for programs."""
    first = [
        {"file": each.origin.file, "line": each.origin.line, "what": each.what} for each in problems.first
    ]
    return {"problems": problems.count, "first_problems": first}
