"""A verdict as a report: what went wrong, goals in words, the counterexample, what to do next."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from regard.checking.points import points_table
from regard.checking.verdict import Counterexample, GoalResult, Verdict, shown
from regard.errors import FormulaError
from regard.language import parse
from regard.problems import Problem
from regard.problems.answer_fields import answer_fields
from regard.problems.loading import bundled_ids
from regard.problems.problem_sets import place
from regard.report import Block, Code, Facts, Heading, Plot, Report, Series, Steps, Table, Text
from regard.report.arrays import array
from regard.report.headline import marked
from regard.report.numbers import number
from regard.report.recognised import in_blocks

MOST_COMPARED = 16  # rows of yours beside wanted
LONGEST = 100  # letters of a headline
_BARS = ("yours", "wanted")
_SYMBOL = re.compile(r"(?<![\w\\])([A-Za-z])_([A-Za-z0-9])(?!\w)")
_OF_THE_REST = ("weights", "wanted")


def report(verdict: Verdict) -> Report:
    """Return a verdict as a report, the misconception first."""
    found = place(verdict.problem)
    title = verdict.problem.title
    blocks: list[Block] = [
        Text(f"{found} / {title}" if found else title, "eyebrow"),
        Text(_headline(verdict), "headline"),
    ]
    idea = verdict.misconception
    if idea is not None:
        blocks += [Heading(title_of(idea.tag), role="beside"), Text(idea.sentence)]
        blocks += [Text(f"Hint: {idea.hint}", "hint")] if idea.hint else []
    tone = "good" if verdict.right else "bad" if verdict.decided else "open"
    blocks.append(Heading("Your answer", role="answer", status=verdict.count, tone=tone))
    if verdict.answer:
        blocks.append(Facts(tuple((name, typeset(x)) for name, x in verdict.answer.items())))
    rows = tuple((f"{mark(g)} {symbols(g.name)}", goal_words(g)) for g in verdict.goals)
    blocks.append(Table(("goal", "found"), rows))
    if verdict.points:
        blocks += [Heading("Points"), points_table(verdict.points)]
    if verdict.counterexample is not None:
        blocks += _counterexample(verdict.problem, verdict.counterexample)
    if verdict.remarks:
        blocks += [Heading("Also"), *(Text(remark) for remark in verdict.remarks)]
    if not verdict.right and verdict.problem.id in bundled_ids():
        blocks += [Heading("Next"), Text("Try again, or take one more step:")]
        blocks.append(Code("\n".join(next_commands(verdict.problem)), "sh"))
    return Report(verdict.headline, in_blocks(blocks))


def _headline(verdict: Verdict) -> str:
    if verdict.right:
        return f"The answer is {marked('right', 'query')}."
    if verdict.decided and (said := _what_is_wrong(verdict)):
        return f"{marked('Not right yet:', 'bad')} {said}"
    first, _, rest = verdict.headline.partition(":")
    return f"{marked(first + ':', 'bad')}{rest}"


def _what_is_wrong(verdict: Verdict) -> str:
    """Return the mistake, or what the counterexample shows if that is short enough."""
    if verdict.misconception is not None:
        return short(verdict.misconception.sentence)
    said = "" if verdict.counterexample is None else short(verdict.counterexample.sentence)
    if 0 < len(said) <= LONGEST:
        return said
    return "the goal is not reached." if len(verdict.goals) == 1 else ""


def short(sentence: str) -> str:
    """Return the beginning of what is said, up to its first stop, as the end of a sentence."""
    ends = [at for at in (sentence.find(". "), sentence.find(": ")) if at > 0]
    first = sentence[: min(ends)] if ends else sentence.rstrip(".")
    names = first[:2].isupper() or first[1:2] in " _'"  # begins with a name, such as K
    return (first if names else first[:1].lower() + first[1:]) + "."


def title_of(tag: str) -> str:
    """Return a tag as a few words.

    >>> title_of("no-large-scale")
    'No large scale'
    """
    words = tag.replace("-", " ")
    return words[:1].upper() + words[1:]


def mark(goal: GoalResult) -> str:
    """Return a sign for whether a goal is reached."""
    return "✓" if goal.passed else "✗" if goal.decided else "?"


def goal_words(goal: GoalResult, brief: bool = False) -> str:
    """Say what was found about a goal, and on what it was tried."""
    if goal.scope not in ("sampled", "adversarial") or not goal.decided:
        return goal.sentence
    among = "drawn at random" if goal.scope == "sampled" else "chosen to be hard"
    if goal.passed:
        sure = f": {goal.confidence}" if goal.confidence and not brief else ""
        if goal.trials == 1:
            return f"right in the one case {among}"
        return f"right in all {goal.trials} cases {among}{sure}"
    cases = "the one case" if goal.trials == 1 else f"the worst of {goal.trials} cases"
    if goal.error is None or goal.tolerance is None or goal.error - goal.error != 0:
        return goal.sentence
    return f"off by {number(goal.error, 3)} in {cases} {among}"


def next_commands(problem: Problem) -> tuple[str, ...]:
    """Return what to type next: a hint, and the check with what an answer needs."""
    fields = [field for field in answer_fields(problem) if not field.optional]
    said = " ".join(f'{field.name}="…"' for field in fields[:3]) + " …" * (len(fields) > 3)
    return f"regard hint {problem.id}", f"regard check {problem.id} {said or 'FILE'}"


def typeset(text: str) -> str:
    """Return a formula, or rows of numbers, as a formula; anything else as it is."""
    if text in ("true", "false"):
        return text
    try:
        formula = parse(text)
    except FormulaError:
        return text
    return f"${formula.to_latex()}$" if formula.names or "[" in text else text


def symbols(text: str) -> str:
    """Return words whose names with an index, such as v_a, are formulas.

    >>> symbols("near 0.5 v_a + 0.5 v_b")
    'near 0.5 $v_a$ + 0.5 $v_b$'
    """
    return text if "$" in text else _SYMBOL.sub(r"$\1_\2$", text)


def compared(
    problem: Problem, example: Counterexample
) -> tuple[list[str], list[float], list[float]] | None:
    """Return keys with their weights, yours and wanted; None where there are none to compare."""
    yours, wanted = (_row(example.arrays.get(name)) for name in _OF_THE_REST)
    if not yours or len(yours) != len(wanted):
        return None
    letters = {row: name for name, row in getattr(problem.given, "names", {}).items()}
    names = [f"$k_{{{letters.get(i, i + 1)}}}$" for i in range(len(yours))]
    return names, yours, wanted


def _row(value: Any) -> list[float]:
    """Return numbers in a row; nothing where it is something else."""
    if not isinstance(value, Sequence) or not all(isinstance(x, int | float) for x in value):
        return []
    return [float(x) for x in value]


def _counterexample(problem: Problem, example: Counterexample) -> list[Block]:
    blocks: list[Block] = [Heading("The smallest counterexample"), Text(example.sentence)]
    both = compared(problem, example)
    arrays = dict(example.arrays)
    finite = both is not None and all(map(math.isfinite, (*both[1], *both[2])))
    if both is not None and finite and len(both[0]) <= MOST_COMPARED:
        rows = tuple(
            (name, fixed(mine), fixed(right), fixed(mine - right))
            for name, mine, right in zip(*both, strict=True)
        )
        blocks.append(Table(("key", "yours", "wanted", "off by"), rows))
        series = [Series(n, tuple(both[0]), tuple(y)) for n, y in zip(_BARS, both[1:], strict=True)]
        blocks.append(Plot("bars", "", "", "", tuple(series)))
        arrays = {name: x for name, x in arrays.items() if name not in _OF_THE_REST}
    pairs = tuple((name, array(a) or shown(a)) for name, a in arrays.items())
    blocks += [Facts(pairs)] if pairs else []
    if example.seed is not None:
        blocks.append(Text(f"Draw it again with --seed {example.seed}."))
    if example.steps:
        count = len(example.steps)
        title = f"The counterexample worked out, in {count} step{'s' * (count > 1)}"
        blocks += [Heading(title, role="folded"), Steps(example.steps)]
    return blocks


def fixed(x: float) -> str:
    """Write a weight in four decimals, or in four digits where these would show nothing."""
    if x == 0 or abs(x) >= 5e-4:
        return f"{x:.4f}".rstrip("0").rstrip(".") if x == round(x, 2) else f"{x:.4f}"
    return number(x, 4)
