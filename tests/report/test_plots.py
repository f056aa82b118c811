"""Plots as SVG in a page, and the round numbers of their axes."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from regard.report import Plot, Report, Series, to_html_fragment, to_html_page
from regard.report.html.svg import COLOURS, svg
from regard.report.ticks import axis
from report.drawing import ANY_TEXT, MARKUP, plots

BARS = Plot(
    "bars",
    r"Weights $\alpha_j$ & more",
    "key",
    "weight",
    (Series("old", ("k_a", "k_b"), (0.5, 0.25)), Series("new", ("k_a", "k_b"), (1, -0.5))),
)
LINES = Plot("lines", "Lines", "x", "y", (Series("a", (0, 1, 2), (0, 1, 4)),))
MAP = Plot("heatmap", "Map", "key", "query", rows=((0, 1), (0.5, 0.25)), row_labels=("q_0", "q_1"))
ALL = [BARS, LINES, MAP]


def tree(plot: Plot) -> ElementTree.Element:
    return ElementTree.fromstring(svg(plot, "plot-1"))


def texts(plot: Plot) -> list[str]:
    return ["".join(found.itertext()).strip() for found in tree(plot).iter("text")]


def test_a_plot_can_be_read_aloud() -> None:
    root = tree(BARS)
    assert root.get("role") == "img"
    assert root.get("aria-label") == "Weights α_j & more"
    assert root.findtext("title") == "Weights α_j & more"
    assert root.findtext("desc") == "Bars. old. k_a: 0.5; k_b: 0.25. new. k_a: 1; k_b: -0.5."
    assert tree(MAP).findtext("desc") == "A heat map of 2 rows and 2 columns, from 0 to 1."


def test_labels_are_text() -> None:
    assert {"k_a", "k_b", "old", "new", "key", "weight"} <= set(texts(BARS))
    assert {"q_0", "q_1", "0.25", "key", "query"} <= set(texts(MAP))


def test_series_differ_in_colour_and_in_hatch_or_dash() -> None:
    drawn = svg(BARS, "p")
    assert all(colour.lower() in drawn.lower() for colour in COLOURS[:2])
    assert "<pattern" in drawn
    two = Plot("lines", "", series=(Series("a", (1, 2), (1, 2)), Series("b", (1, 2), (2, 1))))
    assert "stroke-dasharray" in svg(two, "p")


def test_the_same_plots_give_the_same_bytes_in_another_process() -> None:
    program = "import sys; from report.test_plots import ALL, svg; " + (
        "sys.stdout.buffer.write('\\n'.join(svg(plot, 'a') for plot in ALL).encode())"
    )
    folder = str(Path(__file__).parents[1])
    for seed in ("1", "2"):  # sets and hashes come in another order
        there = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": folder}
        run = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True, env=there
        )
        assert run.stdout.decode() == "\n".join(svg(plot, "a") for plot in ALL)


@pytest.mark.parametrize("plot", ALL)
def test_a_plot_takes_its_ink_from_the_page_and_loads_nothing(plot: Plot) -> None:
    drawn = svg(plot, "a")
    assert "currentColor" in drawn
    assert "#123456" not in drawn
    assert not re.search(r"http|<image|<script|<style|@import|xlink|<metadata", drawn)


def test_ids_are_unique_within_a_page_and_every_one_used_exists() -> None:
    page = to_html_page(Report("T", (BARS, LINES, BARS, MAP, LINES)))
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 0
    used = {a or b for a, b in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', page)}
    assert used <= set(ids)


def test_a_caption_stands_below_its_figure() -> None:
    root = ElementTree.fromstring(to_html_fragment(Report("T", (BARS,))))
    figure = root.find("figure")
    assert figure is not None
    assert [child.tag for child in figure] == ["svg", "figcaption"]
    assert figure.find("figcaption/math") is not None


@settings(deadline=None, derandomize=True, max_examples=15)
@given(plots(ANY_TEXT | MARKUP))
def test_any_plot_is_drawn(plot: Plot) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ElementTree.fromstring(svg(plot, "plot-1"))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0.01, 0.98, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (-3, 7, [-4, -2, 0, 2, 4, 6, 8]),
        (0, 12345, [0, 2500, 5000, 7500, 10000, 12500]),
        (1e-9, 3e-9, [1e-9, 1.5e-9, 2e-9, 2.5e-9, 3e-9]),
        (0, 0, [-1, -0.5, 0, 0.5, 1]),
    ],
)
def test_an_axis_has_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert axis(low, high) == (expected[0], expected[-1], expected)


@settings(deadline=None, derandomize=True, max_examples=300)
@example(0.0, 5e-324)
@example(5e-324, 5e-324)
@example(1e100, -1e100)
@example(1.0, 1.0000000000000002)
@given(st.floats(-1e100, 1e100), st.floats(-1e100, 1e100))
def test_an_axis_holds_what_it_shows(a: float, b: float) -> None:
    low, high, marks = axis(min(a, b), max(a, b))
    assert low <= min(a, b) <= max(a, b) <= high
    assert low < high
    assert 2 <= len(marks) <= 7
    assert marks == sorted(marks)
    assert low <= marks[0] <= marks[-1] <= high
    assert all(math.isfinite(number) for number in (low, high, *marks))
