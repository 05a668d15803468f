"""What stands beside verdicts: headline claims first, small effects, trivial baselines, Holm's adjustment."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.metrics.outcomes import Outcome
from tenor.metrics.verdicts import Claim, Contrast, Verdict
from tenor.recipes.cells import make_job
from tenor.recipes.overview import write_overview
from tenor.recipes.page import write_page
from tenor.recipes.recipe import CONSTANT, Cell, CellResult, Composite
from tenor.recipes.runner import run_recipe
from toy_recipe import CELLS, CLAIMS, make

GOLD = np.random.default_rng(0).random(400) < 0.6  # 1 is the more frequent class


def _guess(cell, context):
    """Answer right with the skill of the cell: accuracy and F1 on the same items, a correlation, a number."""
    draw = np.random.default_rng([1, context.seed, len(cell.name)])
    told = np.where(draw.random(400) < cell.settings["skill"], GOLD, ~GOLD)
    return CellResult(
        outcomes={
            "F1": Outcome.of("f1", GOLD, told, items="test"),
            "accuracy": Outcome.of("mean", told == GOLD, items="test"),
            "correlation": Outcome.of("pearson", GOLD, told + 0.1 * draw.normal(size=400), items="test"),
        }
    )


def _claim(first, second, metric="accuracy", **more):
    return Claim(
        text=f"{first} beats {second}: {metric}",
        contrast=Contrast.difference(first, second, metric=metric),
        **{"smallest": 0.01} | more,
    )


# The constant answer has an accuracy of about 0.6.
SKILLS = {"good": 0.9, "fair": 0.75, "bad": 0.4, "poor": 0.25, "untrained": 0.58}


def _results(tmp_path, *claims, trivial):
    cells = [Cell(name=name, settings={"skill": skill}) for name, skill in SKILLS.items()]
    recipe = replace(make(*cells, claims=claims), run=_guess, trivial=trivial, composites={})
    return run_recipe(recipe, tmp_path, seeds=4)


@pytest.mark.parametrize("baseline", [CONSTANT, 0.6, "untrained"])
def test_two_sides_that_are_no_better_than_the_trivial_baseline_are_at_chance(tmp_path, baseline):
    claims = (
        _claim("bad", "poor"),
        _claim("poor", "bad"),
        _claim("bad", "poor", direction="same"),
        _claim("good", "bad"),
    )
    judged = _results(tmp_path, *claims, trivial={"accuracy": baseline}).results.judgements
    assert [one.label for one in judged[:3]] == ["undecided: at chance"] * 3
    assert judged[0].interval.low > 0.05  # it would hold else
    assert "no side is better than the trivial baseline" in judged[0].note
    assert judged[3].label == "holds"
    assert judged[3].note == "a gain over what is worse than the trivial baseline"


def test_without_a_trivial_baseline_or_beside_a_better_side_verdicts_stand(tmp_path):
    claims = (
        _claim("bad", "poor", "F1"),
        _claim("good", "fair"),
        _claim("untrained", "poor"),
        Claim(
            text="mean", contrast=Contrast.mean("poor", metric="accuracy"), direction="less", reference=0.5
        ),
    )
    judged = _results(tmp_path, *claims, trivial={"accuracy": "untrained"}).results.judgements
    assert [one.label for one in judged] == ["holds"] * 4
    assert [one.note for one in judged] == [""] * 4


def test_a_loss_beside_a_side_that_is_worse_than_trivial_is_noted_in_its_direction(tmp_path):
    claims = (_claim("bad", "good", direction="less"), _claim("fair", "good", direction="less"))
    worse, better = _results(tmp_path, *claims, trivial={"accuracy": CONSTANT}).results.judgements
    assert (worse.label, better.label) == ("holds", "holds")
    assert worse.note == "a gain over what is worse than the trivial baseline"
    assert better.note == ""


def test_the_constant_answer_comes_from_gold_labels_and_stands_in_the_table(tmp_path):
    done = _results(
        tmp_path,
        _claim("good", "bad", ["F1", "accuracy", "correlation"]),
        trivial={"accuracy": CONSTANT, "F1": CONSTANT, "correlation": CONSTANT, "elsewhere": CONSTANT},
    )
    share = GOLD.mean()
    found = {name: outcome.score for name, outcome in done.results.trivial.items()}
    assert found == pytest.approx({"accuracy": share, "F1": 2 * share / (1 + share), "correlation": 0})
    page = write_page(done.results.recipe, done.file, tmp_path / "pages").read_text()
    assert (
        f"| *trivial baseline* | {2 * share / (1 + share):.3f} | {share:.3f} | 0.000 | none needed |" in page
    )
    assert "*at chance* where neither of its sides" in page


def test_a_cell_that_is_the_trivial_baseline_is_marked_in_the_table(tmp_path):
    done = _results(tmp_path, trivial={"accuracy": "untrained"})
    page = write_page(done.results.recipe, done.file, tmp_path / "pages").read_text()
    assert "| untrained (*trivial baseline*) |" in page
    assert "| *trivial baseline* |" not in page


def test_a_trivial_baseline_that_was_not_run_decides_nothing(tmp_path):
    judged = _results(tmp_path, _claim("bad", "poor"), trivial={"accuracy": "nobody"}).results.judgements
    assert judged[0].label == "holds"


def test_headline_claims_stand_first(tmp_path):
    claims = (*CLAIMS[:2], replace(CLAIMS[2], headline=True), *CLAIMS[3:])
    recipe = make(claims=claims)
    done = run_recipe(recipe, tmp_path)
    assert [one.claim.text for one in done.results.judgements][:2] == ["good passes 0.7", "good beats bad"]
    page = write_page(recipe, done.file, tmp_path / "pages").read_text()
    assert "| 1 | **good passes 0.7** | holds |" in page
    assert "The first is the paper's headline claim." in page


def test_a_small_effect_is_marked(tmp_path):
    claims = (replace(CLAIMS[0], smallest=0.6), CLAIMS[0])
    recipe = make(claims=claims)
    done = run_recipe(recipe, tmp_path)
    assert [one.label for one in done.results.judgements] == ["holds: small", "holds"]
    page = write_page(recipe, done.file, tmp_path / "pages").read_text()
    assert "| 1 | good beats bad | holds: small | +0.250 |" in page


def test_what_holds_only_before_holms_adjustment_is_said(tmp_path):
    """A claim with a p-value near 0.025 beside many that are far from it."""
    doubtful = [
        Claim(
            text=f"fixed passes {target:.3f}",
            contrast=Contrast.mean("fixed", metric="accuracy"),
            reference=target,
        )
        for target in np.arange(0.5, 0.8, 0.02)
    ]
    recipe = make(claims=doubtful)
    done = run_recipe(recipe, tmp_path, seeds=1)
    verdicts = [one.verdict for one in done.results.judgements]
    holds, adjusted = verdicts.count(Verdict.holds), sum(done.results.adjusted)
    assert 0 < adjusted < holds < len(doubtful)
    page = write_page(recipe, done.file, tmp_path / "pages").read_text()
    assert f"holds {holds} ({adjusted} after Holm's adjustment)" in page
    assert page.count("| not after Holm's adjustment |") == holds - adjusted


def test_the_overview_is_made_from_the_json_files_alone(tmp_path):
    claims = (replace(CLAIMS[0], headline=True), replace(CLAIMS[0], smallest=0.6), *CLAIMS[1:])
    done = run_recipe(make(claims=claims), tmp_path / "out")
    page = write_page(make(claims=claims), done.file, tmp_path / "pages")
    page.unlink()
    (tmp_path / "pages" / "toy-items.npz").unlink()
    overview = write_overview(tmp_path / "pages", ["missing", "toy"]).read_text()
    (row,) = [line for line in overview.splitlines() if "[A toy](toy.md)" in line]
    _, text, _, ours, verdict, scale, minutes, sentence = row.strip("| ").split(" | ")
    claims = json.loads((tmp_path / "pages" / "toy.json").read_text())["claims"]
    estimate = claims[0]["interval"][0]
    assert (text, verdict, scale, minutes) == (claims[0]["claim"], "**holds**", "tiny", "0")
    assert ours.startswith(f"{estimate:+.3f} [".replace("-", "−"))
    assert sentence == "Of 5 claims tested 3 hold, 1 fails, 1 is undecided; 1 could not be tested."
    stale = write_overview(tmp_path / "pages", ["toy"], versions={"toy": 9}).read_text()
    assert "| outdated: holds |" in stale
    assert "Outdated: of version 1 of the recipe, which is at 9." in stale


def test_the_overview_tells_of_damaged_and_older_files(tmp_path):
    run = run_recipe(make(), tmp_path, seeds=1)
    content = json.loads(run.file.read_text())
    (tmp_path / "toy.json").write_text(json.dumps(content))  # no page was written
    row = "| [toy](toy.md) | – | – | – | not judged | tiny | 0 | No claim was tested. |"
    assert row in write_overview(tmp_path, ["toy"]).read_text()
    (tmp_path / "toy.json").write_text(json.dumps({**content, "claims": [{"verdict": "holds"}]}))
    with pytest.raises(TenorError, match=r"toy\.json is damaged: its claims cannot be read"):
        write_overview(tmp_path, ["toy"])


def test_verdicts_beside_the_page_hold_no_numbers_that_json_does_not_know(tmp_path):
    def constant(cell, context):
        return CellResult(outcomes={"x": Outcome.of("pearson", np.ones(20), np.ones(20), items="test")})

    recipe = replace(
        make(CELLS[0], claims=(Claim(text="x", contrast=Contrast.mean("good", metric="x")),)), run=constant
    )
    write_page(recipe, run_recipe(recipe, tmp_path / "out").file, tmp_path)
    (claim,) = json.loads((tmp_path / "toy.json").read_text())["claims"]
    assert (claim["verdict"], claim["interval"], claim["p"]) == ("undecided", [None, None, None], None)


def test_a_mean_over_sets_can_be_weighted_by_their_items(tmp_path):
    def run(cell, context):
        good = cell.name == "good"
        large = Outcome.of("mean", [1.0] * 90 + [0.0] * 10 if good else [0.0] * 100, items="large")
        small = Outcome.of("mean", [0.0] * 10 if good else [1.0] * 10, items="small")
        return CellResult(outcomes={"large": large, "small": small})

    claims = [
        Claim(text=name, contrast=Contrast.difference("good", "bad", metric=name))
        for name in ("plain", "weighted")
    ]
    composites = {
        "plain": Composite.mean("large", "small"), "weighted": Composite.over_items("large", "small")
    }  # fmt: skip
    recipe = replace(make(claims=tuple(claims)), run=run, composites=composites)
    results = run_recipe(recipe, tmp_path, seeds=2).results
    assert results.mean("good", "weighted") == pytest.approx(0.9 * 100 / 110)
    estimates = {one.claim.text: one.interval.estimate for one in results.judgements}
    assert estimates == pytest.approx({"plain": -0.05, "weighted": (90 - 10) / 110})


def test_a_constant_answer_is_known_from_confusions(tmp_path):
    def run(cell, context):
        right = Outcome.of("mean", [1.0] * 30 + [0.0] * 70, items="test")
        return CellResult(outcomes={"x": right}, extras={"x": {"confusion": [[20, 40], [30, 10]]}})

    claim = Claim(text="good beats bad", contrast=Contrast.difference("good", "bad", metric="x"))
    recipe = replace(make(claims=(claim,)), run=run, trivial={"x": CONSTANT}, composites={})
    results = run_recipe(recipe, tmp_path, seeds=2).results
    assert results.trivial["x"].score == 0.6
    assert results.judgements[0].label == "undecided: at chance"


def test_a_cell_that_a_version_leaves_alone_keeps_its_key_and_others_do_not(tmp_path):
    def keys(version, since=None):
        recipe = replace(make(*(replace(cell, since=since) for cell in CELLS)), version=version)
        jobs = [
            make_job(recipe, "tiny", cell, 1, digests={}, data=None, out=tmp_path)
            for cell in recipe.plan("tiny").cells
        ]
        return [job.key for job in jobs]

    assert keys(2, since=1) == keys(1)
    assert not set(keys(2)) & set(keys(1))
