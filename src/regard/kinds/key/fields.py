"""What an answer gives: a key, the least error, or that there is no key."""

from __future__ import annotations

from regard.kinds.key.spec import KeyProblem
from regard.problems.answer_fields import AnswerField

SHOWS_ARRAYS = True


def fields(problem: KeyProblem) -> tuple[AnswerField, ...]:
    """Return `k`, `error` and `possible`, as far as they are asked for."""
    found = []
    if "error" in problem.goal.find:
        found.append(AnswerField("error", "the least error that a new key can have", "0.25"))
    if "key" in problem.goal.find:
        names = ", ".join(f"k_{name}" for name in problem.given.names)
        what = f"the new key: numbers, or a formula in q, {names} (keys as they were)"
        found.append(AnswerField("k", what, '"2 q - 3 q"'))
        found.append(AnswerField("possible", "false, alone, if no key does it", "false", True))
    return tuple(found)
