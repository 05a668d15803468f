"""Plots as SVG: lines, scatters, bars, points with intervals, matrices.

Every function takes plain numbers and returns the text of an SVG element that may stand in an HTML page or
in a file of its own. Names are escaped. Matplotlib is no dependency for this: it would bring many packages
and their import into every report, for pictures whose fonts and colours do not follow the reader's system.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tenor.report.axes import COLOURS, HEIGHT, WIDTH, Axis, draw_axes, legend, plot_axes, shorten, svg, text
from tenor.report.tables import figure

Points = tuple[Sequence[float], Sequence[float]]
"""The x and the y values of a curve."""

_ROWS_TOP = 12  # where the first row of an interval or bar plot begins


def line_plot(
    curves: Mapping[str, Points],
    *,
    x_label: str,
    y_label: str,
    label: str = "",
    include: Sequence[float] = (),
    width: int = WIDTH,
    height: int = HEIGHT,
) -> str:
    """Draw curves by name, with dots where they have few points.

    The upright axis holds the values of ``include``: from 0 on, a small difference looks small.

    >>> "polyline" in line_plot({"loss": ([1, 2], [0.5, 0.25])}, x_label="step", y_label="loss")
    True
    """
    finite = {name: _finite(*points) for name, points in curves.items()}
    names, top = legend(list(finite) if len(finite) > 1 else [], width=width)
    xs = [x for points in finite.values() for x, _ in points]
    ys = [y for points in finite.values() for _, y in points]
    x_axis, y_axis = plot_axes(xs, ys, width=width, height=height, top=top, include=include)
    parts = [names, draw_axes(x_axis, y_axis, x_label=x_label, y_label=y_label)]
    for number, points in enumerate(finite.values()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{x_axis.position(x)},{y_axis.position(y)}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        if len(points) <= 30:
            parts += [_dot(x_axis.position(x), y_axis.position(y), colour) for x, y in points]
    return svg("".join(parts), label=label or f"{y_label} by {x_label}", width=width, height=height)


def scatter_plot(
    xs: Sequence[float],
    ys: Sequence[float],
    *,
    x_label: str,
    y_label: str,
    fit: bool = True,
    label: str = "",
    width: int = WIDTH,
    height: int = 420,
) -> str:
    """Draw points with the line fitted to them by least squares, and the diagonal.

    >>> "fitted" in scatter_plot([0, 1, 2], [0, 1, 1], x_label="gold", y_label="predicted")
    True
    """
    points = _finite(xs, ys)
    x_axis, y_axis = plot_axes([x for x, _ in points], [y for _, y in points], width=width, height=height)
    parts = [draw_axes(x_axis, y_axis, x_label=x_label, y_label=y_label)]
    opacity = 0.75 if len(points) < 200 else 0.35
    parts += [_dot(x_axis.position(x), y_axis.position(y), COLOURS[0], opacity=opacity) for x, y in points]
    low, high = max(x_axis.low, y_axis.low), min(x_axis.high, y_axis.high)
    if low < high:
        parts.append(_line(x_axis, y_axis, (low, low), (high, high), "currentColor", dashed=True))
    line = _least_squares(points) if fit else None
    if line is not None:
        slope, intercept = line
        ends = [(x, slope * x + intercept) for x in (x_axis.low, x_axis.high)]
        parts.append(_line(x_axis, y_axis, *_clipped(ends, y_axis, line), COLOURS[1]))
        formula = f"fitted: y = {figure(slope)}·x {'+' if intercept >= 0 else '−'} {figure(abs(intercept))}"
        parts.append(text(x_axis.start + 8, y_axis.stop + 12, formula))
    return svg("".join(parts), label=label or f"{y_label} against {x_label}", width=width, height=height)


@dataclass(frozen=True, slots=True)
class Span:
    """A row of an interval plot: an estimate with its interval, and a mark to compare it with."""

    name: str
    estimate: float
    low: float
    high: float
    mark: float | None = None


def interval_plot(spans: Sequence[Span], *, x_label: str, mark_label: str = "", label: str = "") -> str:
    """Draw estimates with their intervals, one row each, around 0, and open diamonds for the marks.

    >>> interval_plot([Span("a", 0.2, 0.1, 0.3, mark=0.25)], x_label="effect").count("<path")
    1
    """
    values = [v for span in spans for v in (span.low, span.high, span.estimate, span.mark) if v is not None]
    x_axis = Axis.over([*values, 0.0], start=250, stop=WIDTH - 16, wanted=5)
    rows = [
        (shorten(span.name, 38), _whisker(x_axis, y, span))
        for span, y in zip(spans, _row_centres(len(spans), 26), strict=True)
    ]
    marks = f", ◇ {mark_label}" if mark_label else ""
    body, bottom = _named_rows(rows, 26, x_axis, x_label + marks)
    return svg(body, label=label or x_label, height=bottom + 44)


def bar_plot(
    bars: Mapping[str, tuple[float, float]], *, x_label: str, label: str = "", name_width: int = 200
) -> str:
    """Draw bars by name, each a value with its error (0 for none), from top to bottom.

    >>> bar_plot({"a": (0.5, 0.1), "b": (0.7, 0.0)}, x_label="accuracy").count("<rect")
    2
    """
    ends = [value + sign * error for value, error in bars.values() for sign in (-1, 1)]
    x_axis = Axis.over([*ends, 0.0], start=name_width, stop=WIDTH - 58, wanted=5)
    rows = [
        (shorten(name, max(30, name_width // 7)), _bar(x_axis, y, value, error))
        for (name, (value, error)), y in zip(bars.items(), _row_centres(len(bars), 24), strict=True)
    ]
    body, bottom = _named_rows(rows, 24, x_axis, x_label)
    return svg(body, label=label or x_label, height=bottom + 44)


def matrix_plot(
    counts: Sequence[Sequence[float]],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    label: str,
    titles: tuple[str, str] = ("gold", "predicted"),
) -> str:
    """Draw a confusion matrix: rows are gold, columns predicted, shades the share of the row.

    ``titles`` stand over the rows' and the columns' names.

    >>> matrix_plot([[5, 1], [0, 4]], rows=["no", "yes"], columns=["no", "yes"], label="x").count("<rect")
    4
    """
    side = max(34, min(64, 440 // max(1, len(columns))))
    left, top = 150, 46
    width, height = left + side * len(columns) + 20, top + side * len(rows) + 12
    parts = [text(left, 14, titles[1]), text(left - 12, 14, titles[0], anchor="end")]
    for number, name in enumerate(columns):
        x = left + side * number + side / 2
        parts.append(text(x, top - 8, shorten(name, side // 7), anchor="middle"))
    for number, (name, row) in enumerate(zip(rows, counts, strict=True)):
        y = top + side * number
        parts.append(text(left - 12, y + side / 2 + 4, shorten(name, 18), anchor="end"))
        parts += _shaded(row, left, y, side)
    return svg("".join(parts), label=label, width=width, height=height)


def _row_centres(count: int, row_height: int) -> list[float]:
    return [_ROWS_TOP + row_height * number + row_height / 2 for number in range(count)]


def _named_rows(
    rows: Sequence[tuple[str, str]], row_height: int, x_axis: Axis, x_label: str
) -> tuple[str, int]:
    """Put drawn rows under their names above a common x axis; also gives where the rows end."""
    bottom = _ROWS_TOP + row_height * len(rows) + 4
    parts = [_vertical_grid(x_axis, _ROWS_TOP, bottom)]
    for (name, drawn), y in zip(rows, _row_centres(len(rows), row_height), strict=True):
        parts += [text(int(x_axis.start) - 10, y + 4, name, anchor="end"), drawn]
    parts.append(text((x_axis.start + x_axis.stop) / 2, bottom + 34, x_label, anchor="middle"))
    return "".join(parts), bottom


def _shaded(row: Sequence[float], left: int, y: float, side: int) -> Iterable[str]:
    total = sum(row)
    for number, count in enumerate(row):
        share, x = count / total if total else 0.0, left + side * number
        yield (
            f'<rect x="{x + 1}" y="{y + 1}" width="{side - 2}" height="{side - 2}" rx="3" '
            f'fill="{COLOURS[0]}" fill-opacity="{0.06 + 0.74 * share:.3f}"/>'
        )
        yield text(x + side / 2, y + side / 2 + 4, f"{count:,.0f}", anchor="middle")


def _finite(xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, float]]:
    pairs = ((x, y) for x, y in zip(xs, ys, strict=True) if x is not None and y is not None)
    return [(float(x), float(y)) for x, y in pairs if math.isfinite(x) and math.isfinite(y)]


def _least_squares(points: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Return slope and intercept, or None where they are not determined."""
    count = len(points)
    if count < 2:
        return None
    mean_x, mean_y = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    variation = sum((x - mean_x) ** 2 for x, _ in points)
    if variation <= 0:
        return None
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / variation
    return slope, mean_y - slope * mean_x


def _clipped(
    ends: list[tuple[float, float]], y_axis: Axis, line: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Keep the ends of a line inside the picture."""
    slope, intercept = line
    inside = []
    for x, y in ends:
        edge = min(max(y, y_axis.low), y_axis.high)
        inside.append((x, y) if edge == y else ((edge - intercept) / slope, edge))
    return inside[0], inside[1]


def _line(
    x_axis: Axis,
    y_axis: Axis,
    first: tuple[float, float],
    second: tuple[float, float],
    colour: str,
    *,
    dashed: bool = False,
) -> str:
    dash = ' stroke-dasharray="4 4" stroke-opacity=".5"' if dashed else ' stroke-width="2"'
    (x1, y1), (x2, y2) = ((x_axis.position(x), y_axis.position(y)) for x, y in (first, second))
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}"{dash}/>'


def _dot(x: float, y: float, colour: str, *, opacity: float = 1.0) -> str:
    soft = "" if opacity == 1.0 else f' fill-opacity="{opacity}"'
    return f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"{soft}/>'


def _vertical_grid(x_axis: Axis, top: int, bottom: int) -> str:
    """Draw vertical grid lines with their labels, and the line of zero."""
    parts = []
    for value, label in x_axis.ticks():
        x = x_axis.position(value)
        kind = "axis" if abs(value) < x_axis.step * 1e-6 else "grid"
        parts.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="{top}" y2="{bottom}"/>')
        parts.append(text(x, bottom + 16, label, anchor="middle"))
    return "".join(parts)


def _whisker(x_axis: Axis, y: float, span: Span) -> str:
    low, high, estimate = (x_axis.position(value) for value in (span.low, span.high, span.estimate))
    drawn = (
        f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke="{COLOURS[0]}" stroke-width="3" '
        f'stroke-opacity=".55"/>' + _dot(estimate, y, COLOURS[0])
    )
    if span.mark is None:
        return drawn
    x = x_axis.position(span.mark)
    path = f"M{x} {y - 6}l6 6l-6 6l-6 -6z"
    return drawn + f'<path d="{path}" fill="none" stroke="{COLOURS[1]}" stroke-width="1.8"/>'


def _bar(x_axis: Axis, y: float, value: float, error: float) -> str:
    if not math.isfinite(value):
        return ""
    left, right = sorted((x_axis.position(0.0), x_axis.position(value)))
    drawn = (
        f'<rect x="{left}" y="{y - 8}" width="{round(right - left, 2)}" height="16" rx="2" '
        f'fill="{COLOURS[0]}" fill-opacity=".8"/>'
    )
    low, high = x_axis.position(value - error), x_axis.position(value + error)
    if error:
        drawn += f'<line class="axis" x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke-width="2"/>'
    return drawn + text(round(max(high, right) + 6, 2), y + 4, figure(value))
