"""What an answer says of its factor C beside a number: that it grows, or bounds of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from regard.checking.answers import Answer, without_name
from regard.checking.factors.factor_bounds import Bounds, Evaluate, read_bounds
from regard.checking.factors.open_factor import FACTOR
from regard.errors import InvalidAnswer
from regard.language import Formula, Limit


def said_of_factor(answer: Answer) -> tuple[Answer, Bounds | None]:
    """Return an answer in which C is open, or a number; and the bounds that it says, if any.

    Raises:
        InvalidAnswer: it is said to go anywhere but to infinity, or bounds cannot be read.
    """
    said = without_name(FACTOR, answer.fields.get(FACTOR))
    rest = {name: field for name, field in answer.fields.items() if name != FACTOR}
    if isinstance(said, Limit):
        if said.name != FACTOR or said.target != math.inf:
            raise InvalidAnswer(
                "answer: C must be a number, a formula, or bounds such as C >= 10; or it may "
                "grow: C -> inf."
            )
        return replace(answer, fields=rest), None
    if isinstance(said, Formula) and said.is_condition:
        return replace(answer, fields=rest), read_bounds(FACTOR, said)
    return answer, None


def within(
    bounds: Bounds, size: Callable[[float], float], most: float, evaluated: Evaluate
) -> tuple[float, ...]:
    """Return factors within bounds; without an upper one those whose scores are below `most`."""
    found = bounds.factors(evaluated)
    if bounds.high:
        return found
    return tuple(C for C in found if size(C) < most) or found[:1]
