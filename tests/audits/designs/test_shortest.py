"""The shortest query that copies a key, against cvxpy, closed forms and a search over directions.

cvxpy minimises ‖q‖ with LSE((k_i − k_j)·q) ≤ −ln((1 − ε)/ε) in exponential cones. What is true of a
damaged claim is worked out in 50 digits for what the query leaves, and for the least length by
going through the directions of the plane.
"""

from __future__ import annotations

import json
import math
from typing import Any

import cvxpy
import numpy as np
import pytest
from mpmath import mp, mpf
from numpy.typing import NDArray

import regard
from certify.damage import Meaningless, assert_damage_is_seen, data, fraction
from regard.certify import Certificate, Claim, verify
from regard.design import QueryDesign

Array = NDArray[np.float64]

NEARLY = [[2, 0], [0, 0], [0, 1], [1, 3]]
CLOSE = [[1, 0, 0], [0.9, 0.4, 0], [0.9, -0.2, 0.3], [0, 1, 1], [-1, 0, 0.5], [0.2, 0.1, -1]]
# H15, H16, H17: keys, tolerance, length, query, shares of the other keys in what leaks
GOLDEN = [
    (
        NEARLY,
        0.01,
        2.8164571664651823,
        [2.5522644198406894, -1.1909564650936455],
        [0.6008505828716725, 0.18261677370899296, 0.2165326434193345],
    ),
    (
        NEARLY,
        1e-6,
        7.581312266645185,
        [7.060657481639007, -2.761052627415832],
        [0.7365299303222262, 0.046567237980644355, 0.21690283169712946],
    ),
    (
        CLOSE,
        0.02,
        26.105156351921234,
        [22.20155863658848, -6.656265897110937, -12.010999399356198],
        [0.3712639831987978, 0.548601917111143, 0.0, 0.0, 0.08013409969005912],
    ),
]


def claimed(design: QueryDesign) -> Claim:
    """Return the claim about the length; the whole certificate holds, also from JSON."""
    assert verify(json.loads(json.dumps(design.certificate.to_dict()))).holds
    (claim,) = (c for c in design.certificate.claims if c.kind == "shortest_copy")
    np.testing.assert_array_equal(claim.witness["query"], design.query)
    assert claim.fields["gap"] == design.longer
    return claim


def left(keys: Any, key: int, query: Any, scale: float = 1.0) -> mpf:
    """Return what a query leaves to the other keys, in 50 digits."""
    with mp.workdps(50):
        scores = [mpf(scale) * mp.fdot(map(mpf, row), map(mpf, query)) for row in keys]
        terms = [mp.exp(score - scores[key]) for score in scores]
        return 1 - 1 / mp.fsum(terms)


@pytest.mark.parametrize(("keys", "tolerance", "length", "query", "shares"), GOLDEN)
def test_h15_h16_h17_the_query_is_the_shortest_and_the_claim_proves_it(
    keys: Any, tolerance: float, length: float, query: Any, shares: Any
) -> None:
    design = regard.design.query(keys, 0, tolerance=tolerance)
    np.testing.assert_allclose(np.linalg.norm(design.query), length, rtol=1e-12)
    np.testing.assert_allclose(design.query, query, rtol=1e-6)
    assert left(keys, 0, design.query) <= tolerance
    claim = claimed(design)
    assert claim.fields["gap"] <= 1e-9
    average = np.zeros(len(keys))
    average[claim.witness["average"]["indices"]] = claim.witness["average"]["weights"]
    np.testing.assert_allclose(average[1:], shares, atol=1e-6)


@pytest.mark.parametrize(("n", "tolerance"), [(2, 0.2), (4, 0.001), (7, 1e-9), (5, 0.6)])
def test_h18_for_orthonormal_keys_it_is_the_centred_key(n: int, tolerance: float) -> None:
    design = regard.design.query(np.eye(n), 1, tolerance=tolerance)
    length = math.sqrt((n - 1) / n) * math.log((n - 1) * (1 - tolerance) / tolerance)
    np.testing.assert_allclose(np.linalg.norm(design.query), length, rtol=1e-11)
    centred = np.eye(n)[1] - 1 / n
    np.testing.assert_allclose(
        design.query, length * centred / np.linalg.norm(centred), rtol=1e-9, atol=1e-12
    )
    claimed(design)


@pytest.mark.parametrize(
    ("keys", "tolerance", "zero"),
    [
        ([[3.0, 1.0]], 1e-3, True),
        (np.eye(2), 0.5, True),
        (np.eye(4), 0.75, True),
        (np.eye(4), 0.7499, False),
        (np.eye(3), 2.0, True),
        ([[0.0], [1.0], [2.0]], 2 / 3, False),  # that float is just below two thirds
        ([[0.0], [1.0], [2.0]], 0.67, True),
    ],
)
def test_the_query_is_0_exactly_where_0_will_do(keys: Any, tolerance: float, zero: bool) -> None:
    design = regard.design.query(keys, 0, tolerance=tolerance)
    assert (not design.query.any()) == zero
    assert (design.longer == 0) == zero
    assert verify(design.certificate).holds


def test_a_key_inside_the_hull_is_copied_by_the_shortest_query_where_the_tolerance_allows() -> None:
    keys = [[0.4], [-1.0], [1.0]]  # an average of the others: no direction lifts it
    design = regard.design.query(keys, 0, tolerance=0.65)
    assert design.margin == 0
    claimed(design)
    # On a line the least |q| is where the weight first reaches 0.35, found by bisection.
    low, high = 0.0, 0.4
    assert left(keys, 0, [high]) < 0.65 < left(keys, 0, [low])
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if left(keys, 0, [middle]) <= 0.65 else (middle, high)
    np.testing.assert_allclose(design.query, [high], rtol=1e-9)


def test_a_weight_that_is_not_quite_1_is_no_copy() -> None:
    design = regard.design.query([[1.0], [0.0]], {0: 1 - 2.0**-53}, tolerance=0.6)
    assert verify(design.certificate).holds
    alone = regard.design.query([[1.0]], {0: 1 - 2.0**-53}, tolerance=0.1)
    assert verify(alone.certificate).holds
    assert alone.error > 0


def test_with_values_and_for_mixtures_nothing_is_said_of_the_shortest() -> None:
    keys = np.array(NEARLY, float)
    for target, values in ((0, keys), ({0: 0.5, 3: 0.5}, None)):
        design = regard.design.query(keys, target, values=values)
        assert design.longer == math.inf
        assert "shortest" not in str(design)
        assert "shortest_copy" not in [c.kind for c in design.certificate.claims]
    said = str(regard.design.query(keys, 0))
    assert "the shortest possible within 1e-09 of it" in said


def test_a_key_that_hardly_stands_out_has_the_gap_that_is_proved() -> None:
    """At a margin of 1e-10 a float64 query has scores to about six digits."""
    keys = np.array([[0.5, 1e-10], [0.0, 0.0], [1.0, 0.0], [0.3, -2.0]])
    turn = np.linalg.qr(np.random.default_rng(3).standard_normal((2, 2)))[0]
    design = regard.design.query(keys @ turn, 0)
    assert 1e-9 <= design.longer < 1e-4
    claimed(design)


def test_there_may_be_more_columns_than_keys() -> None:
    keys = np.random.default_rng(5).standard_normal((11, 700))
    design = regard.design.query(keys, 4, tolerance=1e-5)
    assert claimed(design).fields["gap"] == 1e-9
    np.testing.assert_allclose(float(left(keys, 4, design.query)), 1e-5, rtol=1e-6)


@pytest.mark.parametrize("count", [50_000, pytest.param(1_500_000, marks=pytest.mark.slow)])
def test_there_may_be_very_many_keys(count: int) -> None:
    many = np.random.default_rng(5).standard_normal((count, 3))
    many[17] = 6, 5, 4
    design = regard.design.query(many, 17)
    assert design.longer == 1e-9
    leak = np.sum(np.exp((many - many[17]) @ design.query)) - 1
    np.testing.assert_allclose(leak / (1 + leak), 1e-3, rtol=1e-6)


def by_cvxpy(keys: Array, key: int, tolerance: float, scale: float) -> float | None:
    others = np.delete(keys - keys[key], key, axis=0) * scale
    size = float(np.max(np.abs(others)))
    query = cvxpy.Variable(keys.shape[1])
    odds = math.log1p(-tolerance) - math.log(tolerance)
    problem = cvxpy.Problem(
        cvxpy.Minimize(cvxpy.norm(query)), [cvxpy.log_sum_exp(others / size @ query) <= -odds]
    )
    problem.solve(solver=cvxpy.CLARABEL)
    return problem.value / size if problem.status == "optimal" else None


def compared(cases: int, seed: int) -> int:
    """Compare random copies; return how many cvxpy solved too."""
    rng, both = np.random.default_rng(seed), 0
    for _ in range(cases):
        n, d = int(rng.integers(2, 9)), int(rng.integers(1, 6))
        keys = rng.standard_normal((n, d)) * 10 ** rng.uniform(-1, 1)
        if rng.random() < 0.3:
            keys = np.round(keys)
        if rng.random() < 0.3:
            keys[-1] = keys[0]
        key, scale = int(rng.integers(n)), 10 ** rng.uniform(-1, 1)
        tolerance = float(10 ** rng.uniform(-6, -0.05))
        try:
            design = regard.design.query(keys, key, tolerance=tolerance, scale=scale)
        except (regard.InfeasibleDesign, regard.UndecidedDesign):
            continue
        claimed(design)
        assert left(keys, key, design.query, scale) <= tolerance
        length = float(np.linalg.norm(design.query))
        assert design.longer <= 1e-6  # keys that hardly stand out leave a float64 query no better
        if length == 0:
            assert n == 1 or (n - 1) / n <= tolerance
            continue
        theirs = by_cvxpy(keys, key, tolerance, scale)
        if theirs is not None:
            both += 1
            np.testing.assert_allclose(length, theirs, rtol=2e-6)
    return both


def test_random_copies_are_as_short_as_those_of_cvxpy() -> None:
    assert compared(40, 11) >= 15


@pytest.mark.slow
def test_two_thousand_random_copies_are_as_short_as_those_of_cvxpy() -> None:
    assert compared(2000, 12) >= 800


# Damage -------------------------------------------------------------------------------------------


def least_length(keys: Array, key: int, tolerance: float, scale: float) -> float:
    """Return the least ‖q‖ in the plane, by Newton's method along each of many directions.

    Along a direction the log-sum-exp is convex, so from 0 Newton's method stays short of the first
    place where it is low enough; where it turns up before, the direction never gets there.
    """
    angles = np.linspace(0, 2 * math.pi, 2001)
    units = np.stack([np.cos(angles), np.sin(angles)])
    rises = scale * np.delete(keys - keys[key], key, axis=0) @ units
    odds = math.log1p(-tolerance) - math.log(tolerance)
    t, possible = np.zeros(len(angles)), np.ones(len(angles), bool)
    for _ in range(60):
        scores = t * rises
        top = scores.max(axis=0)
        terms = np.exp(scores - top)
        value = top + np.log(terms.sum(axis=0)) + odds
        slope = (terms * rises).sum(axis=0) / terms.sum(axis=0)
        possible &= (slope < 0) | (value <= 0)
        step = np.where(possible & (value > 0), -value / np.where(slope < 0, slope, -1.0), 0.0)
        t = t + step
    reached = possible & (value <= 1e-9)
    return float(np.min(t[reached])) if reached.any() else math.inf


def judge(certificate: Any) -> bool | None:
    claim = certificate["claims"][0]
    rows = certificate["arrays"]["keys"]
    keys = [[fraction(x) for x in row] for row in rows]
    key = fraction(claim["key"])
    if key.denominator != 1 or not 0 <= key < len(keys) or {len(row) for row in keys} != {2}:
        raise Meaningless
    tolerance, gap = fraction(claim["tolerance"]), fraction(claim["gap"])
    scale = fraction(certificate.get("scale", 1.0))
    query = [fraction(x) for x in claim["witness"]["query"]]
    if len(query) != 2 or tolerance <= 0 or not 0 <= gap < 1:
        raise Meaningless
    with mp.workdps(50):
        scores = [scale * sum(a * b for a, b in zip(row, query, strict=True)) for row in keys]
        terms = [
            mp.exp(mpf((s - scores[int(key)]).numerator) / (s - scores[int(key)]).denominator)
            for s in scores
        ]
        others = 1 - 1 / mp.fsum(terms)
        allowed = mpf(tolerance.numerator) / tolerance.denominator
        if abs(others - allowed) > mpf(10) ** -40 and others > allowed:
            return False
    if not any(query):
        return True
    if tolerance >= 1 or len(keys) == 1:
        return False
    floats = np.array([[float(x) for x in row] for row in keys])
    with np.errstate(all="ignore"):
        least = least_length(floats, int(key), float(tolerance), float(scale))
    length = float(1 - gap) * math.hypot(*(float(x) for x in query))
    if not 1e-6 < np.max(np.abs(floats)) < 1e6 or not math.isfinite(least):
        return None
    if abs(length - least) <= 1e-4 * length:
        return None
    return length <= least


@pytest.mark.parametrize("gap", [1e-9, 0.05])
def test_no_damage_makes_a_false_claim_hold_or_a_true_one_fail(gap: float) -> None:
    design = regard.design.query(NEARLY, 0, tolerance=0.01, scale=0.5)
    claim = claimed(design)
    stated = Claim(claim.kind, {**claim.fields, "gap": gap}, claim.witness)
    certificate = data(stated, {"keys": NEARLY}, 0.5)
    # At a gap of 1e-9 the judge, who knows four digits, cannot tell whether the claim is true.
    knows = (
        judge if gap > 1e-3 else lambda changed: True if changed is certificate else judge(changed)
    )
    assert_damage_is_seen(certificate, knows, most=160, least=10)


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"witness": {"query": [0.0, 0.0]}}, "fails"),  # leaves three quarters
        ({"gap": 0.0}, "undecided"),
        ({"tolerance": 0.8}, "fails"),  # there 0 would do, and is shorter
        ({"tolerance": 0.02}, "fails"),  # there a shorter one along it would do
        ({"witness": {"average": None}}, "undecided"),
        ({"witness": {"average": {"indices": [0, 1], "weights": [0.5, 0.5]}}}, "undecided"),
        ({"witness": {"average": {"indices": [1, 2], "weights": [0.5, -0.5]}}}, "undecided"),
        ({"gap": 1.0}, "undecided"),
        ({"tolerance": -0.01}, "undecided"),
    ],
)
def test_what_is_changed_is_seen(changed: dict[str, Any], status: str) -> None:
    claim = claimed(regard.design.query(NEARLY, 0, tolerance=0.01))
    fields = {**claim.fields, **{k: v for k, v in changed.items() if k != "witness"}}
    witness = {**claim.witness, **changed.get("witness", {})}
    certificate = Certificate(
        {"keys": np.array(NEARLY, float)}, (Claim(claim.kind, fields, witness),)
    )
    assert verify(certificate).claims[0].status == status


def test_a_scale_of_0_proves_nothing() -> None:
    """All weights are alike whatever the query, so that 0 does as well as a long one."""
    fields = {"key": 0, "tolerance": 0.5, "gap": 0.1}
    witness = {"query": [5.0], "average": {"indices": [1], "weights": [1.0]}}
    certificate = Certificate(
        {"keys": np.array([[0.0], [1.0]])}, (Claim("shortest_copy", fields, witness),), 0.0
    )
    assert verify(certificate).claims[0].status == "fails"


def test_the_sentence_has_the_tolerance_as_it_is() -> None:
    claim = claimed(regard.design.query(NEARLY, 0, tolerance=0.012345678901))
    (said,) = verify(Certificate({"keys": np.array(NEARLY, float)}, (claim,))).claims
    assert said.statement == (
        "the query leaves at most 0.012345678901 of the weight to keys other than 0, and no query "
        "that does is shorter by more than 1e-9 of its length"
    )
