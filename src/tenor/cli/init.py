"""The kind of task and the columns are guessed from the content; look the file over before you use it.

\b
    tenor init reviews.csv --out run.toml
    tenor check run.toml
    tenor train run.toml --out runs/reviews

What was guessed wrong is said by --kind and --columns (names, or numbers from 0):

\b
    tenor init news.csv --columns text=2,label=0

With --glue, FILE is the folder of a task of GLUE with its official files (train.tsv, dev.tsv).

\b
    tenor init glue/MRPC --glue mrpc --out mrpc.toml
"""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tenor.cli.console import notes
from tenor.cli.options import Quiet
from tenor.errors import TenorError

Data = Annotated[
    str, typer.Argument(metavar="FILE", help="A CSV, TSV, JSONL or Parquet file with texts and labels.")
]
Glue = Annotated[
    str | None,
    typer.Option(
        metavar="TASK",
        help="A folder of GLUE's: cola, mnli, mnli-mm, mrpc, qnli, qqp, rte, sst2, stsb.",
    ),
]
KindName = Annotated[
    str | None, typer.Option("--kind", metavar="KIND", help="The kind of task, such as classify or pair.")
]
Columns = Annotated[
    str | None,
    typer.Option(metavar="ROLE=COLUMN,…", help="Which column holds what: text=body,label=class."),
]
RunFile = Annotated[Path, typer.Option("--out", "-o", help="The run file to write; it must not exist yet.")]


def init(
    data: Data,
    out: RunFile = Path("run.toml"),
    kind: KindName = None,
    columns: Columns = None,
    glue: Glue = None,
    quiet: Quiet = False,
) -> None:
    """Look at a labelled file and write a run file for it."""
    from tenor.training.init_config import write_draft

    write_draft(data, out=out, glue=glue, kind=kind, columns=_columns(columns))
    if not quiet:
        notes.print(f"Wrote {out}. Look it over, then: tenor check {shlex.quote(str(out))}")


def _columns(text: str | None) -> dict[str, str] | None:
    """Read role=column,role=column."""
    if text is None:
        return None
    parts = [part.partition("=") for part in text.split(",")]
    if not all(role.strip() and sign and column.strip() for role, sign, column in parts):
        raise TenorError(f"--columns {text!r} is not understood; write --columns text=body,label=class.")
    return {role.strip(): column.strip() for role, _, column in parts}
