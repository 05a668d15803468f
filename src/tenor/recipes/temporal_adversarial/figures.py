"""The figures of temporal-adversarial: F1 by language, the probe, and the paper's significance test."""

import statistics

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.overlaps import f1_of_matches
from tenor.metrics.significance import permutation_test
from tenor.recipes.results import Results
from tenor.recipes.temporal_adversarial.claims import (
    ADVERSARIAL,
    ADVERSARIAL_SEEN,
    DICTIONARY,
    MAPPED,
    PROBE,
    SETS,
    STRINGS,
    UNALIGNED,
)
from tenor.report.plots import bar_plot

_CELLS = (UNALIGNED, STRINGS, DICTIONARY, MAPPED, ADVERSARIAL_SEEN, ADVERSARIAL)
_REPEATS = 2000


def by_language(found: Results) -> str | None:
    """Draw relaxed F1 of every tagger on every language."""
    return _bars(
        found, [(f"{name}, {cell}", cell, f"{name} relaxed") for name in SETS for cell in _CELLS], "F1"
    )


def probes(found: Results) -> str | None:
    """Draw what the probe has right of the features of every tagger."""
    return _bars(found, [(cell, cell, PROBE) for cell in _CELLS], "share of words")


def significance(found: Results) -> str | None:
    """Draw gains over the unaligned tagger, with p-values of paired permutation tests beside their names."""
    bars = {}
    for name in SETS:
        for cell in (STRINGS, DICTIONARY, ADVERSARIAL):
            metric = f"{name} strict"
            p = permutation_p(found, cell, UNALIGNED, metric)
            if p is not None:
                gain = found.mean(cell, metric) - found.mean(UNALIGNED, metric)
                bars[f"{name}, {cell}, p = {p:.2g}"] = (gain, 0.0)
    return bar_plot(bars, x_label="gain in strict F1", name_width=230) if bars else None


def permutation_p(found: Results, first: str, second: str, metric: str) -> float | None:
    """Return the median over seeds of the p-value of two cells, by swapping sentences."""
    one, two = found.measured.get(first, {}), found.measured.get(second, {})
    values = []
    for seed in one:
        if seed in two and metric in one[seed] and metric in two[seed]:
            pair = [np.stack(each[seed][metric].columns, axis=1) for each in (one, two)]
            values.append(permutation_test(_f1, *pair, repeats=_REPEATS))
    return statistics.median(values) if values else None


def _f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return f1_of_matches(*(sums[..., column, None] for column in range(4)))


def _bars(found: Results, wanted: list[tuple[str, str, str]], label: str) -> str | None:
    bars = {}
    for name, cell, metric in wanted:
        values = [one[metric].score for one in found.measured.get(cell, {}).values() if metric in one]
        if values:
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            bars[name] = (statistics.fmean(values), spread)
    return bar_plot(bars, x_label=label) if bars else None
