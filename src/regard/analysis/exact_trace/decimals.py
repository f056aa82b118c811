"""Decimals and floats of exact numbers, correctly rounded.

A ball that holds the number is rounded at both ends. If the ends differ, the number is compared
with the tie between them, which settles it: no irrational number is a tie.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, fmpq, fmpz

from regard.analysis.exact_trace.numbers import (
    Exact,
    ExponentialQuotient,
    Surd,
    precisions,
    rational,
    working,
)

__all__ = ["decimal", "nearest_float"]

LARGEST_POWER = 20_000  # of ten: a tie beyond it is not written as a fraction


def decimal(value: Exact, digits: int) -> str:
    """Write a number in so many significant digits, correctly rounded.

    A rational that needs fewer digits is written with those; ties go to the even digit.

    >>> decimal(Fraction(1, 2), 6), decimal(Fraction(2, 3), 6), decimal(Surd(Fraction(2), 3), 4)
    ('0.5', '0.666667', '1.155')
    """
    if isinstance(value, Fraction):
        return _decimal_of_fraction(value, digits)
    for bits in precisions(64 + math.ceil(digits * math.log2(10)) + value.size):
        with working(bits):
            found = _digits(value, digits)
        if found is not None:
            return _written(*found, digits, exact=False)
    raise AssertionError("precisions do not end")


def nearest_float(value: Exact) -> float:
    """Return the float64 nearest to a number; ±inf beyond the largest."""
    if isinstance(value, Fraction):
        return _float(value)
    for bits in precisions(128 + value.size):
        with working(bits):
            ball = value.ball()
            low, high = _float_of_end(ball.lower()), _float_of_end(ball.upper())
        if low == high:
            return low
        if math.nextafter(low, math.inf) == high:
            middle = (_fraction_of_float(low) + _fraction_of_float(high)) / 2
            return high if value.exceeds(rational(middle)) else low
    raise AssertionError("precisions do not end")


def _digits(value: Surd | ExponentialQuotient, digits: int) -> tuple[fmpz, int] | None:
    """The digits as one whole number, and the power of ten of the first; None: too few bits."""
    ball = value.ball()
    place = (abs(ball).log() / arb(10).log()).lower().floor().unique_fmpz()
    if place is None:
        return None
    power = int(place)
    shift = digits - 1 - power
    scaled = ball * arb(10) ** arb(fmpz(shift))
    half = arb(fmpq(1, 2))
    low, high = ((end + half).floor().unique_fmpz() for end in (scaled.lower(), scaled.upper()))
    if low is None or high is None or high - low > 1:
        return None
    if low == high:
        return low, power
    if abs(shift) > LARGEST_POWER:
        return None
    tie = (fmpq(low) + fmpq(1, 2)) * fmpq(10) ** -shift
    return (high if value.exceeds(tie) else low), power


def _decimal_of_fraction(value: Fraction, digits: int) -> str:
    if not value:
        return "0"
    above, below = abs(value.numerator), value.denominator
    # Right or one too small, by the lengths of the numbers in bits.
    power = math.floor((above.bit_length() - below.bit_length() - 1) * math.log10(2))
    if above * 10 ** max(0, -power - 1) >= below * 10 ** max(0, power + 1):
        power += 1
    shift = digits - 1 - power
    above, below = above * 10 ** max(0, shift), below * 10 ** max(0, -shift)
    rounded, rest = divmod(above, below)
    if 2 * rest > below or (2 * rest == below and rounded % 2):  # ties to even
        rounded += 1
    return _written(fmpz(-rounded if value < 0 else rounded), power, digits, exact=not rest)


def _written(number: fmpz, power: int, digits: int, *, exact: bool) -> str:
    """Write digits whose first stands for a power of ten, plainly or with an exponent."""
    sign, text = "-" if number < 0 else "", str(abs(number))
    if len(text) > digits:  # 9.99… has become 10.0…
        text, power = text[:digits], power + 1
    if exact:
        text = text.rstrip("0")
    if -5 <= power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{text}"
    if 0 <= power < (max(digits, 16) if exact else digits):
        whole, rest = text[: power + 1].ljust(power + 1, "0"), text[power + 1 :]
        return f"{sign}{whole}{'.' * bool(rest)}{rest}"
    rest = text[1:]
    return f"{sign}{text[0]}{'.' * bool(rest)}{rest}e{power:+03d}"


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _float_of_end(end: arb) -> float:
    """The float nearest to an end of a ball, which is a whole number times a power of two."""
    mantissa, exponent = (int(part) for part in end.man_exp())
    length = mantissa.bit_length() + exponent
    if not mantissa or length < -1080:
        return 0.0
    if length > 1030:
        return math.inf if mantissa > 0 else -math.inf
    return _float(mantissa * Fraction(2) ** exponent)


def _fraction_of_float(value: float) -> Fraction:
    """A float exactly; infinity as the number at which rounding begins to overflow sees it."""
    return (
        Fraction(value) if math.isfinite(value) else Fraction(2**1024 if value > 0 else -(2**1024))
    )
