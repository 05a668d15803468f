"""Results of another machine: only what fits is taken, and nothing of a damaged file."""

import json
from dataclasses import replace

import pytest

from tenor.errors import TenorError
from tenor.recipes.import_results import publish_files
from tenor.recipes.page import write_page_of
from tenor.recipes.recipe import Cell
from tenor.recipes.runner import run_recipe
from toy_recipe import CELLS, MAKER, READER, make


@pytest.fixture
def published(tmp_path):
    """The results of two seeds, as they lie beside a page."""
    return run_recipe(make(), tmp_path / "first", seeds=2).file


def test_cells_that_fit_are_taken_and_only_the_others_computed(tmp_path, published):
    later = run_recipe(make(), tmp_path / "second", seeds=3, earlier=published)
    assert (later.taken.count, later.reused, later.computed) == (5, 5, 2)
    whole = run_recipe(make(), tmp_path / "third", seeds=3)
    assert later.results.judgements == whole.results.judgements
    assert later.results.measured.keys() == whole.results.measured.keys()
    assert later.results.scores("good", "accuracy") == whole.results.scores("good", "accuracy")


def test_what_is_there_already_is_left_as_it_is(tmp_path, published):
    run_recipe(make(), tmp_path / "second", seeds=1)
    later = run_recipe(make(), tmp_path / "second", seeds=2, earlier=published)
    assert (later.taken.count, later.reused, later.computed) == (2, 5, 0)


def test_a_chosen_cell_is_not_all_that_is_taken(tmp_path, published):
    later = run_recipe(make(), tmp_path / "second", seeds=2, cells=["good"], earlier=published)
    assert (later.taken.count, later.reused) == (5, 2)


@pytest.mark.parametrize(
    ("changed", "taken"),
    [
        (make(version=2), 0),
        (make(settings={"epochs": 2}), 0),
        (make(Cell(name="good", settings={"skill": 0.91}), *CELLS[1:]), 3),
    ],
    ids=["version", "plan", "cell"],
)
def test_nothing_is_taken_that_depends_on_something_else(tmp_path, published, changed, taken):
    assert run_recipe(changed, tmp_path / "second", seeds=2, earlier=published).taken.count == taken


def test_a_file_of_before_gives_nothing(tmp_path, published):
    content = json.loads(published.read_text())
    for record in content["cells"]:
        del record["key"]
    published.write_text(json.dumps(content))
    assert run_recipe(make(), tmp_path / "second", seeds=1, earlier=published).taken.count == 0


def _first_outcome(content):
    return content["cells"][0]["outcomes"]["accuracy"]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda content: content.pop("items"), "is not the file of items"),
        (lambda content: content["items"].update(sha256="0" * 64), "is not the file of items"),
        (lambda content: _first_outcome(content).update(columns=["nowhere"]), "record of cell 'good'"),
        (lambda content: content["origins"].clear(), "cannot be read"),
        (lambda content: content["cells"][0].pop("notes"), "record of cell 'good'"),
        (lambda content: content["cells"][0].update(outcomes=[1]), "record of cell 'good'"),
        (lambda content: content.update(cells=7), "its cells cannot be read"),
        (lambda content: content.pop("recipe"), "holds no results"),
    ],
    ids=["items", "digest", "columns", "origins", "notes", "outcomes", "cells", "recipe"],
)
def test_a_damaged_file_is_told(tmp_path, published, damage, told):
    content = json.loads(published.read_text())
    damage(content)
    published.write_text(json.dumps(content))
    with pytest.raises(TenorError, match=told):
        run_recipe(make(), tmp_path / "second", seeds=2, earlier=published)


def read_by(run):
    return run.results.extras("reader", "read")


def test_files_are_kept_for_other_cells(tmp_path):
    assert read_by(run_recipe(make(READER, MAKER), tmp_path / "early", cells=["reader"])) == [None]
    run = run_recipe(make(MAKER, READER), tmp_path / "out")
    assert read_by(run) == ["some weights"]
    (folder,) = (tmp_path / "out/files").iterdir()
    (folder / "card.md").unlink()  # a result is whole with all of its files only
    again = run_recipe(make(MAKER, READER), tmp_path / "out")
    assert (again.computed, (folder / "card.md").is_file()) == (1, True)


@pytest.fixture
def pages(tmp_path):
    """The results of a cell that has files, beside a page."""
    run = run_recipe(make(MAKER, READER), tmp_path / "first", cells=["maker"])
    folder = tmp_path / "pages"
    folder.mkdir()
    for _ in range(2):  # what is there already is left
        publish_files(run.results, tmp_path / "first", folder)
    assert "[toy-files/maker](toy-files/maker): 2 files" in write_page_of(run.results, folder).read_text()
    return folder


def test_files_go_with_their_cell(tmp_path, pages):
    later = run_recipe(make(MAKER, READER), tmp_path / "second", earlier=pages / "toy.json")
    assert (later.taken.count, later.taken.lacking, later.computed) == (1, (), 1)
    assert read_by(later) == ["some weights"]
    assert [record.get("files") for record in later.results.kept["cells"]][1] is None


def test_without_its_files_a_cell_is_computed_anew(tmp_path, pages):
    missing = pages / "toy-files/maker/model/weights.txt"
    missing.unlink()
    later = run_recipe(make(MAKER, READER), tmp_path / "second", earlier=pages / "toy.json")
    assert (later.taken.count, later.taken.lacking, later.computed) == (0, (str(missing),), 2)


def test_cells_that_use_files_are_taken_with_these_files_only(tmp_path, pages):
    """Otherwise they would stand beside cells that were made from other files."""
    user = Cell(name="user", settings={"skill": 0.8}, uses=("maker",))
    recipe = make(user, MAKER)
    run = run_recipe(recipe, tmp_path / "there", seeds=2)
    write_page_of(run.results, pages)
    publish_files(run.results, tmp_path / "there", pages)
    later = run_recipe(recipe, tmp_path / "here", seeds=2, earlier=pages / "toy.json")
    assert (later.taken.count, later.computed) == (3, 0)
    (pages / "toy-files/maker/card.md").unlink()
    later = run_recipe(recipe, tmp_path / "elsewhere", seeds=2, earlier=pages / "toy.json")
    assert (later.taken.count, later.computed) == (0, 3)


def test_other_contents_are_told(tmp_path, pages):
    (pages / "toy-files/maker/card.md").write_text("other")
    with pytest.raises(TenorError, match=r"card\.md has other contents than the results say"):
        run_recipe(make(MAKER, READER), tmp_path / "second", earlier=pages / "toy.json")


def test_no_file_is_taken_from_elsewhere(tmp_path, pages):
    content = json.loads((pages / "toy.json").read_text())
    content["cells"][0]["files"] = {"../../secret": "0" * 64}
    (pages / "toy.json").write_text(json.dumps(content))
    with pytest.raises(TenorError, match="record of cell 'maker' cannot be read"):
        run_recipe(make(MAKER, READER), tmp_path / "second", earlier=pages / "toy.json")
    assert not (tmp_path / "second/files").exists()


@pytest.mark.parametrize("wrong", [{"seed": "x/../../../elsewhere"}, {"seed": 7}, {"cell": "reader"}])
def test_a_record_of_another_cell_is_refused(tmp_path, pages, wrong):
    content = json.loads((pages / "toy.json").read_text())
    content["cells"][0] |= wrong
    (pages / "toy.json").write_text(json.dumps(content))
    with pytest.raises(TenorError, match="the record of cell 'maker' names another one"):
        run_recipe(make(MAKER, READER), tmp_path / "second", earlier=pages / "toy.json")
    assert not (tmp_path / "second/files").exists()


def test_links_in_place_of_files_are_not_followed(tmp_path, pages):
    card = pages / "toy-files/maker/card.md"
    (tmp_path / "secret").write_bytes(card.read_bytes())
    card.unlink()
    card.symlink_to(tmp_path / "secret")
    with pytest.raises(TenorError, match="links in place of files"):
        run_recipe(make(MAKER, READER), tmp_path / "second", earlier=pages / "toy.json")


def test_results_of_another_recipe_are_refused(tmp_path, published):
    with pytest.raises(TenorError, match="results of toy, not of other"):
        run_recipe(replace(make(), name="other"), tmp_path / "second", earlier=published)
