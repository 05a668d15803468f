"""DATA is a labelled file; its columns are those of the training file, else found by name and content, or
named with --columns. Prints every score with its 95% interval, and for labels the confusion matrix. Rows
whose label the task does not have are reported and left out of the scores; --strict stops at them.

Without --task it is the model's only task, or the only one that DATA fits. Of a model that was not trained
for any, the cosine of its vectors is compared with the scores of pairs, as with --task cosine.

\b
    tenor evaluate test.tsv --model runs/mine/model
    tenor evaluate dev.tsv --model runs/mine/model --task sentiment
    tenor evaluate reviews.csv --task sentiment --labels 0=negative,1=positive
    tenor evaluate sts-dev.csv --columns first=5,second=6,score=4
"""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import counted, one_line, out, print_notes, print_problems, progress_bar
from tenor.cli.options import (
    Device,
    Encoding,
    Json,
    Long,
    LongChoice,
    Model,
    Precision,
    PrecisionChoice,
    Quiet,
    Strict,
)
from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.use.evaluate.evaluating import Evaluation

_SHOWN = 20  # characters of a label

Data = Annotated[str, typer.Argument(metavar="DATA", help="A labelled file.")]
TaskName = Annotated[
    str | None, typer.Option("--task", "-t", help="A task of the model. Default: the only one that fits.")
]
Columns = Annotated[
    str | None,
    typer.Option(help="Which column holds what, as in text=review,label=stars. Default: found by content."),
]
Labels = Annotated[
    str | None, typer.Option(help="Labels of the file and what they mean, as in 0=negative,1=positive.")
]


def evaluate(
    data: Data,
    model: Model = "minilm",
    task: TaskName = None,
    columns: Columns = None,
    labels: Labels = None,
    precision: Precision = PrecisionChoice.auto,
    device: Device = "auto",
    long: Long = LongChoice.truncate,
    encoding: Encoding = None,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Evaluate a model on labelled data."""
    from tenor.model import load
    from tenor.text.problems import Problems
    from tenor.use.evaluate.evaluating import evaluate as evaluate_file

    problems = Problems(strict)
    loaded = load(model, precision=precision.value, device=device)
    with progress_bar("Evaluating", quiet=quiet) as bar:
        found = evaluate_file(
            loaded,
            data,
            task=task,
            columns=None if columns is None else dict(_table(columns, "--columns text=review,label=stars")),
            rename=None if labels is None else _table(labels, "--labels 0=negative,1=positive"),
            long=long.value,
            encoding=encoding,
            problems=problems,
            progress=bar.advance,
        )
    print_problems(problems, quiet=quiet)
    print_notes(found.notes, quiet=quiet)
    if json_:
        typer.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=2))
    else:
        _print(found)


def _table(text: str, example: str) -> dict[str, str]:
    """Read NAME=VALUE,NAME=VALUE."""
    parts = [part.partition("=") for part in text.split(",")]
    if not all(name.strip() and sign and value.strip() for name, sign, value in parts):
        raise TenorError(f"Expected names and values, as in {example}; got {text!r}.")
    return {name.strip(): value.strip() for name, _, value in parts}


def _print(found: "Evaluation") -> None:
    rows = "1 row" if found.rows == 1 else f"{found.rows:,} rows"
    out.print(f"{found.model}, task {found.task} ({found.kind}), {rows}; in brackets the 95% interval\n")
    for name, score in sorted(found.scores.items(), key=lambda item: item[0] != found.metric):
        out.print(f"  {name:<20} {score}")
    if found.left_out:
        wrong = found.accuracy_with_left_out
        counting = "" if wrong is None else f" Counted as wrong, accuracy would be {wrong:.3f}."
        left = f"{counted(found.left_out, 'row')} left out, whose label or score the task does not have."
        out.print(f"\n  {left}{counting}")

    for table in found.tables:
        _print_table(table.title, [list(table.columns), *table.shown()])
    if found.confusion is None:
        return
    names = [one_line(label, _SHOWN) for label in found.labels]
    wide = max(map(len, [*names, "true \\ predicted"]))
    cells = max(max(map(len, names)), max(len(f"{count:,}") for row in found.confusion for count in row))
    out.print("\n  " + "true \\ predicted".ljust(wide) + "".join(f"  {name:>{cells}}" for name in names))
    for name, row in zip(names, found.confusion, strict=True):
        out.print("  " + name.ljust(wide) + "".join(f"  {count:>{cells},}" for count in row))


def _print_table(title: str, rows: list[list[str]]) -> None:
    out.print(f"\n{title}")
    rows = [[one_line(cell, _SHOWN) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = (f"  {cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True))
        out.print("  " + first.ljust(widths[0]) + "".join(cells))
