"""Claims about positional heads: no damage may make a false one hold or a true one fail.

What is true is computed here in 40 digits from the scores of all pairs of positions, for any
matrix, and for "no weights do better" by a linear program over all shifts.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from mpmath import matrix, mp, mpf
from scipy.optimize import linprog

from regard.certify import Certificate, Claim, verify
from regard.design.positions.band import band
from regard.design.positions.offset import offset

Data = dict[str, Any]

DIGITS = 40
ROOM = 1e-8  # of the linear program


@cache
def frequency(base: float, i: int, d: int) -> mpf:
    return mpf(base) ** (-mpf(2 * i) / d)


@cache
def embedding(t: int, d: int, base: float) -> matrix:
    entries = []
    for i in range(d // 2):
        angle = frequency(base, i, d) * t
        entries += [mp.sin(angle), mp.cos(angle)]
    return matrix(entries)


def score(A: Any, t: int, tau: int, base: float) -> mpf:
    d = len(A)
    e_key, e_query = embedding(tau, d, base), embedding(t, d, base)
    return mp.fsum(
        e_key[j] * mpf(A[j][k]) * e_query[k] for j in range(d) for k in range(d) if A[j][k]
    )


def least_mass(claim: Data, scale: float) -> mpf:
    A, T, n, base = claim["witness"]["A"], claim["T"], claim["n"], claim["base"]
    masses = []
    for t in range(T, T + n):
        scores = [scale * score(A, t, tau, base) for tau in range(n)]
        masses.append(1 / mp.fsum(mp.exp(s - scores[t - T]) for s in scores))
    return min(masses)


def toeplitz(A: Any) -> bool:
    d = len(A)
    for j, k in itertools.product(range(d), range(d)):
        if j // 2 != k // 2 and A[j][k] != 0:
            return False
    return all(
        A[2 * i][2 * i] == A[2 * i + 1][2 * i + 1] and A[2 * i][2 * i + 1] == -A[2 * i + 1][2 * i]
        for i in range(d // 2)
    )


def shifts(claim: Data) -> tuple[list[int], list[int]]:
    T, B, n = claim["T"], claim["B"], claim["n"]
    every = range(1 - n, n)
    inside = [s for s in every if 2 * abs(s - T) <= B]
    return inside, [s for s in every if abs(s - T) - mpf(B) / 2 > claim["transition"]]


def true(claim: Data, scale: float) -> bool:
    """Is the claim true? Only of A made of rotation blocks, and where it means something."""
    with mp.workdps(DIGITS):
        witness, bound = claim["witness"], claim["bound"]
        if claim["kind"] == "offset_mass":
            return bool(least_mass(claim, scale) >= bound)
        if claim["kind"] == "band_optimal":
            return bound >= largest_gap(claim) - ROOM
        f = {s: score(witness["A"], s, 0, claim["base"]) for s in wanted_shifts(claim)}
        if claim["kind"] == "strongest_rival":
            T = claim["T"]
            gaps = {s: f[T] - f[s] for s in f if s != T}
            near = gaps[claim["rival"]] <= mpf(bound) + mpf(claim["within"])
            return bool(min(gaps.values()) >= bound and near)
        inside, outside = shifts(claim)
        A = witness["A"]
        sizes = [mp.hypot(A[2 * i][2 * i], A[2 * i + 1][2 * i]) for i in range(len(A) // 2)]
        size = max(mpf(1), mp.fsum(sizes))
        low, high = min(f[s] for s in inside), max(f[s] for s in inside)
        flat = claim["ripple"] is None or high - low <= claim["ripple"] * size
        return bool(low - max(f[s] for s in outside) >= bound * size and flat)


def wanted_shifts(claim: Data) -> list[int]:
    if claim["kind"] == "strongest_rival":
        return list(range(claim["T"] - claim["n"] + 1, claim["T"] + claim["n"]))
    return [*itertools.chain(*shifts(claim))]


def largest_gap(claim: Data) -> float:
    """The largest gap, by a linear program with a row for every shift."""
    inside, outside = (np.array(s)[:, None] - claim["T"] for s in shifts(claim))
    m = claim["d_model"] // 2
    omega = claim["base"] ** (-np.arange(m) / m)
    signs = np.concatenate([np.eye(m), -np.eye(m)]) if claim["signed"] else np.eye(m)
    within, beyond = np.cos(inside * omega) @ signs.T, np.cos(outside * omega) @ signs.T
    rows = [np.hstack([-within, np.ones((len(within), 1)), np.zeros((len(within), 1))])]
    limits = [np.zeros(len(within))]
    if claim["ripple"] is not None:
        rows.append(-rows[0])
        limits.append(np.full(len(within), float(claim["ripple"])))
    rows.append(np.hstack([beyond, np.zeros((len(beyond), 1)), -np.ones((len(beyond), 1))]))
    rows.append(np.concatenate([np.ones(len(signs)), [0, 0]])[None])
    limits += [np.zeros(len(beyond)), np.ones(1)]
    cost = np.concatenate([np.zeros(len(signs)), [-1, 1]])
    bounds = [(0, None)] * len(signs) + [(None, None)] * 2
    found = linprog(cost, np.vstack(rows), np.concatenate(limits), bounds=bounds)
    assert found.status == 0
    return float(-found.fun)


@cache
def certificates() -> tuple[Data, ...]:
    designs = [
        offset(2, 4, n=7),
        offset(-3, 6, n=8, d_k=4, tolerance=1e-4, scale=2.5),
        offset(0, 2, n=5, base=50.0, tolerance=0.3),
        band(1, 4, 8, n=9),
        band(0, 3.5, 6, n=8, base=30.0),
        band(2, 2, 6, n=8, method="optimal"),
        band(-1, 4, 8, n=9, method="optimal", signed=True),
        band(0, 4, 8, n=11, method="optimal", signed=True, ripple=0.05, transition=1),
        band(3, 4, 8, n=11, method="optimal", ripple=0.01),
    ]
    return tuple(
        {**data, "claims": [claim]}
        for data in (design.certificate.to_dict() for design in designs)
        for claim in data["claims"]
    )


def holding(kind: str) -> list[Data]:
    return copy.deepcopy([data for data in certificates() if data["claims"][0]["kind"] == kind])


CLAIM_TYPES = ("offset_mass", "strongest_rival", "band_gap", "band_optimal")


@pytest.mark.parametrize("kind", CLAIM_TYPES)
def test_what_designs_claim_is_true_and_holds(kind: str) -> None:
    assert holding(kind)
    for data in holding(kind):
        assert true(data["claims"][0], data["scale"])
        result = verify(data)
        assert result.holds, str(result)


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where numbers are in nested data."""
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for name, one in parts:
        if isinstance(one, dict | list):
            yield from numbers(one, (*path, name))
        elif isinstance(one, int | float) and not isinstance(one, bool):
            yield (*path, name)


def changed(data: Data, path: tuple[Any, ...], new: Any) -> Data:
    data = copy.deepcopy(data)
    place = data["claims"][0]
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = new
    return data


def at(data: Data, path: tuple[Any, ...]) -> Any:
    place = data["claims"][0]
    for name in path:
        place = place[name]
    return place


def damaged(data: Data) -> Iterator[Data]:
    """Yield certificates with other numbers, signs, matrices, scales and shifts."""
    for path in numbers(data["claims"][0]):
        old = at(data, path)
        if "A" in path and old == 0 and path[-1] != path[-2]:
            news: list[Any] = [1e-9]
        elif isinstance(old, int):
            news = [old + 1, old - 1, -old, old + 3]
        else:
            news = [old * (1 + 1e-6), old * (1 - 1e-6), old * 1.3, old * 0.7, -old, 0.0, 0.5]
        for new in news:
            if new != old:
                yield changed(data, path, new)
    for factor in (0.9, 1.1, -1.0, 0.0):
        yield {**copy.deepcopy(data), "scale": data["scale"] * factor}
    claim = data["claims"][0]
    if "signed" in claim:
        yield changed(data, ("signed",), not claim["signed"])
    if "ripple" in claim:
        for ripple in (None, 0.0, 0.02, 0.3):
            yield changed(data, ("ripple",), ripple)
    if "A" in claim["witness"]:
        A = np.array(claim["witness"]["A"])
        others = [A.T, -A, 0 * A, 1.1 * A, 0.9 * A]
        for i in range(len(A) // 2):
            fewer = A.copy()
            fewer[2 * i : 2 * i + 2] = 0
            turn = np.eye(len(A))
            turn[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[0.8, -0.6], [0.6, 0.8]]
            others += [fewer, A @ turn]
        for other in others:
            yield changed(data, ("witness", "A"), other.tolist())


def means_something(claim: Data) -> bool:
    if claim["n"] < 1 or claim["base"] <= 0 or claim.get("table_error", 0) < 0:
        return False
    if "A" in claim["witness"] and not toeplitz(claim["witness"]["A"]):
        return False
    if claim["kind"] == "strongest_rival":
        away = abs(claim["rival"] - claim["T"])
        return 0 < away < claim["n"] and claim["within"] >= 0
    if claim["kind"] == "offset_mass":
        return True
    if claim["B"] < 0 or claim["transition"] < 0 or (claim["ripple"] or 0) < 0:
        return False
    d = claim.get("d_model", 2)
    return d >= 2 and d % 2 == 0 and all(shifts(claim))


@pytest.mark.parametrize("kind", CLAIM_TYPES)
def test_no_damage_makes_a_false_claim_hold_or_a_true_one_fail(kind: str) -> None:
    seen = {"holds": 0, "fails": 0, "undecided": 0}
    for original in holding(kind):
        for data in damaged(original):
            claim = data["claims"][0]
            (found,) = verify(data).claims
            seen[found.status] += 1
            if not means_something(claim):
                assert found.status == "undecided", claim
            elif found.status == "holds":
                assert true(claim, data["scale"]), claim
            elif found.status == "fails":
                assert not true(claim, data["scale"]), claim
    # Damage that is never noticed, or always, would test nothing.
    assert seen["holds"] > 10
    assert seen["undecided" if kind == "band_optimal" else "fails"] > 50


@pytest.mark.parametrize("kind", CLAIM_TYPES)
@pytest.mark.parametrize(
    "junk", [None, "1", [], {}, True, math.nan, math.inf, -math.inf, 10**400, 1e308, "nan"]
)
def test_junk_in_the_place_of_a_number_proves_nothing(kind: str, junk: Any) -> None:
    (data, *_) = holding(kind)
    for path in numbers(data["claims"][0]):
        if "A" in path and path[-1] > 1:
            continue
        if junk is None and path == ("ripple",):
            continue
        claim = changed(data, path, junk)["claims"][0]
        witness = claim.pop("witness")
        claim.pop("statement")
        kind = claim.pop("kind")
        certificate = Certificate({}, (Claim(kind, claim, witness),), data["scale"])
        (found,) = verify(certificate).claims
        # A number, however large, may make the claim true or false; what is none may not.
        if type(junk) in (int, float) and abs(junk) < math.inf:
            if path == ("bound",):
                assert (found.status == "holds") == (kind == "band_optimal")
            continue
        assert found.status == "undecided", (path, found)


@pytest.mark.parametrize("kind", CLAIM_TYPES)
def test_a_part_that_is_missing_proves_nothing(kind: str) -> None:
    for data in holding(kind):
        claim = data["claims"][0]
        for place in (claim, claim["witness"]):
            for name in set(place) - {"kind", "statement"}:
                other = copy.deepcopy(data)
                target = other["claims"][0]
                target = target if place is claim else target["witness"]
                del target[name]
                assert verify(other).claims[0].status == "undecided", name


def test_a_bound_between_exact_and_disturbed_positions_is_undecided() -> None:
    """Positions that are off by 1e-3 may cost more than those that are exact."""
    design = offset(2, 4, n=7)
    fields = {"T": 2, "n": 7, "base": 10000.0, "table_error": 1e-3, "bound": design.mass}
    claim = Claim("offset_mass", fields, {"A": design.A})
    assert verify(Certificate({}, (claim,))).claims[0].status == "undecided"
    exact = Claim("offset_mass", {**fields, "table_error": 0.0}, {"A": design.A})
    assert verify(Certificate({}, (exact,))).holds
    above = Claim("offset_mass", {**fields, "bound": 0.9901}, {"A": design.A})
    assert verify(Certificate({}, (above,))).claims[0].status == "fails"


def test_disturbed_positions_cost_no_more_than_is_allowed_for() -> None:
    """Tables of queries and keys that are off in the worst signs, with a large error."""
    rng = np.random.default_rng(7)
    design = offset(1, 6, n=9, tolerance=0.05)
    A, eta = design.A, 1e-3
    eps = (2 * eta + eta**2) * np.sum(np.abs(A))
    f = design.kernel(np.arange(-8, 11))
    for t in range(1, 10):
        leak = sum(math.exp(f[t - tau + 8] - f[9]) for tau in range(9) if tau != t - 1)
        proved = 1 / (1 + math.exp(2 * eps) * leak)
        omega = 10000.0 ** (-np.arange(3) / 3)
        table = np.stack(
            [np.sin(np.arange(11)[:, None] * omega), np.cos(np.arange(11)[:, None] * omega)], -1
        )
        E = table.reshape(11, 6)
        for _ in range(20):
            query = E[t] + eta * rng.choice([-1, 1], 6)
            keys = E[:9] + eta * np.sign(A @ query)
            keys[t - 1] -= 2 * eta * np.sign(A @ query)
            scores = keys @ A @ query
            assert 1 / np.sum(np.exp(scores - scores[t - 1])) >= proved


def dual(bound: float, inside: Data, outside: Data, **fields: Any) -> str:
    """Return the status of a claim that no weights do better on 0 ± 2, |shift| < 10, d_model 4."""
    about = {"T": 0, "B": 4, "n": 10, "transition": 0, "base": 10000.0, "ripple": None}
    about |= {"d_model": 4, "signed": False, "bound": bound, **fields}
    lists = {
        name: {"shifts": list(weights), "weights": list(weights.values())}
        for name, weights in (("inside", inside), ("outside", outside))
    }
    return verify(Certificate({}, (Claim("band_optimal", about, lists),))).claims[0].status


def test_weights_of_0_reach_a_gap_of_0() -> None:
    """With ω = 1 alone every gap of weights ≥ 0 is negative, cos 2 - cos 6, but for weights of 0."""
    assert dual(1e-12, {2: 1.0}, {6: 1.0}, d_model=2) == "holds"
    assert dual(-0.1, {2: 1.0}, {6: 1.0}, d_model=2) == "undecided"
    assert dual(1e-12, {2: 1.0}, {6: 1.0}, d_model=2, signed=True) == "undecided"


def test_only_the_proportions_of_a_dual_count() -> None:
    """cos 0.02 - cos 0.09 and cos 2 - cos 9: the fast block parts shifts 2 and 9 more."""
    most = math.cos(2) - math.cos(9)
    assert most > math.cos(0.02) - math.cos(0.09)
    for p, q in [(1.0, 1.0), (1e-3, 5.0), (7.0, 1e-9), (1, 3)]:
        assert dual(most + 1e-12, {2: p}, {9: q}) == "holds"
        assert dual(most - 1e-12, {2: p}, {9: q}) == "undecided"


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ({0: 1e-9, 7: 1.0}, {7: 1.0}),  # 7 is not in the window
        ({2: 1.0}, {2: 1.0, 7: 1e-9}),  # 2 is not outside
        ({10: 1.0}, {10: 1.0}),  # out of range
        ({2: 1.0}, {-10: 1.0}),
        ({2: 1.0}, {}),
        ({}, {7: 1.0}),
        ({2: 0.0}, {7: 1.0}),
        ({2: 1.0, 0: -0.5}, {7: 1.0}),
        ({2.5: 1.0}, {7: 1.0}),
    ],
)
def test_a_dual_on_other_shifts_proves_nothing(inside: Data, outside: Data) -> None:
    assert dual(10.0, {2: 1.0}, {7: 1.0}) == "holds"
    assert dual(10.0, inside, outside) == "undecided"


def test_a_gap_counts_per_unit_of_size_above_1() -> None:
    design = band(1, 4, 8, n=9)
    fields = design.certificate.claims[0].fields
    for factor, bound, status in [
        (3.0, design.gap, "holds"),
        (3.0, design.gap * 1.001, "fails"),
        (0.5, design.gap / 2, "holds"),
        (0.5, design.gap / 1.999, "fails"),
    ]:
        claim = Claim("band_gap", {**fields, "bound": bound}, {"A": factor * design.A})
        assert verify(Certificate({}, (claim,))).claims[0].status == status


def test_claims_that_are_too_large_to_check_are_undecided() -> None:
    for kind in CLAIM_TYPES[:3]:
        (data, *_) = holding(kind)
        for n in (10**8, 2**53, 10**30):
            assert verify(changed(data, ("n",), n)).claims[0].status == "undecided"


def test_statements_read_as_sentences() -> None:
    said = {data["claims"][0]["kind"]: data["claims"][0]["statement"] for data in certificates()}
    first = certificates()[0]["claims"][0]["statement"]
    assert first == (
        "of 7 keys, every query whose key 2 steps back is there gives it at least 0.99, "
        "also if positions are off by 1e-12"
    )
    assert said["band_gap"].startswith(
        "the head lifts the shifts 3 ± 2, within 0.01 of each other above all others by at least"
    )
    assert said["band_optimal"].startswith(
        "no non-negative block weights of sum at most 1 in size lift the shifts 3 ± 2"
    )
