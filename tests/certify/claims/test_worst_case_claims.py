"""Claims about keys and scores that move: at their edges, and damaged in many ways.

What is true of a damaged claim is found here by going through all vertices with 50 digits, and of
all queries by a search that knows nothing of the witness.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from mpmath import exp, mp, mpf, sqrt
from scipy.optimize import minimize

from certify.damage import Data, Meaningless, assert_damage_is_seen, data, fraction, status
from regard.certify import Claim

KEYS = [[2.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 3.0]]
VALUES = [[1.0, 0.5], [0.0, -1.0], [-1.0, 2.0], [3.0, 0.25]]
SCORES = [[0.5, 1.0, -1.0, 2.0], [1.0, 1.5, 0.25, 2.5]]
ON_FIRST = {"indices": [0], "weights": [1.0]}
CLOSE = mpf(10) ** -30


def numbers(values: Any, length: int | None = None) -> list[Fraction]:
    """Return a list of numbers that floats can hold."""
    if not isinstance(values, list) or length not in (None, len(values)) or not values:
        raise Meaningless
    found = [fraction(value) for value in values]
    if any(isinstance(x, str) for x in values) or any(Fraction(float(x)) != x for x in found):
        raise Meaningless
    return found


def table(values: Any, rows: int | None = None) -> list[list[Fraction]]:
    if not isinstance(values, list) or rows not in (None, len(values)) or not values:
        raise Meaningless
    found = [numbers(row) for row in values]
    if len({len(row) for row in found}) > 1:
        raise Meaningless
    return found


def plain(value: Any) -> Fraction:
    if isinstance(value, str):
        raise Meaningless
    return fraction(value)


def dot(a: Any, b: Any) -> mpf:
    exact = sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))
    return mpf(exact.numerator) / exact.denominator


def real(x: Fraction) -> mpf:
    return mpf(x.numerator) / x.denominator


def intervals(certificate: Data, claim: Data, n: int) -> list[tuple[mpf, mpf]]:
    """Return the ends of every score, as the theory has them."""
    radius = claim["radius"]
    if radius is None:
        lower, upper = table(certificate["arrays"]["scores"], 2)
        if len(lower) != n or any(a > b for a, b in zip(lower, upper, strict=True)):
            raise Meaningless
        return [(real(a), real(b)) for a, b in zip(lower, upper, strict=True)]
    keys = table(certificate["arrays"]["keys"], n)
    query = numbers(claim["witness"]["query"], len(keys[0]))
    radii = numbers(radius, n) if isinstance(radius, list) else [plain(radius)] * n
    if any(r < 0 for r in radii):
        raise Meaningless
    scale = plain(certificate.get("scale", 1.0))
    length = sqrt(dot(query, query))
    middles = [real(scale) * dot(key, query) for key in keys]
    reach = [abs(real(scale)) * real(r) * length for r in radii]
    return [(m - r, m + r) for m, r in zip(middles, reach, strict=True)]


def vertices(ends: list[tuple[mpf, mpf]]) -> list[list[mpf]]:
    """Return the weights at every vertex."""
    if max(abs(end) for pair in ends for end in pair) > 1e12:
        raise OverflowError  # 50 digits would not do
    found = []
    for scores in itertools.product(*ends):
        powers = [exp(s - max(scores)) for s in scores]
        found.append([power / sum(powers) for power in powers])
    return found


def compared(left: mpf, right: mpf) -> bool | None:
    """Is left ≤ right? None where 50 digits do not tell."""
    if abs(left - right) <= CLOSE * (1 + abs(left)):
        return None
    return bool(left < right)


def both(*truths: bool | None) -> bool | None:
    return False if False in truths else None if None in truths else True


def worst_output(certificate: Data) -> bool | None:
    with mp.workdps(50):
        claim = certificate["claims"][0]
        sign = {"output_never_above": 1, "output_never_below": -1}[claim["kind"]]
        values = table(certificate["arrays"]["values"])
        direction = numbers(claim["direction"], len(values[0]))
        bound, attained = plain(claim["bound"]), plain(claim["attained"])
        if attained < 0:
            raise Meaningless
        heights = [sign * dot(value, direction) for value in values]
        ends = intervals(certificate, claim, len(values))
        most = max(sum(w * x for w, x in zip(v, heights, strict=True)) for v in vertices(ends))
        limit = sign * real(bound)
        return both(compared(most, limit), compared(limit - real(attained), most))


def wanted(claim: Data, n: int) -> dict[int, Fraction]:
    target = claim["target"]
    places = numbers(target["indices"])
    if any(p != int(p) or not 0 <= p < n for p in places) or len(set(places)) < len(places):
        raise Meaningless
    weights = numbers(target["weights"], len(places))
    return {int(p): w for p, w in zip(places, weights, strict=True)}


def farthest(weights: list[list[mpf]], target: dict[int, Fraction]) -> mpf:
    return max(
        abs(w - real(target.get(i, Fraction(0)))) for row in weights for i, w in enumerate(row)
    )


def close_within(certificate: Data) -> bool | None:
    with mp.workdps(50):
        claim = certificate["claims"][0]
        keys = table(certificate["arrays"]["keys"])
        if isinstance(claim["radius"], list) or claim["radius"] is None:
            raise Meaningless
        target, bound = wanted(claim, len(keys)), plain(claim["bound"])
        worst = farthest(vertices(intervals(certificate, claim, len(keys))), target)
        return compared(worst, real(bound))


@cache
def least_error(keys: tuple[Any, ...], target: tuple[Any, ...], reach: float) -> float:
    """Return the smallest worst error of all queries, by a search from many starts."""
    points, wanted = np.array(keys), dict(target)
    signs = np.array(list(itertools.product([-1, 1], repeat=len(points))))

    def error(query: Any) -> float:
        scores = points @ query + signs * reach * np.linalg.norm(query)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = powers / powers.sum(axis=1, keepdims=True)
        p = np.array([wanted.get(i, 0.0) for i in range(len(points))])
        return float(np.max(np.abs(weights - p)))

    rng = np.random.default_rng(0)
    starts = [rng.normal(size=points.shape[1]) * size for size in (0.1, 1, 3, 9) for _ in range(3)]
    found = [minimize(error, x, method="Nelder-Mead").fun for x in starts]
    return min(error(np.zeros(points.shape[1])), *found)


def beyond_within(certificate: Data) -> bool | None:
    claim = certificate["claims"][0]
    keys = [[float(x) for x in row] for row in table(certificate["arrays"]["keys"])]
    target = {i: float(w) for i, w in wanted(claim, len(keys)).items()}
    tolerance, radius, scale = (
        float(plain(x))
        for x in (claim["tolerance"], claim["radius"], certificate.get("scale", 1.0))
    )
    if min(tolerance, radius) < 0:
        raise Meaningless
    if scale == 0 or np.max(np.abs(keys)) > 1e3:
        return None
    least = least_error(tuple(map(tuple, keys)), tuple(target.items()), radius)
    return None if abs(least - tolerance) <= 1e-6 else bool(least > tolerance)


def shortest_within(certificate: Data) -> bool | None:
    with mp.workdps(50):
        claim = certificate["claims"][0]
        keys = table(certificate["arrays"]["keys"])
        key, tolerance, gap = (plain(claim[name]) for name in ("key", "tolerance", "gap"))
        index = key == int(key) and 0 <= key < len(keys)
        if not index or tolerance <= 0 or gap < 0 or gap >= 1 or isinstance(claim["radius"], list):
            raise Meaningless
        rows = vertices(intervals(certificate, claim, len(keys)))
        within = compared(1 - min(row[int(key)] for row in rows), real(tolerance))
        if within is not True:
            return within
    points = np.array([[float(x) for x in row] for row in keys])
    query = np.array(claim["witness"]["query"], float)
    scale = abs(certificate.get("scale", 1.0))
    if np.max(np.abs(points)) > 1e3 or tolerance >= 1 or not scale:
        return None
    others = np.delete(points, int(key), axis=0) - points[int(key)]
    odds = math.log((1 - tolerance) / tolerance)

    def room(q: Any) -> float:
        scores = others @ q
        top = scores.max()
        lse = top + math.log(np.sum(np.exp(scores - top)))
        return -odds - lse - 2 * float(claim["radius"]) * float(np.linalg.norm(q))

    start = query * scale
    found = minimize(
        lambda q: q @ q, start, constraints={"type": "ineq", "fun": room}, options={"ftol": 1e-10}
    )
    if not found.success:
        return None
    least = math.sqrt(found.fun) / scale
    length, allowed = float(np.linalg.norm(query)), 1 - float(gap)
    if abs(least - allowed * length) <= 1e-5 * length:
        return None
    return bool(least > allowed * length)


def above(**changes: Any) -> Claim:
    fields = {"direction": [1.0, 0.0], "radius": 0.25, "bound": 0.6, "attained": 1.0, **changes}
    witness = {} if fields["radius"] is None else {"query": [2.0, 1.0]}
    return Claim("output_never_above", fields, witness)


ARRAYS = {"keys": KEYS, "values": VALUES}


@pytest.mark.parametrize("kind", ["output_never_above", "output_never_below"])
@pytest.mark.parametrize("radius", [0.25, [0.25, 0.0, 0.5, 1.0], None])
def test_the_ends_hold_to_twelve_digits_and_no_further(kind: str, radius: Any) -> None:
    arrays = {"values": VALUES, "scores": SCORES} if radius is None else ARRAYS
    sign = 1 if kind == "output_never_above" else -1
    fields = {"direction": [1.0, -0.5], "radius": radius, "bound": 0.0, "attained": 0.0}
    witness = {} if radius is None else {"query": [0.5, 0.25]}
    blank = data(Claim(kind, fields, witness), arrays)
    with mp.workdps(50):
        ends = intervals(blank, blank["claims"][0], 4)
        heights = [v[0] - v[1] / 2 for v in VALUES]
        outputs = [sum(w * x for w, x in zip(v, heights, strict=True)) for v in vertices(ends)]
        end = float(max(outputs) if sign > 0 else min(outputs))

    def found(off: float, attained: float) -> str:
        changed = {**fields, "bound": end + sign * off, "attained": attained}
        return status(Claim(kind, changed, witness), arrays)

    assert found(1e-12, 2e-12) == "holds"
    assert found(-1e-12, 2e-12) == "fails"  # passed
    assert found(1e-12, 0.5e-12) == "fails"  # not attained


def test_damage_to_a_worst_case_is_seen() -> None:
    for radius in (0.25, [0.25, 0.0, 0.5, 1.0], None):
        arrays = {"values": VALUES, "scores": SCORES} if radius is None else ARRAYS
        for kind in ("output_never_above", "output_never_below"):
            claim = above(radius=radius)
            sign = 1 if kind == "output_never_above" else -1
            blank = data(Claim(kind, claim.fields, claim.witness), arrays)
            ends = intervals(blank, blank["claims"][0], 4)
            heights = [sign * value[0] for value in VALUES]
            rows = vertices(ends)
            end = max(sum(w * x for w, x in zip(v, heights, strict=True)) for v in rows)
            fields = {**claim.fields, "bound": sign * (float(end) + 1e-8), "attained": 2e-8}
            certificate = data(Claim(kind, fields, claim.witness), arrays)
            assert_damage_is_seen(certificate, worst_output, most=150, decided=0.9)


def test_damage_to_weights_of_moving_keys_is_seen() -> None:
    fields = {"target": ON_FIRST, "bound": 0.0101, "radius": 0.5}
    claim = Claim("weights_close_within", fields, {"query": [5.3721, -2.1857]})
    certificate = data(claim, {"keys": KEYS})
    assert_damage_is_seen(certificate, close_within, decided=0.9)


def test_a_mixture_of_moving_keys_has_the_golden_error() -> None:
    # C (k_a + k_b) over six orthonormal keys: lowest and highest weight of a, 50 digits.
    keys, target = np.eye(6), {"indices": [0, 1], "weights": [0.5, 0.5]}
    for bound, found in ((0.0419055507146172, "holds"), (0.0419055507146170, "fails")):
        fields = {"target": target, "bound": bound, "radius": 0.01}
        query = [5.0, 5.0, 0.0, 0.0, 0.0, 0.0]
        claim = Claim("weights_close_within", fields, {"query": query})
        assert status(claim, {"keys": keys}) == found


# The dual witness of the golden shortest query, and of the golden ceiling 0.2654198783123363.
PI = [0.7051561153143888, 0.0792577924564275, 0.21558609222918365]
LAMBDA = [0.528602836316007, 0.24369884047228188, 0.2276983232117111]


def shortest(**changes: Any) -> Claim:
    fields = {"key": 0, "tolerance": 0.01, "gap": 1e-9, "radius": 0.5, **changes}
    query = [5.37208156024054 * (1 + 1e-11), -2.185713483010814 * (1 + 1e-11)]
    average = {"indices": [1, 2, 3], "weights": PI}
    witness = {"query": query, "averages": [average], "shares": [1.0]}
    return Claim("shortest_copy_within", fields, witness)


def test_the_golden_query_is_the_shortest() -> None:
    assert status(shortest(), {"keys": KEYS}) == "holds"
    assert status(shortest(radius=0.501), {"keys": KEYS}) == "fails"  # it leaves more than that
    assert status(shortest(radius=0.499), {"keys": KEYS}) == "fails"  # a shorter one does as well
    assert status(shortest(gap=1e-12), {"keys": KEYS}) in ("fails", "undecided")


def test_damage_to_a_shortest_query_is_seen() -> None:
    assert_damage_is_seen(data(shortest(gap=1e-3), {"keys": KEYS}), shortest_within, most=150)


def beyond(tolerance: float) -> Claim:
    fields = {"target": ON_FIRST, "tolerance": tolerance, "radius": 1.0}
    nearer = [LAMBDA[0] * (1 + 1e-9), *LAMBDA[1:]]  # than 2 radii, which rounding may have passed
    average = {"indices": [1, 2, 3], "weights": nearer}
    best = [1.4806967369353579, -0.7743041652619652]
    witness = {"averages": [average], "shares": [1.0], "attained_by": best}
    return Claim("weights_beyond_within", fields, witness)


def test_no_query_passes_the_golden_ceiling() -> None:
    error = 1 - 0.2654198783123363
    assert status(beyond(error - 1e-8), {"keys": KEYS}) == "holds"
    assert status(beyond(error + 1e-12), {"keys": KEYS}) == "fails"  # the best query does


def test_damage_to_a_refusal_is_seen() -> None:
    claim = beyond(0.73)
    witness = {**claim.witness}
    witness["averages"] = [{"indices": [1, 2, 3], "weights": [0.55, 0.23, 0.22]}]
    certificate = data(Claim(claim.kind, claim.fields, witness), {"keys": KEYS})
    assert_damage_is_seen(certificate, beyond_within)
