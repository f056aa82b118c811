"""Prose as parts: what of Markdown is kept, and what never gets through."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from regard.report.markdown import Part, Span, parse
from report.drawing import ANY_TEXT, MARKUP


def paragraph(*spans: Span) -> list[Part]:
    return [Part("paragraph", spans=spans)]


def words(text: str) -> Span:
    return Span("words", text)


@pytest.mark.parametrize(
    ("markdown", "parts"),
    [
        ("", []),
        ("a $x^2$ b", paragraph(words("a "), Span("math", "x^2"), words(" b"))),
        ("$a_1$ and $b_1$", paragraph(Span("math", "a_1"), words(" and "), Span("math", "b_1"))),
        ("a $$x$$ b", paragraph(words("a "), Span("display", "x"), words(" b"))),
        ("$$x$$", [Part("math", text="x")]),
        ("$$\nx\n= y\n$$\nafter", [Part("math", text="x = y"), *paragraph(words("after"))]),
        ("before\n$$x$$", [*paragraph(words("before")), Part("math", text="x")]),
        (r"\$5 is $5", paragraph(words("$5 is $5"))),
        ("`$x$`", paragraph(Span("code", "$x$"))),
        ("    $x$\n", [Part("code", text="$x$\n")]),
        ("a\nb", paragraph(words("a"), words(" "), words("b"))),
        ("a  \nb", paragraph(words("a"), Span("break"), words("b"))),
        ("# h", [Part("heading", spans=(words("h"),))]),
        ("---", [Part("rule")]),
        (
            "*a* **b**",
            paragraph(
                Span("open", tag="em"),
                words("a"),
                Span("close", tag="em"),
                words(" "),
                Span("open", tag="strong"),
                words("b"),
                Span("close", tag="strong"),
            ),
        ),
        (
            "7. a",
            [
                Part("open", "ol", "7"),
                Part("open", "li"),
                Part("paragraph", spans=(words("a"),), tight=True),
                Part("close", "li"),
                Part("close", "ol"),
            ],
        ),
    ],
)
def test_markdown_becomes_these_parts(markdown: str, parts: list[Part]) -> None:
    assert [_merged(part) for part in parse(markdown)] == [_merged(part) for part in parts]


def _merged(part: Part) -> tuple[object, ...]:
    """Return a part with neighbouring words as one: where they are cut does not matter."""
    spans: list[Span] = []
    for span in part.spans:
        if spans and span.kind == spans[-1].kind == "words":
            span = words(spans.pop().text + span.text)
        spans.append(span)
    return (part.kind, part.tag, part.text, part.tight, *spans)


@pytest.mark.parametrize(
    "markdown",
    [
        r"$\input{x}$",
        "$x",
        "$$x",
        "$$\nx\n\n$$",
        "$ x $",
        r"$$\def\x{}$$",
    ],
)
def test_what_is_no_formula_stays_as_it_is(markdown: str) -> None:
    shown = "".join(span.text for part in parse(markdown) for span in part.spans)
    assert shown.replace(" ", "") == markdown.replace("\n", "").replace(" ", "")


@pytest.mark.parametrize(
    ("markdown", "address"),
    [
        ("[a](https://example.org/b?c=1)", "https://example.org/b?c=1"),
        ("[a](HTTP://example.org)", "HTTP://example.org"),
        ("<https://example.org>", "https://example.org"),
        ("[a](javascript:alert(1))", None),
        ("[a](data:text/html,b)", None),
        ("[a](file:///etc/passwd)", None),
        ("[a](//example.org)", None),
        ("[a](relative)", None),
        ("![a](https://example.org/a.png)", None),
    ],
)
def test_only_links_to_the_web_are_kept(markdown: str, address: str | None) -> None:
    (part,) = parse(markdown)
    links = [span.text for span in part.spans if span.tag == "link" and span.kind == "open"]
    assert links == ([] if address is None else [address])
    assert "".join(span.text for span in part.spans if span.kind == "words") == (
        "https://example.org" if markdown.startswith("<") else "a"
    )


def test_html_is_words() -> None:
    (part,) = parse("a <b>c</b> &lt;")
    assert "".join(span.text for span in part.spans) == "a <b>c</b> <"


@settings(deadline=None, derandomize=True, max_examples=200)
@given(MARKUP | ANY_TEXT)
def test_every_open_part_is_closed(markdown: str) -> None:
    stack: list[str] = []
    for part in parse(markdown):
        if part.kind == "open":
            stack.append(part.tag)
        elif part.kind == "close":
            assert stack.pop() == part.tag
        tags: list[str] = []
        for span in part.spans:
            if span.kind == "open":
                tags.append(span.tag)
            elif span.kind == "close":
                assert tags.pop() == span.tag
        assert not tags
    assert not stack
