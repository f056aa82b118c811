"""What is true of a claim: a judgement in rationals and 50 digits that shares no code with regard.

Of a thing that the witness holds (a query, a matrix, a direction) a claim is computed
directly. Of all queries, heads or matrices the truth is found without looking at the
witness: by an interior-point method with a bound from either side, by linear programs
in rationals, or by a search for a counter-example. `judge` says True, False, or None
where neither could be shown; a claim that cannot be read is not `meaningful`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp, mpf
from scipy.optimize import minimize

DIGITS = 50
NOISE = mpf(10) ** -35  # what 50 digits may leave of a number of ordinary size
GAP = mpf(10) ** -15  # how closely a smallest value is enclosed
FAR = 1000  # a radius within which a descent is tried before anything else
TOO_SHORT = Fraction(1, 10**25)  # vectors beside others of length 1: no descent is tried

Vector = tuple[Fraction, ...]
Matrix = list[list[Fraction]]
Blocks = tuple[tuple[mpf, tuple[Vector, ...]], ...]


class Verdict(NamedTuple):
    """Is the claim true (None: not known)? `apart`: how far from the boundary, relatively."""

    truth: bool | None
    meaningful: bool = True
    apart: mpf | None = None


class Meaningless(Exception):
    """The claim cannot be read."""


def judge(certificate: Mapping[str, Any]) -> list[Verdict]:
    """Return what is true of each claim of a certificate, given as JSON data."""
    with mp.workdps(DIGITS):
        return [_judge(claim, certificate) for claim in certificate["claims"]]


def _judge(claim: Any, certificate: Mapping[str, Any]) -> Verdict:
    try:
        return CLAIM_TYPES[claim["kind"]](_Reader(claim, certificate))
    except (Meaningless, KeyError, TypeError, OverflowError):
        return Verdict(None, meaningful=False)


# Reading


def _number(value: Any) -> Fraction:
    finite = type(value) is int or (type(value) is float and math.isfinite(value))
    if not finite:
        raise Meaningless(f"{value!r} is not a number")
    return Fraction(value)


def _index(value: Any, n: int) -> int:
    place = _number(value)
    if place.denominator != 1 or not 0 <= place < n:
        raise Meaningless(f"{value!r} is no index")
    return int(place)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Meaningless(f"{value!r} is not a list")
    return value


def _vector(value: Any, length: int) -> Vector:
    found = tuple(_number(entry) for entry in _list(value))
    if len(found) != length:
        raise Meaningless("a vector has another length")
    if any(Fraction(float(entry)) != entry for entry in found):
        raise Meaningless("vectors and matrices are float64, and this is between two of them")
    return found


def _matrix(value: Any, rows: int | None = None, columns: int | None = None) -> Matrix:
    found = [list(_vector(row, len(row))) for row in _list(value) if _list(row) is row]
    widths = {len(row) for row in found}
    if len(widths) != 1 or rows not in (None, len(found)) or columns not in (None, *widths):
        raise Meaningless("a matrix has another shape")
    return found


class _Reader:
    """The parts of a claim."""

    def __init__(self, claim: Mapping[str, Any], certificate: Mapping[str, Any]) -> None:
        self.fields, self.witness = claim, claim.get("witness", {})
        self.arrays = certificate["arrays"]
        self.scale = _number(certificate.get("scale", 1.0))

    def array(self, name: str, rows: int | None = None) -> Matrix:
        return _matrix(self.arrays[name], rows)

    @property
    def bound(self) -> Fraction:
        return _number(self.fields["bound"])

    @property
    def radius(self) -> Fraction | None:
        value = self.fields["radius"]
        if value is not None and _number(value) < 0:
            raise Meaningless("a radius is negative")
        return None if value is None else _number(value)

    def weighted(self, value: Any, n: int) -> dict[int, Fraction]:
        places = [_index(place, n) for place in _list(value["indices"])]
        weights = [_number(weight) for weight in _list(value["weights"])]
        if not places or len(set(places)) != len(places) or len(weights) != len(places):
            raise Meaningless("weights must be of different indices")
        return dict(zip(places, weights, strict=True))

    def rows(self, n: int) -> dict[int, dict[int, Fraction]]:
        listed = _list(self.fields["rows"])
        found = {_index(row["row"], n): self.weighted(row, n) for row in listed}
        if not found or len(found) != len(listed):
            raise Meaningless("rows must be different")
        return found

    def outputs(self, n: int) -> dict[int, Vector]:
        listed = _list(self.fields["outputs"])
        if not listed:
            raise Meaningless("there are no outputs")
        width = len(_list(listed[0]["vector"]))
        found = {_index(entry["row"], n): _vector(entry["vector"], width) for entry in listed}
        if len(found) != len(listed):
            raise Meaningless("outputs must be of different rows")
        return found

    def head(self, d: int) -> Matrix:
        """Return A."""
        witness = self.witness
        if "A" in witness:
            if "W_Q" in witness or "W_K" in witness:
                raise Meaningless("there are two heads")
            return _matrix(witness["A"], d, d)
        W_Q = _matrix(witness["W_Q"], d)
        return _product(_matrix(witness["W_K"], d, len(W_Q[0])), _transpose(W_Q))


# Exact linear algebra


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _transpose(a: Matrix) -> Matrix:
    return [list(row) for row in zip(*a, strict=True)]


def _product(a: Sequence[Sequence[Any]], b: Matrix) -> Matrix:
    columns = _transpose(b)
    return [[_dot(row, column) for column in columns] for row in a]


def _minus(a: Sequence[Fraction], b: Sequence[Fraction]) -> Vector:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _combine(weights: Sequence[Any], rows: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    return tuple(_dot(weights, column) for column in zip(*rows, strict=True))


def _solve(a: Matrix, b: Sequence[Fraction]) -> list[Fraction] | None:
    """Solve a square system; None if it is singular."""
    rows = [[*row, right] for row, right in zip(a, b, strict=True)]
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][k] != 0:
                factor = rows[i][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def _independent(vectors: Sequence[Sequence[Fraction]]) -> list[int]:
    """Return the places of vectors that span what all of them span."""
    reduced: list[tuple[int, list[Fraction]]] = []
    places = []
    for place, vector in enumerate(vectors):
        rest = list(vector)
        for k, row in reduced:
            factor = rest[k]
            rest = [x - factor * y for x, y in zip(rest, row, strict=True)] if factor else rest
        lead = next((k for k, entry in enumerate(rest) if entry != 0), None)
        if lead is not None:
            reduced.append((lead, [entry / rest[lead] for entry in rest]))
            places.append(place)
    return places


def _outside(vectors: Matrix, basis: Matrix) -> Matrix:
    """Return vectors without their part in the span of basis."""
    span = [basis[i] for i in _independent(basis)]
    gram = [[_dot(a, b) for b in span] for a in span]
    found = []
    for vector in vectors:
        shares = _solve(gram, [_dot(a, vector) for a in span]) or []
        found.append(list(_minus(vector, _combine(shares, span))) if span else list(vector))
    return found


def _definite(a: Matrix, semi: bool) -> bool:
    """Is a symmetric matrix positive definite (semidefinite)?"""
    rows = [list(row) for row in a]
    for k, row in enumerate(rows):
        if row[k] < 0 or (row[k] == 0 and (not semi or any(row[k + 1 :]))):
            return False
        for i in range(k + 1, len(rows)) if row[k] else ():
            factor = row[i] / row[k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], row, strict=True)]
    return True


def _whole_numbers(row: Sequence[Fraction]) -> list[int]:
    """Return a row times a positive number, without fractions."""
    common = math.lcm(*(x.denominator for x in row))
    return _reduced([x.numerator * (common // x.denominator) for x in row])


def _reduced(row: list[int]) -> list[int]:
    size = math.gcd(*row)
    return [x // size for x in row] if size > 1 else row


def _feasible(a: Sequence[Sequence[Fraction]], b: Sequence[Fraction]) -> list[Fraction] | None:
    """Return x ≥ 0 with a x = b, or None: the simplex method with Bland's rule.

    An equation may be multiplied by a positive number, so the table is of whole numbers, which
    are far faster than fractions. Artificial variables have no columns: they never come back.
    """
    m, n = len(a), len(a[0])
    rows = [
        [(-x if right < 0 else x) for x in (*row, right)] for row, right in zip(a, b, strict=True)
    ]
    cost = _whole_numbers([-sum(column) for column in zip(*rows, strict=True)])
    table = [_whole_numbers(row) for row in rows]
    basis = list(range(n, n + m))
    while True:
        enters = next((k for k in range(n) if cost[k] < 0), None)
        if enters is None:
            break
        leaves = min(
            (Fraction(row[-1], row[enters]), basis[i], i)
            for i, row in enumerate(table)
            if row[enters] > 0
        )[2]
        top = table[leaves]
        pivot = top[enters]
        for row in [*table[:leaves], *table[leaves + 1 :], cost]:
            if row[enters] != 0:
                factor = row[enters]
                row[:] = _reduced([pivot * x - factor * y for x, y in zip(row, top, strict=True)])
        basis[leaves] = enters
    if cost[-1] != 0:
        return None
    x = [Fraction(0)] * n
    for row, k in zip(table, basis, strict=True):
        if k < n:
            x[k] = Fraction(row[-1], row[k])
    return x


def _solvable(free: Matrix, at_least: Sequence[Fraction]) -> Vector | None:
    """Return w with free · w ≥ at_least, or None."""
    m = len(free)
    rows = [
        [*row, *(-x for x in row), *(Fraction(-int(i == k)) for k in range(m))]
        for i, row in enumerate(free)
    ]
    x = _feasible(rows, at_least)
    d = len(free[0])
    return None if x is None else _minus(x[:d], x[d : 2 * d])


@cache
def _nearest(points: tuple[Vector, ...]) -> Vector:
    """Return the shortest vector in the hull of points, by trying every simplex."""
    for size in range(1, min(len(points), len(points[0]) + 1) + 1):
        for corners in itertools.combinations(points, size):
            edges = [list(_minus(corner, corners[0])) for corner in corners[1:]]
            gram = [[_dot(a, b) for b in edges] for a in edges]
            shares = _solve(gram, [-_dot(a, corners[0]) for a in edges])
            if shares is None or min(shares, default=0) < 0 or sum(shares) > 1:
                continue
            z = _combine([1 - sum(shares), *shares], corners)
            if all(_dot(z, p) >= _dot(z, z) for p in points):
                return z
    raise AssertionError("a hull has a shortest vector")


# Numbers in 50 digits


def _real(x: Any) -> mpf:
    return mpf(x.numerator) / x.denominator if isinstance(x, Fraction | int) else mpf(x)


def _fraction(x: mpf) -> Fraction:
    sign, man, exponent, _ = x._mpf_
    if exponent < -2000:
        return Fraction(0)  # exp(-1e300) has no fraction that can be written; any weights will do
    return Fraction(-1 if sign else 1) * int(man) * Fraction(2) ** int(exponent)


def _root(x: Fraction) -> mpf:
    return mp.sqrt(_real(x))


def _entropy(weights: Sequence[Any]) -> mpf:
    return -mp.fsum(_real(w) * mp.log(_real(w)) for w in weights if w > 0)


def _exponentials(scores: Sequence[Fraction]) -> list[mpf]:
    highest = max(scores)  # subtracted exactly
    return [mp.exp(_real(score - highest)) for score in scores]


def _misses(scores: Sequence[Fraction], wanted: Mapping[int, Fraction]) -> list[mpf]:
    """Return softmax - wanted; a weight near 1 keeps its digits."""
    terms = _exponentials(scores)
    total, misses = mp.fsum(terms), []
    for i, term in enumerate(terms):
        p = wanted.get(i, Fraction(0))
        others = mp.fsum(terms[:i] + terms[i + 1 :])
        misses.append((term * _real(1 - p) - _real(p) * others) / total)
    return misses


def _is_at_most(value: mpf, bound: Fraction, size: Any = 1, exact: bool | None = None) -> Verdict:
    """Judge value ≤ bound of something constructed, of whose parts the largest has that size."""
    right = _real(bound)
    larger = max(abs(value), abs(right))
    apart = abs(value - right) / larger if larger else mpf(0)
    near = abs(value - right) <= NOISE * larger + mpf(10) ** -45 * size
    truth = (None if near else bool(value <= right)) if exact is None else exact
    return Verdict(truth, apart=apart)


# Claims about a query or a direction


def _weights_close(c: _Reader) -> Verdict:
    keys = c.array("keys")
    target, bound = c.weighted(c.fields["target"], len(keys)), c.bound
    query = _vector(c.witness["query"], len(keys[0]))
    misses = _misses([c.scale * _dot(key, query) for key in keys], target)
    size = max([Fraction(0), *(abs(p) for p in target.values())])
    return _is_at_most(max(abs(miss) for miss in misses), bound, _real(size))


def _output_close(c: _Reader) -> Verdict:
    keys = c.array("keys")
    values = c.array("values", len(keys))
    target, bound = c.weighted(c.fields["target"], len(keys)), c.bound
    query = _vector(c.witness["query"], len(keys[0]))
    misses = _misses([c.scale * _dot(key, query) for key in keys], target)
    columns = [[_real(v) for v in column] for column in zip(*values, strict=True)]
    gap = [mp.fsum(m * v for m, v in zip(misses, column, strict=True)) for column in columns]
    size = max(
        [mpf(0), *(abs(m * v) for column in columns for m, v in zip(misses, column, strict=True))]
    )
    return _is_at_most(mp.norm(gap) if gap else mpf(0), bound, size)


def _chosen(c: _Reader, n: int) -> tuple[list[int], list[int]]:
    chosen = [_index(i, n) for i in _list(c.fields["chosen"])]
    others = [i for i in range(n) if i not in chosen]
    if not chosen or not others or len(set(chosen)) != len(chosen):
        raise Meaningless("chosen keys must be different, and not all")
    return chosen, others


def _at_least_norm(left: Fraction, bound: Fraction, square: Fraction) -> bool:
    """Is left ≥ bound · √square?"""
    if left >= 0 >= bound:
        return True
    if left < 0 <= bound:
        return False
    return left**2 >= bound**2 * square if bound > 0 else left**2 <= bound**2 * square


def _margin_at_least(c: _Reader) -> Verdict:
    keys = c.array("keys")
    (chosen, others), bound = _chosen(c, len(keys)), c.bound
    w = _vector(c.witness["direction"], len(keys[0]))
    if not any(w):
        return Verdict(False, apart=mp.inf)
    heights = [_dot(key, w) for key in keys]
    margin = min(heights[i] for i in chosen) - max(heights[i] for i in others)
    holds = _at_least_norm(margin, bound, _dot(w, w))
    return _is_at_most(-_real(margin) / _root(_dot(w, w)), -bound, exact=holds)


def _margin_at_most(c: _Reader) -> Verdict:
    keys = c.array("keys")
    (chosen, others), bound = _chosen(c, len(keys)), c.bound
    edges = [list(_minus(keys[i], keys[chosen[0]])) for i in chosen[1:]]
    if len(_independent(edges)) == len(keys[0]):
        return Verdict(True)  # only the query 0 scores the chosen keys alike
    across = _outside(keys, edges)
    z = _nearest(tuple(_minus(across[chosen[0]], across[i]) for i in others))
    if any(z):
        return Verdict(bound >= 0 and _dot(z, z) <= bound**2)
    return Verdict(True if bound >= 0 else None)


# The smallest value of sums or of the largest of functions ln Σ exp(g·θ)


class _Enclosed(NamedTuple):
    """The smallest value lies in between; `upper` is taken, or approached, at `point`."""

    lower: mpf
    upper: mpf
    point: tuple[mpf, ...]


def _at(blocks: Blocks, total: bool, point: Sequence[mpf]) -> mpf:
    values = []
    for offset, members in blocks:
        scores = [mp.fsum(_real(g) * t for g, t in zip(v, point, strict=True)) for v in members]
        top = max(scores)
        values.append(offset + top + mp.log(mp.fsum(mp.exp(s - top) for s in scores)))
    return mp.fsum(values) if total else max(values)


def _below(blocks: Blocks, total: bool, shares: list[list[Any]], radius: Any) -> mpf:
    """Return what weights (of each block, or of all) prove: offset + H - radius ‖Σ weight g‖."""
    value = mpf(0)
    flat = [w for row in shares for w in row]
    for (offset, _), row in zip(blocks, shares, strict=True):
        size = sum(row)
        if size > 0:
            value += _real(size) * (offset + _entropy([w / size for w in row]))
    if radius != 0:
        moment = _combine(flat, [v for _, members in blocks for v in members])
        if any(moment):
            pull = mp.norm([_real(entry) for entry in moment])
            value -= mp.inf if radius is None else _real(radius) * pull
    return value if total else value / _real(sum(flat))


@cache
def _smallest(blocks: Blocks, total: bool, radius: Fraction | None) -> _Enclosed:
    """Enclose the smallest sum (or largest) of ln Σ exp(g·θ) + offset over ‖θ‖ ≤ radius (None: all θ)."""
    d = len(blocks[0][1][0])
    zero = (mpf(0),) * d
    flat = [v for _, members in blocks for v in members]
    with mp.workdps(DIGITS + 20):
        start = _at(blocks, total, zero)
        if radius == 0 or not any(any(v) for v in flat):
            return _Enclosed(start, start, zero)
        longest = max(abs(entry) for v in flat for entry in v)
        if not Fraction(1, 8) <= longest <= 8:  # by a power of two: exactly
            size = math.log2(longest.numerator) - math.log2(longest.denominator)
            unit = Fraction(2) ** round(size)
            scaled = tuple(
                (offset, tuple(tuple(x / unit for x in v) for v in members))
                for offset, members in blocks
            )
            found = _smallest(scaled, total, None if radius is None else radius * unit)
            return found._replace(point=tuple(x / _real(unit) for x in found.point))
        if min(max(abs(entry) for entry in v) or 1 for v in flat) < TOO_SHORT:
            return _Enclosed(-mp.inf, start, zero)
        near = _descend(blocks, total, radius) if radius is not None and radius <= FAR else None
        if near is not None and near.upper - near.lower <= GAP:
            return near
        everywhere = _over_all(blocks, total)
        if radius is None:
            return everywhere
        found = _Enclosed(everywhere.lower, start, zero)
        for point in (everywhere.point, _lengthened(blocks, total, everywhere, radius)):
            if mp.norm(point) <= _real(radius) * (1 - mpf(10) ** -60):
                value = _at(blocks, total, point)
                found = found._replace(upper=value, point=point) if value < found.upper else found
        if found.upper - found.lower > GAP:
            lower, upper, point = near or _descend(blocks, total, radius)
            found = found._replace(lower=max(lower, found.lower))
            if upper < found.upper:
                found = found._replace(upper=upper, point=point)
        return found


@cache
def _support(blocks: Blocks, total: bool) -> list[tuple[int, int]]:
    """Return the members that some weights with Σ weight g = 0 make use of.

    Along a direction that lowers all others and none of these, the others vanish.
    """
    places = [(b, m) for b, (_, members) in enumerate(blocks) for m in range(len(members))]
    columns = [blocks[b][1][m] for b, m in places]
    rows = [list(row) for row in zip(*columns, strict=True)]
    if total:  # every block has the same share
        for other in range(1, len(blocks)):
            rows.append([Fraction((b == other) - (b == 0)) for b, _ in places])
    used: set[int] = set()
    for k in range(len(places)):
        if k not in used:
            unit = [Fraction(int(k == i)) for i in range(len(places))]
            x = _feasible([*rows, unit], [*([Fraction(0)] * len(rows)), Fraction(1)])
            used |= set() if x is None else {i for i, weight in enumerate(x) if weight > 0}
    return [place for k, place in enumerate(places) if k in used]


def _away(blocks: Blocks, total: bool, used: Sequence[tuple[int, int]]) -> Vector:
    """Return a direction that lowers all other members, and none that is used."""
    d, n = len(blocks[0][1][0]), len(blocks) if total else 0
    free, least = [], []
    for b, (_, members) in enumerate(blocks):
        for m, v in enumerate(members):
            level = [Fraction(int(total and b == k)) for k in range(n)]
            row = [*(-g for g in v), *level]  # level_b - g·w
            if (b, m) in used:
                free += [row, [-x for x in row]]
                least += [Fraction(0), Fraction(0)]
            else:
                free.append(row)
                least.append(Fraction(1))
    levels = [*([Fraction(0)] * d), *([Fraction(-1)] * n)]
    w = _solvable([*free, levels], [*least, Fraction(0)])
    assert w is not None  # by the theorem of the alternative
    return w[:d]


def _over_all(blocks: Blocks, total: bool) -> _Enclosed:
    """Enclose the infimum over all θ."""
    d = len(blocks[0][1][0])
    used = _support(blocks, total)
    if not used:
        return _Enclosed(-mp.inf, -mp.inf, (mpf(0),) * d)
    face = tuple(
        (offset, tuple(v for m, v in enumerate(members) if (b, m) in used))
        for b, (offset, members) in enumerate(blocks)
        if any((b, m) in used for m in range(len(members)))
    )
    if total:
        spanning = [_minus(v, members[0]) for _, members in face for v in members]
    else:
        spanning = [v for _, members in face for v in members]
    basis = [spanning[i] for i in _independent(spanning)]
    reduced = tuple(
        (offset, tuple(tuple(_dot(v, b) for b in basis) for v in members))
        for offset, members in face
    )
    shares, inner = _centre(reduced, total, None)
    point = tuple(
        mp.fsum(c * _real(b[k]) for c, b in zip(inner, basis, strict=True)) for k in range(d)
    )
    return _Enclosed(_proved(face, total, shares), _at(face, total, point), point)


def _proved(face: Blocks, total: bool, shares: list[list[mpf]]) -> mpf:
    """Return what the weights prove once Σ weight g = 0 exactly: they are moved to where it is."""
    flat = [_fraction(w) for row in shares for w in row]
    rows = [list(row) for row in zip(*(v for _, members in face for v in members), strict=True)]
    right = [Fraction(0)] * len(rows)
    sizes = [len(members) for _, members in face]
    if total:
        starts = [sum(sizes[:b]) for b in range(len(sizes))]
        for start, size in zip(starts, sizes, strict=True):
            rows.append([Fraction(int(start <= k < start + size)) for k in range(len(flat))])
            right.append(Fraction(1))
    keep = _independent(rows)
    rows, right = [rows[i] for i in keep], [right[i] for i in keep]
    if rows:
        missing = [_dot(row, flat) - goal for row, goal in zip(rows, right, strict=True)]
        steps = _solve([[_dot(a, b) for b in rows] for a in rows], missing)
        assert steps is not None
        flat = list(_minus(flat, _combine(steps, rows)))
    if min(flat) < 0:
        return -mp.inf
    moved = iter(flat)
    return _below(face, total, [[next(moved) for _ in range(size)] for size in sizes], None)


def _lengthened(blocks: Blocks, total: bool, base: _Enclosed, radius: Fraction) -> tuple[mpf, ...]:
    """Return a point nearly as long as the radius where all members but those used are low."""
    w = _away(blocks, total, _support(blocks, total))
    left = _real(radius) * (1 - mpf(10) ** -40) - mp.norm(base.point)
    if not any(w) or left <= 0:
        return base.point
    step = left / mp.norm([_real(x) for x in w])
    return tuple(p + step * _real(x) for p, x in zip(base.point, w, strict=True))


def _descend(blocks: Blocks, total: bool, radius: Fraction) -> _Enclosed:
    shares, point = _centre(blocks, total, radius)
    rational = [[_fraction(w) for w in row] for row in shares]
    if total:
        rational = [[w / sum(row) for w in row] for row in rational]
    return _Enclosed(_below(blocks, total, rational, radius), _at(blocks, total, point), point)


def _centre(
    blocks: Blocks, total: bool, radius: Fraction | None
) -> tuple[list[list[mpf]], tuple[mpf, ...]]:
    """Minimise by an interior-point method; return the weights that are dual to the point.

    Without a radius a sum is minimised by Newton's method. For the largest, t is
    minimised over t > each function; the radius is kept by -ln(radius² - ‖θ‖²).
    What is proved does not rest on this: it is computed from what is returned.
    """
    with localcontext(Context(prec=DIGITS + 10, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        dual, point = _Descent(blocks, total, radius).run()
        return [[mpf(str(w)) for w in row] for row in dual], tuple(mpf(str(x)) for x in point)


class _Descent:
    """Newton's method in decimals, which are far faster than mpmath."""

    def __init__(self, blocks: Blocks, total: bool, radius: Fraction | None) -> None:
        def decimal(x: Fraction) -> Decimal:
            return Decimal(x.numerator) / x.denominator

        self.offsets = [decimal(_fraction(offset)) for offset, _ in blocks]
        self.blocks = [[[decimal(x) for x in v] for v in vectors] for _, vectors in blocks]
        self.d, self.total = len(blocks[0][1][0]), total
        self.square = None if radius is None else decimal(radius) ** 2
        self.weight = Decimal(1)

    def run(self) -> tuple[list[list[Decimal]], list[Decimal]]:
        z = [Decimal(0)] * self.d
        if not self.total:
            counts = [Decimal(len(vectors)).ln() for vectors in self.blocks]
            z.append(max(a + b for a, b in zip(self.offsets, counts, strict=True)) + 1)
        once = self.total and self.square is None
        while not once and self.weight < 10**18:  # the path need not be followed closely
            with localcontext(prec=30):
                z, _ = self.newton(z, Decimal("1e-2"))
            self.weight *= 30
        z, dual = self.newton(z, Decimal("1e-45"))
        return [[w / (self.weight if self.total else 1) for w in row] for row in dual], z[: self.d]

    def newton(self, z: list[Decimal], close: Decimal) -> tuple[list[Decimal], list[list[Decimal]]]:
        state = self.evaluate(z)
        for _ in range(100):
            value, gradient, hessian, _ = state
            step = _newton_step(hessian, gradient)
            if step is None:
                break
            decrement = sum(a * b for a, b in zip(step, gradient, strict=True))
            if decrement <= close:
                break
            # Shorter where the barrier bends: a full step would mostly end outside.
            length = Decimal(1) if decrement < 1 else 2 / (1 + decrement.sqrt())
            while length > Decimal("1e-30"):
                moved = [x - length * s for x, s in zip(z, step, strict=True)]
                found = self.evaluate(moved)
                if found is not None and (decrement < Decimal("1e-6") or found[0] < value):
                    z, state = moved, found
                    break
                length /= 2
            else:
                break
        return z, state[3]

    def evaluate(self, z: list[Decimal]) -> Any:
        """Return the value (None: outside), the gradient, the Hessian and the dual weights."""
        size, d, zero = len(z), self.d, Decimal(0)
        value, inside, dual = zero, Decimal(1), []
        gradient, hessian = [zero] * size, [[zero] * size for _ in range(size)]

        def curve(vector: list[Decimal], factor: Decimal) -> None:
            for i, x in enumerate(vector):
                scaled = factor * x
                for j in range(i + 1) if x else ():
                    hessian[i][j] += scaled * vector[j]

        if not self.total:
            value += self.weight * z[-1]
            gradient[-1] += self.weight
        for offset, vectors in zip(self.offsets, self.blocks, strict=True):
            scores = [sum((x * y for x, y in zip(v, z[:d], strict=True)), zero) for v in vectors]
            top = max(scores)
            terms = [(score - top).exp() for score in scores]
            added = sum(terms, zero)
            height = offset + top + added.ln()
            if not self.total and z[-1] <= height:
                return None
            factor = self.weight if self.total else 1 / (z[-1] - height)
            if self.total:
                value += self.weight * height
            else:
                inside *= z[-1] - height
            shares = [term / added for term in terms]
            dual.append([factor * share for share in shares])
            mean = [
                sum((s * v[k] for s, v in zip(shares, vectors, strict=True)), zero)
                for k in range(d)
            ]
            for share, v in zip(shares, vectors, strict=True):
                curve([x - m for x, m in zip(v, mean, strict=True)], factor * share)
            full = mean if self.total else [*mean, Decimal(-1)]
            for k, entry in enumerate(full):
                gradient[k] += factor * entry
            if not self.total:
                curve(full, factor**2)
        if self.square is not None:
            room = self.square - sum((x * x for x in z[:d]), zero)
            if room <= 0:
                return None
            inside *= room
            for k in range(d):
                gradient[k] += 2 * z[k] / room
                hessian[k][k] += 2 / room
            curve(z[:d], 4 / room**2)
        return value - inside.ln(), gradient, hessian, dual


def _newton_step(hessian: list[list[Decimal]], gradient: list[Decimal]) -> list[Decimal] | None:
    """Solve with the lower half of a positive definite matrix; None if it is not."""
    size, zero = len(gradient), Decimal(0)
    lower = [[zero] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = hessian[i][j] - sum((lower[i][k] * lower[j][k] for k in range(j)), zero)
            if i == j and rest <= 0:
                return None
            lower[i][j] = rest.sqrt() if i == j else rest / lower[j][j]
    y: list[Decimal] = []
    for i in range(size):
        before = sum((lower[i][k] * y[k] for k in range(i)), zero)
        y.append((gradient[i] - before) / lower[i][i])
    for i in reversed(range(size)):
        later = sum((lower[k][i] * y[k] for k in range(i + 1, size)), zero)
        y[i] = (y[i] - later) / lower[i][i]
    return y


def _reaches(found: _Enclosed, level: mpf) -> bool | None:
    """Is the smallest value ≥ level?"""
    if found.lower >= level + NOISE:
        return True
    return False if found.upper < level - NOISE else None


def _odds(bound: Fraction) -> mpf:
    """Return the logarithm of (1 - bound) / bound."""
    return mp.log(_real((1 - bound) / bound))


# Claims about all queries


def _copying(c: _Reader, keys: Matrix, key: int) -> _Enclosed:
    """Enclose the smallest ln((1 - a_j) / a_j)."""
    gaps = tuple(
        tuple(c.scale * x for x in _minus(row, keys[key])) for i, row in enumerate(keys) if i != key
    )
    if not gaps:
        return _Enclosed(-mp.inf, -mp.inf, (mpf(0),) * len(keys[0]))
    return _smallest(((mpf(0), gaps),), True, c.radius)


def _ceiling(c: _Reader) -> Verdict:
    keys = c.array("keys")
    key, bound = _index(c.fields["key"], len(keys)), c.bound
    found = _copying(c, keys, key)
    if not 0 < bound < 1:
        return Verdict(bound >= 1)
    return Verdict(_reaches(found, _odds(bound)))


def _shares(weights: Mapping[int, Fraction]) -> dict[int, Fraction]:
    if min(weights.values()) <= 0:
        raise Meaningless("weights must be above 0")
    total = sum(weights.values())
    return {i: weight / total for i, weight in weights.items()}


def _weights_apart(c: _Reader) -> Verdict:
    keys = c.array("keys")
    p, bound, radius = _shares(c.weighted(c.fields["target"], len(keys))), c.bound, c.radius
    mean = _combine(list(p.values()), [keys[i] for i in p])
    gaps = tuple(tuple(c.scale * x for x in _minus(row, mean)) for row in keys)
    if bound <= 0:
        return Verdict(True)
    found = _smallest(((-_entropy(list(p.values())), gaps),), True, radius)
    return Verdict(_reaches(found, _real(bound)))


def _floors_out_of_reach(c: _Reader) -> Verdict:
    keys, radius = c.array("keys"), c.radius
    floors = {i: f for i, f in c.weighted(c.fields["floors"], len(keys)).items() if f > 0}
    if not floors or sum(floors.values()) > 1:
        return Verdict(bool(floors))
    blocks = tuple(
        (
            mp.log(_real(floor)),
            tuple(tuple(c.scale * x for x in _minus(row, keys[i])) for row in keys),
        )
        for i, floor in floors.items()
    )
    return Verdict(_reaches(_smallest(blocks, False, radius), mpf(0)))


def _output_ceiling(c: _Reader) -> Verdict:
    keys = c.array("keys")
    values, bound = c.array("values", len(keys)), c.bound
    key = _index(c.fields["key"], len(keys))
    found, radius = _copying(c, keys, key), c.radius
    if bound <= 0:
        return Verdict(True)
    gaps = [list(_minus(values[key], row)) for i, row in enumerate(values) if i != key]
    if not gaps:
        return Verdict(False)  # the output is the one value there is
    z = _nearest(tuple(tuple(gap) for gap in gaps))
    if _root(_dot(z, z)) / (1 + mp.exp(-found.lower)) >= _real(bound) * (1 + NOISE):
        return Verdict(True)
    floats = [tuple(tuple(float(x) for x in row) for row in rows) for rows in (keys, values)]
    starts = [found.point, *_closest_outputs(*floats, key, float(c.scale), radius)]
    for start in starts:
        query = [_fraction(mpf(x)) for x in start]
        if radius is not None and _dot(query, query) > radius**2:
            continue
        misses = _misses([c.scale * _dot(row, query) for row in keys], {key: Fraction(1)})
        columns = [[_real(v) for v in column] for column in zip(*values, strict=True)]
        away = mp.norm([mp.fdot(misses, column) for column in columns])
        if away < _real(bound) * (1 - NOISE):
            return Verdict(False)
    return Verdict(None)


@cache
def _closest_outputs(
    rows: Any, averaged: Any, key: int, scale: float, radius: Fraction | None
) -> list[Any]:
    """Search for queries whose output is close to a value."""
    keys, values = np.array(rows), np.array(averaged)
    if not (np.abs(keys).max() < 1e30 and np.abs(values).max() < 1e30 and abs(scale) < 1e30):
        return []
    longest = 1e9 if radius is None else float(radius)

    def shorten(q: Any) -> Any:
        length = np.linalg.norm(q)
        return q * (longest * (1 - 1e-12) / length) if length > longest else q

    def away(q: Any) -> float:
        scores = scale * keys @ shorten(q)
        weights = np.exp(scores - scores.max())
        return float(np.linalg.norm(weights @ values / weights.sum() - values[key]))

    rng = np.random.default_rng(5)
    width = keys.shape[1]
    starts = [np.zeros(width), *(rng.normal(size=(3, width)) * 2)]
    return [shorten(minimize(away, q, method="Nelder-Mead").x) for q in starts]


# The hull


def _apart_from_hull(c: _Reader) -> Verdict:
    points = c.array(c.fields["array"])
    if c.fields["times"] is not None:
        points = _product(points, c.array(c.fields["times"], len(points[0])))
    point, bound = _vector(c.fields["point"], len(points[0])), c.bound
    z = _nearest(tuple(_minus(point, row) for row in points))
    return Verdict(bound <= 0 or _dot(z, z) >= bound**2)


# Claims about matrices that separate


def _bases(c: _Reader) -> tuple[Matrix, Matrix, Fraction]:
    S = c.array("S")
    share = _number(c.fields["share"])
    if share == 0:
        raise Meaningless("the share is 0")
    return S, c.array("T", len(S)), share


def _separates(c: _Reader) -> Verdict:
    (S, T, share), bound = _bases(c), c.bound
    M = _matrix(c.witness["M"], len(S), len(S))
    kept = [_minus(a, [x / share for x in b]) for a, b in zip(_product(M, S), S, strict=True)]
    columns = [*zip(*kept, strict=True), *zip(*_product(M, T), strict=True)]
    worst = max(_dot(column, column) for column in columns)
    return _is_at_most(_root(worst), bound, exact=bound >= 0 and worst <= bound**2)


def _norm_at_most(c: _Reader) -> Verdict:
    M, bound = _transpose(_matrix(c.witness["M"])), c.bound
    gram = [[_dot(a, b) for b in M] for a in M]
    rest = [[bound**2 * (i == j) - x for j, x in enumerate(row)] for i, row in enumerate(gram)]
    largest = max(mp.eigsy(mp.matrix([[_real(x) for x in row] for row in gram]), eigvals_only=True))
    truth = bound >= 0 and _definite(rest, semi=True)
    return _is_at_most(mp.sqrt(max(largest, mpf(0))), bound, exact=truth)


def _short(S: Matrix, T: Matrix, square: Fraction) -> Matrix:
    """Return square · G - SᵀS, where G is that of the columns of S outside the span of T.

    The shortest M with M S = S / share and M T = 0 has the norm ‖S x‖ / (share ‖S x - T y‖)
    at its largest; where the spans meet there is none.
    """
    kept = _transpose(S)
    kept = [kept[i] for i in _independent(kept)]
    rest = _outside(kept, _transpose(T))
    return [
        [square * _dot(a, b) - _dot(x, y) for b, y in zip(rest, kept, strict=True)]
        for a, x in zip(rest, kept, strict=True)
    ]


def _norm_at_least(c: _Reader) -> Verdict:
    (S, T, share), bound = _bases(c), c.bound
    return Verdict(bound <= 0 or not _definite(_short(S, T, (bound * share) ** 2), semi=False))


def _no_separator(c: _Reader) -> Verdict:
    (S, T, share), radius = _bases(c), c.radius
    if radius is not None:
        return Verdict(not _definite(_short(S, T, (radius * share) ** 2), semi=True))
    kept, dropped = _transpose(S), _transpose(T)
    ranks = [len(_independent(columns)) for columns in (kept, dropped, kept + dropped)]
    return Verdict(ranks[0] + ranks[1] > ranks[2])


# Claims about a head


def _scores(c: _Reader, tokens: Matrix, A: Matrix, row: int) -> list[Fraction]:
    turned = [_dot(line, tokens[row]) for line in A]
    return [c.scale * _dot(token, turned) for token in tokens]


def _pattern_close(c: _Reader) -> Verdict:
    tokens = c.array("tokens")
    rows, bound, A = c.rows(len(tokens)), c.bound, c.head(len(tokens[0]))
    worst = max(
        abs(miss) for i, row in rows.items() for miss in _misses(_scores(c, tokens, A, i), row)
    )
    return _is_at_most(worst, bound)


def _outputs_close(c: _Reader) -> Verdict:
    tokens = c.array("tokens")
    d, bound = len(tokens[0]), c.bound
    W_V = _matrix((c.arrays if "W_V" in c.arrays else c.witness)["W_V"], d)
    outputs, A = c.outputs(len(tokens)), c.head(d)
    if len(next(iter(outputs.values()))) != len(W_V[0]):
        raise Meaningless("an output has another length")
    values = _product(tokens, W_V)
    worst = size = mpf(0)
    for i, wanted in outputs.items():
        terms = _exponentials(_scores(c, tokens, A, i))
        total = mp.fsum(terms)
        # Wanted outputs are subtracted exactly, from values.
        gaps = [[_real(v - o) for v, o in zip(row, wanted, strict=True)] for row in values]
        miss = [mp.fdot(terms, column) / total for column in zip(*gaps, strict=True)]
        worst = max(worst, mp.norm(miss))
        size = max([size, *(abs(x) for row in gaps for x in row)])
    return _is_at_most(worst, bound, size)


def _outer(scale: Fraction, left: Sequence[Fraction], right: Sequence[Fraction]) -> Vector:
    return tuple(scale * x * y for x in left for y in right)


def _pattern_ceiling(c: _Reader) -> Verdict:
    tokens = c.array("tokens")
    rows, bound, radius = c.rows(len(tokens)), c.bound, c.radius
    if any(len(row) != 1 for row in rows.values()):
        raise Meaningless("each row must have one target")
    blocks = []
    for i, row in rows.items():
        (t,) = row
        others = [token for j, token in enumerate(tokens) if j != t]
        gaps = tuple(_outer(c.scale, _minus(token, tokens[t]), tokens[i]) for token in others)
        blocks.append((mpf(0), gaps))
    if not 0 < bound < 1 or len(tokens) == 1:
        return Verdict(bound >= 1)
    return Verdict(_reaches(_smallest(tuple(blocks), False, radius), _odds(bound)))


def _pattern_apart(c: _Reader) -> Verdict:
    tokens = c.array("tokens")
    rows, bound, radius = c.rows(len(tokens)), c.bound, c.radius
    blocks = []
    for i, row in rows.items():
        p = _shares(row)
        mean = _combine(list(p.values()), [tokens[j] for j in p])
        gaps = tuple(_outer(c.scale, _minus(token, mean), tokens[i]) for token in tokens)
        blocks.append((-_entropy(list(p.values())), gaps))
    if bound <= 0:
        return Verdict(True)
    return Verdict(_reaches(_smallest(tuple(blocks), True, radius), _real(bound)))


# Claims about ranks


def _d_k_at_least(c: _Reader) -> Verdict:
    tokens = c.array("tokens")
    rows, bound, tolerance = c.rows(len(tokens)), c.bound, _number(c.fields["tolerance"])
    if tolerance < 0 or bound.denominator != 1 or bound < 1:
        raise Meaningless("the bound must be a whole number, and the tolerance not negative")
    table = tuple(
        (i, tuple(row.get(j, Fraction(0)) for j in range(len(tokens)))) for i, row in rows.items()
    )
    key = tuple(tuple(token) for token in tokens)
    return Verdict(_needs_columns(key, table, int(bound), tolerance, c.scale))


@cache
def _needs_columns(
    tokens: tuple[Vector, ...],
    table: tuple[tuple[int, Vector], ...],
    bound: int,
    tolerance: Fraction,
    scale: Fraction,
) -> bool | None:
    """Do weights within the tolerance need as many columns?"""
    if bound == 1:
        return True
    n = len(tokens)
    if scale == 0 or n == 1:  # all heads give equal weights
        return any(abs(Fraction(1, n) - p) > tolerance for _, row in table for p in row)
    for _, row in table:
        lowest = sum(max(p - tolerance, Fraction(0)) for p in row)
        if lowest > 1 or sum(p + tolerance for p in row) < 1 or min(row) + tolerance <= 0:
            return True  # no weights at all are there
    half = Fraction(1, 2) + tolerance
    winners = {i: j for i, row in table for j, p in enumerate(row) if p > half}
    if winners and not _reachable(tokens, winners):
        return True
    pair = _one_column(tokens, winners)
    if (bound == 2 and pair is None) or _singular(table, bound, tolerance):
        return True
    zero = (Fraction(0),) * len(tokens[0])
    grown = [
        tuple([[2**k * float(x)] for x in w] for w in pair or (zero, zero))
        for k in (0, 2, 4, 6, 8, 10)
    ]
    searched = _searched(tokens, table, min(bound - 1, len(tokens[0])), float(scale))
    for W_Q, W_K in itertools.chain(grown, searched):
        A = _product(_matrix(W_K), _transpose(_matrix(W_Q)))
        errors = [
            abs(miss)
            for i, row in table
            for miss in _misses(
                [scale * _dot(t, [_dot(line, tokens[i]) for line in A]) for t in tokens],
                dict(enumerate(row)),
            )
        ]
        if max(errors) <= _real(tolerance) * (1 - NOISE):
            return False
    return None


def _reachable(tokens: tuple[Vector, ...], winners: Mapping[int, int]) -> bool:
    """Does any matrix put each winner first?"""
    gaps = [
        list(_outer(Fraction(1), _minus(tokens[t], token), tokens[i]))
        for i, t in winners.items()
        for j, token in enumerate(tokens)
        if j != t
    ]
    return _solvable(gaps, [Fraction(1)] * len(gaps)) is not None


def _one_column(
    tokens: tuple[Vector, ...], winners: Mapping[int, int]
) -> tuple[Vector, Vector] | None:
    """Return directions of queries and keys with which one column puts each winner first."""
    ends = sorted(set(winners.values()))
    zero = (Fraction(0),) * len(tokens[0])
    if len(ends) > 2:
        return None
    if not ends:
        return zero, zero
    sides = [[x if j == ends[0] else -x for x in tokens[i]] for i, j in winners.items()]
    lifts = [list(_minus(tokens[ends[0]], t)) for j, t in enumerate(tokens) if j != ends[0]]
    if len(ends) == 2:
        lifts += [list(_minus(t, tokens[ends[1]])) for j, t in enumerate(tokens) if j != ends[1]]
    found = [_solvable(rows, [Fraction(1)] * len(rows)) for rows in (sides, lifts)]
    return None if found[0] is None or found[1] is None else (found[0], found[1])


def _singular(table: tuple[tuple[int, Vector], ...], bound: int, tolerance: Fraction) -> bool:
    """Is the centred matrix of logarithms, on some columns, surely of that rank?"""
    n = len(table[0][1])
    for size in range(2, n + 1):
        for columns in itertools.combinations(range(n), size):
            part = [[row[j] for j in columns] for _, row in table]
            if min(p for row in part for p in row) <= tolerance or len(part) < bound:
                continue
            logs = [[mp.log(_real(p)) for p in row] for row in part]
            logs = [[x - mp.fsum(row) / size for x in row] for row in logs]
            moves = mp.norm([mp.log(_real(p / (p - tolerance))) for row in part for p in row])
            values = sorted(mp.svd_r(mp.matrix(logs), compute_uv=False), reverse=True)
            if bound <= len(values) and values[bound - 1] > moves + mpf(10) ** -30:
                return True
    return False


def _searched(
    tokens: tuple[Vector, ...], table: tuple[tuple[int, Vector], ...], width: int, scale: float
) -> Iterator[tuple[Any, Any]]:
    """Search for heads of that many columns with these weights."""
    x = np.array([[float(v) for v in token] for token in tokens])
    wanted = np.array([[float(p) for p in row] for _, row in table])
    rows = [i for i, _ in table]
    if not (np.abs(x).max() < 1e6 and np.abs(wanted).max() < 1e6 and abs(scale) < 1e6):
        return
    shape = (2, x.shape[1], width)

    def loss(flat: Any) -> float:
        W_Q, W_K = flat.reshape(shape)
        scores = scale * (x[rows] @ W_Q) @ (x @ W_K).T
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        return float(np.sum((weights - wanted) ** 2))

    rng = np.random.default_rng(7)
    for size in (1.0, 3.0):
        start = rng.normal(size=math.prod(shape)) * size
        best = minimize(loss, start, method="BFGS", options={"maxiter": 60}).x
        yield from (tuple((best * grown).reshape(shape).tolist()) for grown in (1.0, 2.0, 8.0))


def _outputs_out_of_reach(c: _Reader) -> Verdict:
    tokens = c.array("tokens")
    outputs, bound = c.outputs(len(tokens)), c.bound
    key = tuple(tuple(token) for token in tokens)
    return Verdict(_out_of_reach(key, tuple(outputs.items()), bound, c.scale))


@cache
def _out_of_reach(
    tokens: tuple[Vector, ...],
    outputs: tuple[tuple[int, Vector], ...],
    bound: Fraction,
    scale: Fraction,
) -> bool | None:
    """Does some output miss by bound, whatever the head and its values?"""
    if bound <= 0:
        return True
    for (i, a), (j, b) in itertools.combinations(outputs, 2):
        gap = _minus(a, b)
        if tokens[i] == tokens[j] and _dot(gap, gap) >= 4 * bound**2:
            return True
    rank = len(_independent(tokens))
    for size in range(rank + 1, len(outputs) + 1):
        for some in itertools.combinations([o for _, o in outputs], size):
            wanted = mp.matrix([[_real(x) for x in o] for o in some])
            values = sorted(mp.svd_r(wanted, compute_uv=False), reverse=True)
            if rank < len(values) and values[rank] / mp.sqrt(size) >= _real(bound) * (1 + NOISE):
                return True
    for A, W_V in _fitted(tokens, outputs, float(scale)):
        misses = []
        values = _product(tokens, _matrix(W_V))
        for i, wanted in outputs:
            turned = [_dot(line, tokens[i]) for line in _matrix(A)]
            terms = _exponentials([scale * _dot(token, turned) for token in tokens])
            gaps = zip(*(_minus(row, wanted) for row in values), strict=True)
            total = mp.fsum(terms)
            columns = [[_real(x) for x in gap] for gap in gaps]
            misses.append(mp.norm([mp.fdot(terms, column) for column in columns]) / total)
        if max(misses) < _real(bound) * (1 - NOISE):
            return False
    return None


@cache
def _fitted(
    tokens: tuple[Vector, ...], outputs: tuple[tuple[int, Vector], ...], scale: float
) -> list[tuple[Any, Any]]:
    """Search for heads whose outputs are close."""
    x = np.array([[float(v) for v in token] for token in tokens])
    wanted = np.array([[float(p) for p in o] for _, o in outputs])
    rows = [i for i, _ in outputs]
    if not (np.abs(x).max() < 1e6 and np.abs(wanted).max() < 1e6 and abs(scale) < 1e6):
        return []
    d, width = x.shape[1], wanted.shape[1]

    def mixed(A: Any) -> Any:
        scores = scale * x[rows] @ A.T @ x.T
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True) @ x

    def loss(flat: Any) -> float:
        A, W_V = flat[: d * d].reshape(d, d), flat[d * d :].reshape(d, width)
        misses = np.linalg.norm(mixed(A) @ W_V - wanted, axis=1)
        worst = max(float(np.max(misses)), 1e-300)
        return float(worst * np.sum((misses / worst) ** 16) ** (1 / 16))

    rng, found = np.random.default_rng(11), []
    for size in (0.5, 4.0):
        A = rng.normal(size=(d, d)) * size
        W_V = np.linalg.lstsq(mixed(A), wanted, rcond=None)[0]
        found.append((A.tolist(), W_V.tolist()))
        start, options = np.concatenate([A.ravel(), W_V.ravel()]), {"maxiter": 80}
        best = minimize(loss, start, method="BFGS", options=options).x
        A, W_V = best[: d * d].reshape(d, d), best[d * d :].reshape(d, width)
        found.append((A.tolist(), W_V.tolist()))
    return found


CLAIM_TYPES: dict[str, Callable[[_Reader], Verdict]] = {
    "weights_close": _weights_close,
    "output_close": _output_close,
    "margin_at_least": _margin_at_least,
    "margin_at_most": _margin_at_most,
    "ceiling": _ceiling,
    "weights_apart": _weights_apart,
    "floors_out_of_reach": _floors_out_of_reach,
    "output_ceiling": _output_ceiling,
    "apart_from_hull": _apart_from_hull,
    "separates": _separates,
    "norm_at_most": _norm_at_most,
    "norm_at_least": _norm_at_least,
    "no_separator": _no_separator,
    "pattern_close": _pattern_close,
    "outputs_close": _outputs_close,
    "pattern_ceiling": _pattern_ceiling,
    "pattern_apart": _pattern_apart,
    "d_k_at_least": _d_k_at_least,
    "outputs_out_of_reach": _outputs_out_of_reach,
}
CONSTRUCTED = (
    "weights_close",
    "output_close",
    "margin_at_least",
    "separates",
    "norm_at_most",
    "pattern_close",
    "outputs_close",
)
