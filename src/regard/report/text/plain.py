"""A report as plain text for a terminal: no colours, no line wider than asked for."""

from __future__ import annotations

from regard.errors import ParameterError
from regard.report import document as doc
from regard.report.characters import columns, wrap
from regard.report.compared import SIGNS
from regard.report.headline import MARKED, unmarked
from regard.report.inline import shown
from regard.report.text import grid
from regard.report.text import plots as text_plots
from regard.report.text.prose import code, formula, prose

_RULES = {1: "=", 2: "-", 3: "~"}
_INDENT = "    "


def to_text(report: doc.Report, width: int = 80) -> str:
    """Render a report as lines of at most `width` columns.

    Paragraphs and cells of words are wrapped. Columns that do not fit beside each other
    come in parts below each other, each with the names of the rows. Only a number wider
    than all the room there is gets shortened, with ….

    Args:
        report: what to show.
        width: at least 20.

    Returns:
        The text, without a newline at its end.
    """
    if width < 20:
        raise ParameterError(f"to_text: width must be at least 20. Got {width}.")
    blocks = [_underlined(report.title, "=", width)]
    above = doc.Text(report.title, "eyebrow")  # of a page, whose title stands in its headline
    blocks += [lines(block, width) for block in report.blocks if block != above]
    return "\n\n".join("\n".join(lines) for lines in blocks if any(lines)).rstrip("\n")


def lines(block: doc.Block, width: int) -> list[str]:
    """Render a block as lines of at most `width` columns."""
    match block:
        case doc.Text(text, role):
            return paragraph(unmarked(text) if role in MARKED else text, width)
        case doc.Heading(level=level):
            return _underlined(block.words, _RULES[level], width)
        case doc.Table(caption=caption):
            return paragraph(caption, width) + grid.table(block, width)
        case doc.Checklist(items):
            return checklist(items, width)
        case doc.Comparison():
            return grid.table(block.table, width)
        case doc.Facts(pairs):
            return grid.pairs(pairs, width)
        case doc.Prose(markdown):
            return prose(markdown, width)
        case doc.Math(latex):
            return formula(latex, _INDENT, width)
        case doc.Steps():
            return steps(block.named, width)
        case doc.Code(text):
            return code(text, _INDENT, width)
        case doc.Plot(caption=caption):
            return paragraph(caption, width) + text_plots.plot(block, width)
        case doc.Slider(plot):
            return lines(plot, width)


def paragraph(text: str, width: int) -> list[str]:
    """Wrap a string; nothing for an empty one."""
    words = shown(text)
    return wrap(words, width) if words else []


def checklist(items: tuple[tuple[str, str, str], ...], width: int) -> list[str]:
    """Return goals behind their signs, with what was found below each."""
    result = []
    for tone, goal, found in items:
        first, *more = paragraph(goal, width - 2) or [""]
        result += [f"{SIGNS[tone]} {first}", *(f"  {line}" for line in more)]
        result += [f"  {line}" for line in paragraph(found, width - 2)]
    return result


def steps(items: tuple[tuple[str, str, str], ...], width: int) -> list[str]:
    """Number sentences, with their formulas below them."""
    result = []
    margin = len(str(len(items))) + 2
    for i, (name, sentence, latex) in enumerate(items, 1):
        named = f"{name}. {sentence}" if name else sentence
        wrapped = paragraph(named, width - margin) or [""]
        marker = f"{i}.".ljust(margin)
        result += [(marker + wrapped[0]).rstrip(" ")]
        result += [" " * margin + line for line in wrapped[1:]]
        if latex:
            result += formula(latex, " " * (margin + 2), width)
    return result


def _underlined(text: str, rule: str, width: int) -> list[str]:
    lines = paragraph(text, width)
    return [*lines, rule * max(columns(line) for line in lines)]
