"""A report as HTML: a fragment for notebooks and a page that needs nothing but itself.

Both are also well-formed XML. A fragment leaves colours to its surroundings, but for half
transparent grey lines and the colours of plots. A page is laid out by `page.css`: the question
beside the answer, then a row for each section.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from importlib import resources

from regard.report import document as doc
from regard.report.blocks import Heading
from regard.report.html import parts as index
from regard.report.html import style as style
from regard.report.html.elements import to_html
from regard.report.html.inline_styles import gathered
from regard.report.html.page_body import PageBody
from regard.report.html.prose import escaped, words
from regard.report.outline import chapters
from regard.report.plot import Plot
from regard.report.slider import Slider


def to_html_fragment(report: doc.Report) -> str:
    """Render a report as one <div>, to stand inside another page or a notebook."""
    parts = [f"<h3>{words(report.title)}</h3>"]
    headings = [block for block in report.blocks if isinstance(block, Heading)]
    highest = min((heading.level for heading in headings), default=2)
    plots, level = 0, 4  # of the heading that a heading in what follows would stand under
    for block in report.blocks:
        plots += isinstance(block, Plot | Slider)
        if isinstance(block, Heading):
            level = min(4 + block.level - highest, 6)
            parts.append(to_html(block, level, plots))
        else:
            parts.append(to_html(block, min(level + 1, 6), plots))
    body = "\n".join(part for part in parts if part)
    return f'<div class="regard-report">\n{body}\n</div>'


def to_html_page(report: doc.Report) -> str:
    """Render a report as a whole page that loads nothing, for a screen, a phone or paper.

    It names its one style sheet and, where something moves, its one script by their hashes: a
    browser obeys no other.
    """
    return page_with(report, "")


def page_with(report: doc.Report, inset: str) -> str:
    """Render a report as a page with something that no block of a report is.

    Args:
        report: what is shown.
        inset: HTML of the caller's own, escaped where it has to be, put below the lead.
    """
    body, looks = gathered(PageBody(report, inset).body())
    style_text = f"{style_sheet()}\n{looks}\n"
    moves = any(isinstance(block, Slider) for block in report.blocks)
    script = script_text(slides=moves, folds=index.has_parts(chapters(report.blocks)[1:]))
    allowed = style.LOADS_NOTHING.format(
        style=_hash(style_text), script=_hash(script) if script else "'none'"
    )
    script = f"<script>{script}</script>\n" if script else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta http-equiv="Content-Security-Policy" content="{allowed}" />
<title>{escaped(report.title)}</title>
<style>{style_text}</style>
</head>
<body>
<main class="regard-report">
{body}
</main>
{script}</body>
</html>
"""


def to_html_article(report: doc.Report, address: Callable[[str], str] | None = None) -> str:
    """Render a report as a page has it, to stand inside another page under `article_style`.

    The title is left to the page around it. Looks stay in `style` attributes.

    Args:
        report: what is shown.
        address: from the anchor of a chapter to the page that its row leads to, where chapters
            have pages of their own; None where rows open to their chapters.
    """
    return PageBody(report, titled=False, address=address).body()


def article_style(around: str) -> str:
    """Return the style sheet of a page for what is inside of elements that `around` selects."""
    text = _rules()
    rules = text[text.index("}", text.index("@font-face")) + 1 :].replace("TOKENS", tokens())
    return f"{around} {{\n{rules.replace(':root {', '& {')}\n}}\n"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{b64encode(digest).decode('ascii')}'"


@cache
def script_text(slides: bool = True, folds: bool = False) -> str:
    """Return the script that moves sliders and opens folds, or ""; within XML it is CDATA."""
    folder = resources.files("regard.report.html")
    names = ["slider.js"] * slides + ["parts.js"] * folds
    text = "\n".join((folder / name).read_text("utf-8") for name in names)
    return f"//<![CDATA[\n{text}\n//]]>" if text else ""


@cache
def style_sheet() -> str:
    """Return the style sheet of a page, with its font in it."""
    folder = resources.files("regard.report.html")
    font = b64encode((folder / "inter-latin.woff2").read_bytes()).decode("ascii")
    return _rules().replace("TOKENS", tokens()).replace("INTER", font)


def _rules() -> str:
    """Return what `page.css` says of every page, and `parts.css` of a page of many chapters."""
    folder = resources.files("regard.report.html")
    return "".join((folder / name).read_text("utf-8") for name in ("page.css", "parts.css"))


@cache
def tokens() -> str:
    """Return the declarations of the colours that all pages of regard share."""
    return (resources.files("regard.report.html") / "tokens.css").read_text("utf-8")
