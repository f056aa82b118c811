"""What an answer gives: formulas, numbers with units, shapes, and whether counts are the same."""

from __future__ import annotations

from regard.kinds.count.spec import CountProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: CountProblem) -> tuple[AnswerField, ...]:
    """Return the quantities that are asked for."""
    goal, symbols = problem.goal, list(problem.given.values)
    symbol = symbols[0] if symbols else "n"
    number = AnswerField("", "a number, perhaps with a unit or a power of two", '"3 * 2^10"')
    formula = AnswerField("", "a formula in the symbols, or a number", f'"3 {symbol} + 7"')
    plain = number if goal.form == "number" or not symbols else formula
    found = [
        AnswerField(name, "a shape", "[3, 5]")
        if name.startswith("shape")
        else AnswerField(name, plain.what, plain.example)
        for name in dict.fromkeys(goal.find)
    ]
    found += [AnswerField(f"same_{name}", "whether all have as many", "true") for name in goal.same]
    found += [AnswerField(name, "how fast it grows", f'"{symbol}^3"') for name in goal.orders]
    return tuple(found)


def goals(problem: CountProblem) -> tuple[str, ...]:
    """Return what `points` are given for: each quantity."""
    return tuple(problem.wanted())
