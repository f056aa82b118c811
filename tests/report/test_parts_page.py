"""A page of many chapters: an index by theme whose rows open, with places that links lead to."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from regard.errors import ParameterError
from regard.report import Heading, Math, Plot, Report, Series, Slider, Text, to_html_page
from regard.report.html.page import to_html_article


def page(*blocks: object) -> ElementTree.Element:
    return ElementTree.fromstring(
        to_html_page(Report("T", tuple(blocks))).removeprefix("<!DOCTYPE html>\n")  # type: ignore[arg-type]
    )


def with_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [e for e in root.iter() if name in e.get("class", "").split()]


def said(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def part(title: str, anchor: str = "", label: str = "", status: str = "") -> list[object]:
    return [
        Heading(title, 1, anchor=anchor, label=label, status=status, tone="good" if status else ""),
        Text(f"{title} comes [out]{{.target}}.", "headline"), Text("It is asked."),
        Heading("Answer", role="answer", status="solved", tone="good"), Math("q = k"),
        Heading("Why"), Text("So."),
    ]  # fmt: skip


def test_a_row_says_what_came_out_and_opens_to_the_whole_chapter() -> None:
    root = page(*part("First", "one", "(a)", "Proved"), *part("Second"))
    first, second = with_class(root, "regard-part")
    (fold,) = first
    assert (fold.tag, fold.get("open")) == ("details", None)
    row, article = fold
    assert said(row) == "(a)FirstFirst comes out.✓ Proved"
    assert article.get("id") == "one"
    assert "It is asked." in said(article)
    assert "So." in said(article)
    # Without a status and an anchor of its own: that of its answer, and its number.
    assert said(second[0][0]) == "SecondSecond comes out.✓ Solved"
    assert second[0][1].get("id") == "chapter-2"


def test_what_the_row_says_is_not_said_again_below_it() -> None:
    root = page(*part("First", "one"), *part("Second", "two"))
    for article in root.iter("article"):
        assert "comes out" not in said(article)


def test_parts_stand_under_their_themes_and_what_is_no_part_comes_last() -> None:
    root = page(
        Heading("Queries", 1, role="theme"), Text("What one can do."), *part("First", "one"),
        Heading("Heads", 1, role="theme"), Text("And two."), *part("Second", "two"),
        Heading("Loose", 1, role="callouts"), Heading("Small", 3), Text("How small?"),
        Heading("Others", 1, role="cards"), Heading("This", 3), Text("a"),
        Heading("That", 3), Text("b"),
    )  # fmt: skip
    themes = with_class(root, "regard-theme")
    assert [said(theme[0]) for theme in themes] == ["Queries What one can do.", "Heads And two."]
    assert [[e.get("id") for e in theme.iter("article")] for theme in themes] == [["one"], ["two"]]
    main = root.find("body/main")
    assert main is not None
    assert [said(e[0]) for e in main][-2:] == ["Loose", "Others"]
    assert [said(card) for card in with_class(root, "regard-cards")[0]] == ["This a", "That b"]
    assert len(with_class(root, "regard-callout")) == 1
    levels = [int(e.tag[1]) for e in root.iter() if e.tag in ("h1", "h2", "h3", "h4", "h5")]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_many_parts_are_on_shelves_that_count_how_they_came_out() -> None:
    def shelf(name: str, count: int) -> list[object]:
        rows = [
            part(f"{name} {i}", f"{name}-{i}", "", "Proved" if i else "Exact") for i in range(count)
        ]
        return [Heading(name, 1, role="theme", anchor=name), *(b for row in rows for b in row)]

    few = page(*shelf("a", 20), *shelf("b", 20))
    assert not with_class(few, "regard-shelf")
    root = page(*shelf("a", 20), *shelf("b", 21))
    shelves = with_class(root, "regard-shelf")
    assert [said(one[0]) for one in shelves] == [
        "a20 parts✓ 19 proved✓ 1 exact",
        "b21 parts✓ 20 proved✓ 1 exact",
    ]
    assert [one[1].get("id") for one in shelves] == ["a", "b"]


def test_a_part_that_stands_in_two_themes_is_told_once_and_led_to() -> None:
    root = page(
        Heading("A", 1, role="theme"), *part("First", "one"), *part("Second", "two"),
        Heading("B", 1, role="theme"), *part("First", "one"),
    )  # fmt: skip
    assert [e.get("id") for e in root.iter("article")] == ["one", "two"]
    assert [a.get("href") for a in root.iter("a")] == ["#one"]


def test_a_page_of_one_problem_is_no_index() -> None:
    assert not with_class(page(*part("Only", "one")), "regard-parts")


@pytest.mark.parametrize("anchor", ["a b", 'x" onclick="', "<", "é", "a\n"])
def test_the_name_of_a_place_is_plain(anchor: str) -> None:
    with pytest.raises(ParameterError, match=r"^Heading: anchor must be letters, digits"):
        Heading("H", 1, anchor=anchor)


CURVE = Plot("lines", "", "C", "leak", (Series("leak", (0.0, 1.0, 2.0), (1.0, 0.5, 0.0)),))


def small(*figures: object) -> ElementTree.Element:
    root = page(*part("First"), *figures, *part("Second"))
    return with_class(root, "regard-small")[0]


def test_the_small_picture_of_a_curve_shows_where_it_is_enough_and_the_answer() -> None:
    drawn = small(Slider(CURVE, 1, ("a", "b", "c"), limit=(0.5, "allowed"), enough=(1.0, "on")))
    (region,) = with_class(drawn, "regard-enough")
    assert (region.get("x"), region.get("width")) == ("50.0%", "50%")
    (dot,) = with_class(drawn, "regard-dot")
    assert dot.get("cx") == "50.0%"
    (limit,) = with_class(drawn, "regard-limit")
    assert limit.get("y1") == limit.get("y2") == dot.get("cy")


def test_the_small_picture_of_bars_stands_on_0_and_marks_what_is_wanted() -> None:
    drawn = small(Plot("bars", "", "", "", (Series("", ("a", "b"), (8.0, -24.0)),)))
    bars = [(e.get("y"), e.get("height")) for e in drawn.iter("rect")]
    assert bars == [("0%", "25%"), ("25%", "75%")]  # from 8 down to 0, and on to -24
    drawn = small(
        Plot("bars", "", "", "", (
            Series("yours", ("a", "b"), (0.25, 0.75)), Series("wanted", ("a", "b"), (1.0, 0.0)),
        ))
    )  # fmt: skip
    looks = [e.get("class") for e in drawn.iter("rect")]
    assert looks == ["regard-fill-1", "regard-fill-0"]  # a is wanted
    (mark,) = with_class(drawn, "regard-wanted")
    assert mark.get("y1") == "0%"


def test_weights_are_shown_rather_than_another_figure() -> None:
    bars = Plot("bars", "", "", "", (Series("", ("a", "b"), (1.0, 2.0)),))
    moving = Slider(CURVE, 0, ("a", "b", "c"), ("x",), ((0.5,), (0.6,), (0.7,)), (1.0,))
    assert len(list(small(CURVE, bars, moving).iter("rect"))) == 1
    assert len(list(small(CURVE, bars).iter("rect"))) == 2
    assert not list(small(CURVE).iter("rect"))


def test_a_share_below_a_hundredth_of_a_percent_is_text_and_no_tag() -> None:
    bars = ((1e-7,), (0.6,), (0.7,))
    root = page(Slider(CURVE, 0, ("a", "b", "c"), ("x",), bars, (1.0,)))
    assert said(with_class(root, "regard-value")[0]) == "< 0.01 %"


def test_rows_lead_to_pages_of_their_own_where_chapters_have_some() -> None:
    told = Report("T", (*part("First", "one", "(a)", "Proved"), *part("Second", "two")))  # type: ignore[arg-type]
    shown = to_html_article(told, lambda name: f"../problems/{name}.html")
    root = ElementTree.fromstring(f"<div>{shown}</div>")
    assert [link.get("href") for link in root.iter("a")] == [
        "../problems/one.html",
        "../problems/two.html",
    ]
    assert "It is asked." not in said(root)
    assert not with_class(root, "regard-all")
