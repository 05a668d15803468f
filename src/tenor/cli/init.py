"""The kind of task and the columns are guessed from the content; look the file over before you use it.

\b
    tenor init reviews.csv --out run.toml
    tenor check run.toml
    tenor train run.toml --out runs/reviews
"""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tenor.cli.console import notes
from tenor.cli.options import Quiet

Data = Annotated[
    str, typer.Argument(metavar="FILE", help="A CSV, TSV, JSONL or Parquet file with texts and labels.")
]
RunFile = Annotated[Path, typer.Option("--out", "-o", help="The run file to write; it must not exist yet.")]


def init(data: Data, out: RunFile = Path("run.toml"), quiet: Quiet = False) -> None:
    """Look at a labelled file and write a run file for it."""
    from tenor.training.draft import write_draft

    write_draft(data, out=out)
    if not quiet:
        notes.print(f"Wrote {out}. Look it over, then: tenor check {shlex.quote(str(out))}")
