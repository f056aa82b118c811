"""The list of chapters: names, what came out, and their pages where a second run knows these."""

from __future__ import annotations

from collections.abc import Sequence

from regard.report.blocks import Heading
from regard.report.headline import unmarked
from regard.report.latex.sections import MARKS
from regard.report.latex.text import words
from regard.report.outline import Chapter


def contents(chapters: Sequence[Chapter]) -> str:
    """Return the chapters with links to them, and the page after them."""
    rows = [_entry(chapter, i) for i, chapter in enumerate(chapters, 1)]
    return "\n".join([r"\begin{regardcontents}", *rows, r"\end{regardcontents}"])


def _entry(chapter: Chapter, number: int) -> str:
    assert chapter.heading is not None
    found = [s.heading for s in chapter.sections if s.heading.role == "answer" and s.heading.status]
    tone, status = "open", ""
    if found:
        tone = found[0].tone or "open"
        status = f"{MARKS[tone]} {words(_capital(found[0]))}"
    result = words(unmarked(chapter.headline))
    name = words(chapter.heading.text)
    return rf"\regardentry{{regard{tone}}}{{{status}}}{{{number}}}{{{name}}}{{{result}}}"


def _capital(heading: Heading) -> str:
    return heading.status[:1].upper() + heading.status[1:]
