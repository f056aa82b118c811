"""What a step of a computation is done with: its options, the arrays, and which keys are seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regard.certify.balls import BALLS, Arithmetic
from regard.certify.certificate import Unusable, index, number, part
from regard.certify.formulas.evaluation import evaluate, no_function, read, scalar
from regard.certify.formulas.functions import in_balls

Rows = list[list[Any]]


class Context:
    """The options of a step, the arrays of the certificate, and the arithmetic."""

    def __init__(self, options: Mapping[str, Any], arrays: Any, numbers: Arithmetic) -> None:
        self.options, self.arrays, self.numbers = options, arrays, numbers

    def constant(self, text: Any) -> Any:
        """Return a number that is written as a text."""
        functions = in_balls if self.numbers is BALLS else no_function
        value = evaluate(read(str(text), "a constant").tree, {}, self.numbers, functions)
        return scalar(value, "a constant")

    def whole(self, name: str, least: int = 0) -> int:
        """Return an option that is a whole number."""
        return least + index(number(part(self.options, name), name) - least, name, 10**7)


def visible_keys(rows: Rows, mask: Rows | None) -> list[list[int]]:
    """Return the keys that each row may attend to: at least one."""
    if mask is None:
        return [list(range(len(row))) for row in rows]
    if len(mask) != len(rows) or any(len(m) != len(r) for m, r in zip(mask, rows, strict=True)):
        raise Unusable("the mask does not fit the scores.")
    found = [[j for j, may in enumerate(row) if may == 1] for row in mask]
    if not all(found) or any(may != 0 and may != 1 for row in mask for may in row):
        raise Unusable("the mask must hold 0 and 1, and a 1 in each row.")
    return found
