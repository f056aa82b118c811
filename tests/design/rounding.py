"""Six digits on the safe side of a number, by whole numbers: what messages are compared with."""

from __future__ import annotations

import math
from fractions import Fraction


def rounded_up(x: float, digits: int = 6) -> str:
    """The least number of so many digits that is not below x > 0."""
    exact = Fraction(repr(x))
    step = Fraction(10) ** (math.floor(math.log10(x)) - digits + 1)
    return f"{float(math.ceil(exact / step) * step):.{digits}g}"


def rounded_down(x: float, digits: int = 6) -> str:
    """The largest number of so many digits that is not above x > 0."""
    exact = Fraction(repr(x))
    step = Fraction(10) ** (math.floor(math.log10(x)) - digits + 1)
    return f"{float(math.floor(exact / step) * step):.{digits}g}"
