"""The list of chapters at the top of a page, as links."""

from __future__ import annotations

from collections.abc import Sequence

from regard.report.html.prose import words
from regard.report.outline import Chapter

MARKS = {"good": "✓", "bad": "✕", "open": "○", "": ""}


def contents(chapters: Sequence[Chapter]) -> str:
    """Return the chapters as a list of links."""
    rows = [
        f'<li><a href="#{place(chapter, i)}">{words(chapter.heading.text)}</a></li>'
        for i, chapter in enumerate(chapters, 1)
        if chapter.heading is not None
    ]
    return "\n".join(['<nav aria-label="Contents">', "<ol>", *rows, "</ol>", "</nav>"])


def place(chapter: Chapter, number: int) -> str:
    """Return the name of a chapter's place in its page."""
    anchor = "" if chapter.heading is None else chapter.heading.anchor
    return anchor or f"chapter-{number}"
