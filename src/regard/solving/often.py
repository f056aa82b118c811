"""What is often got wrong: wrong answers, each run through the judge of its kind.

Nothing is told that the judge does not say of that very answer on that very problem: an answer
that happens to be right for its numbers, or cannot be read there, is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regard.checking import check
from regard.checking.mistakes import Mistake
from regard.errors import FormulaError, InvalidAnswer
from regard.language import parse
from regard.problems import Problem
from regard.problems.registry import part


def often_got_wrong(problem: Problem, answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence or two for each mistake that `OFTEN` of the kind's misconceptions names.

    Args:
        problem: what is asked.
        answer: the right answer; of a wrong one only what differs from it is written out.
    """
    module = part(problem.kind, "misconceptions")
    often: tuple[str, ...] = getattr(module, "OFTEN", ())
    if module is None or not often:
        return ()
    known: dict[str, Mistake[Any, Any]] = {m.tag: m for m in module.MISTAKES if m.wrong}
    told = (_told(problem, answer, known[tag]) for tag in often)
    return tuple(sentence for sentence in told if sentence)


def _told(problem: Problem, answer: Mapping[str, Any], mistake: Mistake[Any, Any]) -> str:
    assert mistake.wrong is not None
    fields = mistake.wrong(problem)
    if fields is None:
        return ""
    try:
        verdict = check(problem, fields)
    except InvalidAnswer:
        return ""
    idea = verdict.misconception
    if idea is None or idea.tag != mistake.tag:
        return ""
    failed = next(goal for goal in verdict.goals if not goal.passed)
    found = f"{failed.sentence[:1].upper()}{failed.sentence[1:]}".rstrip(".")
    differs = [
        _field(name, value)
        for name, value in fields.items()
        if name not in answer or (value is not answer[name] and value != answer[name])
    ]
    return f"{mistake.idea}: {', '.join(differs)}. {idea.sentence} {found}."


def _field(name: str, value: Any) -> str:
    """Write a field as a person would: formulas typeset, the rest as in a file."""
    if isinstance(value, str):
        try:
            return f"${parse(name).to_latex()} = {parse(value).to_latex()}$"
        except FormulaError:
            return f"{name} = {value}"
    if isinstance(value, bool):
        return f"{name} = {'true' if value else 'false'}"
    if isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        items = (", ".join(_field(*pair) for pair in item.items()) for item in value)
        return f"{name}: {'; '.join(items)}"
    return f"{name} = {value}"
