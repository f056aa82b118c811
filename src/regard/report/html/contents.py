"""The list of chapters at the top of a page: names, what came out, and a small picture."""

from __future__ import annotations

from collections.abc import Sequence

from regard.report.blocks import Heading
from regard.report.document import Block
from regard.report.headline import unmarked
from regard.report.html import curves, heat
from regard.report.html.prose import words
from regard.report.outline import Chapter
from regard.report.plot import Plot
from regard.report.slider import Slider

MARKS = {"good": "✓", "bad": "✕", "open": "○", "": ""}
_MOST_BARS = 12


def contents(chapters: Sequence[Chapter]) -> str:
    """Return the chapters as a list of links; where they have answers, with their results."""
    answers = [_answer(chapter) for chapter in chapters]
    if not any(answers):
        rows = [f"<li>{_link(chapter, i)}</li>" for i, chapter in enumerate(chapters, 1)]
        return "\n".join(['<nav aria-label="Contents">', "<ol>", *rows, "</ol>", "</nav>"])
    rows = [
        _row(chapter, i, answer)
        for i, (chapter, answer) in enumerate(zip(chapters, answers, strict=True), 1)
    ]
    return "\n".join(
        ['<nav class="regard-parts" aria-label="Contents">', "<ul>", *rows, "</ul>", "</nav>"]
    )


def _link(chapter: Chapter, number: int) -> str:
    assert chapter.heading is not None
    return f'<a href="#chapter-{number}">{words(chapter.heading.text)}</a>'


def _row(chapter: Chapter, number: int, answer: Heading | None) -> str:
    result = f"<p>{words(unmarked(chapter.headline))}</p>" if chapter.headline else ""
    status = ""
    if answer is not None and answer.status:
        said = answer.status[:1].upper() + answer.status[1:]
        status = (
            f'<span class="regard-outcome regard-{answer.tone or "open"}">'
            f'<span aria-hidden="true">{MARKS[answer.tone]}</span> {words(said)}</span>'
        )
    return (
        f"<li><div>{_link(chapter, number)}{result}</div>"
        f'<div class="regard-small" aria-hidden="true">{_picture(chapter)}</div>{status}</li>'
    )


def _answer(chapter: Chapter) -> Heading | None:
    found = (s.heading for s in chapter.sections if s.heading.role == "answer")
    return next(found, None)


def _picture(chapter: Chapter) -> str:
    """Return the first figure of a chapter without its words, or ""."""
    blocks: list[Block] = [*chapter.lead, *(b for s in chapter.sections for b in s.blocks)]
    figures = [block for block in blocks if isinstance(block, Plot | Slider)]
    figures.sort(key=lambda block: isinstance(block, Plot))  # what moves is what counts
    for block in figures:
        if isinstance(block, Slider) and block.bars:
            return _bars(block.bars[block.at], block.wanted)
        plot = block.plot if isinstance(block, Slider) else block
        if curves.can_draw(plot):
            return _svg(curves.paths(plot))
        if plot.kind == "bars" and len(plot.series) == 1:
            heights = plot.series[0].y
            top = max(map(abs, heights), default=0) or 1
            return _bars([abs(y) / top for y in heights], ())
        if heat.can_draw(plot):
            return _svg(heat.cells(plot))
    return ""


def _bars(heights: Sequence[float], wanted: Sequence[float]) -> str:
    shown = list(heights[:_MOST_BARS])
    step = 100 / max(len(shown), 1)
    top = max([*shown, *wanted[: len(shown)], 1e-300])
    parts = [
        f'<rect class="{"regard-fill-1" if i < len(wanted) and wanted[i] else "regard-fill-0"}" '
        f'x="{i * step + step / 5:.2f}" y="{96 - 92 * h / top:.2f}" width="{step * 3 / 5:.2f}" '
        f'height="{92 * h / top + 4:.2f}" />'
        for i, h in enumerate(shown)
    ]
    return _svg("".join(parts))


def _svg(inside: str) -> str:
    return f'<svg viewBox="0 0 100 100" preserveAspectRatio="none">{inside}</svg>'
