"""A verdict in one screen: what went wrong, where, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.checking.counterexample_report import (
    drawable,
    few_digits,
    fixed,
    side_by_side,
    what_to_see,
)
from regard.checking.verdict import shown as written
from regard.checking.verdict_words import (
    field_said,
    first_line,
    goal_name,
    goal_words,
    next_commands,
    title_of,
    tone_of,
)
from regard.cli.screens.showing import titled
from regard.problems.loading import bundled_ids
from regard.report.arrays import array
from regard.report.characters import columns
from regard.report.compared import SIGNS
from regard.report.decimals import typeset as set_numbers
from regard.report.headline import unmarked
from regard.report.inline import shown
from regard.report.text.screen import COLUMNS, LINES, Line, Part, both_ends, fit, hanging

if TYPE_CHECKING:
    from regard.checking import Verdict
    from regard.checking.verdict import Counterexample, SideBySide
    from regard.problems import Problem

_INDENT = "  "
_EIGHTHS = " ▏▎▍▌▋▊▉"
_LONGEST_BAR = 24
_WIDEST_GOAL = 40  # columns; what was found about a longer one stands below it
_MANY = 4  # goals
_DIGITS = 4


def of_verdict(verdict: Verdict, width: int = COLUMNS, lines: int = LINES) -> list[Line]:
    """Return a verdict in one screen.

    What to see in a counterexample is said above its table where there is room for all of it.
    """
    found, whole = _screen(verdict, width, lines, tells=True)
    return found if whole else _screen(verdict, width, lines, tells=False)[0]


def _screen(verdict: Verdict, width: int, lines: int, *, tells: bool) -> tuple[list[Line], bool]:
    """Return the lines, and whether all parts are there as a whole."""
    colour = "green" if verdict.right else "magenta" if verdict.decided else "yellow"
    idea, example = verdict.misconception, verdict.counterexample
    top = Part([hanging("", set_numbers(unmarked(first_line(verdict))), width)], style=colour)
    answer = Part([[_answered(verdict, width)]], style="cyan")
    said = " ".join(x for x in (idea.why, idea.numbers) if x) if idea else ""
    why = Part([hanging(_INDENT, said, width)] if said else [], title_of(idea.tag) if idea else "")
    sentence, shape = Part([]), Part([])
    if example is not None:
        sentence, shape = _counterexample(verdict, width, tells or not said)
    goals = Part(_goals(verdict, width), "Goals", f"{_INDENT}… {{}} more: --full")
    remarks = Part([hanging("", set_numbers(remark), width) for remark in verdict.remarks])
    hint = hanging("Hint: ", idea.hint, width) if idea and idea.hint else []
    end = Part([[*hint, _next(verdict, width)]])
    order = (
        *((shape, 2), (remarks, 1), (goals, 4), (shape, 0), (remarks, 0), (goals, 3)),
        *((sentence, 4), (goals, 1), (sentence, 1), (goals, 0), (sentence, 0), (why, 0)),
    )
    found = fit((top, answer, why, sentence, shape, goals, remarks, end), order, lines)
    return found, not any(part.left_out for part in (goals, sentence, shape, remarks, why))


def _answered(verdict: Verdict, width: int) -> str:
    """Return the answer and what it is to; of a long one the fields that are there as a whole."""
    fields = [field_said(name, text) for name, text in verdict.answer.items()]
    place = titled(verdict.problem, width // 2)
    whole = f"{_INDENT}{',  '.join(fields)}"
    for count in range(len(fields), 0, -1):
        said = f"{_INDENT}{',  '.join([*fields[:count], *['…'] * (count < len(fields))])}"
        if columns(said) + len(_INDENT) + columns(place) <= width:
            return both_ends(said, place, width)
        if columns(said) <= width and count == len(fields):
            return said
    return both_ends(whole, place, width)


def _counterexample(verdict: Verdict, width: int, tells: bool) -> tuple[Part, Part]:
    """Return the table under the heading or, without one, the sentence and the arrays."""
    example = verdict.counterexample
    assert example is not None
    title = "The smallest counterexample"
    heading = f"{title}: {set_numbers(shown(few_digits(example.about)))}"
    if not example.about or columns(heading) > width:
        heading = title
    both = side_by_side(verdict.problem, example)
    if both is not None and drawable(both):
        table = _table(both, width)
        units = [table[:1], *([line] for line in table[1:])]
        if tells or not both.wanted:
            told = set_numbers(unmarked(what_to_see(example)))
            units[0] = [*hanging(_INDENT, told, width), *units[0]]
        return Part(units, heading, f"{_INDENT}… {{}} more: --full"), Part([])
    sentence = Part([hanging(_INDENT, set_numbers(unmarked(what_to_see(example))), width)], heading)
    return sentence, Part(_arrays(example, width), more=f"{_INDENT}…")


def _arrays(example: Counterexample, width: int) -> list[list[str]]:
    names = example.main or tuple(example.arrays)
    facts = tuple((n, _numbers(example.arrays[n])) for n in names if n in example.arrays)
    widest = max((columns(name) for name, _ in facts), default=0)
    return [hanging(f"{_INDENT}{name.ljust(widest)}  ", text, width) for name, text in facts]


def _numbers(value: object) -> str:
    return set_numbers(shown(array(value, _DIGITS)) or shown(written(value)))


def _table(both: SideBySide, width: int) -> list[str]:
    """Return yours beside wanted, a row for each key, with bars."""
    header = ["", "yours", *(["wanted", "off by"] if both.wanted else [])]
    cells = [[shown(name), fixed(mine)] for name, mine in zip(both.names, both.yours, strict=True)]
    for row, mine, right in zip(cells, both.yours, both.wanted, strict=False):
        row += [fixed(right), fixed(mine - right)]
    rows = [
        header,
        *([set_numbers(cell) if j else cell for j, cell in enumerate(row)] for row in cells),
    ]
    widths = [max(columns(row[j]) for row in rows) for j in range(len(header))]
    across = [
        _INDENT + "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
        for row in rows
    ]
    numbers = [*both.yours, *both.wanted]
    if min(numbers) < 0:
        return [line.rstrip() for line in across]
    length = min(_LONGEST_BAR, width - columns(across[0]) - 3)
    longest = max(1e-300, *numbers)
    bars = ["yours █   wanted ┃" if both.wanted else ""]
    wanted = both.wanted or [0.0] * len(both.yours)
    bars += [
        _bar(mine / longest, right / longest, length)
        for mine, right in zip(both.yours, wanted, strict=True)
    ]
    return [f"{line}   {bar}".rstrip() for line, bar in zip(across, bars, strict=True)]


def _bar(mine: float, wanted: float, length: int) -> str:
    eighths = round(8 * length * min(1.0, max(0.0, mine)))
    whole, rest = divmod(eighths, 8)
    bar = list(("█" * whole + _EIGHTHS[rest].strip()).ljust(length + 1))
    bar[min(length, round(length * min(1.0, max(0.0, wanted))))] = "┃" if wanted else bar[0]
    return "".join(bar).rstrip()


def _goals(verdict: Verdict, width: int) -> list[list[str]]:
    """Return goals with what was found: beside them where all are short, else below each."""
    told = [
        (goal, shown(goal_name(verdict, goal)), set_numbers(goal_words(goal, brief=True)))
        for goal in verdict.goals
    ]
    if len(told) > _MANY:  # what is missed stays where not all of them fit
        told.sort(key=lambda one: one[0].passed)
    widest = max((columns(name) for _, name, _ in told if columns(name) <= _WIDEST_GOAL), default=0)
    found = []
    for goal, name, said in told:
        sign = f"{_INDENT}{SIGNS[tone_of(goal)]} "
        below = [*hanging(sign, name, width), *hanging(" " * len(sign), said, width)]
        if columns(name) <= widest:
            beside = hanging(f"{sign}{name.ljust(widest)}  ", said, width)
            below = beside if len(beside) <= len(below) else below
        found.append(below)
    return found


def _next(verdict: Verdict, width: int) -> str:
    problem: Problem = verdict.problem
    if problem.id not in bundled_ids():
        return "More: --full, or -o page.html"
    if verdict.right:
        return f"Next: regard solve {problem.id} shows why. More: --full"
    hint, again = next_commands(verdict)
    said = f"Next: {hint}, or check again with {again.removeprefix(f'regard check {problem.id} ')}"
    return said if columns(said) <= width else f"Next: {hint}"
