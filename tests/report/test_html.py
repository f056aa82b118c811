"""Reports as HTML: escaped, well formed, self-contained, and tables that can be read aloud."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from regard.report import (
    Block,
    Code,
    Facts,
    Heading,
    Math,
    Plot,
    Prose,
    Report,
    Series,
    Steps,
    Table,
    Text,
    to_html_fragment,
    to_html_page,
)
from report.drawing import ANY_TEXT, MARKUP, reports

EVIL = '<script>alert("1")</script>&amp;\'--><img src=x onerror=alert(1)>'
RENDERERS = [to_html_fragment, to_html_page]
Render = Callable[[Report], str]


def tree(report: Report, render: Render = to_html_fragment) -> ElementTree.Element:
    return ElementTree.fromstring(render(report).removeprefix("<!DOCTYPE html>\n"))


def texts(element: ElementTree.Element, path: str) -> list[str]:
    return ["".join(found.itertext()) for found in element.iterfind(path)]


class Tags(HTMLParser):
    """What a browser's parser would see: tags, attributes and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


TABLE = Table(("key", "weight"), (("k_0", "0.75"), ("k_1", "0.25")), "Weights of the keys")


@pytest.mark.parametrize("render", RENDERERS)
@pytest.mark.parametrize(
    "block",
    [
        Text,
        Heading,
        lambda text: Table((text, "b"), (("x", "1"),)),
        lambda text: Table(("a", "b"), ((text, "1"),)),
        lambda text: Table(("a", "b"), (("x", text),)),
        lambda text: Table(("a", "b"), (("x", "1"),), text),
        lambda text: Facts(((text, "value"),)),
        lambda text: Facts((("name", text),)),
        lambda text: Steps(((text, ""),)),
        lambda text: Prose("a " + text.replace("&amp;", "&amp;amp;")),
        Code,
        lambda text: Plot("bars", text, text, text, (Series(text, (text,), (1.0,)),)),
    ],
)
def test_markup_in_any_block_is_shown_and_never_obeyed(
    block: Callable[[str], Block], render: Render
) -> None:
    evil, harmless = (Report("T", (block(text),)) for text in (EVIL, "harmless"))
    assert "<script" not in render(evil)
    seen, expected = Tags(render(evil)), Tags(render(harmless))
    assert seen.tags == expected.tags
    assert seen.attributes == expected.attributes
    assert EVIL in "".join(tree(evil, render).itertext())


@pytest.mark.parametrize("render", RENDERERS)
def test_markup_in_the_title_is_shown_and_never_obeyed(render: Render) -> None:
    page = render(Report(EVIL, ()))
    assert "<script" not in page
    assert "<img" not in page
    assert EVIL in "".join(tree(Report(EVIL, ()), render).itertext())


def test_quotes_in_a_caption_do_not_end_the_attribute_that_repeats_it() -> None:
    report = Report("T", (Table(("a",), (), '" onfocus="alert(1)'),))
    (group,) = tree(report).iterfind("div")
    assert group.get("aria-label") == '" onfocus="alert(1)'
    assert group.get("onfocus") is None


@pytest.mark.parametrize("render", RENDERERS)
@settings(deadline=None, derandomize=True, max_examples=60)
@given(report=reports(ANY_TEXT | MARKUP))
def test_html_is_well_formed_whatever_the_content(report: Report, render: Render) -> None:
    html = render(report)
    html.encode()
    tree(report, render)
    assert Tags(html).open == []


def test_a_table_has_a_caption_and_headers_with_a_scope() -> None:
    root = tree(Report("T", (TABLE,)))
    assert texts(root, ".//caption") == ["Weights of the keys"]
    assert texts(root, ".//thead/tr/th[@scope='col']") == ["key", "weight"]
    assert texts(root, ".//tbody/tr/th[@scope='row']") == ["k_0", "k_1"]
    assert texts(root, ".//tbody/tr/td") == ["0.75", "0.25"]
    assert len(list(root.iter("th"))) == 4


def test_a_wide_table_scrolls_by_itself_and_from_the_keyboard() -> None:
    (group,) = tree(Report("T", (TABLE,))).iterfind("div")
    assert "overflow-x:auto" in group.get("style", "")
    assert (group.get("role"), group.get("tabindex")) == ("group", "0")
    assert group.get("aria-label") == "Weights of the keys"


def test_numbers_are_aligned_right_and_words_left() -> None:
    root = tree(Report("T", (TABLE,)))
    styles = {"".join(cell.itertext()): cell.get("style", "") for cell in root.iterfind(".//tr/*")}
    assert all("text-align:right" in styles[text] for text in ("weight", "0.75", "0.25"))
    assert all("text-align:left" in styles[text] for text in ("key", "k_0", "k_1"))


def test_a_table_of_numbers_alone_has_no_names_of_rows() -> None:
    root = tree(Report("T", (Table(("", ""), (("1", "2"), ("3", "4"))),)))
    assert texts(root, ".//td") == ["1", "2", "3", "4"]
    assert not list(root.iter("th"))
    assert not list(root.iter("thead"))
    assert not list(root.iter("caption"))


def test_a_header_without_a_name_is_no_header() -> None:
    root = tree(Report("T", (Table(("", "k_0"), (("q_0", "1"), ("", "2"))),)))
    assert texts(root, ".//th") == ["k_0", "q_0"]
    assert texts(root, ".//td") == ["", "1", "", "2"]


def test_a_table_without_rows_says_so() -> None:
    (cell,) = tree(Report("T", (Table(("a", "b", "c"), ()),))).iterfind(".//td")
    assert (cell.text, cell.get("colspan")) == ("(no rows)", "3")


def test_facts_are_rows_with_their_names_as_headers() -> None:
    root = tree(Report("T", (Facts((("error", "0"), ("scale", "1"))),)))
    assert texts(root, ".//th[@scope='row']") == ["error", "scale"]
    assert texts(root, ".//td") == ["0", "1"]


def test_blocks_come_in_order_and_empty_ones_not_at_all() -> None:
    blocks = (Heading("H"), Text("a"), Text(""), Facts(()), TABLE, Facts((("n", "v"),)), Text("b"))
    root = tree(Report("T", blocks))
    assert [child.tag for child in root] == ["h3", "h4", "p", "div", "table", "p"]


def test_a_fragment_brings_no_colours_ids_scripts_or_style_sheets() -> None:
    seen = Tags(
        to_html_fragment(Report("T", (Text("a"), Heading("b"), TABLE, Facts((("n", "v"),)))))
    )
    assert not seen.tags & {"script", "style", "link", "html", "body", "img"}
    assert "id" not in seen.attributes
    fragment = to_html_fragment(Report("T", (TABLE,)))
    assert "background" not in fragment
    assert set(re.findall(r"[^-]color:(\w+)", fragment)) == {"inherit"}
    assert set(re.findall(r"rgba\([^)]*\)|#[0-9a-f]{3,6}", fragment)) == {"rgba(128,128,128,0.4)"}


def test_formulas_are_mathml_wherever_they_stand() -> None:
    blocks = (
        Text("$x$"),
        Heading("$x$"),
        Table(("$x$", "b"), (("$x$", "$x$"),), "$x$"),
        Facts((("$x$", "$x$"),)),
        Prose("$x$"),
        Steps((("$x$", "x"),)),
        Math("x"),
    )
    root = tree(Report("$x$", blocks), to_html_page)
    assert texts(root, "head/title") == ["x"]
    assert texts(root, ".//math") == ["x"] * 13
    assert len(root.findall(".//math[@display='block']")) == 2


def test_prose_is_this_html() -> None:
    html = to_html_fragment(
        Report("T", (Prose("a *b* **c** `d`\n\n3. e\n4. [f](https://example.org/?a=1&b)\n\n> g"),))
    )
    assert (
        html
        == """\
<div class="regard-report">
<h3>T</h3>
<p>a <em>b</em> <strong>c</strong> <code>d</code></p>
<ol start="3">
<li>
e
</li>
<li>
<a href="https://example.org/?a=1&amp;b" rel="noreferrer">f</a>
</li>
</ol>
<blockquote>
<p>g</p>
</blockquote>
</div>"""
    )


def test_code_is_shown_as_it_is() -> None:
    (pre,) = tree(Report("T", (Code("if a < b:\n\tc $x$\n"),))).iterfind("pre")
    assert "".join(pre.itertext()) == "if a < b:\n    c $x$"


def test_wide_formulas_and_code_scroll_by_themselves() -> None:
    root = tree(Report("T", (Math("x"), Code("y"))))
    for path in ("div", "pre"):
        (box,) = root.iterfind(path)
        assert "overflow-x:auto" in box.get("style", "")
        assert box.get("tabindex") == "0"


@pytest.mark.parametrize(
    ("levels", "page", "fragment"),
    [
        ((2, 3, 2), ["h2", "h3", "h2"], ["h4", "h5", "h4"]),
        ((1, 2, 3, 1), ["h2", "h3", "h4", "h2"], ["h4", "h5", "h6", "h4"]),
        ((3,), ["h2"], ["h4"]),
    ],
)
def test_headings_follow_their_levels(
    levels: tuple[int, ...], page: list[str], fragment: list[str]
) -> None:
    report = Report("T", tuple(Heading("H", level) for level in levels))
    main = tree(report, to_html_page).find("body/main")
    assert main is not None
    headings = [found.tag for found in main.iter() if re.fullmatch("h[1-6]", found.tag)]
    assert headings == ["h1", *page]
    assert [child.tag for child in tree(report)] == ["h3", *fragment]


def test_several_chapters_have_a_list_of_contents() -> None:
    report = Report("T", (Heading("One $x$", 1), Heading("a"), Heading("Two", 1)))
    root = tree(report, to_html_page)
    (nav,) = root.iterfind("body/main/nav")
    links = [(link.get("href"), "".join(link.itertext())) for link in nav.iter("a")]
    assert links == [("#chapter-1", "One x"), ("#chapter-2", "Two")]
    assert [a.get("id") for a in root.iterfind("body/main/article")] == ["chapter-1", "chapter-2"]
    one = Report("T", (Heading("One", 1), Heading("a")))
    assert root.find("body/main/nav") is not None
    assert tree(one, to_html_page).find("body/main/nav") is None
    assert tree(report).find("nav") is None


def test_a_page_says_its_language_its_title_and_how_to_fit_a_phone() -> None:
    page = to_html_page(Report("Two keys & more", (TABLE,)))
    root = tree(Report("Two keys & more", (TABLE,)), to_html_page)
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert texts(root, "head/title") == ["Two keys & more"]
    assert texts(root, "body/main/header/h1") == ["Two keys & more"]
    metas = [meta.attrib for meta in root.iterfind("head/meta")]
    assert {"charset": "utf-8"} in metas
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in metas
    assert "@media print" in page


def test_a_page_loads_nothing() -> None:
    report = Report(
        "T", (Text("see https://example.org"), Heading("b"), TABLE, Facts((("n", "v"),)))
    )
    page = to_html_page(report)
    seen = Tags(page)
    assert not seen.tags & {"script", "link", "img", "iframe", "object", "base"}
    assert not seen.attributes & {"src", "href", "srcset", "action"}
    assert "@import" not in page
    assert {link[:5] for link in re.findall(r"url\(([^)]*)\)", page)} == {"data:"}  # its font
    assert "default-src 'none'" in page


def test_a_page_with_every_block_loads_nothing() -> None:
    plot = Plot("bars", "P", series=(Series("a", ("x",), (1,)), Series("b", ("x",), (2,))))
    blocks = (Math("x"), Code("a", "python"), plot, Prose("[a](https://example.org) ![b](c.png)"))
    page = to_html_page(Report("T", blocks))
    seen = Tags(page)
    assert not seen.tags & {"script", "link", "img", "image", "iframe", "object", "base"}
    assert not seen.attributes & {"src", "srcset", "action"}
    # Only a link that a person clicks leads elsewhere.
    assert re.findall("[^ ]*https?:[^ ]*", page) == ['href="https://example.org"']
    assert all(t.startswith(("#", "data:font/")) for t in re.findall(r"url\(([^)]*)\)", page))
