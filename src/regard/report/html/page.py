"""A report as HTML: a fragment for notebooks and a page that needs nothing but itself.

Both are also well-formed XML. A fragment leaves colours to its surroundings, but for half
transparent grey lines and the colours of plots. A page is laid out by `page.css`: the question
beside the answer, then a row for each section.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from regard.report import document as doc
from regard.report.blocks import Heading, Text
from regard.report.html import parts as index
from regard.report.html import style as style
from regard.report.html.contents import MARKS, contents, place
from regard.report.html.elements import to_html
from regard.report.html.inline_styles import gathered
from regard.report.html.prose import coloured, escaped, words
from regard.report.outline import Chapter, Section, chapters
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
    body, looks = gathered(_Page(report, inset).body())
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
    return _Page(report, titled=False, address=address).body()


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


@dataclass
class _Page:
    """A page in the making; it counts plots, whose ids must differ."""

    report: doc.Report
    inset: str = ""
    plots: int = 0
    titled: bool = True
    address: Callable[[str], str] | None = None

    def body(self) -> str:
        first, *rest = chapters(self.report.blocks)
        indexed = index.has_parts(rest)
        parts = ["<header>"]
        if first.eyebrow:
            parts.append(_eyebrow(first.eyebrow))
        title = coloured(first.headline) if first.headline else words(self.report.title)
        tag = "h1" if self.titled else "p"
        parts += [f'<{tag} class="regard-title">{title}</{tag}>', "</header>"]
        parts.append(self.chapter(first, 2, self.inset))
        if indexed:
            parts += self.parts(rest)
            return "\n".join(part for part in parts if part)
        listed = len(rest) > 1
        if listed:
            parts.append(contents(rest))
        for number, chapter in enumerate(rest, 1):
            assert chapter.heading is not None
            parts.append(f'<article id="{place(chapter, number)}">' if listed else "<article>")
            if chapter.eyebrow:
                parts.append(_eyebrow(chapter.eyebrow))
            title = coloured(chapter.headline) or words(chapter.heading.words)
            parts.append(f'<h2 class="regard-chapter">{title}</h2>')
            parts += [self.chapter(chapter, 3), "</article>"]
        return "\n".join(part for part in parts if part)

    def parts(self, rest: list[Chapter]) -> list[str]:
        """Return an index of the chapters, and below it those that are no parts."""
        told: set[str] = set()

        def lead(theme: Chapter, level: int) -> str:
            return self.blocks(theme.lead, level)

        def opened(chapter: Chapter, level: int) -> str:
            assert chapter.heading is not None
            anchor = chapter.heading.anchor
            if self.address is not None:
                return self.address(anchor)
            if anchor in told:
                return f"#{anchor}"  # told once, and led to from its other places
            told.update({anchor} - {""})
            return self.chapter(chapter, level)

        button = (
            '<p class="regard-bar-of"><button type="button" class="regard-all" hidden="hidden">'
            "Open all</button></p>"
        )
        rows = [button] * (self.address is None) + [index.index(rest, lead, opened)]
        return [*rows, *(self.after_all(chapter) for chapter in index.asides(rest))]

    def after_all(self, chapter: Chapter) -> str:
        """Return a chapter that is no part: its title beside callouts or cards."""
        heading = chapter.heading
        assert heading is not None
        if heading.role == "callouts":
            return self.section(Section(heading, chapter.lead), 2)
        cards: list[list[doc.Block]] = []
        for block in chapter.lead:
            if isinstance(block, Heading) or not cards:
                cards.append([])
            cards[-1].append(block)
        inside = "\n".join(f"<li>{self.blocks(tuple(card), 3)}</li>" for card in cards)
        return (
            f'<section class="regard-row">\n<h2>{words(heading.text)}</h2>\n'
            f'<ul class="regard-cards">\n{inside}\n</ul>\n</section>'
        )

    def chapter(self, chapter: Chapter, level: int, inset: str = "") -> str:
        """Return the lead, beside it the answer where there is one, and a row for each section."""
        sections, moving = _without_first_slider(chapter.sections)
        asides = _taken(sections)
        roles = [section.heading.role for section in sections]
        lead = self.blocks(chapter.lead, level)
        if asides:
            callouts = "\n".join(self.aside(section, level) for section in asides)
            beside = f'<div class="regard-asides">\n{callouts}\n</div>'
            lead = f"{lead}\n{self.pair(beside, sections.pop(0), level, turned=True)}".strip()
        elif roles[:1] == ["answer"]:
            beside = _labelled("The question", lead, level, "regard-question") if lead else ""
            lead = self.pair(beside, sections.pop(0), level)
        elif lead:
            lead = f'<div class="regard-lead">\n{lead}\n</div>'
        figure = self.blocks(moving, level)
        rows = [self.section(section, level) for section in sections]
        return "\n".join(part for part in [lead, inset, figure, *rows] if part).strip()

    def aside(self, section: Section, level: int) -> str:
        """Return a callout that stands beside an answer, in its tone."""
        heading = section.heading
        inside = self.blocks(section.blocks, level + 1)
        tone = heading.tone or "bad"
        return _labelled(heading.text, inside, level, f"regard-callout regard-aside regard-{tone}")

    def pair(self, beside: str, answer: Section, level: int, turned: bool = False) -> str:
        """Return the card of an answer, and what stands beside it; a card alone is as wide.

        The card is the second of the two, or the first where they are `turned`.
        """
        heading = answer.heading
        pill = (
            f'<p class="regard-pill"><span aria-hidden="true">{MARKS[heading.tone]}</span> '
            f"{words(_capital(heading.status))}</p>"
            if heading.status
            else ""
        )
        card = f"""<section class="regard-card regard-{heading.tone or "open"}">
<div class="regard-top"><h{level} class="regard-label">{words(heading.text)}</h{level}>{pill}</div>
{self.answer(answer.blocks, level + 1)}
</section>"""
        if turned:
            return f'<div class="regard-pair regard-turned">\n{card}\n{beside}\n</div>'
        return f'<div class="regard-pair">\n{beside}\n{card}\n</div>' if beside else card

    def answer(self, blocks: tuple[doc.Block, ...], level: int) -> str:
        """Return an answer; what its formula says once more, as it is typed, is folded."""
        typed = tuple(block for block in blocks if isinstance(block, doc.Facts | doc.Code))
        if not typed or not isinstance(blocks[0], doc.Math):
            return self.blocks(blocks, level)
        said = self.blocks(tuple(block for block in blocks if block not in typed), level)
        return f"""{said}
<details class="regard-typed">
<summary>{_typed(typed)}</summary>
{self.blocks(typed, level)}
</details>"""

    def section(self, section: Section, level: int) -> str:
        heading = section.heading
        about = f"<small>{words(heading.status)}</small>" if heading.status else ""
        title = f"<h{level}>{words(heading.text)}{about}</h{level}>"
        if heading.role == "callouts":
            inside = self.callouts(section.blocks, level + 1)
        else:
            inside = self.blocks(section.blocks, level + 1)
        if heading.role == "folded":
            return (
                f'<details class="regard-row">\n<summary>{title}</summary>\n'
                f"<div>\n{inside}\n</div>\n</details>"
            )
        look = "regard-row" + " regard-exercise" * (heading.role == "exercise")
        return f'<section class="{look}">\n{title}\n<div>\n{inside}\n</div>\n</section>'

    def callouts(self, blocks: tuple[doc.Block, ...], level: int) -> str:
        """Return a callout for each paragraph, with the heading above it."""
        groups: list[list[doc.Block]] = []
        for block in blocks:
            goes_on = groups and isinstance(groups[-1][0], Heading)
            if goes_on and not isinstance(groups[-1][-1], Text) and not isinstance(block, Heading):
                groups[-1].append(block)
            else:
                groups.append([block])
        return "\n".join(self.callout(tuple(group), level) for group in groups)

    def callout(self, blocks: tuple[doc.Block, ...], level: int) -> str:
        inside = self.blocks(blocks, level)
        is_words = isinstance(blocks[0], Text | Heading)
        return f'<div class="regard-callout">{inside}</div>' if is_words else inside

    def blocks(self, blocks: tuple[doc.Block, ...], level: int) -> str:
        parts = []
        for block in blocks:
            self.plots += isinstance(block, Plot | Slider)
            parts.append(to_html(block, min(level, 6), self.plots, page=True))
        return "\n".join(part for part in parts if part)


def _taken(sections: list[Section]) -> list[Section]:
    """Take out the sections that stand beside an answer, which are first or right after it."""
    roles = [section.heading.role for section in sections]
    if "answer" not in roles:
        return []
    at = roles.index("answer")
    if any(role != "beside" for role in roles[:at]):
        return []
    end = next((i for i in range(at + 1, len(roles)) if roles[i] != "beside"), len(roles))
    found = sections[:at] + sections[at + 1 : end]
    if found:
        sections[:end] = [sections[at]]
    return found


def _without_first_slider(
    sections: tuple[Section, ...],
) -> tuple[list[Section], tuple[doc.Block, ...]]:
    """Take the first slider out, which stands below the answer, over the whole width."""
    found: list[Section] = []
    moving: tuple[doc.Block, ...] = ()
    for section in sections:
        sliders = [block for block in section.blocks if isinstance(block, Slider)]
        if sliders and not moving:
            moving = (sliders[0],)
            kept = tuple(block for block in section.blocks if block is not sliders[0])
            section = Section(section.heading, kept)
        found.append(section)
    return found, moving


def _labelled(label: str, inside: str, level: int, look: str) -> str:
    heading = f'<h{level} class="regard-label">{words(label)}</h{level}>'
    return f'<section class="{look}">\n{heading}\n{inside}\n</section>'


def _typed(blocks: tuple[doc.Block, ...]) -> str:
    """Return what is inside of the fold of an answer."""
    lines = sum(block.text.count("\n") + 1 for block in blocks if isinstance(block, doc.Code))
    fields = sum(len(block.pairs) for block in blocks if isinstance(block, doc.Facts))
    return f"The whole file, {lines} lines" if lines and not fields else "As fields of an answer"


def _eyebrow(text: str) -> str:
    return f'<p class="regard-eyebrow">{words(text)}</p>'


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
