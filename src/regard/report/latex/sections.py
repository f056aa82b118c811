"""The sections of a report: an answer in its frame, mistakes as callouts, proofs in small print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from regard.report.blocks import Facts, Heading, Table, Text
from regard.report.compared import Checklist, Comparison
from regard.report.document import Block
from regard.report.headline import MARKED
from regard.report.inline import shown
from regard.report.latex import tables
from regard.report.latex.flow import Piece, flow
from regard.report.latex.plots import plot, slider
from regard.report.latex.prose import code, coloured, formula, prose, steps
from regard.report.latex.said_once import said_once
from regard.report.latex.text import bookmark, words
from regard.report.outline import Chapter, Section, without_first_slider
from regard.report.plot import Plot
from regard.report.slider import Slider
from regard.report.writing import Code, Math, Prose, Steps

MARKS: Final = {"good": r"$\checkmark$", "bad": r"$\times$", "open": r"$\circ$", "": r"$\circ$"}
_SHORT: Final = 300  # letters of a paragraph that stays with what follows
_NARROW: Final = 30  # letters of a heading that stands beside its section


def chapter(given: Chapter) -> str:
    """Return what stands below the title of a chapter: question, answer, figure, sections."""
    sections, moving = without_first_slider(given.sections)
    roles = [one.heading.role for one in sections]
    parts = []
    if "answer" in roles and given.lead:
        parts.append(_row("Question", "", blocks(given.lead)))
    else:
        parts.append(blocks(given.lead))
    answered = False
    for one in sections:
        parts.append(section(one))
        if one.heading.role == "answer" and not answered:
            answered = True
            parts.append(blocks(moving))
    return "\n\n".join(part for part in [*parts, "" if answered else blocks(moving)] if part)


def blocks(given: Sequence[Block]) -> str:
    """Return blocks below each other, narrow ones side by side."""
    pieces: list[Piece] = []
    i = 0
    while i < len(given):
        titled = _titled_table(given[i : i + 3])
        pieces += titled or _pieces(given[i])
        i += 2 if titled else 1
    return flow(pieces)


def _titled_table(group: Sequence[Block]) -> list[Piece]:
    """Return a narrow table alone under its heading, which then is its title; [] for others."""
    match group:
        case [Heading() as heading, Table() as table] | [
            Heading() as heading,
            Table() as table,
            Heading(),
        ]:
            found = tables.table(table, heading.words)
            return found if len(found) == 1 and found[0].kind == "beside" else []
    return []


def section(given: Section) -> str:
    """Return a section: an answer in its frame, callouts, or a row with its heading beside it."""
    heading = given.heading
    if heading.role == "answer":
        status = heading.status[:1].upper() + heading.status[1:]
        said = f"{MARKS[heading.tone]} {words(status)}" if status else ""
        tone = heading.tone or "open"
        inside = flow(piece for block in said_once(given.blocks) for piece in _in_card(block))
        return (
            f"{_anchor(heading)}\\begin{{regardcard}}{{regard{tone}}}{{{words(heading.text)}}}"
            f"{{{said}}}\n{inside}\n\\end{{regardcard}}"
        )
    name, _, more = heading.words.partition(": ")
    if heading.role == "callouts":
        inside = _callouts(given.blocks)
    elif heading.role == "beside":
        told = tuple(b for b in (heading, *given.blocks) if not _is_hint(b))
        inside = _callout(told, heading.tone or "bad")
        return "\n\n".join(
            [r"\vskip 8pt", inside, *(_block(b) for b in given.blocks if _is_hint(b))]
        )
    elif heading.role == "exercise":
        return _exercise(given)
    else:
        inside = blocks(given.blocks)
    if heading.role == "folded":
        inside = rf"{{\footnotesize {inside}\par}}"
    return _anchor(heading) + _row(name, more, inside)


def _exercise(given: Section) -> str:
    """Return a question with room below it; what its answer is called comes last, and smaller."""
    asked: tuple[Block, ...] = given.blocks
    notes: tuple[Block, ...] = ()
    if len(asked) > 1 and isinstance(asked[-1], Prose):
        asked, notes = asked[:-1], asked[-1:]
    small = rf"\regardnote{{{blocks(notes)}}}" if notes else ""
    inside = f"{blocks(asked)}\n\n{small}"
    heading = given.heading
    return (
        f"{_anchor(heading)}\\begin{{regardexercise}}{{{words(heading.words)}}}\n{inside}\n"
        r"\end{regardexercise}"
    )


def _is_hint(block: Block) -> bool:
    return isinstance(block, Text) and block.role == "hint"


def _in_card(block: Block) -> list[Piece]:
    """Return a block of an answer, which is its formulas: words are smaller."""
    if isinstance(block, Text) and not block.role:
        return [Piece(rf"{{\small\textcolor{{regardsoft}}{{{words(block.text)}}}\par}}")]
    return [Piece(tables.line(block))] if isinstance(block, Facts) else _pieces(block)


def _row(name: str, more: str, inside: str) -> str:
    """Return a section with its heading beside it; one of many words stands above."""
    if len(shown(name)) > _NARROW:
        above = f"\\regardsub{{{words(name)}}}" + (f"\n{words(more)}\n" if more else "")
        name, more, inside = "", "", f"{above}\n{inside}"
    return (
        f"\\begin{{regardsection}}{{{words(name)}}}{{{words(more)}}}\n{inside}\n"
        r"\end{regardsection}"
    )


def _anchor(heading: Heading) -> str:
    return rf"\regardmark{{{heading.level}}}{{{bookmark(heading.words)}}}"


def _pieces(block: Block) -> list[Piece]:
    match block:
        case Table():
            return tables.table(block)
        case Facts():
            return tables.facts(block)
        case Comparison():
            return tables.table(block.table)
        case Plot():
            return [Piece(plot(block), "beside")]
    short = isinstance(block, Text) and len(block.text) <= _SHORT
    return [Piece(_block(block), "short" if short else "words")]


def _block(block: Block) -> str:
    match block:
        case Text(text, role) if role in MARKED:
            return coloured(text)
        case Text(text, "eyebrow"):
            return rf"{{\sffamily\footnotesize\textcolor{{regardsoft}}{{{words(text)}}}\par}}"
        case Text(text, "hint"):
            said = rf"\begin{{regardcallout}}{{regardquery}}{words(text)}\end{{regardcallout}}"
            return said
        case Text(text):
            return words(text)
        case Heading():
            return f"\\regardsub{{{words(block.words)}}}"
        case Prose(markdown):
            return prose(markdown)
        case Math(latex):
            return formula(latex)
        case Steps():
            return steps(block.named)
        case Code(text):
            return code(text)
        case Slider():
            return slider(block)
        case Checklist(items):
            return "\n\n".join(_goal(*item) for item in items)
    raise AssertionError(block)


def _goal(tone: str, goal: str, found: str) -> str:
    """Return a goal with its sign, and what was found below it."""
    small = rf"{{\small\textcolor{{regardsoft}}{{{words(found)}}}}}"
    sign = rf"\makebox[1.4em][l]{{{MARKS[tone]}}}"
    below = rf"\\{small}" if found else ""
    return rf"{{\hangindent=1.4em \noindent {sign}{words(goal)}{below}\par}}"


def _callouts(given: Sequence[Block]) -> str:
    """Return a callout for each paragraph, with the heading above it and what is below it."""
    groups: list[list[Block]] = []
    for block in given:
        goes_on = groups and isinstance(groups[-1][0], Heading)
        if goes_on and not isinstance(groups[-1][-1], Text) and not isinstance(block, Heading):
            groups[-1].append(block)
        else:
            groups.append([block])
    return "\n\n".join(_callout(tuple(group)) for group in groups)


def _callout(given: tuple[Block, ...], tone: str = "bad") -> str:
    first, rest = given[0], given[1:]
    if not isinstance(first, Text | Heading):
        return blocks(given)
    if isinstance(first, Heading):
        sign = r"$\rightarrow$" if tone == "good" else MARKS[tone]
        inside = f"\\regardtitled{{{tone}}}{{{sign}}}{{{words(first.words)}}}\n{blocks(rest)}"
    else:
        inside = blocks(given)
    return f"\\begin{{regardcallout}}{{regard{tone}}}\n{inside}\n\\end{{regardcallout}}"
