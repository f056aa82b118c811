"""Formulas as rational functions of their symbols: what is equal there is equal for all values.

Symbols, and calls such as exp(a) of which nothing is known but that equal arguments give equal
values, are indeterminates. Two formulas that are the same quotient of polynomials agree wherever
both are defined: that is a proof, with no points drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from regard.certify.certificate import Unusable
from regard.certify.formulas.evaluation import LARGEST_EXPONENT
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, operands

MOST_TERMS = 2_000  # of a polynomial
_ALGEBRA = ("number", "name", "+", "-", "neg", "*", "·", "/", "'", "^")


@dataclass(frozen=True, eq=False)
class Ratio:
    """A quotient of two polynomials, in lowest terms."""

    above: Any
    below: Any

    def __add__(self, other: Any) -> Ratio:
        other = self._read(other)
        return _lowest(
            self.above * other.below + other.above * self.below, self.below * other.below
        )

    def __neg__(self) -> Ratio:
        return Ratio(-self.above, self.below)

    def __sub__(self, other: Any) -> Ratio:
        return self + -self._read(other)

    def __mul__(self, other: Any) -> Ratio:
        other = self._read(other)
        return _lowest(self.above * other.above, self.below * other.below)

    def __truediv__(self, other: Any) -> Ratio:
        other = self._read(other)
        if other.above == 0:
            raise Unusable("a formula divides by 0.")
        return _lowest(self.above * other.below, self.below * other.above)

    def __pow__(self, power: int) -> Ratio:
        base = self if power >= 0 else self._read(1) / self
        found = self._read(1)
        for _ in range(abs(power)):
            found = found * base
        return found

    __radd__ = __add__
    __rmul__ = __mul__

    def __rtruediv__(self, other: Any) -> Ratio:
        return self._read(other) / self

    def __eq__(self, other: object) -> bool:
        other = self._read(other)
        return bool(self.above * other.below == other.above * self.below)

    def _read(self, other: Any) -> Ratio:
        one = self.below**0
        return other if isinstance(other, Ratio) else Ratio(one * fmpq(other), one)

    def positive(self) -> bool:
        """Whether it is above 0 wherever all indeterminates are, seen from the signs of its terms.

        False means that the signs do not show it.
        """
        above, below = list(self.above.coeffs()), list(self.below.coeffs())
        if not above:
            return False
        alike = all(c > 0 for c in above + below) or all(c < 0 for c in above + below)
        return alike


def _lowest(above: Any, below: Any) -> Ratio:
    if len(above) > MOST_TERMS or len(below) > MOST_TERMS:
        raise Unusable("a formula is too long to multiply out.")
    common = above.gcd(below) if above != 0 else below
    return Ratio(above / common, below / common)


class Field:
    """All rational functions of the symbols, and of the unknown calls, in some formulas."""

    def __init__(self, trees: Iterable[Tree], more: Iterable[str] = ()) -> None:
        keys = dict.fromkeys(more)
        for tree in trees:
            keys |= dict.fromkeys(_unknowns(tree))
        # Names of polynomials are letters: x0, x1, … stand for symbols and calls.
        self._keys = {key: place for place, key in enumerate(keys)}
        names = [f"x{place}" for place in range(max(1, len(keys)))]
        self._context = fmpq_mpoly_ctx.get(names, Ordering.degrevlex)

    def number(self, value: Any) -> Ratio:
        """A number as a rational function."""
        one = self._context.constant(1)
        return Ratio(one * fmpq(value), one)

    def symbol(self, name: str) -> Ratio:
        """A symbol, or an unknown call by its text."""
        return Ratio(self._context.gens()[self._keys[name]], self._context.constant(1))

    def value(self, tree: Tree, known: Mapping[str, Ratio] | None = None) -> Ratio:
        """Return a formula of one number; some symbols may stand for other functions."""
        node, parts = tree[-1], operands(tree)
        if node.op == "number":
            written = Fraction(repr(node.value))
            return self.number(fmpq(written.numerator, written.denominator))
        if node.op == "name":
            return known[node.value] if known and node.value in known else self.symbol(node.value)
        if node.op == "^" and _power(parts[1]) is not None:
            power = _power(parts[1])
            assert power is not None
            return self.value(parts[0], known) ** power
        if node.op not in _ALGEBRA or node.op == "^":
            if known:  # its argument might stand for something else
                raise Unusable("a function of a symbol that has a value is not rational.")
            return self.symbol(to_text(tree))
        values = [self.value(part, known) for part in parts]
        if node.op == "+":
            return values[0] + values[1]
        if node.op == "-":
            return values[0] - values[1]
        if node.op == "neg":
            return -values[0]
        if node.op == "/":
            return values[0] / values[1]
        return values[0] if node.op == "'" else values[0] * values[1]

    def square(self, tree: Tree) -> Ratio:
        """Return the square of a formula; roots that are factors of it are no obstacle."""
        node, parts = tree[-1], operands(tree)
        if node.op == "call" and node.value == "sqrt":
            return self.value(parts[0])
        if node.op in ("*", "·"):
            return self.square(parts[0]) * self.square(parts[1])
        if node.op == "/":
            return self.square(parts[0]) / self.square(parts[1])
        if node.op in ("neg", "'"):
            return self.square(parts[0])
        if node.op == "^":
            half = _half_power(parts[1])
            if half is not None:
                return self.value(parts[0]) ** half
            power = _power(parts[1])
            if power is not None:
                return self.square(parts[0]) ** power
        return self.value(tree) ** 2


def has_root(tree: Tree) -> bool:
    """Whether a formula takes a root: then its sign is not that of a rational function."""
    return any(
        (node.op == "call" and node.value == "sqrt")
        or (node.op == "^" and _power(operands(tree, place)[1]) is None)
        for place, node in enumerate(tree)
    )


def _unknowns(tree: Tree) -> list[str]:
    """Return the symbols of a formula, and the texts of its calls."""
    node, parts = tree[-1], operands(tree)
    if node.op == "name":
        return [node.value]
    whole = node.op in _ALGEBRA and (node.op != "^" or _power(parts[1]) is not None)
    found = [] if whole else [to_text(tree)]
    return found + [key for part in parts for key in _unknowns(part)]


def _power(tree: Tree) -> int | None:
    """Return a whole exponent that is written as a number."""
    sign, inner = (-1, tree[:-1]) if tree[-1].op == "neg" else (1, tree)
    if len(inner) != 1 or inner[0].op != "number" or inner[0].value != int(inner[0].value):
        return None
    power = sign * int(inner[0].value)
    return power if abs(power) <= LARGEST_EXPONENT else None


def _half_power(tree: Tree) -> int | None:
    """Return twice an exponent such as 1/2, 3/2 or 0.5; None where it is no odd half."""
    node, parts = tree[-1], operands(tree)
    if node.op == "neg":
        inner = _half_power(parts[0])
        return None if inner is None else -inner
    if node.op == "/" and all(len(part) == 1 and part[0].op == "number" for part in parts):
        twice = 2 * Fraction(parts[0][0].value) / Fraction(parts[1][0].value)
    elif node.op == "number":
        twice = 2 * Fraction(node.value)
    else:
        return None
    odd = twice.denominator == 1 and twice.numerator % 2
    return int(twice) if odd and abs(twice) <= LARGEST_EXPONENT else None
