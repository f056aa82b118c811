"""What is often got wrong: wrong answers, each run through the judge of its kind.

Nothing is told that the judge does not say of that very answer on that very problem: an answer
that happens to be right for its numbers, or cannot be read there, is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np

from regard.checking import check
from regard.checking.mistakes import Mistake
from regard.checking.verdict import Verdict
from regard.errors import FormulaError, InvalidAnswer
from regard.language import parse
from regard.problems import Problem
from regard.problems.registry import part
from regard.report import vector

MOST_TRIED = 4  # answers with one mistake
MOST_FIELDS = 3  # of a wrong answer that are written out


def often_got_wrong(problem: Problem, answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence or two for each mistake that `OFTEN` of the kind's misconceptions names.

    What the judge found follows: the goal that is missed, or (`BY_EXAMPLE` of the misconceptions)
    the counterexample.

    Args:
        problem: what is asked.
        answer: the right answer; of a wrong one only what differs from it is written out.
    """
    module = part(problem.kind, "misconceptions")
    often: tuple[str, ...] = getattr(module, "OFTEN", ())
    if module is None or not often:
        return ()
    known: dict[str, Mistake[Any, Any]] = {m.tag: m for m in module.MISTAKES if m.idea}
    by_example: bool = getattr(module, "BY_EXAMPLE", False)
    told = (_told(problem, answer, known[tag], by_example) for tag in often)
    return tuple(sentence for sentence in told if sentence)


def _told(
    problem: Problem, answer: Mapping[str, Any], mistake: Mistake[Any, Any], by_example: bool
) -> str:
    for fields in islice(mistake.answers(problem, answer), MOST_TRIED):
        try:
            verdict = check(problem, fields)
        except InvalidAnswer:
            continue
        idea = verdict.misconception
        if idea is not None and idea.tag == mistake.tag:
            return _worded(mistake, answer, fields, _found(verdict, by_example))
    return ""


def _found(verdict: Verdict, by_example: bool) -> str:
    """Return what the judge found first, or what it shows on the smallest counterexample."""
    found = next(goal.sentence for goal in verdict.goals if not goal.passed)
    if by_example and verdict.counterexample is not None:
        found = verdict.counterexample.sentence
    found = f"the error is {found}" if found[:1].isdigit() and " > " in found else found
    return f"{found[:1].upper()}{found[1:]}".rstrip(".")


def _worded(
    mistake: Mistake[Any, Any],
    answer: Mapping[str, Any],
    fields: Mapping[str, Any],
    found: str,
) -> str:
    """Say how a wrong answer differs from the right one, and what the judge says of it."""
    differs = [
        _field(name, value)
        for name, value in fields.items()
        if name not in answer or (value is not answer[name] and value != answer[name])
    ]
    end = ", …" if len(differs) > MOST_FIELDS else "."
    shown = ", ".join(differs[:MOST_FIELDS])
    return f"{mistake.idea}: {shown}{end} {mistake.sentence} {found}."


def _field(name: str, value: Any) -> str:
    """Write a field as a person would: formulas typeset, the rest as in a file."""
    if isinstance(value, str):
        try:
            formula = parse(value)
            named = "" if formula.is_condition else f"{parse(name).to_latex()} = "
            return f"${named}{formula.to_latex()}$"
        except FormulaError:
            return f"{name} = {value}"
    if isinstance(value, bool):
        return f"{name} = {'true' if value else 'false'}"
    if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        items = (", ".join(_field(*pair) for pair in item.items()) for item in value)
        return f"{name}: {'; '.join(items)}"
    if isinstance(value, list) and value and np.ndim(value) in (1, 2):
        rows = "; ".join(vector(row) for row in np.atleast_2d(np.asarray(value, float)))
        return f"${parse(name).to_latex()}$ = {rows}"
    return f"{name} = {value}"
