"""The digits of decimals: what a number stands for besides itself."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from regard.language import Formula

FEWEST, MOST_DIGITS = 2, 15  # decimals of a number
HALF = 0.505  # of a unit of the last digit, with a little for rounding


def larger(field: Any) -> Iterator[Any]:
    """Return a field with one of its decimals after the other half a unit larger."""
    if isinstance(field, float | np.ndarray):
        digits = max((_digits(x) for x in np.ravel(field).tolist()), default=0)
        for entry in range(np.size(field) if digits else 0):
            more = np.array(field, float)
            more.flat[entry] += HALF * 10.0**-digits
            yield more if isinstance(field, np.ndarray) else float(more)
    elif isinstance(field, Formula):
        for place, node in enumerate(field.tree):
            if node.op == "number" and _digits(float(node.value)):
                digits = max(_digits(float(node.value)), _written(field.text, node.column))
                up = replace(node, value=float(node.value) + HALF * 10.0**-digits)
                yield Formula((*field.tree[:place], up, *field.tree[place + 1 :]), field.text)
    elif isinstance(field, list | dict):
        for key in field if isinstance(field, dict) else range(len(field)):
            for changed in larger(field[key]):
                copied: Any = field.copy()
                copied[key] = changed
                yield copied


def _digits(x: float) -> int:
    """Return how many decimals a number is written with, at least two; 0 for a whole number."""
    if not math.isfinite(x) or x == round(x):
        return 0
    digits = -int(Decimal(repr(float(x))).as_tuple().exponent)
    return min(max(digits, FEWEST), MOST_DIGITS)


def _written(text: str, column: int) -> int:
    """Return the decimals of the number at a place of a text: 0.7970 has four."""
    found = re.match(r"[0-9]*\.([0-9]+)", text[column:])
    return min(len(found[1]), MOST_DIGITS) if found else 0
