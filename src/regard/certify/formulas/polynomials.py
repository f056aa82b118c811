"""Sums of monomials with rational coefficients.

    term    a product of powers, in which i² = -1 and the square of a root is what is under it
    1/p     p = c m r, where r has no common factor and the leading coefficient 1: then 1/p is
            (1/c) (1/m) r⁻¹, with r⁻¹ as a factor
    is 0    what is left when a sum is multiplied by all that it is divided by

Each rule is an equation between numbers that holds wherever its left side is defined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import fmpq

from regard.certify.certificate import Unusable
from regard.certify.formulas.indices import Place
from regard.certify.formulas.monomials import (
    ONE,
    Exponent,
    Factor,
    Monomial,
    delta_factor,
    merged,
    written,
)

MOST_TERMS = 6_000
MOST_WORK = 200_000  # products of terms in one identity
LARGEST_POWER = 64
_SPECIAL = frozenset(["i", "cis", "root", "poly", "delta", "seen"])


class TooLarge(Unusable):
    """A polynomial has more terms than are worth expanding."""


_work: ContextVar[int] = ContextVar("products of terms that may still be computed")


@contextmanager
def bounded(work: int = MOST_WORK) -> Iterator[None]:
    """Let what is inside compute so many products of terms."""
    before = _work.set(work)
    try:
        yield
    finally:
        _work.reset(before)


def _spend(products: int) -> None:
    left = _work.get(MOST_WORK) - products
    if left < 0:
        raise TooLarge("its expansion has too many terms.")
    if _work.get(None) is not None:
        _work.set(left)


class Poly:
    """A sum of monomials, each with a coefficient that is not 0."""

    __slots__ = ("__dict__", "terms")

    def __init__(self, terms: Mapping[Monomial, fmpq] | None = None) -> None:
        self.terms = {m: c for m, c in (terms or {}).items() if c != 0}
        if len(self.terms) > MOST_TERMS:
            raise TooLarge("its expansion has too many terms.")

    @cached_property
    def _hash(self) -> int:
        return hash(frozenset((monomial, str(c)) for monomial, c in self.terms.items()))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Poly) -> Poly:
        found = dict(self.terms)
        for monomial, c in other.terms.items():
            found[monomial] = found.get(monomial, fmpq(0)) + c
        return Poly(found)

    def __neg__(self) -> Poly:
        return self.scaled(fmpq(-1))

    def __sub__(self, other: Poly) -> Poly:
        return self + -other

    def __mul__(self, other: Poly) -> Poly:
        _spend(len(self.terms) * len(other.terms))
        found: dict[Monomial, fmpq] = {}
        rest: list[Poly] = []
        for one, a in self.terms.items():
            for two, b in other.terms.items():
                exponents = merged(one, two)
                if any(factor[0] in _SPECIAL for factor in exponents):
                    rest.append(term(exponents, a * b))
                    continue
                monomial = frozenset(exponents.items())
                found[monomial] = found.get(monomial, fmpq(0)) + a * b
        for poly in rest:
            for monomial, c in poly.terms.items():
                found[monomial] = found.get(monomial, fmpq(0)) + c
        return Poly(found)

    def scaled(self, factor: fmpq) -> Poly:
        """Return the polynomial with every coefficient multiplied by a number."""
        return Poly({monomial: factor * c for monomial, c in self.terms.items()})

    def mapped(self, change: Callable[[Monomial], Monomial]) -> Poly:
        """Return the sum of other monomials with the same coefficients."""
        found: dict[Monomial, fmpq] = {}
        for monomial, c in self.terms.items():
            new = change(monomial)
            found[new] = found.get(new, fmpq(0)) + c
        return Poly(found)

    def constant(self) -> fmpq | None:
        """Return the number that it is; None if it is none."""
        if not self.terms:
            return fmpq(0)
        return self.terms.get(ONE) if len(self.terms) == 1 else None


def number(value: Any) -> Poly:
    """Return a fraction or whole number as a polynomial without symbols."""
    if isinstance(value, Fraction):
        value = fmpq(value.numerator, value.denominator)
    return Poly({ONE: fmpq(value)})


def factor(*parts: Any) -> Poly:
    """Return a symbol, given by its parts, as a polynomial of one term."""
    return Poly({frozenset([(parts, 1)]): fmpq(1)})


_PI: Monomial = frozenset([(("x", "pi"), 1)])
_I: Factor = ("i",)
PI = Poly({_PI: fmpq(1)})


def delta(one: Place, other: Place) -> Poly:
    """Return 1 where two places are equal, else 0."""
    if one == other:
        return number(1)
    # Two indices that a claim is made for are different: that they are equal is a case of its own.
    # Moved by a permutation, one of them may be the other.
    apart = all(isinstance(place, int) or 0 < place.label < 100 for place in (one, other))
    if apart and len({() if isinstance(p, int) else p.word for p in (one, other)}) == 1:
        return Poly()
    return factor(*delta_factor(one, other))


def seen(one: Place, other: Place) -> Poly:
    """Return 1 where the second place is at most the first, as in a causal mask, else 0."""
    if isinstance(one, int) and isinstance(other, int):
        return number(int(other <= one))
    return number(1) if one == other else factor("seen", one, other)


def term(exponents: dict[Factor, Exponent], c: fmpq) -> Poly:
    """Return a product of powers: i² is -1, the square of a root is what is under it."""
    beside = number(1)
    turns: Exponent = 0  # powers of i
    for one, exponent in list(exponents.items()):
        kind = one[0]
        if kind == "i":
            turns += exponent
            del exponents[one]
        elif kind == "cis" and one[1] == _PI and (2 * exponent) % 1 == 0:
            turns += 2 * exponent
            del exponents[one]
        elif kind == "root" and exponent != 1:
            whole, odd = divmod(int(exponent), 2)
            del exponents[one]
            if odd:
                exponents[one] = 1
            beside *= power(one[1], whole)
        elif kind == "poly" and exponent > 0:
            del exponents[one]
            beside *= power(one[1], int(exponent))
        elif kind in ("delta", "seen") and exponent > 0:
            exponents[one] = 1
    turns = int(turns) % 4
    if turns % 2:
        exponents[_I] = 1
    found = Poly({frozenset(exponents.items()): -c if turns > 1 else c})
    return found if beside.constant() == 1 else found * beside


def primitive(poly: Poly) -> tuple[fmpq, Monomial, Poly]:
    """Return c, m and p with poly = c m p: p has no common factor and the leading coefficient 1."""
    least: dict[Factor, Exponent] = {}
    for place, monomial in enumerate(poly.terms):
        exponents = dict(monomial)
        for one in {*least, *exponents} if place else exponents:
            least[one] = min(least.get(one, 0) if place else exponents[one], exponents.get(one, 0))
    common = frozenset((one, e) for one, e in least.items() if e != 0)
    rest = poly * Poly({inverted(common): fmpq(1)})
    leading = rest.terms[min(rest.terms, key=written)]
    return leading, common, rest.scaled(1 / leading)


def inverted(monomial: Monomial) -> Monomial:
    """Return 1 over a product of powers: every exponent negated."""
    return frozenset((one, -exponent) for one, exponent in monomial)


def inverse(poly: Poly) -> Poly:
    """Return 1 over a polynomial."""
    if not poly:
        raise Unusable("the formulas divide by 0.")
    c, common, rest = primitive(poly)
    exponents = dict(inverted(common))
    if rest.constant() is None:
        key = ("poly", rest)
        exponents[key] = exponents.get(key, 0) - 1
        if exponents[key] == 0:  # it was a sum over itself, as where weights are summed
            del exponents[key]
    return term(exponents, 1 / c)


def power(poly: Poly, exponent: int) -> Poly:
    """Return a polynomial to a whole power, which may be negative."""
    if abs(exponent) > LARGEST_POWER:
        raise Unusable("an exponent is too large.")
    base = inverse(poly) if exponent < 0 else poly
    found = number(1)
    for _ in range(abs(exponent)):
        found *= base
    return found


def is_zero(poly: Poly) -> bool:
    """Say whether a polynomial is 0 once it is multiplied by all that it is divided by."""
    for _ in range(MOST_TERMS):
        below = next(
            (one for monomial in poly.terms for one, e in monomial if one[0] == "poly" and e < 0),
            None,
        )
        if below is None or not poly:
            break
        most = max(-dict(monomial).get(below, 0) for monomial in poly.terms)
        lifted = Poly()
        for monomial, c in poly.terms.items():
            exponents = dict(monomial)
            left = int(most) + int(exponents.pop(below, 0))
            lifted += Poly({frozenset(exponents.items()): c}) * power(below[1], left)
        poly = lifted
    return not poly
