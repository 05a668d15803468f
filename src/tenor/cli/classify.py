"""IN is plain lines, CSV, TSV, JSON lines or Parquet, packed with gzip or not, or - for standard input.

Prints one line per text: its line in IN, for each task the label and the probability of every label, the
text. The starter minilm brings the tasks sentiment, paraphrase and similarity; a model trained with `tenor
train` has its own. Tasks about two texts read pairs: choose them with --task.

\b
    tenor classify reviews.txt
    tenor classify shop.csv --column review --out answers.jsonl
    tenor classify pairs.tsv --task paraphrase --task similarity

With --glue, IN is the official test file of a task of GLUE, and the folder --out gets the answers as its
server takes them; every row is answered, also one without text.

\b
    tenor classify MRPC/test.tsv --glue mrpc --model run/model --out answers
"""

import csv
import io
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from tenor.cli.console import counted, notes, one_line, out, progress_bar
from tenor.cli.options import (
    Column,
    Device,
    Json,
    Long,
    LongChoice,
    Model,
    Precision,
    PrecisionChoice,
    Quiet,
    Strict,
    pair_of,
)
from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.model import Model as LoadedModel
    from tenor.use.classify.classifying import Answered

_SHOWN = 500  # characters of a text

Source = Annotated[str, typer.Argument(metavar="IN", help="The file with the texts; - is standard input.")]
TaskNames = Annotated[
    list[str] | None,
    typer.Option(
        "--task", "-t", metavar="TASK", help="A task of the model; may be repeated. Default: all that fit."
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(help="For pairs: the two columns, as in question1,question2. Default: found by content."),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write here, by its ending: .jsonl, .csv, or .tsv.")
]
Glue = Annotated[
    str | None,
    typer.Option(metavar="TASK", help="IN is the test file of this task of GLUE; write its answers."),
]


def classify(
    source: Source,
    model: Model = "minilm",
    task: TaskNames = None,
    column: Column = None,
    columns: Columns = None,
    out_: Out = None,
    glue: Glue = None,
    precision: Precision = PrecisionChoice.auto,
    device: Device = "auto",
    long: Long = LongChoice.truncate,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say which labels a model gives to texts, with probabilities."""
    from tenor.model import load
    from tenor.text.problems import Problems
    from tenor.use.classify.classifying import classify_file

    if glue is not None:
        if out_ is None or column or columns or json_ or (task and len(task) > 1):
            raise TenorError(
                "--glue writes the answers of one task into a folder: give it with --out, and leave out "
                "--column, --columns and --json."
            )
        name = None if task is None else task[0]
        _answer_glue(load(model, precision=precision.value, device=device), source, glue, out_, name, quiet)
        return
    check_ending(out_)
    problems = Problems(strict)
    loaded = load(model, precision=precision.value, device=device)
    as_json = json_ or (out_ is not None and out_.suffix.lower() in (".jsonl", ".json"))
    number = 0
    with progress_bar("Classifying", quiet=quiet) as bar, _opened(out_) as file:
        answered = classify_file(
            loaded,
            source,
            tasks=task,
            column=column,
            columns=pair_of(columns),
            long=long.value,
            problems=problems,
            progress=bar.advance,
        )
        for number, one in enumerate(answered, start=1):
            if as_json:
                file.write(json.dumps(one.to_json(), ensure_ascii=False) + "\n")
            else:
                cells = [_header(one), _line(one)] if number == 1 else [_line(one)]
                file.writelines(written(row, out_) for row in cells)
    if (summary := problems.summary()) and not quiet:
        notes.print(summary, style="yellow")
    if out_ is not None:
        out.print(f"{counted(number, 'row')} in {out_}.")


def _answer_glue(
    model: "LoadedModel", source: str, glue: str, folder: Path, name: str | None, quiet: bool
) -> None:
    from tenor.text.glue import glue_task
    from tenor.use.classify.glue import answer_glue

    asked = glue_task(glue)
    with progress_bar("Classifying", quiet=quiet) as bar:
        file, rows = answer_glue(model, asked, source, folder, name=name, progress=bar.advance)
    out.print(f"{counted(rows, 'answer')} in {file}.")


@contextmanager
def _opened(path: Path | None) -> Iterator[TextIO]:
    """Yield where the answers go; a file appears under its name only when it is whole."""
    if path is None:
        yield sys.stdout
        return
    from tenor.files import atomic_file

    with atomic_file(path) as aside, aside.open("w", encoding="utf-8", errors="replace", newline="") as file:
        yield file


def check_ending(path: Path | None) -> None:
    """Refuse, before the work, a name whose ending promises a format that is not written."""
    known = (".jsonl", ".json", ".csv", ".tsv", ".txt", ".conll", "")
    if path is not None and path.suffix.lower() not in known:
        raise TenorError(f"Cannot write {path}: expected a name that ends in .jsonl, .csv or .tsv.")


def written(cells: Sequence[str], path: Path | None) -> str:
    """Write a row as CSV, with its texts whole, where the name says so; else by tabs, each on one line."""
    if path is None or path.suffix.lower() != ".csv":
        return "\t".join(one_line(cell, _SHOWN) for cell in cells) + "\n"
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _header(one: "Answered") -> list[str]:
    cells = ["line"]
    for name, answer in one.answers.items():
        cells += [f"{name}:{part}" if part else name for part in answer.cells()]
    return cells + (["text"] if len(one.example.texts) == 1 else ["first", "second"])


def _line(one: "Answered") -> list[str]:
    cells = [str(one.example.origin.line)]
    for answer in one.answers.values():
        cells += answer.cells().values()
    return cells + list(one.example.texts)
