"""Formulas as sums of products of powers, so that they can be added, multiplied and written.

A formula such as `2 mu + 1` is {mu: 2, 1: 1}. What is no sum of products, such as exp(a), counts
as a symbol of its own. Nothing is cancelled but equal terms, zeros and ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from regard.language.formula.formula import Formula, parse
from regard.language.formula.size_limits import MOST_DIGITS
from regard.language.formula.tree import operands

Monomial = tuple[tuple[str, int], ...]  # names with their powers, in the order of names

MOST_TERMS = 40
MOST_POWER = 8


@dataclass(frozen=True)
class Polynomial:
    """A sum of terms, each a number times powers of symbols; the order is that of the writing."""

    terms: tuple[tuple[Monomial, Fraction], ...]

    @staticmethod
    def number(x: Fraction | int) -> Polynomial:
        """The formula of a number."""
        return Polynomial((((), Fraction(x)),) if x else ())

    @staticmethod
    def symbol(name: str) -> Polynomial:
        """The formula of a name."""
        return Polynomial(((((name, 1),), Fraction(1)),))

    def __add__(self, other: Polynomial) -> Polynomial:
        found: dict[Monomial, Fraction] = {}
        for monomial, size in (*self.terms, *other.terms):
            found[monomial] = found.get(monomial, Fraction(0)) + size
        return Polynomial(tuple((m, c) for m, c in found.items() if c))

    def __mul__(self, other: Polynomial) -> Polynomial:
        total = Polynomial(())
        for one, a in self.terms:
            for two, b in other.terms:
                total = total + Polynomial(((_product(one, two), a * b),))
        return total

    def __neg__(self) -> Polynomial:
        return self * Polynomial.number(-1)

    def power(self, exponent: int) -> Polynomial:
        """A whole power; negative ones only of a single term."""
        if exponent < 0:
            ((monomial, size),) = self.terms
            return Polynomial(((tuple((n, -p) for n, p in monomial), 1 / size),)).power(-exponent)
        result = Polynomial.number(1)
        for _ in range(exponent):
            result = result * self
        return result

    def without(self, name: str) -> tuple[Polynomial, bool]:
        """The formula divided by a symbol, if every term has it."""
        if not self.terms or not all(dict(m).get(name, 0) > 0 for m, _ in self.terms):
            return self, False
        return self * Polynomial(((((name, -1),), Fraction(1)),)), True

    def __str__(self) -> str:
        """The formula in the language; terms in the order in which they came about."""
        out = ""
        for monomial, size in self.terms:
            sign = (" - " if size < 0 else " + ") if out else ("-" if size < 0 else "")
            out += sign + _term(monomial, abs(size))
        return out or "0"


def _product(one: Monomial, two: Monomial) -> Monomial:
    powers = dict(one)
    for name, power in two:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def _power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"


def _term(monomial: Monomial, size: Fraction) -> str:
    above = [_power(name, power) for name, power in monomial if power > 0]
    below = [_power(name, -power) for name, power in monomial if power < 0]
    if size.numerator != 1 or not above:
        above.insert(0, _integer_text(size.numerator))
    if size.denominator != 1:
        below.insert(0, _integer_text(size.denominator))
    if not below:
        return " ".join(above)
    under = below[0] if len(below) == 1 else f"({' '.join(below)})"
    return f"{' '.join(above)}/{under}"


def _integer_text(x: int) -> str:
    """Write a whole number; one with more digits than formulas may have to those of a float."""
    text = str(x)
    return text if len(text) <= MOST_DIGITS else repr(float(x)).replace("+", "")


def written(x: Fraction) -> str:
    """Write a fraction in the formula language."""
    above = ("-" if x < 0 else "") + _integer_text(abs(x.numerator))
    return above if x.denominator == 1 else f"{above}/{_integer_text(x.denominator)}"


def polynomial(formula: Formula, values: Mapping[str, Polynomial] | None = None) -> Polynomial:
    """Return a formula as a sum of terms, with some names replaced by others."""
    stack: list[tuple[Polynomial, Formula]] = []
    for node in formula.tree:
        parts = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        # The same part of the formula, to be taken as one symbol if it is no sum of products.
        own = Formula((*(n for _, f in parts for n in f.tree), node), "")
        found = (values or {}).get(str(node.value)) if node.op == "name" else None
        if found is None:
            found = _combined(node.op, node.value, [p for p, _ in parts], own)
        else:
            own = parse(str(found))
        stack.append((found, own))
    return stack[0][0]


def with_numbers(formula: Formula, values: Mapping[str, float]) -> Formula:
    """Return a formula with some of its names replaced by numbers."""
    known = {
        name: parse(f"({written(exact(x))})") for name, x in values.items() if name in formula.names
    }
    return formula.substitute(known) if known else formula


def _combined(op: str, value: object, parts: list[Polynomial], own: Formula) -> Polynomial:
    if op == "number" and isinstance(value, int | float):
        return Polynomial.number(exact(float(value)))
    if op == "name":
        return Polynomial.symbol(str(value))
    result: Polynomial | None = None
    if op == "+":
        result = parts[0] + parts[1]
    elif op == "-":
        result = parts[0] + -parts[1]
    elif op == "neg":
        result = -parts[0]
    elif op in ("*", "·"):
        result = parts[0] * parts[1]
    elif op == "/" and len(parts[1].terms) == 1:
        result = parts[0] * parts[1].power(-1)
    elif op == "^":
        result = _power_of(parts[0], parts[1])
    elif op == "call" and not own.names:
        number = own.evaluate({})
        if isinstance(number, float) and number.is_integer():
            result = Polynomial.number(int(number))  # such as sqrt(4) or cos(0)
    if result is None or len(result.terms) > MOST_TERMS:
        return Polynomial.symbol(f"({own})" if operands(own.tree) and op != "call" else str(own))
    return result


def _power_of(base: Polynomial, exponent: Polynomial) -> Polynomial | None:
    if any(monomial for monomial, _ in exponent.terms):
        return None
    power = sum((size for _, size in exponent.terms), Fraction(0))
    if power.denominator != 1 or abs(power) > MOST_POWER:
        return None
    if power < 0 and len(base.terms) != 1:
        return None
    return base.power(int(power))


def exact(x: float) -> Fraction:
    """The number as it is written in decimals."""
    return Fraction(repr(float(x)))


def factored(formula: Polynomial, name: str) -> str:
    """Write a formula with a symbol that every term has in front."""
    rest, has = formula.without(name)
    if not has or len(formula.terms) < 2:
        return _leading(formula, name)
    return f"{name} ({rest})"


def _leading(formula: Polynomial, name: str) -> str:
    """Write single terms with a symbol in front of the others: D mu^2."""
    if len(formula.terms) != 1:
        return str(formula)
    ((monomial, size),) = formula.terms
    order = sorted(monomial, key=lambda part: (part[0] != name, part[0]))
    sign = "-" if size < 0 else ""
    return sign + _term(tuple(order), abs(size))


def root(formula: Polynomial, name: str) -> str:
    """Write the square root, with a number that is a square in front."""
    if len(formula.terms) == 1:
        ((monomial, size),) = formula.terms
        above, below = math.isqrt(abs(size.numerator)), math.isqrt(size.denominator)
        if size > 0 and Fraction(above, below) ** 2 == size:
            inside = factored(Polynomial(((monomial, Fraction(1)),)), name) if monomial else ""
            front = _integer_text(above) if above != 1 or not inside else ""
            text = " ".join(part for part in (front, f"sqrt({inside})" if inside else "") if part)
            return text if below == 1 else f"{text}/{_integer_text(below)}"
    return f"sqrt({factored(formula, name)})"
