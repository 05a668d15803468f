"""The scores of whole tests as a plot: a row per test and vectors, with intervals."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tenor.errors import TenorError
from tenor.files import atomic_file
from tenor.report.plots import Span, interval_plot
from tenor.words.evaluate.evaluating import Result


def draw(results: Sequence[Result], names: Sequence[str], path: Path) -> None:
    """Write the scores of whole tests, not of their parts, as an SVG file."""
    if path.suffix != ".svg":
        raise TenorError(f"{path}: pictures are SVG; give a name that ends in .svg.")
    several = len(names) > 1
    spans = [
        Span(f"{result.test} {result.measure}" + (f", {Path(name).stem}" if several else ""),
             score.estimate, score.low, score.high)
        for result in results if not result.part
        for name, score in zip(names, result.scores, strict=True) if np.isfinite(score.estimate)
    ]  # fmt: skip
    if not spans:
        raise TenorError("No test has a score that could be drawn.")
    with atomic_file(path) as aside:
        aside.write_text(interval_plot(spans, x_label="score with 95% interval"), encoding="utf-8")
