"""A report as a paper for pdflatex.

Only packages that Debian has in texlive-latex-base, texlive-latex-recommended and texlive-pictures
are used. All words are escaped, and formulas have passed the whitelist: nothing of a report is a
command to TeX. The look is that of the pages, in `preamble.tex`.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

from regard.report import document as doc
from regard.report.characters import shorten
from regard.report.inline import shown
from regard.report.latex.appendix import appendix, small_print, without_small_print
from regard.report.latex.contents import contents
from regard.report.latex.prose import coloured
from regard.report.latex.sections import chapter
from regard.report.latex.text import bookmark, escaped, words
from regard.report.outline import Chapter, chapters

_APPENDIX: Final = "Appendix"
_FOOT: Final = 60  # letters of a title at the foot of a page


def to_latex(report: doc.Report) -> str:
    """Render a report as a LaTeX document."""
    first, *rest = chapters(report.blocks)
    listed = len(rest) > 1
    title = bookmark(report.title)
    foot = escaped(shorten(shown(report.title), _FOOT))
    parts = [
        f"{_preamble()}\\hypersetup{{pdftitle={{{title}}},pdflang={{en}}}}\n"
        rf"\renewcommand{{\regardtitle}}{{{foot}}}",
        r"\begin{document}",
        _above(first, report.title),
        chapter(first),
        contents(rest) if listed else "",
        *(_chapter(one, number, listed) for number, one in enumerate(rest, 1)),
        appendix(rest) if listed else "",
        r"\end{document}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


@cache
def _preamble() -> str:
    return (resources.files("regard.report.latex") / "preamble.tex").read_text("ascii")


def _above(first: Chapter, title: str) -> str:
    """Return where a report belongs, and what came out, or its title."""
    eyebrow = f"\\regardeyebrow{{{words(first.eyebrow)}}}\n" if first.eyebrow else ""
    said = coloured(first.headline) if first.headline else words(title)
    written = any(section.heading.role == "exercise" for section in first.sections)
    return f"{eyebrow}\\regardheadline{{{said}}}" + "\n\\regardwriter" * written


def _chapter(given: Chapter, number: int, listed: bool) -> str:
    """Return a chapter; what is in small print follows at the end, where there are several."""
    assert given.heading is not None
    name = given.heading.words
    foot = escaped(shorten(shown(name), _FOOT))
    said = f"\\regardheadline{{{coloured(given.headline)}}}" if given.headline else ""
    return "\n".join(
        [
            rf"\regardchapter{{{number}}}{{{words(name)}}}{{{foot}}}{{{bookmark(name)}}}"
            rf"{{{_APPENDIX if listed and small_print(given) else ''}}}",
            said,
            chapter(without_small_print(given) if listed else given),
        ]
    )
