"""The figures of the grid: coverage, unseen labels, and the paper's own significance tests."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.outcomes import Outcome
from tenor.metrics.significance import cmh, wilcoxon
from tenor.recipes.ccg_primitives.claims import GRID
from tenor.recipes.ccg_primitives.data import CORPORA
from tenor.recipes.ccg_primitives.scoring import unpacked
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
        for measure, tests in (
            ("accuracy", (words_cmh, sentences_wilcoxon)),
            ("CKY coverage", (coverage_cmh,)),
        ):
            metric = f"{corpus}: {measure}"
            p_values = [test(found, "parts-history", "whole", corpus) for test in tests]
            if None not in p_values:
                gain = found.mean("parts-history", metric) - found.mean("whole", metric)
                told = ", ".join(f"{_NAMES[test]} {p:.1g}" for test, p in zip(tests, p_values, strict=True))
                bars[f"{metric} ({told})"] = (gain, 0.0)
    return bar_plot(bars, x_label="difference (p-values)", name_width=360) if bars else None


def words_cmh(found: Results, first: str, second: str, corpus: str) -> float | None:
    """Compare how many words two cells have right; the runs of a word are a stratum."""
    if (common := _common(found, first, second, f"{corpus}: accuracy")) is None:
        return None
    words = int(found.measured[first][common[0]][f"{corpus}: accuracy"].columns[1].sum())
    return matched_cmh(
        *(
            np.stack(
                [
                    unpacked(found.records[cell][seed]["extras"]["words right"][corpus], words)
                    for seed in common
                ]
            )
            for cell in (first, second)
        )
    )


def coverage_cmh(found: Results, first: str, second: str, corpus: str) -> float | None:
    """Compare how many sentences of two cells parse; the runs of a sentence are a stratum."""
    metric = f"{corpus}: CKY coverage"
    if (common := _common(found, first, second, metric)) is None:
        return None
    return matched_cmh(
        *(
            np.stack([found.measured[cell][seed][metric].columns[0] for seed in common])
            for cell in (first, second)
        )
    )


def sentences_wilcoxon(found: Results, first: str, second: str, corpus: str) -> float | None:
    """Compare the accuracy of each sentence, averaged over runs, as the paper compares F1 of the parser."""
    metric = f"{corpus}: accuracy"
    if (common := _common(found, first, second, metric)) is None:
        return None
    means = [
        np.mean([_ratios(found.measured[cell][seed][metric]) for seed in common], axis=0)
        for cell in (first, second)
    ]
    return wilcoxon(*means)


_NAMES = {words_cmh: "CMH", coverage_cmh: "CMH", sentences_wilcoxon: "Wilcoxon"}


def matched_cmh(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the p-value of two systems' runs [runs, items] on the same items, each item a stratum.

    With one run, and without the correction, it is McNemar's χ².

    >>> right = np.array([[1, 1, 1, 1, 0]]); wrong = np.zeros((1, 5))
    >>> round(matched_cmh(right, wrong), 4)  # χ² = 4²/4, of the four items that differ
    0.0455
    """
    counts = np.stack([first.sum(axis=0), second.sum(axis=0)], axis=1).astype(np.float64)  # [items, 2]
    runs = np.array([len(first), len(second)])
    return cmh(np.stack([counts, runs - counts], axis=2), correction=False)[1]


def _common(found: Results, first: str, second: str, metric: str) -> list[int | None] | None:
    """Return the seeds with which both cells measured a metric; None where there are none."""
    one, two = found.measured.get(first, {}), found.measured.get(second, {})
    return [seed for seed in one if seed in two and metric in one[seed] and metric in two[seed]] or None


def _ratios(outcome: Outcome) -> NDArray[np.float64]:
    right, words = outcome.columns
    return np.asarray(right / words, dtype=np.float64)


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
