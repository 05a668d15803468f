"""What holds for every recipe: its tiny scale runs without data, and what it says of itself is whole."""

import pytest

from tenor.recipes.recipe import SCALES
from tenor.recipes.running import run_named
from tenor.recipes.table import RECIPES, look_up

NAMES = list(RECIPES)


@pytest.mark.parametrize("name", NAMES)
def test_a_cell_runs_without_data(name, tmp_path):
    first = look_up(name).plan("tiny").cells[0]
    done = run_named(name, tmp_path, scale="tiny", seeds=1, cells=[first.name])
    assert done.run.failed == ()
    assert done.run.computed == 1
    assert first.label in done.page.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_tiny_scale_runs_whole(name, tmp_path):
    done = run_named(name, tmp_path, scale="tiny")
    assert done.run.failed == ()
    assert done.run.left == 0
    assert str(tmp_path) not in done.page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_claims_are_about_cells_that_there_are(name):
    recipe = look_up(name)
    assert recipe.name == name
    assert set(recipe.scales) == set(SCALES)
    known = {cell.name for plan in recipe.scales.values() for cell in plan.cells}
    for claim in recipe.claims:
        if claim.contrast is not None:
            assert set(claim.contrast.cells) <= known, claim.text
    folders = {folder.name for folder in recipe.data}
    for plan in recipe.scales.values():
        assert len({cell.name for cell in plan.cells}) == len(plan.cells)
        for cell in plan.cells:
            assert set(cell.needs) <= folders
