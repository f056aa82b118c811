"""Prose as a list of parts that every renderer walks in the same way.

markdown-it reads CommonMark; formulas are two rules of our own. What a renderer sees has no HTML,
no images, and no links but to http and https.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from regard.report.characters import plain
from regard.report.inline import is_valid

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_FORMULA = re.compile(
    r"\$(?!\s)((?:\\.|[^\\$])+)(?<!\s)\$(?![0-9])|\$\$((?:\\.|[^\\$])+)\$\$", re.S
)
_WEB = re.compile("https?://[!-~]+", re.IGNORECASE)


@dataclass(frozen=True)
class Span:
    """A piece of a line: words, code, math, display (a formula), break, or open/close of a tag.

    Tags are em, strong and link; text is what is shown, or where a link leads.
    """

    kind: str
    text: str = ""
    tag: str = ""


@dataclass(frozen=True)
class Part:
    """A block of prose: paragraph, heading, code, math, rule, or open/close of a tag.

    Tags are ul, ol (text is its first number), li and quote. The paragraphs of a list without
    blank lines are tight.
    """

    kind: str
    tag: str = ""
    text: str = ""
    spans: tuple[Span, ...] = ()
    tight: bool = False


def parse(markdown: str) -> list[Part]:
    """Return the parts of a text, each open followed by its close."""
    return list(_parts(_reader().parse(markdown)))


def _reader() -> MarkdownIt:
    # Reports without prose are shown without loading it.
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False})
    # Which links are shown is decided below; a refused one would show as its source.
    reader.validateLink = lambda url: True  # type: ignore[method-assign]
    reader.inline.ruler.before("escape", "formula", _inline_formula)
    reader.block.ruler.before(
        "fence", "formula", _display_formula, {"alt": ["paragraph", "blockquote", "list"]}
    )
    return reader


def _inline_formula(state: StateInline, silent: bool) -> bool:
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    formula = plain(found[1] or found[2]) if found else ""
    if not found or not is_valid(formula):
        return False
    if not silent:
        state.push("display" if found[2] else "formula", "", 0).content = formula
    state.pos = found.end()
    return True


def _display_formula(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read lines from one that begins with $$ to one that ends with $$."""
    if state.is_code_block(start):
        return False
    first = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    if not first.startswith("$$"):
        return False
    lines = [first[2:]]
    line = start
    while not lines[-1].rstrip().endswith("$$"):
        line += 1
        if line >= end or state.isEmpty(line):
            return False
        lines.append(state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]])
    formula = plain(" ".join(lines).rstrip()[:-2])
    if not is_valid(formula):
        return False
    if not silent:
        state.line = line + 1
        state.push("math_block", "", 0).content = formula
    return True


_TAGS = {"bullet_list": "ul", "ordered_list": "ol", "list_item": "li", "blockquote": "quote"}


def _parts(tokens: Sequence[Token]) -> Iterator[Part]:
    kind, tight = "paragraph", False
    for token in tokens:
        name, _, end = token.type.rpartition("_")
        if name in _TAGS:
            yield Part(end, _TAGS[name], str(token.attrGet("start") or ""))
        elif token.type in ("heading_open", "paragraph_open"):
            kind, tight = name, token.hidden
        elif token.type == "inline":
            spans = tuple(_spans(token.children or []))
            if spans:
                yield Part(kind, spans=spans, tight=tight)
        elif token.type in ("fence", "code_block"):
            yield Part("code", text=token.content)
        elif token.type == "math_block":
            yield Part("math", text=token.content)
        elif token.type == "hr":
            yield Part("rule")


def _spans(tokens: Sequence[Token]) -> Iterator[Span]:
    shown: list[bool] = []  # for each open link, whether it leads to the web
    for token in tokens:
        match token.type:
            case "text" | "text_special":
                if words := _printable(token.content):
                    yield Span("words", words)
            case "code_inline":
                yield Span("code", plain(token.content))
            case "formula":
                yield Span("math", token.content)
            case "display":
                yield Span("display", token.content)
            case "softbreak":
                yield Span("words", " ")
            case "hardbreak":
                yield Span("break")
            case "image":
                yield Span("words", plain(token.content))
            case "em_open" | "em_close" | "strong_open" | "strong_close":
                tag, _, kind = token.type.partition("_")
                yield Span(kind, tag=tag)
            case "link_open":
                address = str(token.attrGet("href") or "")
                shown.append(_WEB.fullmatch(address) is not None)
                if shown[-1]:
                    yield Span("open", address, "link")
            case "link_close":
                if shown.pop():
                    yield Span("close", tag="link")


def _printable(words: str) -> str:
    """Return words as `plain` does, but with the spaces at their ends."""
    return plain(f"|{words}|")[1:-1]
