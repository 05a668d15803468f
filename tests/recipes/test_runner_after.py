"""Cells after other cells of the same seed: their order, what they are handed, and failures that follow."""

import json
from dataclasses import replace

import pytest

import toy_recipe
from tenor.errors import TenorError
from tenor.locks import file_lock
from tenor.recipes.import_results import publish_files
from tenor.recipes.page import write_page, write_page_of
from tenor.recipes.recipe import Cell
from tenor.recipes.runner import run_recipe
from toy_recipe import CELLS, CHAIN, CORPUS, STUDENT, TEACHER, make


def _calls(out):
    return (out / "calls.txt").read_text().split("\n")[:-1]


def _keys(run):
    return {(record["cell"], record["seed"]): record["key"] for record in run.results.kept["cells"]}


def test_cells_stand_behind_those_they_come_after_seed_by_seed(tmp_path):
    done = run_recipe(CHAIN, tmp_path, seeds=2)
    assert (done.computed, done.left) == (9, 0)
    names = ["teacher", "corpus", "student", "grand-student", "good"]
    first = [f"{name} {0 if name == 'corpus' else 1}" for name in names]
    assert _calls(tmp_path) == [*first, *(f"{name} 2" for name in names if name != "corpus")]


def test_a_cell_is_handed_the_results_of_its_own_seed(tmp_path):
    done = run_recipe(CHAIN, tmp_path, seeds=2)
    for seed, student in enumerate(done.results.extras("student", "teacher"), start=1):
        assert student["seed"] == seed
        assert student["accuracy"] == done.results.scores("teacher", "accuracy")[seed - 1]
        assert student["files"] == {"card.md": "some weights", "model/weights.txt": "some weights"}
    assert [corpus["seed"] for corpus in done.results.extras("student", "corpus")] == [None, None]
    assert [one["seed"] for one in done.results.extras("grand-student", "student")] == [1, 2]


def test_only_what_is_named_is_handed(tmp_path):
    def curious(cell, context):
        context.result_of("teacher")

    recipe = replace(make(CELLS[0], TEACHER), run=curious)
    failed = run_recipe(recipe, tmp_path, seeds=1, cells=["good"]).failed
    assert "only given to cells that name it in ``after``" in failed[0].error


def test_a_change_upstream_changes_the_keys_of_all_that_follow(tmp_path):
    before = _keys(run_recipe(CHAIN, tmp_path, seeds=1))
    changed = replace(TEACHER, settings={**TEACHER.settings, "skill": 0.81})
    cells = [changed if cell.name == "teacher" else cell for cell in CHAIN.plan("tiny").cells]
    run = run_recipe(make(*cells, claims=()), tmp_path, seeds=1)
    after = _keys(run)
    assert {name for name, _ in before if before[name, _] != after[name, _]} == {
        "teacher",
        "student",
        "grand-student",
    }
    assert (run.computed, run.reused) == (3, 2)


def test_the_key_of_a_cell_without_upstream_cells_does_not_know_of_after(tmp_path):
    alone = _keys(run_recipe(make(TEACHER, CORPUS), tmp_path / "one", seeds=1))
    assert alone.items() <= _keys(run_recipe(CHAIN, tmp_path / "two", seeds=1)).items()


def test_chosen_cells_bring_those_they_come_after(tmp_path):
    assert run_recipe(CHAIN, tmp_path, seeds=1, cells=["student"]).computed == 3
    later = run_recipe(CHAIN, tmp_path, seeds=1, cells=["grand-*"])
    assert (later.computed, later.reused) == (1, 3)


def test_a_failure_fails_all_that_follow_with_a_sentence(tmp_path):
    broken = replace(TEACHER, settings={"skill": 0.5, "act": "raise"})
    cells = [broken if cell.name == "teacher" else cell for cell in CHAIN.plan("tiny").cells]
    recipe = make(*cells, claims=())
    done = run_recipe(recipe, tmp_path, seeds=1)
    assert (done.computed, done.left) == (2, 3)
    errors = {failed.job.cell.name: failed.error for failed in done.failed}
    assert errors["teacher"] == "ValueError: the dog ate it"
    assert errors["student"] == "It comes after teacher, seed 1, which failed: ValueError: the dog ate it"
    assert errors["grand-student"].startswith("It comes after student, seed 1, which failed: It comes after")
    assert _calls(tmp_path) == ["teacher 1", "corpus 0", "good 1"]
    page = write_page(recipe, done.file, tmp_path / "pages").read_text()
    assert "- Failed: student, seed 1: It comes after teacher, seed 1, which failed: ValueError" in page


def test_what_followed_a_failure_is_computed_once_that_is_mended(tmp_path):
    shy = replace(TEACHER, settings={"skill": 0.5, "act": "once"})
    recipe = make(replace(STUDENT, after=("teacher",)), shy, claims=())
    assert len(run_recipe(recipe, tmp_path, seeds=1).failed) == 2
    again = run_recipe(recipe, tmp_path, seeds=1)
    assert (again.computed, again.failed) == (2, ())
    assert json.loads(again.file.read_text())["failed"] == []


def test_cells_wait_for_another_process_that_is_at_what_they_come_after(tmp_path):
    key = _keys(run_recipe(CHAIN, tmp_path, seeds=1, cells=["teacher"]))["teacher", 1]
    (tmp_path / "cells" / f"{key}.json").unlink()
    with file_lock(tmp_path / "work" / key / "lock", wait=False):
        done = run_recipe(CHAIN, tmp_path, seeds=1)
    assert (done.computed, done.left, done.failed) == (2, 3, ())


def test_a_budget_ends_before_a_follower_and_the_run_goes_on_later(tmp_path):
    assert run_recipe(CHAIN, tmp_path, seeds=1, budget=1e-9).left == 5
    run_recipe(CHAIN, tmp_path, seeds=1, cells=["teacher"])
    done = run_recipe(CHAIN, tmp_path, seeds=1)
    assert (done.computed, done.reused) == (4, 1)


@pytest.mark.slow
def test_processes_keep_the_order_and_give_the_same_results(tmp_path):
    alone = run_recipe(CHAIN, tmp_path / "one", seeds=2)
    many = run_recipe(CHAIN, tmp_path / "two", seeds=2, jobs=2)
    assert (many.computed, many.failed) == (9, ())
    assert many.results.extras("student", "teacher") == alone.results.extras("student", "teacher")
    assert _keys(many) == _keys(alone)
    deadly = run_recipe(toy_recipe.DEADLY_CHAIN, tmp_path / "three", seeds=1, jobs=2)
    assert (deadly.computed, len(deadly.failed)) == (1, 3)
    errors = {failed.job.cell.name: failed.error for failed in deadly.failed}
    assert (
        errors["student"] == "It comes after teacher, seed 1, which failed: its process was ended by signal 9"
    )


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ((replace(STUDENT, after=("nobody",)),), "comes after 'nobody', which is no cell of its scale"),
        (
            (replace(TEACHER, after=("student",)), replace(STUDENT, after=("teacher",))),
            "in a circle: teacher → student → teacher",
        ),
        ((replace(TEACHER, after=("teacher",)),), "in a circle: teacher → teacher"),
        ((replace(CORPUS, after=("teacher",)), TEACHER), "not run with all of its seeds"),
        (
            (replace(STUDENT, after=("teacher",)), replace(TEACHER, most_seeds=1)),
            "not run with all of its seeds",
        ),
    ],
    ids=["unknown", "circle", "itself", "no seeds", "fewer seeds"],
)
def test_an_order_that_cannot_be_kept_is_told(tmp_path, cells, told):
    with pytest.raises(TenorError, match=told):
        run_recipe(make(*cells), tmp_path)
    assert not (tmp_path / "calls.txt").exists()


def test_data_that_an_upstream_cell_lacks_is_lacking_for_all_that_follow(tmp_path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "a.tsv").write_text("1")
    recipe = make(replace(STUDENT, after=("teacher",)), replace(TEACHER, needs=("more",)), CELLS[0])
    done = run_recipe(recipe, tmp_path / "out", scale="small", seeds=1, data=tmp_path)
    assert (done.computed, done.failed) == (1, ())
    assert done.results.kept["lacking"] == {"student": ["more"], "teacher": ["more"]}


def test_results_of_elsewhere_are_taken_as_a_chain(tmp_path):
    there = run_recipe(CHAIN, tmp_path / "there", seeds=1)
    pages = tmp_path / "pages"
    write_page_of(there.results, pages)
    publish_files(there.results, tmp_path / "there", pages)
    here = run_recipe(CHAIN, tmp_path / "here", seeds=1, earlier=pages / "toy.json")
    assert (here.taken.count, here.computed) == (5, 0)
    # A teacher that was computed here, with other results, has students of its own.
    run_recipe(CHAIN, tmp_path / "mixed", seeds=1, cells=["teacher", "corpus"])
    (file,) = [path for path in (tmp_path / "mixed/cells").iterdir() if '"teacher"' in path.read_text()[:30]]
    record = json.loads(file.read_text())
    record["outcomes"]["accuracy"]["score"] += 0.01
    file.write_text(json.dumps(record))
    mixed = run_recipe(CHAIN, tmp_path / "mixed", seeds=1, earlier=pages / "toy.json")
    assert (mixed.taken.count, mixed.computed) == (1, 2)


def test_a_cell_may_come_after_one_without_seeds(tmp_path):
    late = Cell(name="late", settings={"skill": 0.6}, seeded=False, after=("corpus",))
    done = run_recipe(make(late, CORPUS), tmp_path, seeds=3)
    assert done.computed == 2
    assert done.results.extras("late", "corpus")[0]["files"]["card.md"] == "some weights"
