"""IN is plain lines, CSV, TSV, JSON, Excel or Parquet, compressed with gzip or not, or - for standard input.

Prints one line per text: its line in IN, for each task the label and the probability of every label, the
text. --out keeps all columns of IN and adds these. The starter minilm brings the tasks sentiment, paraphrase
and similarity; a model trained with `tenor train` has its own. Tasks about two texts read pairs: choose them
with --task.

\b
    tenor classify reviews.txt
    tenor classify shop.csv --column review --out answers.csv
    tenor classify pairs.tsv --task paraphrase --task similarity

With --glue, IN is the official test file of a task of GLUE, and the folder --out gets the answers as its
server takes them; every row is answered, also one without text.

\b
    tenor classify MRPC/test.tsv --glue mrpc --model run/model --out answers
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import counted, one_line, out, print_notes, print_problems, progress_bar
from tenor.cli.options import (
    Column,
    Device,
    Encoding,
    Json,
    Long,
    LongChoice,
    Model,
    Precision,
    PrecisionChoice,
    Quiet,
    RowsOut,
    Source,
    Strict,
    pair_of,
)
from tenor.errors import TenorError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tenor.model import Model as LoadedModel
    from tenor.use.classify.classifying import Answered

_SHOWN = 500  # characters of a text

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
    out_: RowsOut = None,
    glue: Glue = None,
    precision: Precision = PrecisionChoice.auto,
    device: Device = "auto",
    long: Long = LongChoice.truncate,
    encoding: Encoding = None,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Predict the labels of texts, with probabilities."""
    from tenor.model import load
    from tenor.text.problems import Problems
    from tenor.use.classify.classifying import classify_file
    from tenor.use.row_files import STDOUT, check_out
    from tenor.use.text_watch import TextWatch

    if glue is not None:
        if out_ is None or column or columns or json_ or (task and len(task) > 1):
            raise TenorError(
                "--glue writes the answers of one task into a folder: give it with --out, and leave out "
                "--column, --columns and --json."
            )
        name = None if task is None else task[0]
        _answer_glue(load(model, precision=precision.value, device=device), source, glue, out_, name, quiet)
        return
    check_out(out_, source)
    problems = Problems(strict)
    loaded = load(model, precision=precision.value, device=device)
    watch = TextWatch(loaded)
    with progress_bar("Classifying", quiet=quiet) as bar:
        answered = classify_file(
            loaded,
            source,
            tasks=task,
            column=column,
            columns=pair_of(columns),
            long=long.value,
            encoding=encoding,
            rows=out_ is not None or json_,
            watch=watch,
            problems=problems,
            progress=bar.advance,
        )
        count = _write(answered, out_, as_json=json_)
    print_problems(problems, quiet=quiet)
    print_notes((watch.warning(),), quiet=quiet)
    if out_ not in (None, STDOUT):
        out.print(f"{counted(count, 'row')} in {out_}.")


def _write(answered: "Iterable[Answered]", path: Path | None, *, as_json: bool) -> int:
    """Write the answers to a file with all columns of the input, or print lines for people; count them."""
    from tenor.use.row_files import STDOUT, row_file

    count = 0
    if path is None and not as_json:
        for count, one in enumerate(answered, start=1):
            for cells in [_header(one), _line(one)] if count == 1 else [_line(one)]:
                typer.echo(tab_separated(cells))
        return count
    with row_file(path or STDOUT, as_json=as_json) as rows:
        for one in answered:
            rows.write(one.example.row, one.added(nested=rows.nested))
    return rows.count


def _answer_glue(
    model: "LoadedModel", source: str, glue: str, folder: Path, name: str | None, quiet: bool
) -> None:
    from tenor.text.glue import glue_task
    from tenor.use.classify.glue import answer_glue

    asked = glue_task(glue)
    with progress_bar("Classifying", quiet=quiet) as bar:
        file, rows = answer_glue(model, asked, source, folder, name=name, progress=bar.advance)
    out.print(f"{counted(rows, 'answer')} in {file}.")


def tab_separated(cells: Sequence[str]) -> str:
    """Write cells on one line for people, long ones cut."""
    return "\t".join(one_line(cell, _SHOWN) for cell in cells)


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
