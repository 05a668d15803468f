"""The kind of task and the columns are guessed from the content; look the file over before you use it.

\b
    tenor init reviews.csv --out run.toml
    tenor check run.toml
    tenor train run.toml --out runs/reviews

--kind and --columns correct a wrong guess (columns by name, or by number from 0):

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
from tenor.cli.options import Encoding, KindName, Quiet, RoleColumns, role_columns

Data = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Texts and labels (CSV, TSV, JSON, Excel, Parquet), or tagged words (CoNLL, CoNLL-U, …).",
    ),
]
Glue = Annotated[
    str | None,
    typer.Option(
        metavar="TASK",
        help="A folder of GLUE's: cola, mnli, mnli-mm, mrpc, qnli, qqp, rte, sst2, stsb.",
    ),
]
RunFile = Annotated[Path, typer.Option("--out", "-o", help="The run file to write; it must not exist yet.")]


def init(
    data: Data,
    out: RunFile = Path("run.toml"),
    kind: KindName = None,
    columns: RoleColumns = None,
    encoding: Encoding = None,
    glue: Glue = None,
    quiet: Quiet = False,
) -> None:
    """Look at a labelled file and write a run file for it."""
    from tenor.training.init_config import write_draft

    write_draft(data, out=out, glue=glue, kind=kind, columns=role_columns(columns), encoding=encoding)
    if not quiet:
        notes.print(f"Wrote {out}. Look it over, then: tenor check {shlex.quote(str(out))}")
