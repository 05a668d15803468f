"""Prints counts, lengths, label balance, duplicates, overlap of train and dev, and bad rows by file and line.

\b
    tenor check reviews.csv
    tenor check train.tsv --against dev.tsv
    tenor check run.toml

The exit code is 1 when something is so wrong that training would fail.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import out
from tenor.cli.options import Encoding, Json, Strict

if TYPE_CHECKING:
    from tenor.text.columns import Roles
    from tenor.text.example_statistics import ExampleStatistics, Quantiles
    from tenor.text.file_profile import FileProfile
    from tenor.text.problems import Problems
    from tenor.training.check import DataReport, FileReport, RunReport, TaskReport

File = Annotated[
    str, typer.Argument(metavar="FILE", help="A data file, a run file, or - for standard input.")
]
Against = Annotated[str | None, typer.Option(help="Another data file: how many examples appear in both?")]


def check(
    file: File,
    against: Against = None,
    encoding: Encoding = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Check a data file or run file and report what is wrong with it."""
    from tenor.training.check import DataReport
    from tenor.training.check import check as look

    report = look(file, against=against, encoding=encoding, strict=strict)
    if as_json:
        out.print(json.dumps(report.as_dict(), indent=2, ensure_ascii=False))
    else:
        for line in _data_lines(report) if isinstance(report, DataReport) else _run_lines(report):
            out.print(line)
        for warning in _warnings(report):
            out.print(f"warning: {warning}" + ("" if warning.endswith("?") else "."))
        for wrong in report.wrong:
            out.print(f"wrong: {wrong}" + ("" if wrong.endswith(("?", ".")) else "."))
        if not report.wrong:
            out.print("Nothing here would stop a training run.")
    if report.wrong:
        sys.exit(1)


def _warnings(report: "DataReport | RunReport") -> list[str]:
    from tenor.training.check import DataReport

    if isinstance(report, DataReport):
        return report.warnings
    return [f"task {task.name}: {warning}" for task in report.tasks for warning in task.warnings]


def _data_lines(report: "DataReport") -> Iterator[str]:
    found = report.survey
    yield "standard input" if found.file == "-" else f"{found.file}: {found.format}"
    yield _line("rows", f"{found.rows:,}")
    if found.columns:
        yield from _column_lines(found)
    if found.empty:
        yield _line("empty", _some([f"{count:,} in {_column(name)}" for name, count in found.empty.items()]))
    yield from _tally_lines(found.statistics, report.labels)
    if report.separator is not None:
        yield _line("", f"separated by {report.separator!r} where a row has several; a row may have none")
    yield from (_line(name, told) for name, told in report.details.lines())
    if report.against is not None:
        yield _line(
            "shared", f"{report.shared:,} of {found.statistics.count:,} also appear in {report.against}"
        )
    yield from _problem_lines(found.problems)


def _column_lines(found: "FileProfile") -> Iterator[str]:
    roles = found.roles
    yield _line("columns", _some(found.columns))
    if roles.pair:
        yield _line(
            "seems",
            f"pairs of {_column(roles.pair[0])} and {_column(roles.pair[1])}" + _targets(roles),
        )
    elif roles.text is not None:
        yield _line("seems", f"texts in {_column(roles.text)}" + _targets(roles))
    else:
        yield _line("seems", f"undecided; text may be in {_some(roles.texts) or 'none of the columns'}")


def _some(names: Sequence[str]) -> str:
    """List names, cut to what a person reads: a file may have thousands of columns."""
    return ", ".join(names[:20]) + (f", … ({len(names):,} in all)" if len(names) > 20 else "")


def _targets(roles: "Roles") -> str:
    label = "" if roles.label is None else f", label in {_column(roles.label)}"
    others = " or ".join(map(_column, roles.other_labels[:5]))
    score = "" if roles.score is None else f", score in {_column(roles.score)}"
    return label + (f" (it may also be in {others})" if others else "") + score


def _column(name: str) -> str:
    return f"column {name}" if name.isdigit() else name


def _run_lines(report: "RunReport") -> Iterator[str]:
    run = report.run
    pooling = "" if run.pooling is None else f", pooling {run.pooling}"
    yield f"{report.file}: encoder {run.encoder}{pooling}, seed {run.seed}"
    for task in report.tasks:
        yield from _task_lines(task)


def _task_lines(task: "TaskReport") -> Iterator[str]:
    yield f"task {task.name} ({task.kind})"
    for name, file in (("train", task.train), ("dev", task.dev)):
        if file is not None:
            yield from _file_lines(name, file)
    yield from (_line(name, told) for name, told in task.details.lines())
    if task.dev_part is not None:
        yield _line("dev", f"{task.dev_part:g} of the train rows, chosen by the seed")
    elif task.dev is None and not task.wrong:
        yield _line("note", "no dev file: the model will not be evaluated")
    if task.shared:
        yield _line(
            "note", f"{task.shared:,} dev examples also appear in train; scores on dev will be optimistic"
        )


def _file_lines(name: str, file: "FileReport") -> Iterator[str]:
    yield _line(name, f"{file.file}: {file.tally.count:,} examples")
    yield from _tally_lines(file.tally, file.labels)
    yield from _problem_lines(file.problems)


def _tally_lines(tally: "ExampleStatistics", labels: "Counter[str] | None" = None) -> Iterator[str]:
    words, scores = tally.words(), tally.scores()
    if words is not None:
        yield _line("words", _spread(words))
    if repeated := tally.repeated():
        yield _line("repeated", f"{repeated:,} (the same but for case, spacing and punctuation)")
    if counts := labels or tally.labels:
        yield _line("labels", _balance(counts, sum(tally.labels.values())))
    if scores is not None:
        yield _line("scores", _spread(scores))


def _problem_lines(problems: "Problems") -> Iterator[str]:
    told = (problems.summary() or "none").split("\n")
    yield _line("problems", told[0])
    yield from (f"    {line}" for line in told[1:])


def _balance(labels: "Counter[str]", total: int) -> str:
    """Count labels, as parts of all cells (or tagged words) that hold one or several."""
    shown = [f"{label or 'none'}: {count:,} ({count / total:.0%})" for label, count in labels.most_common(10)]
    more = len(labels) - len(shown)
    return ", ".join(shown) + (f", and {more:,} more" if more > 0 else "")


def _spread(spread: "Quantiles") -> str:
    least, median, p95, most = (
        f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
        for value in (spread.min, spread.median, spread.p95, spread.max)
    )
    return f"{least} to {most}, median {median}, 95% up to {p95}"


def _line(name: str, value: str) -> str:
    return f"  {name:<10}{value}"
