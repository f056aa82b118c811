"""Bounds written in few digits, rounded to the side on which they stay true.

What is at most 0.30901699 is at most 0.309017, and what is more than that is more than 0.309016.
Every bound that is printed is written by `upper_bound` or `lower_bound`.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import SupportsFloat

__all__ = ["lower_bound", "upper_bound"]

_WHOLE = 10**6  # whole numbers below it are written out, whatever the digits
_LARGEST = Decimal("1.79e308")  # what float can hold


def upper_bound(bound: SupportsFloat, digits: int = 6) -> str:
    """Write an upper bound: rounded up, if it does not fit into so many digits.

    >>> upper_bound(0.30901699), upper_bound(0.001), upper_bound(-2.00000001), upper_bound(3)
    ('0.309017', '0.001', '-2', '3')
    """
    return _written(bound, digits, ROUND_CEILING)


def lower_bound(bound: SupportsFloat, digits: int = 6) -> str:
    """Write a lower bound: rounded down, if it does not fit into so many digits.

    >>> lower_bound(0.30901699), lower_bound(0.001), lower_bound(1.23456789e-7), lower_bound(10**30)
    ('0.309016', '0.001', '1.23456e-07', '1e+30')
    """
    return _written(bound, digits, ROUND_FLOOR)


def _written(bound: SupportsFloat, digits: int, rounding: str) -> str:
    exact = bound if isinstance(bound, int) else float(bound)
    if isinstance(exact, float) and not math.isfinite(exact):
        return "not a number" if math.isnan(exact) else "infinity" if exact > 0 else "-infinity"
    if exact == int(exact) and abs(exact) < _WHOLE:
        return str(int(exact))
    # The shortest decimal that reads back as the float stands for it, so that 0.001 is 0.001.
    rounded = Context(prec=digits, rounding=rounding).create_decimal(Decimal(repr(exact)))
    return f"{float(rounded):.{digits}g}" if abs(rounded) < _LARGEST else str(rounded)
