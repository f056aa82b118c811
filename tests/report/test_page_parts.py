"""What a page is made of: formulas with their punctuation, heat maps, callouts, folds, edges."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from regard.report import (
    Facts,
    Heading,
    Math,
    Plot,
    Prose,
    Report,
    Series,
    Slider,
    Table,
    Text,
    to_html_fragment,
    to_html_page,
)
from regard.report.html.page import article_style, style_sheet, to_html_article


def page(*blocks: object) -> ElementTree.Element:
    return ElementTree.fromstring(
        to_html_page(Report("T", tuple(blocks))).removeprefix("<!DOCTYPE html>\n")  # type: ignore[arg-type]
    )


def with_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [e for e in root.iter() if name in e.get("class", "").split()]


@pytest.mark.parametrize("block", [Text, Prose])
@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("near $u_a$, and far", [("", ",")]),
        ("in units of $x^2$: so", [("", ":")]),
        ("a sum (of $x$) of ($y$).", [("", ")"), ("(", ").")]),
        ("is $x$ so", []),
    ],
)
def test_a_line_never_ends_between_a_formula_and_its_punctuation(
    block: type[Text] | type[Prose], words: str, kept: list[tuple[str, str]]
) -> None:
    root = ElementTree.fromstring(to_html_fragment(Report("T", (block(words),))))
    spans = [e for e in root.iter("span") if "nowrap" in e.get("style", "")]
    assert [(e.text or "", list(e)[-1].tail or "") for e in spans] == kept
    flat = "".join(root.itertext())
    assert re.sub(r"[$^_]", "", words) in flat.replace("\u2061", "")


MAP = Plot("heatmap", "where", "key", "query", rows=((0.0, 1.0), (0.5, -0.25)),
           row_labels=("x_1", "x_2"), column_labels=("x_1", "x_2"))  # fmt: skip


def test_a_heat_map_is_cells_in_the_colours_of_the_page_with_their_numbers() -> None:
    (drawn,) = with_class(page(MAP), "regard-heat")
    shades = {
        (look, float(cell.get("fill-opacity", "nan")))
        for look in ("regard-heat-above", "regard-heat-below")
        for cell in with_class(drawn, look)
    }
    # The largest gets half of the colour, so that a number on it can be read, others their share.
    assert shades == {
        ("regard-heat-above", 0.5), ("regard-heat-above", 0.25), ("regard-heat-below", 0.125)
    }  # fmt: skip
    numbers = ["".join(e.itertext()) for e in with_class(drawn, "regard-heat-number")]
    assert numbers == ["0", "1", "0.5", "−0.25"]
    assert "#" not in ElementTree.tostring(drawn, "unicode")


def test_a_wide_heat_map_scrolls_by_itself() -> None:
    wide = Plot("heatmap", "", "", "", rows=((1.0,) * 40,))
    root = page(wide)
    (scrolls,) = with_class(root, "regard-table")
    assert scrolls.get("tabindex") == "0"
    assert with_class(scrolls, "regard-heat")


def test_callouts_have_the_heading_above_them_as_their_title() -> None:
    root = page(
        Heading("Often got wrong", role="callouts"),
        Heading("No factor", 3), Math("q = k"), Text("Too short."),
        Heading("Half", 3), Text("Too long."),
        Text("A belief."),
    )  # fmt: skip
    callouts = with_class(root, "regard-callout")
    assert [[e.tag for e in one] for one in callouts] == [["h3", "div", "p"], ["h3", "p"], ["p"]]


YOURS = (Series("yours", ("a", "b"), (0.25, 0.0)), Series("wanted", ("a", "b"), (0.5, 0.5)))


def test_what_is_wanted_is_a_line_on_the_bar_of_what_came_out() -> None:
    root = page(Plot("bars", "", "", "", YOURS))
    assert len(with_class(root, "regard-bar")) == 2
    fills = [e.get("width") for e in with_class(root, "regard-fill")]
    lines = [e.get("x1") for e in with_class(root, "regard-wanted")]
    assert fills == ["25.0%", "0.0%"]  # of the whole weight, which is 1
    assert lines == ["50.0%", "50.0%"]


def test_what_scrolls_has_an_edge_that_says_so() -> None:
    rule = re.search(r"([^{}]*)\{ --surface: var\(--paper\); background:([^}]*)\}", style_sheet())
    assert rule is not None
    assert {".regard-math", ".regard-table", "pre"} <= set(rule[1].replace(",", " ").split())
    assert rule[2].count("local") == 2
    assert rule[2].count("scroll") == 2


def test_inside_another_page_a_report_has_its_looks_and_no_title_of_the_page() -> None:
    moving = Slider(
        Plot("lines", "c", "C", "y", (Series("y", (0.0, 1.0), (1.0, 2.0)),)), 0, ("a", "b")
    )
    shown = to_html_article(
        Report("T", (Text("All well", "headline"), moving, Facts((("a", "b"),))))
    )
    assert "<h1" not in shown
    assert 'class="regard-title"' in shown
    assert "regard-slider" in shown
    style = article_style(".inner")
    assert style.startswith(".inner {")
    assert ":root" not in style
    assert "@font-face" not in style
    assert style.count("{") == style.count("}")


def test_a_row_that_is_named_by_a_sentence_wraps() -> None:
    said = "that a key scores above every other by at least so much"
    root = page(Table(("claim", "found"), ((said, "holds"), ("k_a", "holds"))))
    assert ["".join(e.itertext()) for e in with_class(root, "regard-sentence")] == [said]
    assert "th.regard-sentence { white-space: normal;" in style_sheet()
