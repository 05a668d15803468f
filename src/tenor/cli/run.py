"""Cells (configurations × seeds) that are there already are not computed again, so a long run can be
finished over several sittings: call the same command again. `tiny` makes its own data and takes seconds.

\b
    tenor run minbert-shared --scale tiny
    tenor run minbert-shared --data DIR --scale small --seeds 3 --budget 60m
    tenor run minbert-shared --data DIR --scale small --cells 'shared-*'
    tenor run minbert-shared --data DIR --scale small --jobs 2 --write
    tenor run minbert-shared --data DIR --scale small --from RESULTS.json

The exit code is 1 when a cell failed.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from tenor.cli.console import counted, notes, one_line, out
from tenor.cli.options import Quiet
from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.recipes.cells import Job
    from tenor.recipes.executor import Ended
    from tenor.recipes.results import Results
    from tenor.recipes.runner import Run

Name = Annotated[str, typer.Argument(metavar="NAME", help="A recipe; `tenor recipes` lists them.")]
Data = Annotated[Path | None, typer.Option(help="The folder with the data folders of the recipe.")]
ScaleName = Annotated[str, typer.Option("--scale", help="tiny, small or full.")]
Seeds = Annotated[int | None, typer.Option(help="Seeds 1 to N. Default: what the recipe says.")]
OutFolder = Annotated[
    Path | None, typer.Option("--out", "-o", help="Where results are kept. Default: out/recipes/NAME.")
]
Cells = Annotated[
    list[str] | None,
    typer.Option(
        "--cells", metavar="NAMES", help="Only these cells: a name or pattern, or several with commas."
    ),
]
Jobs = Annotated[int, typer.Option(help="Processes that work at once.")]
BudgetText = Annotated[
    str | None, typer.Option("--budget", help="Start no cell that would finish later than this: 60m, 1h30m.")
]
Earlier = Annotated[
    Path | None,
    typer.Option("--from", help="Results (the .json beside a page) whose cells are taken where they fit."),
]
Write = Annotated[bool, typer.Option("--write", help="Also write the page to the folder of pages.")]
Pages = Annotated[Path, typer.Option(help="The folder of pages for --write.")]


def run(
    name: Name,
    data: Data = None,
    scale: ScaleName = "tiny",
    seeds: Seeds = None,
    out_: OutFolder = None,
    cells: Cells = None,
    jobs: Jobs = 1,
    budget: BudgetText = None,
    from_: Earlier = None,
    write: Write = False,
    pages: Pages = Path("docs/results"),
    quiet: Quiet = False,
) -> None:
    """Run a published system and judge the claims of its paper."""
    from tenor.recipes.budget import read_duration
    from tenor.recipes.running import run_named

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    chosen = [part.strip() for text in cells or () for part in text.split(",") if part.strip()]
    if cells is not None and not chosen:
        raise TenorError("--cells names no cell; leave it out for all of them.")
    hidden = quiet or not notes.is_terminal
    with Progress(*columns, console=notes, disable=hidden, transient=True) as bars:
        done = run_named(
            name,
            out_ or Path("out") / "recipes" / name,
            data=data,
            scale=scale,
            seeds=seeds,
            cells=chosen,
            jobs=jobs,
            budget=None if budget is None else read_duration(budget),
            earlier=from_,
            pages=pages if write else None,
            watch=_Shown(bars, quiet=quiet),
        )
    if from_ is not None:
        taken = done.run.taken
        fits = "" if taken.count else ": none that is missing here fits this version, settings and data"
        notes.print(f"{counted(taken.count, 'cell')} taken from {from_}{fits}.")
        for file in taken.lacking:
            notes.print(f"Warning: one more would fit, if its file were there: {file}.")
    _tell(done.run, done.results)
    out.print(f"The page: {done.page}")
    if done.run.failed:
        sys.exit(1)


class _Shown:
    """Shows the cells that are being computed, and a line for each that has ended."""

    def __init__(self, bars: Progress, *, quiet: bool) -> None:
        self._bars, self._quiet = bars, quiet
        self._tasks: dict[str, TaskID] = {}

    def began(self, job: "Job") -> None:
        self._tasks[job.key] = self._bars.add_task(one_line(job.name, 50), total=None)

    def moved(self, job: "Job", done: int, total: int) -> None:
        self._bars.update(self._tasks[job.key], completed=done, total=total)

    def ended(self, ended: "Ended") -> None:
        self._bars.remove_task(self._tasks.pop(ended.job.key))
        if self._quiet:
            return
        states = {"done": f"{ended.seconds:,.1f} s", "failed": f"failed: {ended.error}"}
        notes.print(f"{ended.job.name}: {states.get(ended.state, 'another process is computing it')}")


def _tell(done: "Run", results: "Results") -> None:
    for number, judgement in enumerate(results.judgements, start=1):
        shown = "" if judgement.interval is None else f"  {judgement.interval}"
        headline = "headline: " if judgement.claim.headline else ""
        out.print(f"{number:>3}. {judgement.label:<10} {headline}{judgement.claim.text}{shown}")
    holding = sum(judgement.verdict == "holds" for judgement in results.judgements)
    if holding:
        counts = f"{sum(results.adjusted)} of {counted(holding, 'claim')} that hold"
        out.print(f"After Holm's adjustment for all claims together: {counts}.")
    reused = f", {done.reused:,} were there already" if done.reused else ""
    left = f", {done.left:,} left: run the same command again" if done.left else ""
    out.print(f"{counted(done.computed, 'cell')} computed{reused}{left}. Results: {done.file}")
    for failure in done.failed:
        notes.print(f"{failure.job.name} failed: {failure.error} (details: {failure.job.errors})")
