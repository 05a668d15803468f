"""Plots as SVG: lines, scatters, bars, points with intervals, matrices.

Every function takes plain numbers and returns the text of an SVG element that may stand in an HTML page or
in a file of its own. Names are escaped.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from tenor.report.axes import COLOURS, HEIGHT, WIDTH, Axis, frame, frame_axes, legend, svg
from tenor.report.tables import figure

Points = tuple[Sequence[float], Sequence[float]]
"""The x and the y values of a curve."""


def line_plot(
    curves: Mapping[str, Points],
    *,
    x_label: str,
    y_label: str,
    label: str = "",
    width: int = WIDTH,
    height: int = HEIGHT,
) -> str:
    """Draw curves by name, with dots where they have few points.

    >>> "polyline" in line_plot({"loss": ([1, 2], [0.5, 0.25])}, x_label="step", y_label="loss")
    True
    """
    kept = {name: _finite(*points) for name, points in curves.items()}
    named, top = legend(list(kept) if len(kept) > 1 else [], width=width)
    xs = [x for points in kept.values() for x, _ in points]
    ys = [y for points in kept.values() for _, y in points]
    across, up = frame_axes(xs, ys, width=width, height=height, top=top)
    parts = [named, frame(across, up, x_label=x_label, y_label=y_label)]
    for place, points in enumerate(kept.values()):
        colour = COLOURS[place % len(COLOURS)]
        path = " ".join(f"{across.place(x)},{up.place(y)}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        if len(points) <= 30:
            parts += [_dot(across.place(x), up.place(y), colour) for x, y in points]
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
    across, up = frame_axes([x for x, _ in points], [y for _, y in points], width=width, height=height)
    parts = [frame(across, up, x_label=x_label, y_label=y_label)]
    faint = 0.75 if len(points) < 200 else 0.35
    parts += [_dot(across.place(x), up.place(y), COLOURS[0], opacity=faint) for x, y in points]
    low, high = max(across.low, up.low), min(across.high, up.high)
    if low < high:
        parts.append(_line(across, up, (low, low), (high, high), "currentColor", dashed=True))
    line = _least_squares(points) if fit else None
    if line is not None:
        slope, offset = line
        ends = [(x, slope * x + offset) for x in (across.low, across.high)]
        parts.append(_line(across, up, *_clipped(ends, up, line), COLOURS[1]))
        told = f"fitted: y = {figure(slope)}·x {'+' if offset >= 0 else '−'} {figure(abs(offset))}"
        parts.append(f'<text x="{across.start + 8}" y="{up.stop + 12}">{told}</text>')
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
    top, row, text_width = 12, 26, 250
    height = top + row * len(spans) + 48
    values = [v for span in spans for v in (span.low, span.high, span.estimate, span.mark) if v is not None]
    across = Axis.over([*values, 0.0], start=text_width, stop=WIDTH - 16, wanted=5)
    bottom = top + row * len(spans) + 4
    parts = [_upright(across, top, bottom)]
    for place, span in enumerate(spans):
        y = top + row * place + row / 2
        name = span.name if len(span.name) <= 38 else span.name[:37] + "…"
        parts.append(f'<text x="{text_width - 10}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        parts.append(_whisker(across, y, span))
    marks = f", ◇ {mark_label}" if mark_label else ""
    parts.append(
        f'<text x="{(across.start + across.stop) / 2}" y="{bottom + 34}" text-anchor="middle">'
        f"{escape(x_label + marks)}</text>"
    )
    return svg("".join(parts), label=label or x_label, height=height)


def bar_plot(
    bars: Mapping[str, tuple[float, float]], *, x_label: str, label: str = "", name_width: int = 200
) -> str:
    """Draw bars by name, each a value with its spread (0 for none), from top to bottom.

    >>> bar_plot({"a": (0.5, 0.1), "b": (0.7, 0.0)}, x_label="accuracy").count("<rect")
    2
    """
    top, row = 12, 24
    bottom = top + row * len(bars) + 4
    ends = [value + sign * spread for value, spread in bars.values() for sign in (-1, 1)]
    across = Axis.over([*ends, 0.0], start=name_width, stop=WIDTH - 58, wanted=5)
    parts = [_upright(across, top, bottom)]
    for place, (name, (value, spread)) in enumerate(bars.items()):
        y = top + row * place + row / 2
        shown = name if len(name) <= 30 else name[:29] + "…"
        parts.append(f'<text x="{name_width - 10}" y="{y + 4}" text-anchor="end">{escape(shown)}</text>')
        parts.append(_bar(across, y, value, spread))
    middle = (across.start + across.stop) / 2
    parts.append(f'<text x="{middle}" y="{bottom + 34}" text-anchor="middle">{escape(x_label)}</text>')
    return svg("".join(parts), label=label or x_label, height=bottom + 44)


def matrix_plot(
    counts: Sequence[Sequence[float]], *, rows: Sequence[str], columns: Sequence[str], label: str
) -> str:
    """Draw a confusion matrix: rows are gold, columns predicted, shades the share of the row.

    >>> matrix_plot([[5, 1], [0, 4]], rows=["no", "yes"], columns=["no", "yes"], label="x").count("<rect")
    4
    """
    side = max(34, min(64, 440 // max(1, len(columns))))
    left, top = 150, 46
    width, height = left + side * len(columns) + 20, top + side * len(rows) + 12
    parts = [
        f'<text x="{left}" y="14">predicted</text><text x="{left - 12}" y="14" text-anchor="end">gold</text>'
    ]
    for place, name in enumerate(columns):
        x = left + side * place + side / 2
        parts.append(f'<text x="{x}" y="{top - 8}" text-anchor="middle">{_short(name, side // 7)}</text>')
    for place, (name, row) in enumerate(zip(rows, counts, strict=True)):
        y = top + side * place
        parts.append(
            f'<text x="{left - 12}" y="{y + side / 2 + 4}" text-anchor="end">{_short(name, 18)}</text>'
        )
        parts += _shaded(row, left, y, side)
    return svg("".join(parts), label=label, width=width, height=height)


def _shaded(row: Sequence[float], left: int, y: float, side: int) -> list[str]:
    total, parts = sum(row), []
    for place, count in enumerate(row):
        share, x = count / total if total else 0.0, left + side * place
        parts.append(
            f'<rect x="{x + 1}" y="{y + 1}" width="{side - 2}" height="{side - 2}" rx="3" '
            f'fill="{COLOURS[0]}" fill-opacity="{0.06 + 0.74 * share:.3f}"/>'
            f'<text x="{x + side / 2}" y="{y + side / 2 + 4}" text-anchor="middle">{count:,.0f}</text>'
        )
    return parts


def _short(name: str, most: int) -> str:
    return escape(name if len(name) <= most else name[: max(1, most - 1)] + "…")


def _finite(xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, float]]:
    pairs = ((x, y) for x, y in zip(xs, ys, strict=True) if x is not None and y is not None)
    return [(float(x), float(y)) for x, y in pairs if math.isfinite(x) and math.isfinite(y)]


def _least_squares(points: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    count = len(points)
    if count < 2:
        return None
    mean_x, mean_y = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if spread <= 0:
        return None
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    return slope, mean_y - slope * mean_x


def _clipped(
    ends: list[tuple[float, float]], up: Axis, line: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Keep the ends of a line inside the picture."""
    slope, offset = line
    inside = []
    for x, y in ends:
        edge = min(max(y, up.low), up.high)
        inside.append((x, y) if edge == y else ((edge - offset) / slope, edge))
    return inside[0], inside[1]


def _line(
    across: Axis,
    up: Axis,
    first: tuple[float, float],
    second: tuple[float, float],
    colour: str,
    *,
    dashed: bool = False,
) -> str:
    dash = ' stroke-dasharray="4 4" stroke-opacity=".5"' if dashed else ' stroke-width="2"'
    return (
        f'<line x1="{across.place(first[0])}" y1="{up.place(first[1])}" x2="{across.place(second[0])}" '
        f'y2="{up.place(second[1])}" stroke="{colour}"{dash}/>'
    )


def _dot(x: float, y: float, colour: str, *, opacity: float = 1.0) -> str:
    soft = "" if opacity == 1.0 else f' fill-opacity="{opacity}"'
    return f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"{soft}/>'


def _upright(across: Axis, top: int, bottom: int) -> str:
    """Draw upright grid lines with their labels, and the line of zero."""
    parts = []
    for value, shown in across.ticks():
        x = across.place(value)
        kind = "axis" if abs(value) < across.step * 1e-6 else "grid"
        parts.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="{top}" y2="{bottom}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{shown}</text>')
    return "".join(parts)


def _whisker(across: Axis, y: float, span: Span) -> str:
    low, high, middle = (across.place(value) for value in (span.low, span.high, span.estimate))
    drawn = (
        f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke="{COLOURS[0]}" stroke-width="3" '
        f'stroke-opacity=".55"/>' + _dot(middle, y, COLOURS[0])
    )
    if span.mark is None:
        return drawn
    x = across.place(span.mark)
    path = f"M{x} {y - 6}l6 6l-6 6l-6 -6z"
    return drawn + f'<path d="{path}" fill="none" stroke="{COLOURS[1]}" stroke-width="1.8"/>'


def _bar(across: Axis, y: float, value: float, spread: float) -> str:
    if not math.isfinite(value):
        return ""
    ends = sorted((across.place(0.0), across.place(value)))
    drawn = (
        f'<rect x="{ends[0]}" y="{y - 8}" width="{round(ends[1] - ends[0], 2)}" height="16" rx="2" '
        f'fill="{COLOURS[0]}" fill-opacity=".8"/>'
    )
    low, high = across.place(value - spread), across.place(value + spread)
    if spread:
        drawn += f'<line class="axis" x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke-width="2"/>'
    beyond = max(high, ends[1]) + 6
    return drawn + f'<text x="{round(beyond, 2)}" y="{y + 4}">{figure(value)}</text>'
