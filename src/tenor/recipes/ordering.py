"""The order of cells: each stands behind those that it comes after."""

from collections.abc import Iterable

from tenor.errors import TenorError
from tenor.recipes.recipe import Cell, Plan, Recipe


def ordered(recipe: Recipe, plan: Plan) -> list[Cell]:
    """Return the cells of a plan so that each stands behind those it comes after, else in their own order.

    An ``after`` that cannot be kept is an error: an unknown cell, a circle, or a cell that has more seeds
    than one it comes after.
    """
    done: dict[str, Cell] = {}
    for cell in plan.cells:
        _place(recipe, plan, cell, done, ())
    return list(done.values())


def with_upstream(plan: Plan, names: Iterable[str]) -> set[str]:
    """Return the names of cells and of all cells that they come after."""
    wanted: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo.extend(plan.cell(name).after)
    return wanted


def _place(recipe: Recipe, plan: Plan, cell: Cell, done: dict[str, Cell], path: tuple[str, ...]) -> None:
    if cell.name in done:
        return
    if cell.name in path:
        circle = " → ".join((*path[path.index(cell.name) :], cell.name))
        raise TenorError(f"Cells of the recipe {recipe.name} come after one another in a circle: {circle}.")
    for name in cell.after:
        after = f"The cell {cell.name} of {recipe.name} comes after {name!r}"
        if name not in plan.names:
            raise TenorError(f"{after}, which is no cell of its scale.")
        before = plan.cell(name)
        if before.seeded and (not cell.seeded or cell.seeds(_MANY) > before.seeds(_MANY)):
            raise TenorError(f"{after}, which is not run with all of its seeds.")
        _place(recipe, plan, before, done, (*path, cell.name))
    done[cell.name] = cell


_MANY = 1_000_000  # more seeds than any run has, to compare most_seeds
