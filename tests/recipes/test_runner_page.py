"""The page: from the results alone, the same every time, with nothing of this machine in it."""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import toy_recipe
from tenor.cli.main import run as tenor
from tenor.metrics.verdicts import Claim
from tenor.recipes import table
from tenor.recipes.overview import write_overview
from tenor.recipes.page import write_page
from tenor.recipes.recipe import Cell
from tenor.recipes.runner import run_recipe
from toy_recipe import CELLS, make


@pytest.fixture
def toy_in_the_table(monkeypatch):
    monkeypatch.setattr(table, "RECIPES", {"toy": "toy"})
    monkeypatch.setitem(sys.modules, "tenor.recipes.toy", toy_recipe)


def test_the_page_shows_claims_cells_figures_and_where_they_come_from(tmp_path):
    done = run_recipe(make(), tmp_path / "out")
    page = write_page(make(), done.file, tmp_path / "pages").read_text()
    assert "| 1 | good beats bad | holds | +0.250 | +0.3" in page
    assert "| 5 | translation improves | not run | – | – | – | – | no parallel text |" in page
    assert "5 claims: holds 2 (2 after Holm's adjustment), fails 1, undecided 1, not run 1." in page
    assert "| A fixed one | 0." in page
    assert "none needed" in page
    assert "made up \\| entirely" in page
    assert "`tenor run toy --scale tiny --seeds 3 --write`" in page
    assert str(tmp_path) not in page
    for name in ("claims", "curves"):
        assert f"(toy-{name}.svg)" in page
        ElementTree.parse(tmp_path / "pages" / f"toy-{name}.svg")


def test_the_same_results_give_the_same_page_byte_for_byte(tmp_path):
    done = run_recipe(make(), tmp_path / "out")
    first = write_page(make(), done.file, tmp_path / "one")
    # From the results that lie beside the page, not from those of the run.
    second = write_page(make(), tmp_path / "one" / "toy.json", tmp_path / "two")
    for file in first.parent.iterdir():
        assert file.read_bytes() == (second.parent / file.name).read_bytes()


def test_failures_and_missing_cells_are_shown(tmp_path):
    broken = Cell(name="broken", settings={"skill": 0.5, "act": "raise"})
    recipe = make(*CELLS, broken)
    done = run_recipe(recipe, tmp_path / "out", seeds=2, cells=["good", "broken"])
    page = write_page(recipe, done.file, tmp_path / "pages").read_text()
    assert "| broken | – | – | – | not run, 2 failed |" in page
    assert "- Failed: broken, seed 1: ValueError: the dog ate it" in page
    assert "| bad | – | – | – | not run |" in page
    assert "| 1 | good beats bad | not run | +0.250 | – | ≥ +0.050 | – | no result of bad |" in page


def test_texts_cannot_break_the_table(tmp_path):
    hostile = Claim(text="a | b <script>alert(1)</script>\nnew row |", reason="none")
    recipe = make(claims=(hostile,))
    page = write_page(recipe, run_recipe(recipe, tmp_path, seeds=1).file, tmp_path / "pages").read_text()
    row = next(line for line in page.split("\n") if line.startswith("| 1 |"))
    assert row.count(" | ") == 7
    assert "<script" not in page


def test_the_commands(tmp_path, toy_in_the_table, capsys):
    with pytest.raises(SystemExit) as end:
        tenor(["run", "toy", "--seeds", "2", "--out", str(tmp_path / "out"), "--cells", "good,bad"])
    shown = capsys.readouterr().out
    assert end.value.code == 0
    assert "1. holds" in shown
    assert "4 cells computed." in shown
    assert (tmp_path / "out" / "page" / "toy.md").is_file()
    with pytest.raises(SystemExit):
        tenor(["run", "toy", "--out", str(tmp_path / "out"), "--write", "--pages", str(tmp_path / "docs")])
    assert "3 cells computed, 4 were there already." in capsys.readouterr().out
    page = (tmp_path / "docs" / "toy.md").read_text()
    row = (tmp_path / "docs" / "README.md").read_text().splitlines()[-1]
    assert "](toy.md) |" in row
    holds, fails, undecided, not_run = (
        page.count(f" | {kind} | ") for kind in ("holds", "fails", "undecided", "not run")
    )
    assert holds + fails + undecided + not_run == 5
    counts = [int(count) for count in re.findall(r"\d+", row.split("|")[-2])]
    assert counts == [count for count in (5 - not_run, holds, fails, undecided, not_run) if count]
    with pytest.raises(SystemExit):
        tenor(["recipes", "--json"])
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["scales"][0]["cells"], len(row["claims"])) == ("toy", 3, 5)
    with pytest.raises(SystemExit):
        tenor(["recipes"])
    assert "3 cells × 3 seeds, needs no data" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--scale", "tinny"], "has no scale 'tinny'"),
        (["--budget", "soon"], "no duration"),
        (["--cells", "nothing"], "has no cell 'nothing'"),
        (["--from", "nowhere.json"], "nowhere.json"),
        (["--seeds", "0"], "--seeds and --jobs must be at least 1"),
        (["--scale", "small"], "--data DIR"),
        (["--scale", "full"], "no scale 'full'"),
    ],
    ids=["scale", "budget", "cells", "from", "seeds", "data", "full"],
)
def test_bad_options_are_told_in_a_sentence(tmp_path, toy_in_the_table, capsys, arguments, told):
    with pytest.raises(SystemExit) as end:
        tenor(["run", "toy", "--out", str(tmp_path), *arguments])
    assert end.value.code == 2
    assert told in capsys.readouterr().err


def test_an_unknown_recipe_is_told_the_nearest(capsys, monkeypatch):
    monkeypatch.setattr(table, "RECIPES", {"minbert-shared": "minbert.shared"})
    with pytest.raises(SystemExit) as end:
        tenor(["run", "minbert-shard"])
    assert end.value.code == 2
    assert "There is no recipe 'minbert-shard'. Did you mean 'minbert-shared'?" in capsys.readouterr().err


def test_cells_whose_time_is_not_known_are_not_counted_as_nothing(tmp_path):
    done = run_recipe(make(), tmp_path, seeds=1)
    content = json.loads(done.file.read_text())
    for place, record in enumerate(content["cells"]):
        record["seconds"] = 300.0 if place == 1 else float(place > 0)
    content["version"] = 0
    done.file.write_text(json.dumps(content))
    page = write_page(make(), done.file, tmp_path / "pages").read_text()
    name = content["cells"][0]["cell"]
    assert f"altogether, without {name}, which were taken over and whose time is not known" in page
    assert "| version | computed with version 0 of the recipe, which is at 1: outdated |" in page
    assert "≥ 5 |" in write_overview(tmp_path / "pages", ["toy"]).read_text()
