"""RUN may also be a labelled data file (CSV, TSV, JSON, Excel, Parquet): kind and columns are guessed, part
of the rows is kept for evaluation, and settings are chosen to suit the data. It says what it assumed.

A run that was stopped resumes when the same command is run again, and ends with exactly the same weights.

DIR gets the model (`model/`), a report to open in a browser (`report.html`), scores, log and predictions. On
several processes or GPUs it is the same command, under torchrun or accelerate launch.

\b
    tenor train reviews.csv          # the run goes to runs/reviews
    tenor train news.csv --columns text=body,label=topic
    tenor train --example first      # writes first/run.toml with data to try
    tenor train first/run.toml --out runs/first
    tenor train run.toml --out runs/short --set training.epochs=1
    torchrun --nproc_per_node 2 -m tenor.cli.main train run.toml --out two
"""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tenor.cli.console import notes, out
from tenor.cli.options import Device, Encoding, KindName, Quiet, RoleColumns, Strict, role_columns
from tenor.errors import TenorError

RunFile = Annotated[
    Path | None, typer.Argument(metavar="RUN", help="The run file (TOML), or a labelled data file.")
]
RunDir = Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", help="The folder of the run.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting in place of the file's; may be repeated."),
]
Example = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Write an example run file with its data to a new folder, and stop."),
]


def train(
    run_file: RunFile = None,
    out_: RunDir = None,
    set_: Set = None,
    kind: KindName = None,
    columns: RoleColumns = None,
    encoding: Encoding = None,
    example: Example = None,
    device: Device = "auto",
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Train one model for one or several tasks, from a run file or a labelled file."""
    if example is not None:
        _write_example(example)
        return
    if run_file is None:
        raise TenorError("Training needs a run file or a data file: tenor train run.toml --out DIR.")
    if not run_file.exists() and run_file.suffix:  # without an ending it may be meant as an encoder
        raise TenorError(f"{run_file} does not exist.")
    out_ = out_ or _folder_of(run_file)
    from tenor.cli.training_bar import listening
    from tenor.training.distributed import DistributedContext

    with listening(notes, quiet=quiet, first=DistributedContext.from_environment().first) as bar:
        from tenor.training.api import train as run

        done = run(
            run_file,
            out=out_,
            kind=kind,
            columns=role_columns(columns),
            encoding=encoding,
            overrides=set_ or [],
            device=device,
            strict=strict,
            callbacks=[bar],
        )
    if done.metrics:
        for line in _lines(done.metrics):
            out.print(line)
        out.print(f"model: {done.model}" + (f"\nreport: {done.report}" if done.report else ""))


def _folder_of(file: Path) -> Path:
    """Return the folder of a run on a data file; that of a run file is a person's to name."""
    from tenor.training.runfile import looks_like_run

    if looks_like_run(file):
        raise TenorError("Training needs a folder: tenor train run.toml --out DIR.")
    folder = Path("runs") / file.name.split(".")[0]
    notes.print(f"The run goes to {folder}; --out DIR chooses another folder.", highlight=False)
    return folder


def _write_example(folder: Path) -> None:
    from tenor.training.example import write_example

    path = write_example(folder)
    out.print(f"Wrote {path}. Look it over, then: tenor train {shlex.quote(str(path))} --out runs/first")


def _lines(metrics: Any) -> Iterator[str]:
    """Say what came out: each task's main score with its interval, and what it took."""
    for name, task in metrics["tasks"].items():
        score = task["scores"][task["metric"]]
        interval = f" [{score['low']:.3f}, {score['high']:.3f}]" if "low" in score else ""
        told = f"{name}: {task['metric']} {score['estimate']:.3f}{interval} on {task['rows']:,} dev rows"
        yield f"{told}, on which its head was calibrated" if "calibration" in task else told
    took = f"{metrics['seconds']:,.0f} s, {metrics['tokens_per_second']:,.0f} tokens/s"
    best = f", best at step {metrics['best_step']:,}" if metrics["tasks"] else ""
    yield f"{metrics['steps']:,} steps ({metrics['stop']}){best}; {took}"
