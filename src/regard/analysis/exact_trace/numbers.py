"""Numbers that a trace is made of: rationals, rationals over a root, quotients of exponentials.

A weight is e^{z_j} / Σ_l e^{z_l}, an output Σ_j v_j e^{z_j} / Σ_l e^{z_l}, with rational z and v
(or z over one root). By Lindemann and Weierstrass, e to the power of distinct algebraic numbers
are linearly independent over the algebraic numbers. So such a quotient is rational iff the mean of
v over the keys of one score is the same for every score, and no other quotient is a tie between
two decimals: with enough bits every digit is certain.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from flint import arb, ctx, fmpq

from regard.certify.balls import _PRECISION as ONE_THREAD  # the precision is global to the process

__all__ = [
    "Exact",
    "ExponentialQuotient",
    "Exponentials",
    "Surd",
    "fraction",
    "precisions",
    "quotient",
    "rational",
    "share",
    "working",
]


@dataclass(frozen=True)
class Surd:
    """The number numerator / √root, root not a square.

    >>> print(Surd(Fraction(2), 3), float(Surd(Fraction(2), 3)))
    2/√3 1.1547005383792515
    """

    numerator: Fraction
    root: int

    def ball(self) -> arb:
        """The number, in balls of the working precision."""
        return arb(rational(self.numerator)) / arb(self.root).sqrt()

    def exceeds(self, level: fmpq) -> bool:
        """Is the number above a rational one? By squares, so exactly."""
        number = rational(self.numerator)
        squares = number * number, level * level * self.root
        if number < 0:
            return bool(level < 0 and squares[0] < squares[1])
        return bool(level < 0 or squares[0] > squares[1])

    @property
    def size(self) -> int:
        """How many bits more than the digits need: none, since nothing is subtracted."""
        return 0

    def __float__(self) -> float:
        from regard.analysis.exact_trace.decimals import nearest_float

        return nearest_float(self)

    def __str__(self) -> str:
        from regard.analysis.exact_trace.notation import TEXT, number

        return number(self, TEXT)


@dataclass(frozen=True)
class Exponentials:
    """The numbers e^{z_j / √root} of one row of scores z."""

    exponents: tuple[Fraction, ...]
    root: int = 1

    @cached_property
    def groups(self) -> tuple[tuple[Fraction, tuple[int, ...]], ...]:
        """Each score and the keys that have it, from the highest down."""
        keys: dict[Fraction, list[int]] = {}
        for j, exponent in enumerate(self.exponents):
            keys.setdefault(exponent, []).append(j)
        return tuple((z, tuple(keys[z])) for z in sorted(keys, reverse=True))

    @cached_property
    def size(self) -> int:
        """How many bits of an exponent stand before the point: rounding is multiplied by that."""
        furthest = self.groups[0][0] - self.groups[-1][0]
        return int(furthest).bit_length()

    @cached_property
    def _known(self) -> dict[int, tuple[arb, ...]]:
        return {}

    def balls(self) -> tuple[arb, ...]:
        """e^{z − highest z} for each group, in balls of the working precision."""
        bits = ctx.prec
        if bits not in self._known:
            self._known.clear()  # of all precisions only the last is asked for again
            highest = self.groups[0][0]
            root = arb(self.root).sqrt()
            self._known[bits] = tuple(
                (arb(rational(z - highest)) / root).exp() for z, _ in self.groups
            )
        return self._known[bits]

    def sums(self, coefficients: Sequence[Fraction]) -> tuple[fmpq, ...]:
        """The sum of one coefficient per key, over the keys of each group."""
        return tuple(
            sum((rational(coefficients[j]) for j in keys), fmpq(0)) for _, keys in self.groups
        )

    def __reduce__(self) -> tuple[type[Exponentials], tuple[Any, ...]]:
        return Exponentials, (self.exponents, self.root)  # balls cannot be pickled


@dataclass(frozen=True)
class ExponentialQuotient:
    """The irrational number Σ_j coefficient_j e^{z_j} / Σ_j e^{z_j}, z the row of scores.

    >>> weight = quotient([1, 0], Exponentials((Fraction(1), Fraction(0))))
    >>> print(weight, float(weight))
    e^1/(e^1 + e^0) 0.7310585786300049
    """

    coefficients: tuple[Fraction, ...]
    row: Exponentials

    @cached_property
    def _sums(self) -> tuple[fmpq, ...]:
        return self.row.sums(self.coefficients)

    @property
    def size(self) -> int:
        """How many bits more than the digits need."""
        return self.row.size

    def ball(self) -> arb:
        """The number, in balls of the working precision."""
        below = sum(
            (len(keys) * term for (_, keys), term in self._with_terms(self.row.groups)), arb(0)
        )
        return self._numerator(self._sums) / below

    def exceeds(self, level: fmpq) -> bool:
        """Is the number above a rational one? The sign of a sum of exponentials.

        Its largest term is of the order of the sum, however close to the level the number is.
        """
        above = tuple(
            total - level * len(keys)
            for total, (_, keys) in zip(self._sums, self.row.groups, strict=True)
        )
        for bits in precisions(64 + self.size):
            with working(bits):
                difference = self._numerator(above)
            if difference > 0 or difference < 0:
                return bool(difference > 0)
        raise AssertionError("precisions do not end")

    def _numerator(self, coefficients: Sequence[fmpq]) -> arb:
        terms = (arb(c) * term for c, term in self._with_terms(coefficients) if c != 0)
        return sum(terms, arb(0))

    def _with_terms(self, others: Sequence[Any]) -> Iterator[tuple[Any, arb]]:
        return zip(others, self.row.balls(), strict=True)

    def __float__(self) -> float:
        from regard.analysis.exact_trace.decimals import nearest_float

        return nearest_float(self)

    def __str__(self) -> str:
        from regard.analysis.exact_trace.notation import TEXT, number

        return number(self, TEXT)


Exact: TypeAlias = Fraction | Surd | ExponentialQuotient


def share(j: int, row: Exponentials) -> Fraction | ExponentialQuotient:
    """Return e^{z_j} / Σ_l e^{z_l}, which is rational iff all scores are equal."""
    count = len(row.exponents)
    if len(row.groups) == 1:
        return Fraction(1, count)
    zero, one = Fraction(0), Fraction(1)
    return ExponentialQuotient(tuple(one if j == other else zero for other in range(count)), row)


def quotient(
    coefficients: Sequence[Fraction | int], row: Exponentials
) -> Fraction | ExponentialQuotient:
    """Return Σ_j coefficient_j e^{z_j} / Σ_j e^{z_j}, as a rational if it is one.

    >>> print(quotient([3, 5, 4], Exponentials((Fraction(1), Fraction(1), Fraction(7)))))
    4
    """
    given = tuple(Fraction(c) for c in coefficients)
    sums = row.sums(given)
    means = {total / len(keys) for total, (_, keys) in zip(sums, row.groups, strict=True)}
    return fraction(means.pop()) if len(means) == 1 else ExponentialQuotient(given, row)


@contextmanager
def working(bits: int) -> Iterator[None]:
    """Compute balls of so many bits."""
    with ONE_THREAD, ctx.workprec(bits):
        yield


def fraction(number: fmpq) -> Fraction:
    """Return a rational of flint as one of Python's."""
    return Fraction(int(number.p), int(number.q))


def rational(number: Fraction) -> fmpq:
    """Return a rational of Python as one of flint's."""
    return fmpq(number.numerator, number.denominator)


def precisions(bits: int) -> Iterator[int]:
    """Twice as many bits each time, without an end: what is asked for has an answer."""
    return (bits << doubled for doubled in itertools.count())
