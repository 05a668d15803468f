"""The runner: nothing twice, nothing half, failures recorded, budgets, processes, data that is missing."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import toy_recipe
from tenor.assets.cache import sha256_of
from tenor.errors import TenorError
from tenor.locks import file_lock
from tenor.metrics.verdicts import Claim, Contrast, Verdict
from tenor.recipes.budget import Budget, read_duration
from tenor.recipes.page import write_page
from tenor.recipes.recipe import Cell
from tenor.recipes.results import read_results
from tenor.recipes.runner import run_recipe
from toy_recipe import CELLS, make


def _calls(out):
    log = out / "calls.txt"
    return log.read_text().split("\n")[:-1] if log.exists() else []


def _cell(name, **settings):
    return Cell(name=name, settings={"skill": 0.8, **settings})


def test_every_cell_runs_once_per_seed_and_an_unseeded_one_once(tmp_path):
    done = run_recipe(make(), tmp_path)
    assert (done.computed, done.reused, done.left, done.failed) == (7, 0, 0, ())
    expected = [f"{name} {seed}" for seed in (1, 2, 3) for name in ("good", "bad")]
    assert sorted(_calls(tmp_path)) == sorted([*expected, "fixed 0"])
    # Seed by seed, so that a run cut short says something about every claim.
    assert _calls(tmp_path)[:3] == ["good 1", "bad 1", "fixed 0"]
    assert not list((tmp_path / "work").glob("*/files"))


def test_nothing_is_computed_twice_and_more_seeds_add_only_theirs(tmp_path):
    run_recipe(make(), tmp_path, seeds=2)
    again = run_recipe(make(), tmp_path, seeds=2)
    assert (again.computed, again.reused) == (0, 5)
    more = run_recipe(make(), tmp_path, seeds=3)
    assert (more.computed, more.reused) == (2, 5)
    assert len(_calls(tmp_path)) == 7


@pytest.mark.parametrize(
    ("changed", "anew"),
    [
        (make(version=2), 3),
        (make(settings={"epochs": 2}), 3),
        (make(Cell(name="good", settings={"skill": 0.91}), *CELLS[1:]), 1),
    ],
    ids=["version", "plan", "cell"],
)
def test_what_a_result_depends_on_makes_it_anew(tmp_path, changed, anew):
    first = run_recipe(make(), tmp_path, seeds=1)
    second = run_recipe(changed, tmp_path, seeds=1)
    assert first.computed == 3
    assert second.computed == anew


def test_results_say_where_they_come_from_and_are_read_back(tmp_path):
    done = run_recipe(make(), tmp_path)
    kept = json.loads(done.file.read_text())
    assert kept["command"] == "tenor run toy --scale tiny --seeds 3"
    assert set(kept["origins"][0]) == {"commit", "machine", "versions"}
    assert kept["origins"][0]["versions"]["numpy"]
    # The gold column, shared by all cells and seeds, stands there once.
    named = [key for cell in kept["cells"] for one in cell["outcomes"].values() for key in one["columns"]]
    assert set(done.results.columns) == set(named)
    assert len(set(named)) < len(named)
    assert kept["items"] == {"sha256": sha256_of(tmp_path / "toy-tiny-items.npz")}
    back = read_results(make(), done.file)
    assert back.scores("good", "accuracy") == done.results.scores("good", "accuracy")
    assert back.judgements == done.results.judgements
    with pytest.raises(TenorError, match="results of toy, not of other"):
        read_results(make().__class__(**{**_fields(make()), "name": "other"}), done.file)


def _fields(recipe):
    return {name: getattr(recipe, name) for name in recipe.__dataclass_fields__}


def test_claims_are_judged_also_on_metrics_made_of_others(tmp_path):
    results = run_recipe(make(), tmp_path).results
    verdicts = [one.verdict for one in results.judgements]
    assert verdicts[:3] == [Verdict.holds, Verdict.fails, Verdict.holds]
    assert (verdicts[3], verdicts[4]) == (Verdict.undecided, Verdict.not_run)
    both = results.judgements[1].interval.estimate
    halves = [results.mean("bad", name) - results.mean("good", name) for name in ("accuracy", "correlation")]
    assert both == pytest.approx(sum(halves) / 2, abs=1e-5)
    assert results.mean("good", "both") > results.mean("bad", "both")


def test_a_failing_cell_is_recorded_and_the_others_go_on(tmp_path):
    recipe = make(_cell("bad-luck", act="raise"), _cell("picky", act="complain"), *CELLS)
    done = run_recipe(recipe, tmp_path, seeds=1)
    assert (done.computed, done.left) == (3, 2)
    assert done.failed[0].error == "ValueError: the dog ate it"
    assert "Traceback" in done.failed[0].job.errors.read_text()
    # No path of this machine gets into results.
    assert str(tmp_path) not in done.file.read_text()
    assert "is not to my taste" in done.file.read_text()
    again = run_recipe(recipe, tmp_path, seeds=1)
    assert (again.computed, again.reused, len(again.failed)) == (0, 3, 2)


def test_a_cell_that_failed_is_tried_again_with_what_it_left(tmp_path):
    recipe = make(_cell("shy", act="once"))
    assert run_recipe(recipe, tmp_path, seeds=1).left == 1
    done = run_recipe(recipe, tmp_path, seeds=1)
    assert (done.computed, done.left) == (1, 0)
    assert json.loads(done.file.read_text())["failed"] == []


def test_an_interrupt_stops_everything_and_keeps_what_is_done(tmp_path):
    recipe = make(CELLS[0], _cell("stop", act="interrupt"), CELLS[1])
    with pytest.raises(KeyboardInterrupt):
        run_recipe(recipe, tmp_path, seeds=1)
    assert len(list((tmp_path / "cells").glob("*.json"))) == 1
    done = run_recipe(make(CELLS[0], CELLS[1]), tmp_path, seeds=1)
    assert (done.computed, done.reused) == (1, 1)


def test_a_damaged_result_is_computed_anew(tmp_path):
    run_recipe(make(), tmp_path, seeds=1)
    victim, other, third = sorted((tmp_path / "cells").glob("*.json"))
    victim.write_text('{"cell": "good", "outcomes": {"accuracy": {}}')
    other.write_text('{"cell": "good", "outcomes": {"accuracy": {"statistic": "mean"}}}')
    third.write_text("[]")
    assert run_recipe(make(), tmp_path, seeds=1).computed == 3


def test_cells_are_chosen_by_name_or_pattern(tmp_path):
    done = run_recipe(make(), tmp_path, seeds=1, cells=["g*", "fixed"])
    assert done.computed == 2
    with pytest.raises(TenorError, match=r"no cell 'goood' at this scale. Did you mean 'good'"):
        run_recipe(make(), tmp_path, cells=["goood"])


def test_a_budget_lets_no_cell_begin_that_would_end_too_late(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    budget = Budget(60)
    assert budget.allows()
    budget.took(50)
    now[0] += 5
    assert budget.allows()
    now[0] += 6  # 50 more seconds would end at 61
    assert not budget.allows()
    monkeypatch.undo()
    done = run_recipe(make(), tmp_path, budget=1e-9)
    assert (done.computed, done.left) == (0, 7)
    assert [one.verdict for one in done.results.judgements] == [Verdict.not_run] * 5


@pytest.mark.parametrize("text", ["", "soon", "-5m", "5 x", "0", "m"])
def test_bad_durations_are_refused(text):
    with pytest.raises(TenorError, match="no duration"):
        read_duration(text)


def test_a_cell_that_another_process_computes_is_left_to_it(tmp_path):
    run_recipe(make(), tmp_path, seeds=1, cells=["good"])
    key = next((tmp_path / "cells").glob("*.json")).stem
    next((tmp_path / "cells").glob("*.json")).unlink()
    with file_lock(tmp_path / "work" / key / "lock", wait=False) as ours:
        assert ours
        done = run_recipe(make(), tmp_path, seeds=1, cells=["good"])
    assert (done.computed, done.left, done.failed) == (0, 1, ())


def test_what_cells_share_is_made_once_and_only_whole(tmp_path):
    made = []

    def fill(folder):
        made.append(folder)
        if len(made) == 1:
            raise ValueError("no room")
        (folder / "vectors").write_text("1 2 3")

    def share(cell, context):
        folder = context.shared("vectors", fill, settings={"width": 3})
        assert (folder / "vectors").read_text() == "1 2 3"
        return toy_recipe.run(cell, context)

    recipe = make(CELLS[0], CELLS[1])
    recipe = recipe.__class__(**{**_fields(recipe), "run": share})
    done = run_recipe(recipe, tmp_path, seeds=2)
    assert (len(made), len(done.failed)) == (2, 1)


def test_what_a_kill_left_while_writing_is_cleared(tmp_path):
    run_recipe(make(), tmp_path, seeds=1, cells=["good"])
    (file,) = (tmp_path / "cells").glob("*.json")
    file.rename(file.with_name(f".{file.name}.abc.part"))  # as if killed before the rename
    assert run_recipe(make(), tmp_path, seeds=1, cells=["good"]).computed == 1
    assert [one.name for one in (tmp_path / "cells").iterdir()] == [file.name]


def test_data_that_is_missing_is_told_with_advice(tmp_path):
    recipe = make()
    with pytest.raises(TenorError, match=r"reads data at this scale: labels .* --data DIR"):
        run_recipe(recipe, tmp_path, scale="small")
    with pytest.raises(TenorError, match="is no folder"):
        run_recipe(recipe, tmp_path, scale="small", data=tmp_path / "nowhere")
    with pytest.raises(TenorError, match=r"labels does not exist: the labels. Ask for them."):
        run_recipe(recipe, tmp_path, scale="small", data=tmp_path)
    (tmp_path / "labels").mkdir()
    with pytest.raises(TenorError, match=r"labels holds no \*.tsv"):
        run_recipe(recipe, tmp_path, scale="small", data=tmp_path)
    with pytest.raises(TenorError, match=r"no scale 'smal'; it has tiny, small. Did you mean 'small'"):
        run_recipe(recipe, tmp_path, scale="smal")


def test_results_depend_on_the_data_that_they_read(tmp_path):
    data, out = tmp_path / "data", tmp_path / "out"
    (data / "labels").mkdir(parents=True)
    (data / "labels" / "a.tsv").write_text("1")
    needy = Cell(name="needy", settings={"skill": 0.8}, needs=("more",))
    recipe = make(CELLS[0], needy)
    first = run_recipe(recipe, out, scale="small", seeds=1, data=data)
    assert first.computed == 1
    assert first.results.kept["lacking"] == {"needy": ["more"]}
    (data / "more").mkdir()
    (data / "more" / "b.tsv").write_text("2")
    second = run_recipe(recipe, out, scale="small", seeds=1, data=data)
    assert (second.computed, second.reused) == (1, 1)  # the other cell does not read the optional folder
    (data / "labels" / "a.tsv").write_text("3")
    assert run_recipe(recipe, out, scale="small", seeds=1, data=data / "labels").computed == 1
    assert run_recipe(recipe, out, scale="small", seeds=1, data=data).reused == 1


def test_settings_that_are_no_json_are_refused(tmp_path):
    with pytest.raises(TenorError, match="are no JSON"):
        run_recipe(make(Cell(name="odd", settings={"x": {1, 2}})), tmp_path)


def test_weights_that_are_not_at_hand_are_told_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path / "cache"))
    recipe = make(CELLS[0], Cell(name="heavy", settings={"skill": 0.5}, weights=("potion-8m",)))
    with pytest.raises(TenorError, match="tenor fetch potion-8m"):
        run_recipe(recipe, tmp_path)
    assert _calls(tmp_path) == []


@pytest.mark.slow
def test_processes_give_the_same_results_and_one_that_dies_fails_alone(tmp_path):
    alone = run_recipe(toy_recipe.RECIPE, tmp_path / "one")
    many = run_recipe(toy_recipe.RECIPE, tmp_path / "two", jobs=2)
    assert many.computed == 7
    ours, theirs = (
        {(cell["cell"], cell["seed"]): cell["outcomes"] for cell in done.results.kept["cells"]}
        for done in (alone, many)
    )
    assert ours == theirs
    deadly = run_recipe(toy_recipe.DEADLY, tmp_path / "three", seeds=1, jobs=2)
    assert (deadly.computed, deadly.left) == (2, 1)
    assert deadly.failed[0].error == "its process was ended by signal 9"


def _with_tests():
    """The environment of a process that can import the toy recipe."""
    known = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(toy_recipe.__file__).parent), known])}


_KILLED = """
import sys
from dataclasses import replace
from pathlib import Path
import toy_recipe
from tenor.recipes.runner import run_recipe
run_recipe(toy_recipe.DEADLY, Path(sys.argv[1]), seeds=1)
"""


@pytest.mark.slow
def test_a_run_that_is_killed_leaves_nothing_half_and_goes_on(tmp_path):
    environment = _with_tests()
    done = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    files = list((tmp_path / "cells").iterdir())
    assert len(files) == 1
    assert json.loads(files[0].read_text())["cell"] == "good"
    again = run_recipe(make(CELLS[0], CELLS[1]), tmp_path, seeds=1)
    assert (again.computed, again.reused) == (1, 1)


_MANY = """
import sys
from pathlib import Path
import toy_recipe
from tenor.recipes.runner import run_recipe
if __name__ == "__main__":
    run_recipe(toy_recipe.SLOW, Path(sys.argv[1]), seeds=1, jobs=2)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_the_processes_of_a_killed_run_end_with_it(tmp_path, how):
    script = tmp_path / "many.py"
    script.write_text(_MANY)
    environment = _with_tests()
    run = subprocess.Popen([sys.executable, script, tmp_path / "out"], env=environment)
    child = int(_wait_for(lambda: next((p.read_text() for p in tmp_path.rglob("was-here")), "")))
    os.kill(child, 0)
    run.send_signal(how)
    assert run.wait(30) == -how
    _wait_for(lambda: not _runs(child))


def _wait_for(asked, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := asked():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def _runs(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_what_lasts_is_left_by_a_failure_and_gone_on_with(tmp_path):
    def go_on(cell, context):
        with context.lasting("long", settings={}) as folder:
            (folder / f"step-{len(list(folder.iterdir()))}").touch()
            if len(list(folder.iterdir())) < 3:
                raise ValueError("killed")
        return toy_recipe.run(cell, context)

    recipe = make(CELLS[0])
    recipe = recipe.__class__(**{**_fields(recipe), "run": go_on})
    assert [len(run_recipe(recipe, tmp_path, seeds=1).failed) for _ in range(3)] == [1, 1, 0]


def test_a_cell_may_want_fewer_seeds_than_the_others(tmp_path):
    few = Cell(name="few", settings={"skill": 0.7}, most_seeds=2)
    done = run_recipe(make(CELLS[0], few), tmp_path, seeds=3)
    assert [len(done.results.records[name]) for name in (CELLS[0].name, "few")] == [3, 2]
    assert "5 of 5 computed" in write_page(make(CELLS[0], few), done.file, tmp_path / "pages").read_text()


def test_a_claim_that_rests_on_another_which_does_not_hold_is_undecided(tmp_path):
    better, worse = Cell(name="better", settings={"skill": 0.9}), Cell(name="worse", settings={"skill": 0.5})
    true = Claim(text="Better is better.", contrast=Contrast.difference("better", "worse", metric="accuracy"))
    false = Claim(text="Worse is better.", contrast=true.contrast.times(-1))
    claims = [replace(true, provided=(each,)) for each in (true, false)]
    found = run_recipe(make(better, worse, claims=claims), tmp_path).results.judgements
    assert [one.verdict for one in found] == [Verdict.holds, Verdict.undecided]
    assert "Worse is better" in found[1].note
