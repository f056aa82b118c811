"""Sums over an index that runs up to a size that is only a name.

A term without the index is counted as often as the size says. Where a delta holds the index, the
other place is put for it. Else the factors with the index become one factor, a sum, together with
the sums that are already among them.
"""

from __future__ import annotations

from flint import fmpq

from regard.certify.certificate import Unusable
from regard.certify.formulas.elementary import circle, exp, root
from regard.certify.formulas.indices import Index, Place, bare, moved, undone
from regard.certify.formulas.monomials import Exponent, Factor, Monomial, merged, places, plain
from regard.certify.formulas.numbered_sums import opened, sum_factor
from regard.certify.formulas.polynomials import Poly, delta, factor, number, power, seen, term


def total(poly: Poly, index: Index) -> Poly:
    """Return the sum over an index that runs up to a size that is only a name."""
    found = Poly()
    for monomial, c in poly.terms.items():
        inside = {one: e for one, e in monomial if index in places(one)}
        outside = Poly({frozenset((one, e) for one, e in monomial if one not in inside): c})
        equal = next((one for one in inside if one[0] == "delta" and _solved(one, index)), None)
        if not inside:
            found += outside * factor("n", index.size)
        elif equal is not None:
            other = _solved(equal, index)
            assert other is not None
            del inside[equal]
            found += outside * substituted(frozenset(inside.items()), index, other[0])
        else:
            found += outside * _summed(*_flat(inside, index))
    return found


def _solved(equal: Factor, index: Index) -> tuple[Place] | None:
    """Return the place that a delta makes of an index; None where it moves the index itself."""
    one, other = equal[1:]
    if not (isinstance(one, Index) and bare(one) == index):
        one, other = other, one
    if isinstance(other, Index) and bare(other) == index:
        return None
    return (moved(undone(one.word), other) if isinstance(other, Index) else other,)


def _summed(body: dict[Factor, Exponent], bound: list[Index]) -> Poly:
    """Return a sum over indices; a matrix times its inverse is the identity."""
    for index in bound:
        pair = [one for one in body if index in places(one)]
        ends = _cancelled(pair, index) if all(body[one] == 1 for one in pair) else None
        if ends is None:
            continue
        rest = {one: e for one, e in body.items() if one not in pair}
        found = Poly({frozenset(rest.items()): fmpq(1)}) * delta(*ends)
        for other in bound:
            found = found if other == index else total(found, other)
        return found
    return factor(*sum_factor(body, bound))


def _cancelled(pair: list[Factor], index: Index) -> tuple[Place, Place] | None:
    """Return the outer places of M_ik (M⁻¹)_kj or (M⁻¹)_ik M_kj; None for any other factors."""
    if len(pair) != 2:
        return None
    matrix, inverse = sorted(pair, key=lambda one: one[0] == "w")
    if matrix[0] != "x" or inverse[:2] != ("w", "inv") or inverse[2] != matrix[1]:
        return None
    rows, columns = matrix[2:], inverse[3:]
    if rows[1] == columns[0] == index and index not in (rows[0], columns[1]):
        return rows[0], columns[1]
    if rows[0] == columns[1] == index and index not in (rows[1], columns[0]):
        return columns[0], rows[1]
    return None


def _flat(
    inside: dict[Factor, Exponent], index: Index
) -> tuple[dict[Factor, Exponent], list[Index]]:
    """Take the indices of sums inside a sum together with its own."""
    bound = [index]
    parts: list[Monomial] = []
    for one, exponent in inside.items():
        if one[0] != "sum" or exponent < 0:
            parts.append(frozenset([(one, exponent)]))
            continue
        for _ in range(int(exponent)):
            body, own = opened(one)
            parts.append(body)
            bound += own
    exponents = merged(*parts)
    # A root times itself would become a sum: then the inner sums stay as they are.
    if any(one[0] == "root" and e != 1 for one, e in exponents.items()):
        return inside, [index]
    return exponents, bound


def substituted(monomial: Monomial, index: Index, by: Place) -> Poly:
    """Put another place for an index, which may make factors equal."""
    found = number(1)
    for one, exponent in monomial:
        found *= _power_of(_with(one, index, by), exponent)
    return found


def _power_of(poly: Poly, exponent: Exponent) -> Poly:
    if isinstance(exponent, int):
        return power(poly, exponent)
    if list(poly.terms.values()) != [1]:
        raise Unusable("a power with a fraction in its exponent is not known.")
    (monomial,) = poly.terms  # a power of e
    return term({one: plain(e * exponent) for one, e in monomial}, fmpq(1))


def _put(place: Index, by: Place) -> Place:
    """Put a place for an index that may be moved."""
    if not place.word:
        return by
    if isinstance(by, int):
        raise Unusable("a permutation of so many rows is not known at a number.")
    return moved(place.word, by)


def _with(one: Factor, index: Index, by: Place) -> Poly:
    if index not in places(one):
        return factor(*one)

    def at(spots: tuple[Place, ...]) -> tuple[Place, ...]:
        return tuple(
            _put(place, by) if isinstance(place, Index) and bare(place) == index else place
            for place in spots
        )

    def inside(poly: Poly) -> Poly:
        found = Poly()
        for monomial, c in poly.terms.items():
            found += substituted(monomial, index, by).scaled(c)
        return found

    kind = one[0]
    if kind == "x":
        return factor("x", one[1], *at(one[2:]))
    if kind in ("delta", "seen"):
        return (delta if kind == "delta" else seen)(*at(one[1:]))
    if kind in ("exp", "cis"):
        return (exp if kind == "exp" else circle)(substituted(one[1], index, by))
    if kind == "sum":
        body, own = opened(one)
        found = substituted(body, index, by)
        for inner in own:
            found = total(found, inner)
        return found
    if kind == "root":
        return root(inside(one[1]))
    if kind == "poly":
        return inside(one[1])
    if kind == "w":
        of = one[2] if isinstance(one[2], str) else tuple(inside(part) for part in one[2])
        return factor("w", one[1], of, *at(one[3:]))
    return factor("f", one[1], *(inside(part) for part in one[2:]))
