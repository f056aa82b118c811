"""Rational functions written as formulas, and their values at numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq

from regard.certify.formulas.rational_functions import Ratio


def written(ratio: Ratio, names: Sequence[str]) -> str:
    """Write a rational function as a formula of the formula language.

    Args:
        ratio: a quotient of polynomials.
        names: of the indeterminates, in the order of the field.
    """
    above, below = ratio.above, ratio.below
    if below.is_constant():
        constant = below.leading_coefficient()
        terms = {powers: c / constant for powers, c in above.to_dict().items()}
        common = math.lcm(*(int(c.q) for c in terms.values()))
        if common == 1 or len(terms) <= 1:
            return _sum(terms, names)
        return f"({_sum({p: c * common for p, c in terms.items()}, names)})/{common}"
    # Whole numbers without a common factor, above and below.
    every = [*above.to_dict().values(), *below.to_dict().values()]
    shared = fmpq(math.gcd(*(int(c.p) for c in every)), math.lcm(*(int(c.q) for c in every)))
    sign = -1 if below.leading_coefficient() < 0 else 1
    top, bottom = (
        {powers: sign * c / shared for powers, c in poly.to_dict().items()}
        for poly in (above, below)
    )
    whole = f"({_sum(top, names)})" if len(top) > 1 else _sum(top, names)
    ((powers, c), *others) = bottom.items()
    single = not others and c == 1 and sum(powers) == 1
    return f"{whole}/{_sum(bottom, names)}" if single else f"{whole}/({_sum(bottom, names)})"


def _sum(terms: Mapping[tuple[int, ...], Any], names: Sequence[str]) -> str:
    if not terms:
        return "0"
    # Long products first, and within a length the larger factor: 12 L d^2 + 2 V d.
    order = sorted(terms, key=lambda p: (-sum(p), tuple(-x for x in p)))
    text = ""
    for powers in order:
        c = terms[powers]
        sign = "-" if c < 0 else "+"
        size = abs(c)
        factors = [
            name if power == 1 else f"{name}^{power}"
            for name, power in zip(names, powers, strict=False)
            if power
        ]
        number = str(size)
        word = " ".join(factors if size == 1 and factors else [number, *factors])
        text += f" {sign} {word}" if text else (f"-{word}" if c < 0 else word)
    return text


def used(ratio: Ratio) -> set[int]:
    """Return the places of the indeterminates that a function depends on."""
    every = [*ratio.above.to_dict(), *ratio.below.to_dict()]
    return {place for powers in every for place, power in enumerate(powers) if power}


def at_known(
    ratio: Ratio, names: Sequence[str], numbers: Mapping[str, Fraction]
) -> Fraction | None:
    """Return the value at these numbers; None where one that matters is missing, or it is 1/0."""
    if not {names[place] for place in used(ratio)} <= set(numbers):
        return None
    return at_numbers(ratio, [numbers.get(name, Fraction(1)) for name in names])


def at_numbers(ratio: Ratio, numbers: Sequence[Fraction | int]) -> Fraction | None:
    """Return the value at these numbers of the indeterminates; None where it divides by 0."""
    points = [fmpq(Fraction(x).numerator, Fraction(x).denominator) for x in numbers]
    above, below = (_value(poly, points) for poly in (ratio.above, ratio.below))
    if below == 0:
        return None
    found = above / below
    return Fraction(int(found.p), int(found.q))


def _value(poly: Any, points: Sequence[fmpq]) -> fmpq:
    total = fmpq(0)
    for powers, c in poly.to_dict().items():
        term = fmpq(c)
        for point, power in zip(points, powers, strict=False):
            term *= point**power
        total += term
    return total
