"""Numbers written in the formula language, as people would: fractions and shares of pi."""

from __future__ import annotations

import math
from fractions import Fraction


def ratio(x: float) -> str:
    """Write a number: as a fraction if it is a simple one.

    >>> ratio(2.0), ratio(1 / 3), ratio(0.1234567890123)
    ('2', '1/3', '0.1234567890123')
    """
    simple = Fraction(x).limit_denominator(1000)
    return str(simple) if float(simple) == x else repr(float(x))


def angle(x: float) -> str:
    """Write an angle: as a share of pi if it is a simple one.

    >>> angle(math.pi / 2), angle(3 * math.pi / 4), angle(0.9)
    ('pi/2', '3 pi/4', '0.9')
    """
    share = Fraction(x / math.pi).limit_denominator(24)
    if abs(float(share) * math.pi - x) > 1e-12 * x:
        return repr(float(x))
    above = "" if share.numerator == 1 else f"{share.numerator} "
    below = "" if share.denominator == 1 else f"/{share.denominator}"
    return f"{above}pi{below}"
