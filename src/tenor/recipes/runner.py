"""The experiment runner: computes the cells of a recipe that are not there yet, and gathers what is there.

Cells = configurations × seeds. All configurations of the first seed come first, so that a run which is cut
short by its budget has something to say about every claim; a cell that comes after others of its seed stands
behind them. Nothing is computed twice: a result is kept under the hash of what it depends on, and a run that
was killed goes on where it was.
"""

import fnmatch
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tenor.errors import TenorError, did_you_mean
from tenor.files import writing
from tenor.recipes.budget import Budget
from tenor.recipes.cells import Job, kept, make_job
from tenor.recipes.executor import Ended, Watch, in_processes, one_by_one
from tenor.recipes.import_results import Taken, take_over
from tenor.recipes.ordering import ordered, with_upstream
from tenor.recipes.recipe import Plan, Recipe, Scale
from tenor.recipes.results import Results, gather, write_results
from tenor.recipes.sources import Digests, check_weights, digests, missing_needs
from tenor.report.provenance import commit, machine, versions


@dataclass(frozen=True, slots=True)
class Run:
    """What a run came to."""

    results: Results
    file: Path
    """The results, as JSON."""
    computed: int
    reused: int
    taken: Taken
    """What came from earlier results."""
    failed: tuple[Ended, ...]
    left: int
    """Cells that are still to be computed: the budget ended, they failed, or another process is at them."""


class _NoWatch:
    def began(self, job: Job) -> None:
        """Do nothing."""

    def moved(self, job: Job, done: int, total: int) -> None:
        """Do nothing."""

    def ended(self, ended: Ended) -> None:
        """Do nothing."""


def run_recipe(
    recipe: Recipe,
    out: str | Path,
    *,
    data: str | Path | None = None,
    scale: Scale = "tiny",
    seeds: int | None = None,
    cells: Sequence[str] = (),
    jobs: int = 1,
    budget: float | None = None,
    earlier: str | Path | None = None,
    watch: Watch | None = None,
) -> Run:
    """Compute what is missing of a recipe at a scale, and write and return all results there are.

    ``cells`` are names or patterns (``shared-*``), computed with those that they come after; ``jobs``
    processes work at once; ``budget`` is in seconds. ``earlier`` is the JSON file of results, of another
    machine perhaps: cells that fit are taken from it.
    """
    plan, out = recipe.plan(scale), Path(out)
    if (seeds is not None and seeds < 1) or jobs < 1:
        raise TenorError("--seeds and --jobs must be at least 1.")
    chosen = _chosen(recipe, plan, cells)
    folder = None if data is None else _data_folder(data)
    found = digests(recipe, plan, folder)
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
    count = plan.seeds if seeds is None else seeds
    every = _all_jobs(recipe, scale, plan, count, found, folder, out)
    wanted = [job for job in every if job.cell.name in chosen and not missing_needs(job.cell, found, plan)]
    taken = Taken() if earlier is None else take_over(recipe, earlier, every)
    todo = [job for job in wanted if kept(job) is None]
    check_weights(job.cell for job in todo)
    ended = _computed(todo, found, jobs, Budget(budget), watch or _NoWatch())
    results = gather(recipe, scale, every, found, seeds=count)
    file = out / f"{recipe.name}-{scale}.json"
    write_results(results, file)
    done = sum(job.state == "done" for job in ended)
    failed = tuple(job for job in ended if job.state == "failed")
    return Run(
        results=results,
        file=file,
        computed=done,
        reused=len(wanted) - len(todo),
        taken=taken,
        failed=failed,
        left=len(todo) - done,
    )


def _computed(todo: Sequence[Job], found: Digests, jobs: int, budget: Budget, watch: Watch) -> list[Ended]:
    origin = {"commit": commit(), "machine": machine(), "versions": versions()} if todo else {}
    if jobs == 1:
        return list(one_by_one(todo, found, origin=origin, budget=budget, watch=watch))
    return list(in_processes(todo, found, count=jobs, origin=origin, budget=budget, watch=watch))


def _all_jobs(
    recipe: Recipe, scale: Scale, plan: Plan, seeds: int, found: Digests, data: Path | None, out: Path
) -> list[Job]:
    """List every cell with every seed, seed by seed; a cell that depends on no seed stands there once."""
    jobs = (
        make_job(recipe, scale, cell, seed, digests=found, data=data, out=out)
        for seed in range(1, seeds + 1)
        for cell in ordered(recipe, plan)
        if seed <= cell.seeds(seeds)
    )
    return list(jobs)


def _chosen(recipe: Recipe, plan: Plan, patterns: Sequence[str]) -> set[str]:
    names = plan.names
    chosen: set[str] = set()
    for pattern in patterns:
        matching = fnmatch.filter(names, pattern)
        if not matching:
            near = did_you_mean(pattern, names) or f" There are {', '.join(names)}."
            raise TenorError(f"The recipe {recipe.name} has no cell {pattern!r} at this scale.{near}")
        chosen.update(matching)
    return with_upstream(plan, chosen) if patterns else set(names)


def _data_folder(data: str | Path) -> Path:
    folder = Path(data)
    if not folder.is_dir():
        raise TenorError(f"--data names {os.fspath(data)!r}, which is no folder.")
    return folder
