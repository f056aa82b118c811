"""Words in HTML: strings with formulas, Markdown, formulas, steps, code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape

from regard.language import notation
from regard.report import decimals, inline, markdown
from regard.report.characters import plain, verbatim
from regard.report.decimals import typeset
from regard.report.headline import written
from regard.report.html import style as style
from regard.report.markdown import Part, Span
from regard.report.numbers import spelled

# What stands beside a formula without a space, as it is escaped: no part of an entity or a tag.
_OPENING = re.compile(r"(?<!\S)[(\[“‘]+$")
_CLOSING = re.compile(r"[,.;:!?)\]”’…]+(?=\s|$)")
MOST_STEPS = 6  # that are shown at once


def escaped(text: str) -> str:
    """Return the words of a string for an attribute or a title, formulas as Unicode."""
    return escape(inline.shown(text), quote=True)


@lru_cache(maxsize=1024)  # the pages of a class say the same again and again
def words(text: str) -> str:
    """Return a string as HTML, formulas as MathML, each in one line with its punctuation."""
    return _together(
        (is_formula, notation.to_mathml(part) if is_formula else escape(typeset(part), quote=True))
        for is_formula, part in inline.spans(text)
    )


def _together(spans: Iterable[tuple[bool, str]]) -> str:
    """Join formulas and words; a line does not end between a formula and its punctuation."""
    parts = list(spans)
    for i, (is_formula, html) in enumerate(parts):
        if not is_formula:
            continue
        before, after = "", ""
        if i and not parts[i - 1][0] and (opening := _OPENING.search(parts[i - 1][1])):
            before = opening[0]
            parts[i - 1] = (False, parts[i - 1][1][: opening.start()])
        following = "" if i + 1 == len(parts) or parts[i + 1][0] else parts[i + 1][1]
        if closing := _CLOSING.match(following):
            after = closing[0]
            parts[i + 1] = (False, following[closing.end() :])
        if before or after:
            kept = f'<span style="{style.TOGETHER}">{before}{html}{after}</span>'
            parts[i] = (True, kept)
    return "".join(html for _, html in parts)


def coloured(text: str) -> str:
    """Return a sentence whose words may stand out (`regard.report.headline`)."""
    return written(text, words, lambda name, part: f'<b class="regard-{name}">{part}</b>')


def aligned(cells: list[str]) -> list[str]:
    """Return numbers that meet at their decimal points."""
    split = decimals.column([inline.shown(cell) for cell in cells])
    wide = max(len(whole) for whole, _ in split)
    return [
        f'<span class="regard-whole" style="width:{wide}ch">{escaped(whole)}</span>{escaped(rest)}'
        for whole, rest in split
    ]


@lru_cache(maxsize=256)
def formula(latex: str) -> str:
    """Return a formula on a line of its own; its parts wrap, and a wide one scrolls by itself."""
    parts = notation.to_mathml_parts(latex)
    look = style.FORMULA if len(parts) < 2 else f"{style.FORMULA};{style.PARTS}"
    return f'<div class="regard-math" style="{look}" tabindex="0">{"".join(parts)}</div>'


def steps(items: Sequence[tuple[str, str, str]]) -> str:
    """Return numbered sentences, each after its name and with its formula."""
    if not items:
        return ""
    rows = []
    for name, sentence, latex in items:
        called = f"<b>{words(name)}.</b> " if name else ""
        below = formula(latex) if latex else ""
        rows.append(f"<li>{called}{words(sentence)}{below}</li>")
    return "\n".join([f'<ol style="{style.SPACE}">', *rows, "</ol>"])


def folded_steps(items: Sequence[tuple[str, str, str]]) -> str:
    """Return numbered sentences, of which a page shows the first and folds the rest."""
    first, rest = items[:MOST_STEPS], items[MOST_STEPS:]
    if not rest:
        return steps(items)
    more = f"{spelled(len(rest))} more step{'s' * (len(rest) > 1)}"
    inside = steps(rest).replace("<ol", f'<ol start="{MOST_STEPS + 1}"', 1)
    return f"""{steps(first)}
<details class="regard-more"><summary>{more}</summary>
{inside}
</details>"""


def code(text: str) -> str:
    """Return lines as they are."""
    lines = escape("\n".join(verbatim(text)), quote=False)
    return f'<pre style="{style.CODE}" tabindex="0"><code>{lines}</code></pre>' if lines else ""


_TAGS = {"ul": "ul", "ol": "ol", "li": "li", "quote": "blockquote"}


@lru_cache(maxsize=64)
def prose(text: str, level: int) -> str:
    """Return Markdown as HTML, its headings at `level`."""
    return "\n".join(_part(part, level) for part in markdown.parse(text))


def _part(part: Part, level: int) -> str:
    match part.kind:
        case "open":
            start = f' start="{int(part.text)}"' if part.text not in ("", "1") else ""
            return f"<{_TAGS[part.tag]}{start}>"
        case "close":
            return f"</{_TAGS[part.tag]}>"
        case "math":
            return formula(part.text)
        case "code":
            return code(part.text)
        case "rule":
            return "<hr />"
        case "heading":
            return f"<h{level}>{_spans(part.spans)}</h{level}>"
    return _spans(part.spans) if part.tight else f"<p>{_spans(part.spans)}</p>"


def _spans(spans: Sequence[Span]) -> str:
    return _together((span.kind == "math", _span(span)) for span in spans)


def _span(span: Span) -> str:
    match span.kind, span.tag:
        case "math", _:
            return notation.to_mathml(span.text)
        case "display", _:
            return notation.to_mathml(span.text, display=True)
        case "code", _:
            return f"<code>{escape(plain(span.text))}</code>"
        case "break", _:
            return "<br />"
        case "open", "link":
            return f'<a href="{escape(span.text)}" rel="noreferrer">'
        case "close", "link":
            return "</a>"
        case "open", tag:
            return f"<{tag}>"
        case "close", tag:
            return f"</{tag}>"
    return escape(span.text, quote=True)
