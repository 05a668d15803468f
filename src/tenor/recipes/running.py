"""Running a recipe by its name: the cells, then the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tenor.recipes.page import write_page
from tenor.recipes.recipe import SCALES, Scale
from tenor.recipes.runner import Run, run_recipe
from tenor.recipes.table import look_up
from tenor.recipes.work import Watch


@dataclass(frozen=True, slots=True)
class Done:
    """A run and its page."""

    run: Run
    page: Path


def run_named(
    name: str,
    out: Path,
    *,
    data: Path | None = None,
    scale: str = "tiny",
    seeds: int | None = None,
    cells: Sequence[str] = (),
    jobs: int = 1,
    budget: float | None = None,
    pages: Path | None = None,
    watch: Watch | None = None,
) -> Done:
    """Run a recipe and write its page beside the results, or to the folder ``pages``."""
    recipe = look_up(name)
    recipe.plan(scale)  # an unknown scale is told at once
    known: Scale = next(one for one in SCALES if one == scale)
    done = run_recipe(
        recipe,
        out,
        data=data,
        scale=known,
        seeds=seeds,
        cells=cells,
        jobs=jobs,
        budget=budget,
        watch=watch,
    )
    return Done(done, write_page(recipe, done.file, pages or out / "page"))
