"""What is often got wrong: wrong answers, each run through the judge of its kind.

Nothing is told that the judge does not say of that very answer on that very problem: an answer
that happens to be right for its numbers, or cannot be read there, is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from regard.checking import check
from regard.checking.mistakes import Mistake
from regard.checking.verdict import Verdict
from regard.errors import FormulaError, InvalidAnswer, InvalidProblem
from regard.language import parse
from regard.problems import Problem
from regard.problems.registry import part
from regard.report import vector
from regard.report.arrays import array

MOST_TRIED = 4  # answers with one mistake
MOST_ENTRIES = 12  # of the arrays of a wrong answer that are written out
MOST_FIELDS = 3  # of a wrong answer that are written out


@dataclass(frozen=True)
class Often:
    """A mistake that is often made.

    Attributes:
        idea: what was thought, in a few words.
        answer: how the wrong answer differs from the right one.
        formula: the same as LaTeX, or "" where it is no formula.
        sentence: what is wrong with it, and what the judge found.
    """

    idea: str
    answer: str
    formula: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.idea}: {self.answer} {self.sentence}"


def often_got_wrong(problem: Problem, answer: Mapping[str, Any]) -> tuple[Often, ...]:
    """Return each mistake that `OFTEN` of the kind's misconceptions names, with its wrong answer.

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
    unknown = [tag for tag in often if tag not in known]
    if unknown:
        raise InvalidProblem(
            f"kind {problem.kind}: OFTEN in {module.__name__} names {unknown[0]!r}, and no mistake "
            "with an idea has this tag."
        )
    by_example: bool = getattr(module, "BY_EXAMPLE", False)
    told = (_told(problem, answer, known[tag], by_example) for tag in often)
    return tuple(one for one in told if one is not None)


def _told(
    problem: Problem, answer: Mapping[str, Any], mistake: Mistake[Any, Any], by_example: bool
) -> Often | None:
    for fields in islice(mistake.answers(problem, answer), MOST_TRIED):
        try:
            verdict = check(problem, fields)
        except InvalidAnswer:
            continue
        idea = verdict.misconception
        if idea is not None and idea.tag == mistake.tag:
            differs = _differing(answer, fields, verdict)
            return _worded(mistake, differs, _found(verdict, by_example))
    return None


def _differing(
    answer: Mapping[str, Any], fields: Mapping[str, Any], verdict: Verdict
) -> dict[str, Any]:
    """Return the fields that are not written as in the right answer; of these, those that fail."""
    differs = {
        name: value
        for name, value in fields.items()
        if name not in answer or (value is not answer[name] and value != answer[name])
    }
    failed = {word for goal in verdict.goals if not goal.passed for word in goal.name.split()}
    return {name: x for name, x in differs.items() if name in failed} or differs


def _found(verdict: Verdict, by_example: bool) -> str:
    """Return what the judge found first, or what it shows on the smallest counterexample."""
    found = next(goal.sentence for goal in verdict.goals if not goal.passed)
    if by_example and verdict.counterexample is not None:
        found = verdict.counterexample.sentence
    return f"{found[:1].upper()}{found[1:]}".rstrip(".")


def _worded(
    mistake: Mistake[Any, Any],
    differs: Mapping[str, Any],
    found: str,
) -> Often:
    """Say how a wrong answer differs from the right one, and what the judge says of it."""
    end = ", …" if len(differs) > MOST_FIELDS else "."
    first = list(differs.items())[:MOST_FIELDS]
    shown = ", ".join(_field(name, value) for name, value in first)
    sentence = f"{mistake.misconception.sentence} {found}."
    return Often(mistake.idea, f"{shown}{end}", _formula(first, len(differs)), sentence)


def _formula(fields: Sequence[tuple[str, Any]], count: int) -> str:
    """Write fields as one formula of several parts, of arrays no more than can be seen at once."""
    parts: list[str] = []
    entries = 0
    for name, value in fields:
        entries += int(np.size(value)) if isinstance(value, list) else 0
        if parts and entries > MOST_ENTRIES:
            break
        rows = array(value, 3).strip("$") if isinstance(value, list) and np.ndim(value) == 2 else ""
        latex = f"{parse(name).to_latex()} = {rows}" if rows else ""
        written = _field(name, value)
        if not latex and written.startswith("$") and written.endswith("$"):
            latex = written[1:-1]
        if not latex or "$" in latex:
            return ""
        parts.append(latex)
    return r",\quad ".join(parts) + (r",\quad \dots" if len(parts) < count else "")


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
