"""The figures of probabilistic sentences: who tells what is specific, and the words that carry it."""

import numpy as np

from tenor.recipes.probabilistic_sentences.claims import LENGTH_CANNOT_HELP, TITLES, WLO
from tenor.recipes.results import Results
from tenor.report.plots import bar_plot

_WORDS = 12


def specificity(found: Results) -> str | None:
    """Draw how often each way tells the more specific text, where lengths are equal, above a coin."""
    bars = {}
    for cell, title in TITLES.items():
        by_metric = [found.scores(cell, metric) for metric in LENGTH_CANNOT_HELP]
        if all(by_metric):
            means = np.mean(by_metric, axis=0)
            bars[title] = (float(np.mean(means)) - 0.5, float(np.std(means)))
    return bar_plot(bars, x_label="share of pairs less 0.5", name_width=240) if bars else None


def words(found: Results) -> str | None:
    """Draw the entropy that frequent words take away, of those that take most and least; means of seeds."""
    kept = found.extras(WLO, "words")
    if not kept:
        return None
    common = set.intersection(*(set(each) for each in kept))
    taken = {word: np.array([each[word] for each in kept]) for word in common}
    order = sorted(taken, key=lambda word: (-float(taken[word].mean()), word))
    shown = order if len(order) <= 2 * _WORDS else [*order[:_WORDS], *order[-_WORDS:]]
    bars = {word: (float(taken[word].mean()), float(taken[word].std())) for word in shown}
    return bar_plot(bars, x_label="entropy taken away, nats")
