"""A factor C that an answer leaves open: right is what is right for every large enough C.

How fast scores grow with it is the answer's own choice: C, C^0.1 and log(log(C)) all get as far
as one likes, and 8 C/(1 + C) does not. So C is tried where scores are as large as float64 can tell
apart, wherever that is: C itself may be far beyond float64 (a `Large`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from regard.language.formula.evaluation.large_numbers import Large
from regard.report import number

FACTOR = "C"
MODERATE_FACTORS = (10.0, 20.0, 50.0, 100.0, 1000.0)  # that an open one is shown with
PLAIN = 100.0  # up to it a factor is a float like any other: exp(C) is a number
MOST_EXPONENT = 2.0**60  # up to which there is something between two rungs
HALVINGS = 8
FAR_BELOW = 1e-4  # of the largest size: such a factor is not yet a large one
NEAR = 0.2  # of the way from one rung to the next: there is little to be tried between
Size = Callable[[float], float]


def _factor(exponent: float) -> float:
    """Return C = 2^exponent, in three digits where float64 has them."""
    if exponent < 1000:
        C = float(f"{2.0**exponent:.2e}")
        return C if C <= PLAIN else in_balls(C)
    return _power_of_two(int(exponent))


def in_balls(C: float) -> Large:
    """Return a factor whose formulas know their own rounding."""
    from flint import arb  # slow to load

    return Large(arb(C))


def _power_of_two(exponent: int) -> Large:
    from flint import arb, fmpz

    return Large(arb((1, fmpz(exponent))))


@lru_cache(maxsize=1)
def rungs() -> tuple[tuple[float, float], ...]:
    """Return the binary exponents of the factors that are tried first, each with the factor.

    From 1 to 1e300; from there log C grows by the same ratio, up to log(log(C)) = 7e5.
    """
    low = (np.geomspace(1.0, 1e4, 33), np.geomspace(3e4, 1e16, 24), np.geomspace(1e20, 1e300, 29))
    plain = [float(C) for part in low for C in part]
    found = [(math.log2(C), C if C <= PLAIN else in_balls(C)) for C in plain]
    found += [(2.0**k, _power_of_two(int(2.0**k))) for k in np.arange(10.5, 60, 0.5).tolist()]
    beyond = np.geomspace(60, 2**20, 24).round().astype(int).tolist()
    return (*found, *((math.inf, _power_of_two(1 << k)) for k in beyond))


ORDINARY = 86  # rungs up to 1e300


def largest(size: Size, most: float, count: int) -> tuple[float, ...]:
    """Return the largest factors with which a size stays below `most`, from the smallest.

    Args:
        size: of what grows with the factor; infinite or NaN where it cannot be told.
        most: up to which it may be.
        count: of factors, more or less near to the largest of all.
    """
    ladder = rungs()
    good = [size(C) < most for _, C in ladder[:ORDINARY]]
    if good[-1]:
        good += [size(C) < most for _, C in ladder[ORDINARY:]]
    usable = [at for at, one in enumerate(good) if one]
    if not usable:
        return ()
    last = usable[-1]
    if last + 1 == len(ladder) or ladder[last + 1][0] > MOST_EXPONENT:
        return tuple(ladder[at][1] for at in usable[-count:])
    (low, _), (high, _) = ladder[last], ladder[last + 1]
    end = _end(size, most, low, high)
    if end - low < NEAR * (high - low) and usable[-2:-1] == [last - 1]:
        low = ladder[last - 1][0]
    near_end = [_between(low, end, 1 - 0.5**k) for k in range(1, count)]
    rung = [ladder[at][1] for at in usable[-count:]]
    steps = {written(C): C for C in [*rung, *map(_factor, [*near_end, end])]}.values()
    sizes = [(C, size(C)) for C in steps]
    usual = max(one for _, one in sizes if one < most)
    return tuple(C for C, one in sizes if one < most and one >= FAR_BELOW * usual)[-count:]


def up_to(C: float) -> list[float]:
    """Return the factors that are tried below C, and C."""
    return [*(one for _, one in rungs() if _exact(one) < _exact(C)), C]


def _exact(C: float) -> Any:
    from flint import arb

    return C.exact if isinstance(C, Large) else arb(C)


def _end(size: Size, most: float, low: float, high: float) -> float:
    """Return an exponent up to which it is small enough: so at low, and not at high."""
    start, t, step = low, 0.0, 0.5
    for _ in range(HALVINGS):
        middle = _between(start, high, t + step)
        t, low = (t + step, middle) if size(_factor(middle)) < most else (t, low)
        step /= 2
    return low


def _between(low: float, high: float, t: float) -> float:
    """Return an exponent a part t of the way: of log C up to 1e300, of log(log(C)) beyond."""
    return low + t * (high - low) if high < 1000 else max(low, 1.0) * (high / max(low, 1.0)) ** t


def spread(low: float, high: float, count: int) -> list[float]:
    """Return so many factors between two, for what goes up and down."""
    if math.isfinite(low) and math.isfinite(high):
        inner = np.linspace(low, high, count + 2)[1:-1].tolist()
        return [C if C <= PLAIN else in_balls(C) for C in inner]
    return []


def settled(
    right: Callable[[tuple[float, ...]], bool],
    size: Size,
    least: float,
    most: float,
    count: int = 2,
) -> tuple[float, ...]:
    """Return the factors to judge with: below `least`, or if they are wrong and that helps, `most`.

    Up to `least` rounding does not show in weights, whatever ties; beyond it not everything ties.
    """
    near = largest(size, least, count)
    if near and right(near):
        return near
    far = largest(size, most, count)
    return far if far and (not near or right(far)) else near


def lower(C: float, most: float | None) -> float:
    """Return a factor, or the largest one that there may be."""
    return C if most is None or _exact(C) < _exact(most) else most


def plain(C: float) -> float | str:
    """Return a factor as data: a float where there is one, else its text."""
    return float(C) if math.isfinite(C) else written(C)


def shown_first(factor: float, wrong: Callable[[float], bool]) -> float:
    """Return the first of some moderate factors with which an answer is wrong, or this one.

    A number such as 5.53e9, which an open factor is tried with, tells a reader nothing.
    """
    smaller = (one for one in MODERATE_FACTORS if one < factor)
    return next((one for one in smaller if wrong(one)), factor)


def written(C: float, digits: int = 6) -> str:
    """Write a factor: 20, 3e+300, 10^1200 or 10^(10^500)."""
    if math.isfinite(C) or not isinstance(C, Large):
        return number(float(C), digits)
    ten = _exact(10.0).log()
    tens = C.exact.log() / ten
    if float(tens) < 1e15:
        return f"10^{number(float(tens), digits)}"
    return f"10^(10^{number(float(tens.log() / ten), digits)})"
