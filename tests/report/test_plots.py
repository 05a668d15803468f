"""Plots and tables: well-formed, right in their numbers, unmoved by odd values."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from tenor.report.axes import Axis
from tenor.report.plots import Span, bar_plot, interval_plot, line_plot, matrix_plot, scatter_plot
from tenor.report.tables import figure, html_table, markdown_table

_BAD = "<script>\"&'|\x00\x1b"


def _parsed(svg):
    return ElementTree.fromstring(svg)


@pytest.mark.parametrize(
    "svg",
    [
        line_plot({_BAD: ([1, 2], [0.5, float("nan")]), "b": ([], [])}, x_label=_BAD, y_label=_BAD),
        line_plot({}, x_label="x", y_label="y"),
        line_plot({"one": ([3], [7])}, x_label="x", y_label="y"),
        scatter_plot([1, 1, 1], [2, 2, 2], x_label="x", y_label=_BAD),
        scatter_plot([], [], x_label="x", y_label="y"),
        scatter_plot([0, 1e9], [1e-9, -1e9], x_label="x", y_label="y"),
        interval_plot([Span(_BAD, 0, 0, 0)], x_label=_BAD),
        interval_plot([], x_label="x"),
        bar_plot({_BAD: (0.5, 0.1), "none": (float("nan"), 0.0), "less": (-1, 0)}, x_label=_BAD),
        matrix_plot([[0, 0], [0, 3]], rows=[_BAD, "b"], columns=["a", _BAD], label=_BAD),
    ],
    ids=range(10),
)
def test_plots_are_well_formed_whatever_is_plotted(svg):
    root = _parsed(svg)
    assert root.tag.endswith("svg")
    assert not [one for one in root.iter() if one.tag.endswith("script")]
    assert "nan" not in svg
    assert "inf" not in re.sub(r"info\w*", "", svg)


@pytest.mark.parametrize("seed", range(20))
def test_axes_hold_their_values_at_round_ticks(seed):
    draw = np.random.default_rng(seed)
    values = draw.normal(size=5) * 10.0 ** draw.integers(-4, 6)
    axis = Axis.over(values, start=0, stop=100)
    assert axis.low <= values.min() + 1e-12 <= values.max() <= axis.high + 1e-12
    labels = [label for _, label in axis.ticks()]
    assert 3 <= len(labels) <= 13
    assert len(set(labels)) == len(labels)
    assert axis.position(axis.low) == 0
    assert axis.position(axis.high) == 100


def test_the_fitted_line_is_that_of_least_squares():
    draw = np.random.default_rng(0)
    xs = draw.normal(size=50)
    ys = 0.7 * xs + 0.2 + 0.1 * draw.normal(size=50)
    slope, offset = np.polyfit(xs, ys, 1)
    shown = re.search(
        r"fitted: y = ([\d.−]+)·x ([+−]) ([\d.]+)", scatter_plot(xs, ys, x_label="x", y_label="y")
    )
    assert float(shown[1]) == pytest.approx(slope, abs=6e-4)
    assert float(shown[3]) == pytest.approx(offset, abs=6e-4)


def test_points_stand_where_their_values_are():
    root = _parsed(line_plot({"a": ([0, 10], [0.0, 1.0])}, x_label="x", y_label="y"))
    circles = [one for one in root.iter() if one.tag.endswith("circle")]
    first, second = ((float(one.get("cx")), float(one.get("cy"))) for one in circles)
    assert first[0] < second[0]
    assert first[1] > second[1]  # higher values stand higher


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.500"),
        (-0.25, "−0.250"),
        (12.345, "12.35"),
        (1234.5, "1,234.5"),
        (1e6, "1,000,000"),
        (None, "–"),
    ],
)
def test_figures(value, shown):
    assert figure(value) == shown


def test_tables_escape_what_they_show():
    assert markdown_table(["a"], [["x|y\nz<b>"]]).split("\n")[2] == "| x\\|y z&lt;b&gt; |"
    assert "<b>" not in html_table(["<b>"], [["<b>"]], label='"<b>')
