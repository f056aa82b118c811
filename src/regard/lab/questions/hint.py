"""Give one step of the way to the answer of a problem."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from regard.errors import InvalidProblem
from regard.lab.arguments import Whole
from regard.lab.asked_problems import AskedProblem
from regard.lab.table import Answer


class Asked(AskedProblem):
    """A problem, and which step, from 1; its formula only if asked for."""

    number: Annotated[int, Field(ge=1, le=100), Whole] = 1
    formula: bool = False


def answer(asked: Asked) -> Answer:
    """Return the sentence of the step, and how many there are."""
    from regard.solving import solve

    solution = solve(asked.load())
    steps = solution.steps
    if asked.number > len(steps):
        raise InvalidProblem(f"hint: there are {len(steps)} steps. Got {asked.number}.")
    sentence, written = steps[asked.number - 1]
    data = {
        "id": solution.problem.id,
        "step": asked.number,
        "of": len(steps),
        "sentence": sentence,
        "formula": written if asked.formula else None,
    }
    return Answer(data, solution)
