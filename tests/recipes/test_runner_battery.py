"""Every recipe of the table says what it is without torch, names only what exists, and repeats itself."""

import subprocess
import sys

import pytest

from tenor.recipes.ordering import ordered
from tenor.recipes.page import write_page
from tenor.recipes.recipe import CONSTANT
from tenor.recipes.runner import run_recipe
from tenor.recipes.table import RECIPES, look_up


@pytest.fixture(params=list(RECIPES))
def recipe(request):
    return look_up(request.param)


def test_listing_recipes_imports_nothing_heavy():
    code = "import sys; from tenor.recipes.listing import listed; listed(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"torch", "sklearn", "gensim", "openvino", "matplotlib", "transformers"}
    assert not heavy & set(done.stdout.split())


def test_a_recipe_says_what_it_is(recipe):
    assert recipe.name in RECIPES
    assert recipe.title
    assert recipe.paper
    assert recipe.summary.endswith(".")
    assert recipe.claims
    assert any(claim.headline for claim in recipe.claims)
    assert set(recipe.scales) == {"tiny", "small", "full"}
    assert not recipe.plan("tiny").data


def test_claims_and_cells_name_only_what_exists(recipe):
    cells = {cell.name for plan in recipe.scales.values() for cell in plan.cells}
    folders = {folder.name for folder in recipe.data if folder.optional}
    for claim in recipe.claims:
        assert claim.contrast is None or set(claim.contrast.cells) <= cells, claim.text
    baselines = {baseline for baseline in recipe.trivial.values() if isinstance(baseline, str)}
    assert baselines <= cells | {CONSTANT}
    texts = [claim.text for claim in recipe.claims]
    assert len(set(texts)) == len(texts)
    for plan in recipe.scales.values():
        names = plan.names
        assert len(set(names)) == len(names)
        assert len(ordered(recipe, plan)) == len(names)
        assert {need for cell in plan.cells for need in cell.needs} <= folders


def test_a_cell_runs_without_data(recipe, tmp_path):
    first = recipe.plan("tiny").cells[0]
    done = run_recipe(recipe, tmp_path, seeds=1, cells=[first.name])
    assert done.failed == ()
    assert done.computed == 1
    assert first.label in write_page(recipe, done.file, tmp_path / "pages").read_text(encoding="utf-8")


@pytest.mark.slow
def test_tiny_repeats_itself_and_its_page_holds_nothing_of_the_machine(recipe, tmp_path):
    first = run_recipe(recipe, tmp_path / "one", seeds=1)
    assert not first.failed
    again = run_recipe(recipe, tmp_path / "two", seeds=1)
    kept = [
        {(cell["cell"], cell["seed"]): cell["outcomes"] for cell in done.results.kept["cells"]}
        for done in (first, again)
    ]
    assert kept[0] == kept[1]
    page = write_page(recipe, first.file, tmp_path / "pages")
    for file in page.parent.iterdir():
        assert str(tmp_path).encode() not in file.read_bytes()
    metrics = {*first.results.metrics, *recipe.composites}
    named = {
        metric
        for claim in recipe.claims
        if claim.contrast
        for cell, metric in claim.contrast.weights
        if cell in first.results.measured
    }
    assert named <= metrics
