"""What `solve` and `check` print: one screen of 24 lines of 80 columns, the answer at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.cli.answer_line import said
from regard.cli.screens.showing import titled
from regard.report import document as doc
from regard.report.characters import columns, shorten
from regard.report.headline import unmarked
from regard.report.text import braille, plots
from regard.report.text.prose import formula
from regard.report.text.screen import COLUMNS, LINES, Line, Part, both_ends, fit, hanging
from regard.report.text.step_forms import chosen, forms

if TYPE_CHECKING:
    from regard.solving import Solution

_MARKS = {"good": "✓", "bad": "✕", "open": "○", "": "○"}
_STYLES = {"good": "green", "bad": "magenta", "open": "yellow", "": "yellow"}
_INDENT = "  "
_HEIGHTS = (6, 5, 4, 0)  # of a line plot, the first beside which the steps fit; 0 for none
_LEAST_STEPS = (2, 4)  # without a picture, and beside one
_WHATEVER = 10**6  # lines
_FEW_BARS = 8  # that a screen has room for


def of_solution(solution: Solution, width: int = COLUMNS, lines: int = LINES) -> list[Line]:
    """Return a solution in one screen: the answer, why, a picture, and the answer once more."""
    heading = next(b for b in solution.report().blocks if getattr(b, "role", "") == "answer")
    assert isinstance(heading, doc.Heading)
    status = f"{_MARKS[heading.tone]} {heading.status}"
    title = titled(solution.problem, width - columns(status) - 2)
    top = Part([[both_ends(title, status, width)]], style=_STYLES[heading.tone])
    top.units.append(hanging("", unmarked(solution.result), width))
    written = formula(solution.headline, _INDENT, width)
    answer = Part([[shorten(x, width)] for x in written], more=f"{_INDENT}…", style="cyan")
    end = Part([_proved(solution, width), [_once_more(solution, width)]])
    steps = [forms(i, *step, width) for i, step in enumerate(solution.steps, 1)]
    for height in _HEIGHTS:
        picture = Part(_picture(solution.details, width, height))
        others = fit((top, answer, picture, end), ((answer, 3),), _WHATEVER)
        room = lines - len(others) - 2  # a blank line, and the heading
        units = chosen(steps, room)
        if len(units) >= min(len(steps), _LEAST_STEPS[bool(picture.units)]):
            break
    why = Part(units, "Why", f"{_INDENT}… {{}} more: --full")
    why.left_out = len(steps) - len(units)
    order = ((why, 2), (answer, 3), (picture, 0), (why, 0), (answer, 1))
    return fit((top, answer, why, picture, end), order, lines)


def _picture(details: tuple[doc.Block, ...], width: int, height: int) -> list[list[str]]:
    """Return the first figure: lines in braille, so many rows high, or a few bars."""
    if not height:
        return []
    for block in details:
        plot = block.plot if isinstance(block, doc.Slider) else block
        if not isinstance(plot, doc.Plot):
            continue
        if plot.kind == "lines":
            limits = (block.limit, block.enough) if isinstance(block, doc.Slider) else ()
            drawn = braille.draw(plot, width - len(_INDENT), height, *limits)
        elif plot.kind == "bars" and len(plot.series[0].x) * len(plot.series) <= _FEW_BARS:
            drawn = plots.plot(plot, width - len(_INDENT))
        else:
            drawn = []
        if drawn:
            return [[f"{_INDENT}{line}" for line in drawn]]
    return []


def _proved(solution: Solution, width: int) -> list[str]:
    claims = solution.verification.claims
    held = sum(claim.status == "holds" for claim in claims)
    if not claims:
        return ["Nothing is proved."]
    all_hold = f"{held} claim{'s' * (held > 1)} hold{'s' * (held == 1)}"
    said = all_hold if held == len(claims) else f"{held} of {len(claims)} claims hold"
    return hanging("Proved: ", f"{said}, recomputed by code apart from the solver.", width)


def _once_more(solution: Solution, width: int) -> str:
    more = "More: --full, or -o page.html"
    room = width - columns("Answer:   ")
    answer = said(solution, room - columns(more) - 1)
    if answer.endswith("…"):  # the other way to say more is shorter
        more = "More: --full"
        answer = said(solution, room - columns(more) - 1)
    return both_ends(f"Answer: {answer}", more, width)
