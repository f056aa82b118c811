"""What stands on a page: the question beside the answer, a row for each section, an index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from regard.report import document as doc
from regard.report.blocks import Heading, Text
from regard.report.html import parts as index
from regard.report.html import style as style
from regard.report.html.contents import MARKS, contents, place
from regard.report.html.elements import to_html
from regard.report.html.prose import coloured, words
from regard.report.outline import Chapter, Section, chapters, without_first_slider
from regard.report.plot import Plot
from regard.report.slider import Slider


@dataclass
class PageBody:
    """A page in the making; it counts plots, whose ids must differ."""

    report: doc.Report
    inset: str = ""
    plots: int = 0
    titled: bool = True
    address: Callable[[str], str] | None = None

    def body(self) -> str:
        """Return the title, what comes before the first chapter, and the chapters."""
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
        sections, moving = without_first_slider(chapter.sections)
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
            f"{words(index.capital(heading.status))}</p>"
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
        """Return a row: its heading beside what is below it; a proof is folded."""
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
        """Return blocks in a frame where they begin with words, and else as they are."""
        inside = self.blocks(blocks, level)
        is_words = isinstance(blocks[0], Text | Heading)
        return f'<div class="regard-callout">{inside}</div>' if is_words else inside

    def blocks(self, blocks: tuple[doc.Block, ...], level: int) -> str:
        """Return blocks one below the other, each by itself."""
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
