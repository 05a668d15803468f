"""The figures of emergent languages: the phase change over bits, the threshold of capacity, and the runs."""

from math import log2

from tenor.recipes.emergent_languages.claims import (
    BITS,
    CAPACITIES,
    LARGE,
    NARROW,
    POPULATION,
    SPELLING,
    USUAL,
    WIDE,
    grid_name,
)
from tenor.recipes.results import Results
from tenor.report.plots import Points, line_plot, scatter_plot

_ACCURACIES = ("train accuracy", "held-out accuracy", "language accuracy")


def phase(found: Results) -> str | None:
    """Draw accuracies over bits at the usual capacity, beside what information allows."""
    curves: dict[str, Points] = {}
    for metric in _ACCURACIES:
        if points := _points([(bits, grid_name(bits)) for bits in BITS], metric, found):
            curves[metric] = points
    if not curves:
        return None
    strings = found.kept["settings"]["values"] ** found.kept["settings"]["concepts"]
    allowed = [min(1.0, 2**bits / strings) for bits in BITS]
    curves["bound of the language"] = ([float(bits) for bits in BITS], allowed)
    return line_plot(curves, x_label="bits", y_label="accuracy")


def capacity(found: Results) -> str | None:
    """Draw training accuracy over capacity, for three bandwidths."""
    curves = {}
    for bits in (NARROW, SPELLING, WIDE):
        cells = [(log2(units), grid_name(bits, units)) for units in (*CAPACITIES, USUAL, LARGE)]
        if points := _points(cells, "train accuracy", found):
            curves[f"{bits} bits"] = points
    return line_plot(curves, x_label="log2 of the units", y_label="training accuracy") if curves else None


def population(found: Results) -> str | None:
    """Draw residual entropy against held-out accuracy, a dot for each run."""
    runs = found.extras(POPULATION, "runs")
    if not runs:
        return None
    entropies = [run["least_residual_entropy"] for run in runs[0]]
    held_out = [run["test"] for run in runs[0]]
    return scatter_plot(entropies, held_out, x_label="residual entropy", y_label="held-out accuracy")


def _points(cells: list[tuple[float, str]], metric: str, found: Results) -> Points | None:
    points = [(float(x), found.mean(cell, metric)) for x, cell in cells]
    kept = [(x, y) for x, y in points if y == y]
    return ([x for x, _ in kept], [y for _, y in kept]) if len(kept) > 1 else None
