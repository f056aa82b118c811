"""Probabilities as numbers with formulas: 1/2, Phi(sqrt(2)), 1 - Phi(1/sigma).

What looks like a simple fraction or root is written as one; the number decides, to 12 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from scipy.special import ndtr

SIMPLE = 1000  # the largest denominator of a number that is written as a fraction
CLOSE = 1e-12
_POWERS = {0.5: "sqrt({})", 1.0: "{}", 2.0: "{}^2"}


def fraction_of(x: float, most: int = SIMPLE, close: float = CLOSE) -> Fraction | None:
    """The simple fraction that x is, if it is one."""
    if not math.isfinite(x):
        return None
    near = Fraction(x).limit_denominator(most)
    return near if abs(float(near) - x) <= close * max(1.0, abs(x)) else None


def number_text(x: float) -> str:
    """Write x ≥ 0 as a fraction, the root of one, or in 15 digits."""
    if math.isinf(x):
        return "inf"
    simple = fraction_of(x)
    if simple is not None:
        return str(simple)
    square = fraction_of(x * x)
    return f"sqrt({square})" if square is not None else f"{x:.15g}"


@dataclass(frozen=True)
class Cut:
    """A number at which something changes, with a formula for its size."""

    value: float
    size: str

    @staticmethod
    def at(value: float) -> Cut:
        """A number that no parameter is known to be behind."""
        return Cut(value, number_text(abs(value)))

    def signed(self, sign: float) -> Cut:
        """The same number with its sign changed if `sign` is negative."""
        return Cut(math.copysign(1.0, sign) * self.value, self.size)


@dataclass(frozen=True)
class Chance:
    """A probability.

    Attributes:
        value: as a number.
        formula: as a formula.
        symbolic: whether the formula has a function or a name in it.
    """

    value: float
    formula: str
    symbolic: bool = False

    def times(self, other: Chance) -> Chance:
        """The probability of two independent cases."""
        value = self.value * other.value
        if not (self.symbolic and other.symbolic):
            if self.value == 1:
                return other
            if other.value == 1:
                return self
        if not self.symbolic and not other.symbolic:
            return plain(value)
        first, second = (other, self) if other.symbolic < self.symbolic else (self, other)
        return Chance(value, f"{factor(first.formula)} {factor(second.formula)}", True)

    def plus(self, other: Chance) -> Chance:
        """The probability of one of two cases that exclude each other."""
        value = self.value + other.value
        if abs(value - 1) <= 1e-14 or not (self.symbolic or other.symbolic):
            return plain(value)
        return Chance(value, f"{self.formula} + {other.formula}", True)

    def over(self, condition: Chance) -> Chance:
        """The probability given a case that contains this one."""
        if condition.value == 1:
            return self
        if condition.value <= 0:
            return plain(0.0)
        if self.formula == condition.formula or abs(self.value / condition.value - 1) <= 1e-14:
            return plain(1.0)
        value = self.value / condition.value
        return Chance(value, f"({self.formula})/({condition.formula})", True)


def plain(value: float, *, exact: bool = True) -> Chance:
    """A probability that is only known as a number."""
    simple = fraction_of(value, 64, CLOSE if exact else 1e-5)
    if simple is not None:
        return Chance(float(simple), str(simple))
    return Chance(value, f"{value:.15g}" if exact else f"{value:.5g}")


def between(low: Cut, high: Cut) -> Chance:
    """The probability that a standard normal number is between two cuts."""
    if low.value == -math.inf:
        return _below(high)
    if high.value == math.inf:
        return _below(low.signed(-1))
    value = float(ndtr(high.value) - ndtr(low.value))
    if low.value > 0:
        value = float(ndtr(-low.value) - ndtr(-high.value))
    return Chance(value, f"{_phi(high)} - {_phi(low)}", True)


def _below(cut: Cut) -> Chance:
    value = float(ndtr(cut.value))
    if math.isinf(cut.value) or cut.value == 0:
        return plain(value)
    size = f"Phi({cut.size})"
    return Chance(value, size if cut.value > 0 else f"1 - {size}", True)


def _phi(cut: Cut) -> str:
    if cut.value == 0:
        return "1/2"
    return f"Phi({'-' if cut.value < 0 else ''}{cut.size})"


def factor(text: str) -> str:
    """A formula in brackets where it has to be a factor of a product."""
    depth = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if depth == 0 and character in "+-/" and not _is_number(text):
            return f"({text})"
    return text


def _is_number(text: str) -> bool:
    return all(character in "0123456789./e" for character in text)


def recognised(value_at: Callable[[Mapping[str, float]], float], now: Mapping[str, float]) -> Cut:
    """Return a number that may depend on parameters as c · p^k · …, with that formula if it does.

    Args:
        value_at: the number for other parameters.
        now: the parameters as they are.
    """
    value = value_at({})
    powers = {}
    for name, size in now.items():
        if size == 0 or value == 0:
            return Cut.at(value)
        ratio = value_at({name: 2 * size}) / value
        power = math.log2(ratio) if ratio > 0 else math.nan
        if not abs(2 * power - round(2 * power, 0)) <= 1e-9:
            return Cut.at(value)
        powers[name] = round(2 * power) / 2
    used = {name: power for name, power in powers.items() if power}
    if not used or any(abs(power) not in _POWERS for power in used.values()):
        return Cut.at(value)
    rest = abs(value) / math.prod(now[name] ** power for name, power in used.items())
    other = {name: now[name] * (1.5 + 0.25 * place) for place, name in enumerate(now)}
    expected = rest * math.prod(other[name] ** power for name, power in used.items())
    if abs(abs(value_at(other)) - expected) > 1e-9 * expected:
        return Cut.at(value)
    above = [_POWERS[power].format(name) for name, power in used.items() if power > 0]
    below = [_POWERS[-power].format(name) for name, power in used.items() if power < 0]
    front = number_text(rest)
    if "/" in front and not front.startswith("sqrt"):
        front, divisor = front.split("/")
        below.insert(0, divisor)
    if front != "1" or not above:
        above.insert(0, front)
    under = " ".join(below)
    under = f"({under})" if len(below) > 1 else under
    return Cut(value, " ".join(above) + (f"/{under}" if under else ""))
