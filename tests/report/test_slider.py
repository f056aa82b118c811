"""The block that moves: what it accepts, and what it is where nothing moves."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from regard.errors import ParameterError
from regard.report import (
    Plot,
    Report,
    Series,
    Slider,
    Way,
    json_schema,
    to_html_fragment,
    to_html_page,
    to_latex,
    to_text,
)

PLOT = Plot("lines", "Halves", "C", "leak", (Series("leak", (0.0, 1.0, 2.0), (1.0, 0.5, 0.25)),))
SLIDER = Slider(
    PLOT,
    1,
    ("At 0 <b>&</b> all.", "At 1 [half]{.query}.", "At 2 a quarter."),
    ("$k_a$", "k_b"),
    ((0.5, 0.5), (0.75, 0.25), (0.875, 0.125)),
    (1.0, 0.0),
    (0.3, "30 % allowed"),
    (1.74, "enough"),
)


def test_a_slider_is_the_same_after_json() -> None:
    moved = replace(
        SLIDER, output=Way("start", "$c^*$", (0.0, 0.5, 0.75), (2.0, 1.0, 0.5)), mean=True
    )
    report = Report("T", (SLIDER, moved, Slider(PLOT, 0, ("a", "b", "c"))))
    data = json.loads(json.dumps(report.to_dict()))
    jsonschema.validate(data, json_schema())
    assert Report.from_dict(data) == report


def test_where_nothing_moves_it_is_its_plot() -> None:
    moving, still = Report("T", (SLIDER,)), Report("T", (PLOT,))
    assert to_text(moving) == to_text(still)
    assert "regard-slider" not in to_html_fragment(moving)


def test_paper_shows_what_is_allowed_and_from_where_it_is_enough() -> None:
    drawn = to_latex(Report("T", (SLIDER,)))
    across = 1.74 / 2 * 8  # centimetres: the axis goes from 0 to 2
    assert rf"\fill[series2!8] ({across:.3f},0) rectangle (8.0,4.0);" in drawn
    assert r"\textcolor{series2}{enough}" in drawn
    assert r"\textcolor{series1}{\bfseries 30 \% allowed}" in drawn


def test_paper_shows_what_holds_at_the_first_row_and_marks_it() -> None:
    drawn = to_latex(Report("T", (SLIDER,)))
    assert r"\regardfigure{At 1 \textcolor{regardquery}{\bfseries half}.}{Halves}" in drawn
    half = (0.5 - 0.2) / (1 - 0.2) * 4  # centimetres: the axis goes from 0.2 to 1
    assert rf"fill=series2] (4.000,{half:.3f}) circle" in drawn
    assert r"{75\,\%}" in drawn  # the bars of that row
    assert r"{87.5\,\%}" not in drawn


def test_a_page_is_well_formed_and_shows_the_first_row_without_its_script() -> None:
    text = to_html_page(Report("T", (SLIDER,)))
    root = ElementTree.fromstring(text.partition("\n")[2])
    figure = next(e for e in root.iter("figure") if e.get("class") == "regard-slider")
    says = next(figure.iter("output"))
    assert "".join(says.itertext()) == "At 1 half."
    values = [e.text for e in figure.iter("span") if e.get("class") == "regard-value"]
    assert values == ["75\u202f%", "25\u202f%"]
    data = json.loads(next(figure.iter("script")).text or "")
    assert data["x"] == [0, 1, 2]
    assert data["y"] == [[1, 0.5, 0.25]]
    assert data["bars"] == [[0.5, 0.5], [0.75, 0.25], [0.875, 0.125]]
    assert data["says"][0] == "At 0 &lt;b&gt;&amp;&lt;/b&gt; all."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"plot": Plot("bars", "", series=PLOT.series)}, "plot must be a Plot of lines"),
        ({"at": 3}, "at must be a row from 0 to 2"),
        ({"at": True}, "at must be a row from 0 to 2"),
        ({"sentences": ("one",)}, r"one per row \(3\)"),
        ({"bars": ()}, r"one per row \(3\)"),
        ({"wanted": (1.0,)}, "one number per label"),
        ({"limit": (1.0,)}, "limit must be a number and its words"),
        ({"enough": ("1", "x")}, "enough.* must be a number"),
    ],
)
def test_what_is_no_slider_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"Slider: .*{message}"):
        replace(SLIDER, **change)


def test_the_output_stands_where_it_is_on_its_way() -> None:
    moved = replace(SLIDER, output=Way("the <start>", "$c^*$", (0.0, 0.5, 0.75), (2.0, 1.0, 0.5)))
    page = to_html_page(Report("T", (moved,)))
    assert '<circle class="regard-gone" cx="50.0%"' in page
    assert ">off by 1</span>" in page.replace("\\\n", "")
    assert "the &lt;start&gt;" in page
    assert "regard-gone" not in to_html_fragment(Report("T", (SLIDER,)))


def test_means_of_weights_are_called_so() -> None:
    assert "Mean weights; line: wanted" in to_html_page(Report("T", (replace(SLIDER, mean=True),)))
    assert "Mean weights; line: wanted" in to_latex(Report("T", (replace(SLIDER, mean=True),)))
    assert "Mean" not in to_html_page(Report("T", (SLIDER,)))


def test_a_way_has_a_place_for_each_row() -> None:
    with pytest.raises(ParameterError, match="Way: at and left must have one number per row"):
        Way("a", "b", (0.0, 1.0), (1.0,))
    with pytest.raises(
        ParameterError, match=r"Slider: output must be a Way with a place per row \(3\)"
    ):
        replace(SLIDER, output=Way("a", "b", (0.0, 1.0), (1.0, 0.0)))
