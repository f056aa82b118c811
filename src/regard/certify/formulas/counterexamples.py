"""Matrices for which the two sides of an identity differ, in balls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx

from regard.certify.balls import BALLS, EXACT, Outcome, settle, show
from regard.certify.certificate import Unusable
from regard.certify.formulas.evaluation import table
from regard.certify.formulas.functions import in_balls
from regard.certify.formulas.number_tables import Table
from regard.certify.formulas.stated_identity import StatedIdentity

PRIMES = (2, 3, 5, 7, 4, 6)
# Whole numbers up to the first, divided by the second.
RANGES = ((3, 1), (3, 1), (9, 4), (30, 1), (5, 16), (200, 8), (5000, 1), (9, 8192))
MOST_ENTRIES = 400
MOST_BITS = 512  # what does not differ in so many is taken to be equal there


class Difference(NamedTuple):
    """An entry in which two formulas differ: where, what it is in both, and how far apart."""

    entry: tuple[int, ...]
    left: str
    right: str
    apart: str

    def words(self, left: str = "on the left", right: str = "on the right") -> str:
        """Say what an entry is in both, and how far apart if no digit shows it."""
        spot = ", ".join(str(place + 1) for place in self.entry)
        entry = f" in entry {spot}" if spot else ""
        if self.left == self.right:
            both = f"{self.left} {left} and {right}{entry}"
            return f"{both}, but for a difference of {self.apart}"
        return f"{self.left} {left} and {self.right} {right}{entry}"


@dataclass(frozen=True)
class Counterexample:
    """Where two formulas differ.

    Attributes:
        sizes: numbers for the named sizes.
        values: of the names, as numbers in nested lists.
        difference: an entry in which they differ most.
    """

    sizes: Mapping[str, int]
    values: Mapping[str, Any]
    difference: Difference


def find_counterexample(
    stated: StatedIdentity, sizes: Mapping[str, int] | None = None
) -> Counterexample | None:
    """Look for small numbers for which the sides of an identity differ.

    Args:
        stated: the identity.
        sizes: of the matrices; None or empty: several choices are tried, small ones first.
    """
    for some, values in draws(stated, sizes):
        found = counterexample(stated, some, values)
        if found is not None:
            return found
    return None


def counterexample(
    stated: StatedIdentity, sizes: Mapping[str, int], values: Mapping[str, Any]
) -> Counterexample | None:
    """Return these numbers as a counterexample, if the sides differ for them."""
    plain = {name: np.asarray(values[name], float).tolist() for name in stated.drawn}
    tables = {name: table(value, name, EXACT) for name, value in plain.items()}
    found = difference(stated, sizes, tables)
    return None if found is None else Counterexample(dict(sizes), plain, found)


def draws(
    stated: StatedIdentity, sizes: Mapping[str, int] | None = None
) -> Iterator[tuple[Mapping[str, int], dict[str, Any]]]:
    """Return sizes and numbers to try an identity on."""
    rng = np.random.default_rng(11)
    choices = [sizes] if sizes else list(_choices(sorted(stated.symbols)))
    for some in choices:
        for values in _draws(stated, some, rng):
            yield some, values


def _choices(symbols: list[str]) -> Iterator[dict[str, int]]:
    """Return sizes: all alike, and all different in several ways."""
    if not symbols:
        yield {}
        return
    yield dict.fromkeys(symbols, 2)
    for turn in range(len(symbols) + 1):
        yield {one: PRIMES[(at + turn) % len(PRIMES)] for at, one in enumerate(symbols)}
    yield dict.fromkeys(symbols, 3)
    yield dict.fromkeys(symbols, 1)


def _draws(
    stated: StatedIdentity, sizes: Mapping[str, int], rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    """Return numbers for the names: whole ones, and then fractions and larger ones."""
    shapes = {name: stated.shape_at(name, sizes) for name in stated.drawn}
    if sum(int(np.prod(shape)) for shape in shapes.values()) > MOST_ENTRIES:
        return
    for largest, parts in RANGES:
        values = {
            name: rng.integers(-largest, largest + 1, shape) / parts
            for name, shape in shapes.items()
        }
        for name in stated.positive:
            values[name] = np.abs(values[name]) + 1 / parts
        for name in stated.permutations:
            values[name] = np.eye(shapes[name][0])[_moving(shapes[name][0], rng)]
        yield values | {name: float(sizes[name]) for name in stated.drawn if name in sizes}


def _moving(size: int, rng: np.random.Generator) -> Any:
    """Return an order that moves something, where there is something to move."""
    order = rng.permutation(size)
    return order[::-1] if (order == np.arange(size)).all() else order


def difference(
    stated: StatedIdentity, sizes: Mapping[str, int], values: Mapping[str, Table]
) -> Difference | None:
    """Return the entry in which the sides differ most, if they surely differ for these numbers."""
    found: list[Difference] = []

    def test() -> Outcome:
        worst = None
        for place, left, right in stated.sides(_balls(values), sizes, BALLS, in_balls):
            for at, (one, other) in enumerate(zip(left, right, strict=True)):
                apart = abs(one - other)
                if not (one.is_finite() and other.is_finite() and apart > 0):
                    continue
                if worst is None or apart.lower() > worst:
                    worst = apart.lower()
                    entry = (*place, *_rest(stated, sizes, place, at))
                    found[:] = [Difference(entry, show(one), show(other), show(one - other))]
        if worst is None:
            return Outcome(False if ctx.prec >= MOST_BITS else None, "")
        return Outcome(True, "")

    try:
        return found[0] if settle(test).truth else None
    except (Unusable, ZeroDivisionError):
        return None


def agree(stated: StatedIdentity, sizes: Mapping[str, int], values: Mapping[str, Table]) -> bool:
    """Say whether both sides are defined for these numbers, and as far as can be told the same."""

    def test() -> Outcome:
        certain = True
        for _, left, right in stated.sides(_balls(values), sizes, BALLS, in_balls):
            if not all(one.is_finite() for one in (*left, *right)):
                return Outcome(False if ctx.prec >= MOST_BITS else None, "")
            certain = certain and all(a.overlaps(b) for a, b in zip(left, right, strict=True))
        return Outcome(certain, "")

    try:
        return bool(settle(test).truth)
    except (Unusable, ZeroDivisionError):
        return False


def _balls(values: Mapping[str, Table]) -> dict[str, Table]:
    return {
        name: Table(value.shape, tuple(arb(entry) for entry in value.entries))
        for name, value in values.items()
    }


def _rest(
    stated: StatedIdentity, sizes: Mapping[str, int], place: tuple[int, ...], at: int
) -> tuple[int, ...]:
    """Return the indices of an entry of what is left of a matrix at a place."""
    whole = [s if isinstance(s, int) else sizes.get(s, 1) for s in stated.left_shape]
    rest = whole[len(place) :]
    return tuple(int(k) for k in np.unravel_index(at, rest)) if rest else ()
