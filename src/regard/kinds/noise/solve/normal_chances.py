"""Probabilities of a standard normal number as formulas: Phi(sqrt(2)), 1 - Phi(1/sigma).

What looks like a simple fraction or root is written as one; the number decides, to 12 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scipy.special import ndtr

from regard.kinds.noise.instance.formulas import Chance, number_text, plain

_POWERS = {0.5: "sqrt({})", 1.0: "{}", 2.0: "{}^2"}


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
        """A number, with its sign changed if `sign` is negative."""
        return Cut(math.copysign(1.0, sign) * self.value, self.size)


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


ValueAt = Callable[[Mapping[str, float]], float | None]  # None: there is no such number


def recognised(value_at: ValueAt, now: Mapping[str, float]) -> Cut:
    """Return a number that may depend on parameters as c · p^k · …, with that formula if it does.

    Args:
        value_at: the number for other parameters.
        now: the parameters as they are.
    """
    value = value_at({})
    assert value is not None  # it is asked for where there is one
    powers = {name: _power(value_at({name: 2 * size}), value) for name, size in now.items() if size}
    used = {name: power for name, power in powers.items() if power}
    known = len(powers) == len(now) and all(abs(p) in (0, *_POWERS) for p in powers.values())
    if not used or not known:
        return Cut.at(value)

    def product(numbers: Mapping[str, float]) -> float:
        return math.prod(numbers[name] ** power for name, power in used.items())

    rest = abs(value) / product(now)
    other = {name: now[name] * (1.5 + 0.25 * place) for place, name in enumerate(now)}
    expected = rest * product(other)
    if abs(abs(value_at(other) or 0.0) - expected) > 1e-9 * expected:
        return Cut.at(value)
    return Cut(value, _written(rest, used))


def _power(doubled: float | None, value: float) -> float:
    """The power k with doubled = 2^k value, a multiple of 1/2; infinite where there is none."""
    ratio = doubled / value if doubled and value else 0.0
    power = 2 * math.log2(ratio) if ratio > 0 else math.inf
    return round(power) / 2 if abs(power % 1 - 0.5) >= 0.5 - 1e-9 else math.inf


def _written(rest: float, powers: Mapping[str, float]) -> str:
    """Write rest · p^k · … as a fraction."""
    above = [_POWERS[power].format(name) for name, power in powers.items() if power > 0]
    below = [_POWERS[-power].format(name) for name, power in powers.items() if power < 0]
    front = number_text(rest)
    if "/" in front and not front.startswith("sqrt"):
        front, divisor = front.split("/")
        below.insert(0, divisor)
    if front != "1" or not above:
        above.insert(0, front)
    under = " ".join(below)
    under = f"({under})" if len(below) > 1 else under
    return " ".join(above) + (f"/{under}" if under else "")
