"""What `solve` and `check` print: one screen of 24 lines of 80 columns, the answer at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regard.report import document as doc
from regard.report.characters import columns, shorten
from regard.report.headline import unmarked
from regard.report.inline import shown
from regard.report.text import braille, plots
from regard.report.text.prose import formula
from regard.report.text.screen import COLUMNS, LINES, Line, Part, both_ends, fit, hanging

if TYPE_CHECKING:
    from rich.console import Console

    from regard.problems import Problem
    from regard.solving import Solution

_MARKS = {"good": "✓", "bad": "✕", "open": "○", "": "○"}
_STYLES = {"good": "green", "bad": "magenta", "open": "yellow", "": "yellow"}
_INDENT = "  "
_HEIGHTS = (7, 6, 5, 4, 0)  # of a line plot, the first that fits; 0 for none
_FEW_BARS = 8  # that a screen has room for


def show(lines: list[Line], console: Console) -> None:
    """Print a screen; in colour where the terminal has some."""
    from rich.text import Text

    for line, style in lines:
        if console.color_system is None or console.no_color:
            console.out(line, highlight=False)
        else:
            console.print(Text(line, style), soft_wrap=True)


def of_solution(solution: Solution, width: int = COLUMNS, lines: int = LINES) -> list[Line]:
    """Return a solution in one screen: the answer, why, a picture, and the answer once more."""
    heading = next(b for b in solution.report().blocks if getattr(b, "role", "") == "answer")
    assert isinstance(heading, doc.Heading)
    status = f"{_MARKS[heading.tone]} {heading.status}"
    title = titled(solution.problem, width - columns(status) - 2)
    for height in _HEIGHTS:
        top = Part([[both_ends(title, status, width)]], style=_STYLES[heading.tone])
        top.units.append(hanging("", unmarked(solution.result), width))
        said = formula(solution.headline, _INDENT, width)
        answer = Part([[shorten(x, width)] for x in said], more=f"{_INDENT}…", style="cyan")
        why = Part(_steps(solution.steps, width), "Why", f"{_INDENT}… {{}} more: --full")
        picture = Part(_picture(solution.details, width, height))
        end = Part([_proved(solution, width), [_once_more(solution, width)]])
        order = ((why, 2), (answer, 3), (picture, 0), (why, 0), (answer, 1))
        drawn = bool(picture.units)
        found = fit((top, answer, why, picture, end), order, lines)
        if picture.units or not drawn:  # else a lower picture may fit, or more steps without one
            break
    return found


def titled(problem: Problem, room: int) -> str:
    """Return a problem with where it stands, in as many words as there is room for."""
    from regard.problems.problem_sets import short_places

    title = shown(problem.title)
    said = [f"{title} · {place}" for place in short_places(problem)]
    return next((text for text in said if columns(text) <= room), title)


def _steps(steps: tuple[tuple[str, str], ...], width: int) -> list[list[str]]:
    """Return steps as sentences; a formula stands behind its sentence where there is room.

    A sentence that leads up to its formula has it on the next line, or ends there.
    """
    found = []
    for i, (sentence, latex) in enumerate(steps, 1):
        unit = hanging(f"{_INDENT}{i}  ".ljust(len(_INDENT) + 3), sentence, width)
        behind = formula(latex, "", 10**6) if latex else []
        if len(behind) == 1 and columns(f"{unit[-1]}   {behind[0]}") <= width:
            unit[-1] += f"   {behind[0].strip()}"
        elif len(behind) == 1 and not sentence.endswith(".") and columns(behind[0]) <= width - 9:
            unit.append(f"{' ' * 7}{behind[0].strip()}")
        elif sentence.endswith(":"):
            unit[-1] = f"{unit[-1][:-1]}."
        found.append(unit)
    return found


def _picture(details: tuple[doc.Block, ...], width: int, height: int) -> list[list[str]]:
    """Return the first figure: lines in braille, so many rows high, or a few bars."""
    if not height:
        return []
    for block in details:
        plot = block.plot if isinstance(block, doc.Slider) else block
        if not isinstance(plot, doc.Plot):
            continue
        if plot.kind == "lines":
            drawn = braille.draw(plot, width - len(_INDENT), height)
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
    said = ", ".join(f"{name} = {_value(value)}" for name, value in solution.answer.items())
    said, more = f"Answer: {shown(said)}", "More: --full, or -o page.html"
    fits = columns(said) + 2 + columns(more) <= width
    return both_ends(said, more if fits else "More: --full", width)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and "\n" in value:
        return f"{value.count(chr(10))} lines (--json)"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"({', '.join(f'{name} {_value(item)}' for name, item in value.items())})"
    return str(value)
