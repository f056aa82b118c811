"""A verdict in one screen: what went wrong, where, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.checking.verdict import shown as written
from regard.checking.verdict_report import compared, fixed, goal_words, mark, next_commands, typeset
from regard.cli.screens.solution_screen import titled
from regard.problems.loading import bundled_ids
from regard.report.characters import columns, shorten
from regard.report.inline import shown
from regard.report.text.grid import pairs
from regard.report.text.screen import COLUMNS, LINES, Line, Part, both_ends, fit, hanging

if TYPE_CHECKING:
    from regard.checking import Verdict
    from regard.checking.verdict import Counterexample
    from regard.problems import Problem

_INDENT = "  "
_EIGHTHS = " ▏▎▍▌▋▊▉"
_LONGEST_BAR = 24
_WIDEST_GOAL = 38


def of_verdict(verdict: Verdict, width: int = COLUMNS, lines: int = LINES) -> list[Line]:
    """Return a verdict in one screen."""
    colour = "green" if verdict.right else "magenta" if verdict.decided else "yellow"
    idea = verdict.misconception
    said = verdict.headline if idea is None else f"{verdict.headline} {idea.sentence}"
    top = Part([hanging("", said, width)], style=colour)
    answer = Part([[_answered(verdict, width)]], style="cyan")
    hint = Part([hanging("Hint: ", idea.hint, width)] if idea and idea.hint else [])
    example = verdict.counterexample
    shape, sentence = Part([]), Part([])
    if example is not None:
        sentence = Part([hanging(_INDENT, example.sentence, width)], "The smallest counterexample")
        table = _table(verdict.problem, example, width)
        if table:
            sentence = Part([table[:1], *([line] for line in table[1:])], sentence.heading)
        else:
            facts = tuple((n, shown(written(x))) for n, x in example.arrays.items())
            shape = Part([[f"{_INDENT}{x}"] for x in pairs(facts, width - 2)], more=f"{_INDENT}…")
    goals = Part(_goals(verdict, width), "Goals", f"{_INDENT}… {{}} more: --full")
    remarks = Part([hanging("", remark, width) for remark in verdict.remarks])
    end = Part([[_next(verdict, width)]], style="dim")
    order = (
        *((shape, 3), (remarks, 1), (goals, 4), (shape, 0), (remarks, 0)),
        *((goals, 2), (sentence, 4), (goals, 1), (sentence, 1), (goals, 0), (hint, 0)),
    )
    parts = (top, answer, sentence, shape, goals, remarks, hint, end)
    return fit(parts, order, lines)


def _answered(verdict: Verdict, width: int) -> str:
    said = ",  ".join(f"{name} = {shown(typeset(x))}" for name, x in verdict.answer.items())
    place = titled(verdict.problem, width // 2)
    return both_ends(f"{_INDENT}{said}", place, width)


def _table(problem: Problem, example: Counterexample, width: int) -> list[str]:
    """Return yours beside wanted, with bars; nothing where there are no weights to compare."""
    both = compared(problem, example)
    if both is None:
        return []
    names = [shown(name) for name in both[0]]
    cells = [
        (name, fixed(mine), fixed(right), fixed(mine - right).replace("-", "−"))
        for name, mine, right in zip(names, both[1], both[2], strict=True)
    ]
    header = ("", "yours", "wanted", "off by")
    widths = [max(columns(row[j]) for row in [header, *cells]) for j in range(4)]
    across = [
        _INDENT + "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
        for row in [header, *cells]
    ]
    length = min(_LONGEST_BAR, width - columns(across[0]) - 3)
    longest = max(1e-300, *map(abs, both[1]), *map(abs, both[2]))
    bars = ["yours █   wanted ┃"]
    bars += [
        _bar(mine / longest, right / longest, length)
        for mine, right in zip(both[1], both[2], strict=True)
    ]
    return [f"{line}   {bar}".rstrip() for line, bar in zip(across, bars, strict=True)]


def _bar(mine: float, wanted: float, length: int) -> str:
    eighths = round(8 * length * min(1.0, max(0.0, mine)))
    whole, rest = divmod(eighths, 8)
    bar = list(("█" * whole + _EIGHTHS[rest].strip()).ljust(length + 1))
    bar[min(length, round(length * min(1.0, max(0.0, wanted))))] = "┃" if wanted else bar[0]
    return "".join(bar).rstrip()


def _goals(verdict: Verdict, width: int) -> list[list[str]]:
    names = [shorten(shown(goal.name), _WIDEST_GOAL) for goal in verdict.goals]
    widest = max(map(columns, names), default=0)
    return [
        hanging(
            f"{_INDENT}{mark(goal)} {name.ljust(widest)}  ", goal_words(goal, brief=True), width
        )
        for goal, name in zip(verdict.goals, names, strict=True)
    ]


def _next(verdict: Verdict, width: int) -> str:
    problem = verdict.problem
    if problem.id not in bundled_ids():
        return "More: --full, or -o page.html"
    if verdict.right:
        return f"Next: regard solve {problem.id} shows why. More: --full"
    hint, again = next_commands(problem)
    said = f"Next: {hint}, or check again with {again.removeprefix(f'regard check {problem.id} ')}"
    return said if columns(said) <= width else f"Next: {hint}"
