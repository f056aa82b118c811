"""The small print of chapters, such as proofs, at the end of a paper that has several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from regard.report.latex.sections import section
from regard.report.latex.text import words
from regard.report.outline import Chapter, Section


def without_small_print(given: Chapter) -> Chapter:
    """Return a chapter without the sections that go to the end."""
    kept = tuple(one for one in given.sections if one.heading.role != "folded")
    return replace(given, sections=kept)


def small_print(given: Chapter) -> list[Section]:
    """Return the sections that go to the end."""
    return [one for one in given.sections if one.heading.role == "folded"]


def appendix(chapters: Sequence[Chapter]) -> str:
    """Return the small print of all chapters, each under its name."""
    parts = []
    for number, one in enumerate(chapters, 1):
        found = small_print(one)
        if found:
            assert one.heading is not None
            parts.append(rf"\regardsmallprint{{{number}}}{{{words(one.heading.words)}}}")
            parts += map(section, found)
    return "\n\n".join([r"\regardappendix", *parts]) if parts else ""
