"""Products of powers, with indices that may be summed over: one normal form for each.

A monomial is a set of factors with exponents. The factors count as independent of each other:

    x      an entry of a matrix, a vector, or a number: ("x", name, place, ...)
    n      a size that is only a name, above 0: ("n", name)
    i      the imaginary unit, with i² = -1
    exp    e to the power of a monomial; cis is e to i times a monomial. Exponents are fractions.
    sum    a monomial, summed over indices of its own
    delta  1 if two indices are equal, else 0
    seen   1 if the second of two indices is at most the first, else 0: ("seen", i, j)
    root   the root of a polynomial that is never negative
    poly   what a formula divides by: a polynomial of several terms, with a negative exponent
    f      a function of which nothing is known, of polynomials: ("f", name, argument, ...)
    w      an entry of such a function of a whole matrix: ("w", name, arguments, place, ...), or
           of the inverse of a matrix: ("w", "inv", name of the matrix, place, place)

A place is a number, or an index that runs up to a named size. Indices that are summed over have
negative labels. Those of a sum are numbered in one way only (:mod:`.numbered_sums`), and inner sums
have labels of a lower level, so that no label is caught by another sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from regard.certify.formulas.indices import Index, Place, Word, bare, moved, undone

WIDTH = 64  # indices of one sum

Exponent = int | Fraction
Factor = tuple[Any, ...]
Monomial = frozenset[tuple[Factor, Exponent]]
ONE: Monomial = frozenset()


def merged(*monomials: Monomial) -> dict[Factor, Exponent]:
    """Add up the exponents of factors."""
    found: dict[Factor, Exponent] = {}
    for monomial in monomials:
        for factor, exponent in monomial:
            total = found.get(factor, 0) + exponent
            if total == 0:
                del found[factor]
            else:
                found[factor] = plain(total)
    return found


def plain(value: Exponent) -> Exponent:
    """Return a fraction that is whole as a whole number."""
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def inner(factor: Factor) -> Iterator[Any]:
    """Return the monomials and polynomials inside a factor."""
    kind = factor[0]
    if kind in ("exp", "cis", "sum", "poly", "root"):
        yield factor[1]
    elif kind == "f":
        yield from factor[2:]
    elif kind == "w" and not isinstance(factor[2], str):
        yield from factor[2]


def own_places(factor: Factor) -> tuple[Place, ...]:
    """Return the places that a factor is taken at itself."""
    kind = factor[0]
    if kind in ("x", "delta", "seen"):
        return factor[2:] if kind == "x" else factor[1:]
    return factor[3:] if kind == "w" else ()


def factors_of(part: Any) -> Iterator[Factor]:
    """Return the factors of a monomial or of all terms of a polynomial."""
    monomials = [part] if isinstance(part, frozenset) else list(part.terms)
    for monomial in monomials:
        for factor, _ in monomial:
            yield factor


@lru_cache(maxsize=50_000)
def places(factor: Factor) -> frozenset[Index]:
    """Return all indices in a factor."""
    found = {bare(place) for place in own_places(factor) if isinstance(place, Index)}
    for part in inner(factor):
        for one in factors_of(part):
            found |= places(one)
    return frozenset(found)


def level(factor: Factor) -> int:
    """Return how many sums are nested in a factor."""
    lowest = min((place.label for place in places(factor)), default=0)
    return max(0, -lowest // WIDTH)


@lru_cache(maxsize=50_000)
def text(factor: Factor) -> str:
    """Write a factor in one way."""

    def one(part: Any) -> str:
        if isinstance(part, frozenset):
            return written(part)
        return "[" + "+".join(sorted(f"{c}{written(m)}" for m, c in part.terms.items())) + "]"

    at = ",".join(
        f"{_moves(place.word)}{place.label:06d}{place.size}"
        if isinstance(place, Index)
        else str(place)
        for place in own_places(factor)
    )
    kind = factor[0]
    name = factor[1] if kind in ("x", "n", "f", "w") else ""
    if kind == "w" and isinstance(factor[2], str):
        name += f" {factor[2]}"
    return f"{kind}:{name}({';'.join(one(part) for part in inner(factor))}|{at})"


def _moves(word: Word) -> str:
    return "".join(f"{name}{power}." for name, power in word)


def written(monomial: Monomial) -> str:
    """Write a monomial in one way."""
    return "{" + "*".join(sorted(f"{text(f)}^{e}" for f, e in monomial)) + "}"


def relabelled(factor: Factor, names: Mapping[Index, Index]) -> Factor:
    """Give indices other labels, different ones for different indices."""
    if not places(factor) & names.keys():
        return factor

    def at(spots: tuple[Place, ...]) -> tuple[Place, ...]:
        return tuple(_renamed(p, names) if isinstance(p, Index) else p for p in spots)

    def one(part: Any) -> Any:
        if isinstance(part, frozenset):
            return relabelled_monomial(part, names)
        return part.mapped(lambda monomial: relabelled_monomial(monomial, names))

    kind = factor[0]
    if kind == "x":
        return (kind, factor[1], *at(factor[2:]))
    if kind == "delta":
        return delta_factor(*at(factor[1:]))
    if kind == "seen":
        return (kind, *at(factor[1:]))
    if kind == "w":
        of = factor[2] if isinstance(factor[2], str) else tuple(one(part) for part in factor[2])
        return (kind, factor[1], of, *at(factor[3:]))
    if kind == "f":
        return (kind, factor[1], *(one(part) for part in factor[2:]))
    return (kind, one(factor[1]))


def relabelled_monomial(monomial: Monomial, names: Mapping[Index, Index]) -> Monomial:
    """Give indices other labels, different ones for different indices."""
    return frozenset((relabelled(factor, names), exponent) for factor, exponent in monomial)


def _renamed(place: Index, names: Mapping[Index, Index]) -> Index:
    """Put another index for one, moved by what either is moved by."""
    new = names.get(bare(place))
    return place if new is None else moved(place.word, new)


def delta_factor(one: Place, other: Place) -> Factor:
    """Return the factor that is 1 where two indices are equal; only one of them is moved."""
    pairs = [(one, other)]
    if isinstance(one, Index) and isinstance(other, Index):
        pairs = [(bare(a), moved(undone(a.word), b)) for a, b in ((one, other), (other, one))]
    return ("delta", *min((sorted(pair, key=str) for pair in pairs), key=str))
