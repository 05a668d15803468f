"""What the pages say, computed again from the stored items by other code: scipy's and scikit-learn's."""

import json
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr, t
from sklearn.metrics import f1_score, matthews_corrcoef, roc_auc_score

from tenor.metrics.verdicts import Claim
from tenor.recipes.columns import read_columns
from tenor.recipes.recipe import Composite, Recipe
from tenor.recipes.table import RECIPES, look_up

PAGES = Path(__file__).parents[2] / "docs" / "results"
Scores = dict[str, dict[int | None, dict[str, tuple[float, int]]]]


def _f1_of_counts(gold: Any, predicted: Any, right: Any) -> float:
    return float(2 * right.sum() / (gold.sum() + predicted.sum()))


STATISTICS: Mapping[str, Any] = {
    "mean": np.mean,
    "ratio": lambda parts, wholes: parts.sum() / wholes.sum(),
    "pearson": lambda gold, told: pearsonr(gold, told)[0],
    "spearman": lambda gold, told: spearmanr(gold, told)[0],
    "f1": f1_score,
    "f1_macro": lambda gold, told: f1_score(gold, told, average="macro"),
    "matthews": matthews_corrcoef,
    "auc": roc_auc_score,
    "f1_of_counts": _f1_of_counts,
}


def _scores(name: str) -> Scores:
    """Return cell -> seed -> metric -> score from the items, and their number."""
    content = json.loads((PAGES / f"{name}.json").read_text(encoding="utf-8"))
    columns, recipe = read_columns(PAGES / f"{name}-items.npz"), look_up(name)
    derived = {source: (other, how) for other, (source, how) in recipe.derived.items()}
    scores: Scores = {}
    known: dict[tuple[str, ...], float] = {}
    for record in content["cells"]:
        found = scores.setdefault(record["cell"], {}).setdefault(record["seed"], {})
        for metric, outcome in record["outcomes"].items():
            if outcome.get("statistic") is None:
                found[metric] = (outcome["score"], 1)
                continue
            own = [(metric, outcome["statistic"])] + ([derived[metric]] if metric in derived else [])
            for shown, statistic in own:
                key = (statistic, *outcome["columns"])
                if key not in known:
                    known[key] = float(STATISTICS[statistic](*(columns[one] for one in outcome["columns"])))
                found[shown] = (known[key], len(columns[outcome["columns"][0]]))
            # Items are stored with six digits: values that differ only beyond them become ties in the ranks,
            # which shows in sets of a dozen pairs.
            few = found[metric][1] < 50
            # Cosines near 1 differ in their last stored digits only, which Pearson's correlation magnifies.
            near = {"spearman": 0.05 if few else 5e-3, "pearson": 1e-3}.get(outcome["statistic"], 1e-4)
            assert found[metric][0] == pytest.approx(outcome["score"], abs=near), (record["cell"], metric)
    return scores


def _score(found: Mapping[str, tuple[float, int]], metric: str, recipe: Recipe) -> float | None:
    made: Composite | None = recipe.composites.get(metric)
    if made is None:
        return found[metric][0] if metric in found else None
    if any(part not in found for part in made.weights):
        return None
    items = {part: found[part][1] if made.by_items else 1 for part in made.weights}
    total = sum(items.values()) if made.by_items else 1
    return made.offset + sum(
        weight * items[part] / total * found[part][0] for part, weight in made.weights.items()
    )


def _by_draw(claim: Claim, scores: Scores, recipe: Recipe, scale: str) -> list[float] | None:
    """Return a claim's contrast for each independent draw, None where a part of it is not there."""
    assert claim.contrast is not None
    cells = [scores.get(cell) for cell in claim.contrast.cells]
    if not all(cells):
        return None
    seeded = [set(cell) for cell in cells if cell is not None and None not in cell]
    seeds: list[Any] = sorted(set.intersection(*seeded)) if seeded else [None]
    plan = recipe.plan(scale)
    groups: dict[Any, list[float]] = {}
    for seed in seeds:
        total = claim.contrast.offset
        for (cell, metric), weight in claim.contrast.weights.items():
            one = _score(scores[cell][None if None in scores[cell] else seed], metric, recipe)
            if one is None:
                return None
            total += weight * one
        shared = (
            [recipe.draws(plan.cell(cell), seed, plan.settings) for cell in claim.contrast.cells]
            if recipe.draws is not None and seed is not None
            else []
        )
        drawn = [one for one in shared if one is not None]
        groups.setdefault(tuple(drawn) if drawn else ("seed", seed), []).append(total)
    return [statistics.fmean(group) for group in groups.values()]


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in RECIPES
        if (PAGES / f"{name}.json").is_file()
        and json.loads((PAGES / f"{name}.json").read_text())["version"] == look_up(name).version
    ],
)
def test_every_estimate_follows_from_the_items(name: str) -> None:
    content = json.loads((PAGES / f"{name}.json").read_text(encoding="utf-8"))
    recipe, scores = look_up(name), _scores(name)
    told = {claim["claim"]: claim for claim in content["claims"]}
    checked = 0
    for claim in recipe.claims:
        interval = told[claim.text]["interval"]
        if claim.contrast is None or interval is None:
            continue
        draws = _by_draw(claim, scores, recipe, content["scale"])
        if draws is None:  # trivial baselines that are no cells
            continue
        estimate, low, high = interval
        assert estimate == pytest.approx(statistics.fmean(draws), abs=2e-4), claim.text
        if len(draws) > 1 and not claim.text.startswith("Compositional"):
            # No interval is narrower than that of the draws alone, but for the roundings of resamples.
            half = t.ppf(0.975, len(draws) - 1) * statistics.stdev(draws) / len(draws) ** 0.5
            assert high - low >= 1.7 * half, claim.text
        checked += 1
    assert checked >= len(content["claims"]) // 2


def test_sharing_the_pair_network_does_not_raise_the_mean_of_three_tasks() -> None:
    """Spec 01's headline: the eight cells of the grid with one network against the eight with two."""
    scores = _scores("minbert-shared")
    grid = [f"{one}-{two}-{three}{four}" for one in ("cls", "mean") for two in ("shared", "separate")
            for three in ("weighted", "plain") for four in ("", "-extra")]  # fmt: skip
    means = {
        kind: [
            np.mean([scores[cell][seed][task][0] for cell in grid if kind in cell
                     for task in ("sentiment", "paraphrase", "similarity")])
            for seed in (1, 2, 3)
        ]
        for kind in ("shared", "separate")
    }  # fmt: skip
    gains = np.subtract(means["shared"], means["separate"])
    assert gains.mean() == pytest.approx(-0.014, abs=5e-4)
    assert gains.max() < 0


def test_rungs_that_answer_paraphrase_no_better_than_a_constant_are_called_so() -> None:
    content = json.loads((PAGES / "minbert-concat.json").read_text(encoding="utf-8"))
    scores = _scores("minbert-concat")
    constant = 0.628  # the share of pairs that are no paraphrases
    learned = {
        cell: np.mean([found["paraphrase"][0] for found in by_seed.values()]) > constant
        for cell, by_seed in scores.items()
    }
    assert [cell for cell, better in learned.items() if better] == ["concatenation", "more-epochs"]
    told = {claim["claim"]: claim for claim in content["claims"]}
    compared = [
        claim
        for claim in look_up("minbert-concat").claims
        if claim.contrast is not None
        and {metric for _, metric in claim.contrast.weights} == {"paraphrase"}
        and not any(learned[cell] for cell in claim.contrast.cells)
    ]
    assert len(compared) >= 2
    assert all(told[claim.text]["mark"] == "at chance" for claim in compared)


def test_the_geometric_gain_is_that_of_five_sets_by_their_pairs() -> None:
    scores = _scores("geometric-meta-embeddings")
    sets = look_up("geometric-meta-embeddings").composites["similarity"].weights
    gain, pairs = 0.0, 0
    for name in sets:
        (geometric, items), (plain, _) = (scores[cell][None][name] for cell in ("gw-geo-avg", "gw-avg"))
        gain, pairs = gain + items * (geometric - plain), pairs + items
    assert gain / pairs == pytest.approx(0.0455, abs=5e-4)


def test_the_goal_of_minbert_best_is_missed_by_what_the_pages_say() -> None:
    scores = _scores("minbert-best")["best"]
    means = {task: np.mean([found[task][0] for found in scores.values()])
             for task in ("similarity", "paraphrase", "sentiment")}  # fmt: skip
    assert [round(means[task], 3) for task in means] == [0.860, 0.841, 0.500]
