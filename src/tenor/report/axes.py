"""What every plot is made of: axes with round ticks, a legend, texts, and SVG with its own colours.

A picture has a few kilobytes, is sharp at any size, has the same bytes every time, and is readable on light
and dark ground alike, also as an image of a Markdown page.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from tenor.report.visible import visible

WIDTH, HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 16, 14, 44

# Colours that stay apart for colour-blind readers, light enough for dark ground and dark enough for light.
COLOURS = ("#3b76d1", "#d1662a", "#2f9367", "#a25bb5", "#b58a16", "#5b93a8", "#c74a6b", "#77787c")

_STYLE = """
.plot { color: #24292f; font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; }
.plot text { fill: currentColor; } .plot .grid { stroke: currentColor; stroke-opacity: .13; }
.plot .axis { stroke: currentColor; stroke-opacity: .5; } .plot .soft { fill-opacity: .7; }
@media (prefers-color-scheme: dark) { .plot { color: #d6dbe1; } }
"""


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear scale from values to positions on the picture.

    >>> axis = Axis.over([0.0, 9.3], start=0, stop=100)
    >>> axis.low, axis.high, axis.position(5.0)
    (0.0, 10.0, 50.0)
    """

    low: float
    high: float
    start: float
    stop: float
    step: float

    @classmethod
    def over(cls, values: Iterable[float], *, start: float, stop: float, wanted: int = 6) -> "Axis":
        """Choose round ends and steps around values."""
        finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        low, high = min(finite), max(finite)
        if high - low < 1e-12 * max(1.0, abs(high)):
            pad = abs(high) * 0.1 or 1.0
            low, high = low - pad, high + pad
        step = _round_step((high - low) / wanted)
        if all(value == int(value) for value in finite):
            step = max(step, 1.0)
        return cls(
            math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, start, stop, step
        )

    def position(self, value: float) -> float:
        """Return where a value stands."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.stop - self.start), 2)

    def ticks(self) -> list[tuple[float, str]]:
        """Return round values with their labels."""
        count = round((self.high - self.low) / self.step)
        decimals = next(p for p in range(12) if abs(self.step * 10**p - round(self.step * 10**p)) < 1e-6)
        values = [self.low + number * self.step for number in range(count + 1)]
        return [(value, f"{value:,.{decimals}f}".replace("-", "−")) for value in values]


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * nice for nice in (1, 2, 2.5, 5, 10) if rough <= power * nice * 1.0001)


def plot_axes(
    xs: Iterable[float],
    ys: Iterable[float],
    *,
    width: int = WIDTH,
    height: int = HEIGHT,
    top: int = _TOP,
    include: Sequence[float] = (),
) -> tuple[Axis, Axis]:
    """Give the two axes of a picture around its values; the upright one also holds those of ``include``."""
    x_axis = Axis.over(xs, start=_LEFT, stop=width - _RIGHT, wanted=max(3, width // 100))
    return x_axis, Axis.over([*ys, *include], start=height - _BOTTOM, stop=top, wanted=5)


def draw_axes(x_axis: Axis, y_axis: Axis, *, x_label: str, y_label: str) -> str:
    """Draw grid, tick labels and names of two axes."""
    parts = []
    for value, label in y_axis.ticks():
        y = y_axis.position(value)
        parts.append(f'<line class="grid" x1="{x_axis.start}" x2="{x_axis.stop}" y1="{y}" y2="{y}"/>')
        parts.append(text(x_axis.start - 7, y + 4, label, anchor="end"))
    for value, label in x_axis.ticks():
        parts.append(text(x_axis.position(value), y_axis.start + 17, label, anchor="middle"))
    parts.append(
        f'<line class="axis" x1="{x_axis.start}" x2="{x_axis.stop}" y1="{y_axis.start}" y2="{y_axis.start}"/>'
    )
    middle, centre = (x_axis.start + x_axis.stop) / 2, (y_axis.start + y_axis.stop) / 2
    parts.append(text(middle, y_axis.start + 36, x_label, anchor="middle"))
    parts.append(
        f'<text x="12" y="{centre}" text-anchor="middle" transform="rotate(-90 12 {centre})">'
        f"{escape(y_label)}</text>"
    )
    return "".join(parts)


def legend(names: Sequence[str], *, width: int = WIDTH) -> tuple[str, int]:
    """Draw coloured names in rows from the top; also gives the height that they take."""
    parts, x, y = [], float(_LEFT), 16
    for number, name in enumerate(names):
        shown = shorten(name, 44)
        wide = 26 + 6.6 * len(shown)
        if x > _LEFT and x + wide > width - _RIGHT:
            x, y = float(_LEFT), y + 18
        colour = COLOURS[number % len(COLOURS)]
        parts.append(f'<rect x="{x:.1f}" y="{y - 9}" width="10" height="10" rx="2" fill="{colour}"/>')
        parts.append(text(f"{x + 15:.1f}", y, shown))
        x += wide
    return "".join(parts), (y + 14 if names else _TOP)


def text(x: float | str, y: float, content: str, *, anchor: str = "") -> str:
    """Write plain text whose start, or the point that ``anchor`` names, stands at a position."""
    anchored = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{y}"{anchored}>{escape(content)}</text>'


def shorten(name: str, most: int) -> str:
    """Cut a name to at most so many characters, the last of them an ellipsis.

    >>> shorten("accuracy", 8), shorten("accuracy", 5)
    ('accuracy', 'accu…')
    """
    return name if len(name) <= most else name[: max(1, most - 1)] + "…"


def svg(body: str, *, label: str, width: int = WIDTH, height: int = HEIGHT) -> str:
    """Close a picture: its size, its name for those who cannot see it, its colours."""
    return visible(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {width} {height}" role="img" '
        f'width="{width}" height="{height}" aria-label="{escape(label)}"><style>{_STYLE}</style>{body}</svg>'
    )
