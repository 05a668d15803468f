"""The figures of auxiliary languages: where attention goes, and which distance tells what is useful."""

import numpy as np

from tenor.recipes.auxiliary_languages.claims import DISTANCES
from tenor.recipes.results import Results
from tenor.report.plots import bar_plot


def attention(found: Results) -> str | None:
    """Draw the mean attention that each source gets, target by target."""
    kept = found.extras("meta", "attention")
    if not kept:
        return None
    bars = {}
    for name, shares in kept[0].items():
        for source in shares:
            values = [each[name][source] for each in kept]
            bars[f"{name}: {source}"] = (float(np.mean(values)), float(np.std(values)))
    return bar_plot(bars, x_label="mean attention")


def distances(found: Results) -> str | None:
    """Draw Spearman's ρ of each distance with the scores of mono+X, for entities and parts of speech."""
    bars = {}
    for metric in found.metrics:
        if metric.endswith(("(NER)", "(POS)")) and metric.split(" (")[0] in _MEASURES:
            scores = found.scores(DISTANCES, metric)
            if scores:
                bars[metric] = (float(np.mean(scores)), float(np.std(scores)))
    return bar_plot(bars, x_label="Spearman's ρ with the use of a language") if bars else None


_MEASURES = ("char perplexity", "word perplexity", "overlap", "overlap of tagged words", "vote")
