"""What an answer stands for besides itself: each of its decimals half a unit of its last digit up.

Whole numbers are exact, and decimals have two digits after the point at least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checking.digits import decimals_at, written
from regard.language import Formula

FEWEST, MOST_DIGITS = 2, 15  # decimals of a number
HALF = 0.505  # of a unit of the last digit, with a little for rounding


def larger(field: Any) -> Iterator[Any]:
    """Return a field with one of its decimals after the other half a unit larger."""
    if isinstance(field, float | np.ndarray):
        step = min((_step(x) for x in np.ravel(field).tolist() if _step(x)), default=0.0)
        for entry in range(np.size(field) if step else 0):
            more = np.array(field, float)
            more.flat[entry] += step
            yield more if isinstance(field, np.ndarray) else float(more)
    elif isinstance(field, Formula):
        for place, node in enumerate(field.tree):
            if node.op != "number":
                continue
            step = _step(float(node.value), decimals_at(field, node.column))
            if step:
                up = replace(node, value=float(node.value) + step)
                yield Formula((*field.tree[:place], up, *field.tree[place + 1 :]), field.text)
    elif isinstance(field, list | dict):
        for key in field if isinstance(field, dict) else range(len(field)):
            for changed in larger(field[key]):
                copied: Any = field.copy()
                copied[key] = changed
                yield copied


def _step(x: float, decimals: int = 0) -> float:
    """Return half a unit of the last decimal of a number, which may be written with more of them.

    It is 0 for a whole number.
    """
    if not np.isfinite(x) or x == round(x):
        return 0.0
    most = max(written(float(x)), decimals, FEWEST)
    return HALF * 10.0 ** -min(most, MOST_DIGITS)
