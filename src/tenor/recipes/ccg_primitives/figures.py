"""The figures of the grid: coverage, unseen labels, and the paper's own significance test."""

import numpy as np

from tenor.metrics.outcomes import Outcome
from tenor.metrics.significance import cmh
from tenor.recipes.ccg_primitives.claims import GRID
from tenor.recipes.ccg_primitives.data import CORPORA
from tenor.recipes.results import Results
from tenor.report.plots import bar_plot


def coverage(found: Results) -> str | None:
    """Draw the coverage of every tagger on every corpus of categories."""
    return _bars(found, "CKY coverage")


def unseen(found: Results) -> str | None:
    """Draw the accuracy on unseen labels."""
    return _bars(found, "unseen labels")


def significance(found: Results) -> str | None:
    """Draw the differences between the paper's tagger and its baseline, with p-values beside their names."""
    bars = {}
    for corpus in CORPORA:
        for measure in ("accuracy", "unseen labels", "CKY coverage"):
            metric = f"{corpus}: {measure}"
            p = cmh_of(found, "parts-history", "whole", metric)
            if p is not None:
                gain = found.mean("parts-history", metric) - found.mean("whole", metric)
                bars[f"{metric}, p = {p:.2g}"] = (gain, 0.0)
    return bar_plot(bars, x_label="difference") if bars else None


def cmh_of(found: Results, first: str, second: str, metric: str) -> float | None:
    """Test two cells over their common seeds: a table of right and wrong for each; None without results."""
    one, two = found.measured.get(first, {}), found.measured.get(second, {})
    seeds = [seed for seed in one if seed in two and metric in one[seed] and metric in two[seed]]
    if not seeds:
        return None
    return cmh([[_counts(one[seed][metric]), _counts(two[seed][metric])] for seed in seeds])[1]


def _counts(outcome: Outcome) -> tuple[float, float]:
    """Return how many are right and wrong; a ratio has both counts, a mean one value for each item."""
    right = float(outcome.columns[0].sum())
    total = (
        float(outcome.columns[1].sum()) if outcome.statistic == "ratio" else float(outcome.columns[0].size)
    )
    return right, total - right


def _bars(found: Results, measure: str) -> str | None:
    bars = {}
    for corpus in CORPORA:
        for cell in GRID:
            values = [
                outcomes[f"{corpus}: {measure}"].score
                for outcomes in found.measured.get(cell, {}).values()
                if f"{corpus}: {measure}" in outcomes
            ]
            if values:
                bars[f"{corpus}, {cell}"] = (float(np.mean(values)), float(np.std(values)))
    return bar_plot(bars, x_label=measure) if bars else None
