"""Running a recipe by its name: the cells, then the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tenor.recipes import table
from tenor.recipes.executor import Watch
from tenor.recipes.import_results import publish_files
from tenor.recipes.overview import write_overview
from tenor.recipes.page import write_page_of
from tenor.recipes.recipe import SCALES
from tenor.recipes.results import Results, read_results
from tenor.recipes.runner import Run, run_recipe


@dataclass(frozen=True, slots=True)
class Done:
    """A run, its results as they were written, and the page that was made of them."""

    run: Run
    results: Results
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
    earlier: Path | None = None,
    pages: Path | None = None,
    watch: Watch | None = None,
) -> Done:
    """Run a recipe and write its page beside the results, or to the folder ``pages``."""
    recipe = table.look_up(name)
    recipe.plan(scale)  # an unknown scale is an error of its own
    done = run_recipe(
        recipe,
        out,
        data=data,
        scale=next(known for known in SCALES if known == scale),
        seeds=seeds,
        cells=cells,
        jobs=jobs,
        budget=budget,
        earlier=earlier,
        watch=watch,
    )
    results = read_results(recipe, done.file)
    folder = pages or out / "page"
    page = write_page_of(results, folder)
    publish_files(results, out, folder)
    if pages is not None:
        versions = {known: table.look_up(known).version for known in table.RECIPES}
        write_overview(pages, list(table.RECIPES), versions=versions)
    return Done(done, results, page)
