"""Numbers that have no exact form here: as many digits of them as are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray

from regard.analysis.exact_trace.decimals import _decimal_of_fraction, decimal, nearest_float
from regard.analysis.exact_trace.numbers import Exact, precisions, working

MOST_BITS = 3000  # two numbers that agree to 900 digits are taken for equal


@dataclass(frozen=True, eq=False)
class Inexact:
    """A number that a ball of any size can be computed around.

    Attributes:
        ball: computes it in balls of the working precision.
    """

    ball: Callable[[], arb]

    def digits(self, digits: int) -> str:
        """Write it in so many significant digits.

        Every digit is certain but where the number is within 1e-900 of a tie between two
        decimals: it is then taken for the tie.
        """
        for bits in precisions(96 + int(digits * 3.33)):
            low, high = self._ends(bits)
            texts = _decimal_of_fraction(low, digits), _decimal_of_fraction(high, digits)
            if texts[0] == texts[1]:
                return texts[0]
            if bits > MOST_BITS:
                middle = (low + high) / 2
                if abs(middle) < Fraction(1, 10**300):
                    return "0"
                short = Fraction(_decimal_of_fraction(middle, 300))
                return _decimal_of_fraction(short, digits)
        raise AssertionError("precisions do not end")

    def _ends(self, bits: int) -> tuple[Fraction, Fraction]:
        with working(bits):
            ball = self.ball()
            return _fraction(ball.lower()), _fraction(ball.upper())

    def __float__(self) -> float:
        low, high = self._ends(160)
        if low <= 0 <= high:  # nothing is known of its size yet: it may be 0
            low, high = self._ends(MOST_BITS)
        middle = (low + high) / 2
        return float(middle) if abs(middle) > Fraction(1, 10**300) else 0.0

    def __str__(self) -> str:
        return self.digits(12)


Traced: TypeAlias = Exact | Inexact


def in_digits(value: Traced, digits: int) -> str:
    """Write a number in so many significant digits."""
    return value.digits(digits) if isinstance(value, Inexact) else decimal(value, digits)


def floats(matrix: NDArray[np.object_]) -> NDArray[np.float64]:
    """Return numbers as float64, each rounded once (inexact ones within an ulp)."""
    flat = [
        float(value) if isinstance(value, Inexact) else nearest_float(value)
        for value in matrix.reshape(-1).tolist()
    ]
    return np.array(flat).reshape(matrix.shape)


def _fraction(end: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in end.man_exp())
    return mantissa * Fraction(2) ** exponent
