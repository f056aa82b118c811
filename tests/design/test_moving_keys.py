"""Queries for all keys within a radius: golden numbers, other solvers, drawn keys, refusals."""

from __future__ import annotations

import math
from typing import Any

import cvxpy
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import regard
from regard.certify import verify
from regard.design import query as design_query

# Of the margin; at a half it is neither: keys then meet halfway.
SHARES = st.floats(0.01, 0.48) | st.floats(0.52, 0.8)
KEYS = np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 3.0]])


def worst_weight(query: Any, keys: Any, key: int, radius: float, scale: float = 1.0) -> float:
    """Return the least weight of a key: its score at the lower end, the others at the upper."""
    reach = scale * radius * np.linalg.norm(query)
    scores = scale * keys @ query + reach
    scores[key] -= 2 * reach
    powers = np.exp(scores - scores.max())
    return float(powers[key] / powers.sum())


def by_cvxpy(keys: Any, key: int, tolerance: float, radius: float) -> float | None:
    """Return the least length of a query, by a general solver; None if there is none."""
    q = cvxpy.Variable(keys.shape[1])
    others = np.delete(keys, key, axis=0) - keys[key]
    lse = cvxpy.log_sum_exp(others @ q) + 2 * radius * cvxpy.norm(q)
    odds = math.log((1 - tolerance) / tolerance)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(q)), [lse <= -odds])
    problem.solve(solver=cvxpy.CLARABEL)
    return None if q.value is None or problem.status != "optimal" else float(problem.value)


def test_the_shortest_copy_within_a_radius_is_the_golden_one() -> None:
    design = design_query(KEYS, 0, tolerance=0.01, radius=0.5)
    np.testing.assert_allclose(np.linalg.norm(design.query), 5.799707209824621, rtol=1e-12)
    np.testing.assert_allclose(design.query, [5.37208156024054, -2.185713483010814], rtol=1e-11)
    np.testing.assert_allclose(design.weights[0], 0.9999694106194414, rtol=1e-12)
    np.testing.assert_allclose(worst_weight(design.query, KEYS, 0, 0.5), 0.99, rtol=1e-12)
    assert (design.radius, design.longer) == (0.5, 1e-9)
    assert design.error <= 0.01
    assert verify(design.certificate, keys=KEYS, query=design.query).holds
    assert "for all keys within 0.5" in str(design)


def test_the_golden_ceiling_is_proved_and_reached() -> None:
    with pytest.raises(regard.InfeasibleDesign, match="no query has the weights") as refusal:
        design_query(KEYS, 0, tolerance=0.01, radius=1.0)
    best, certificate = refusal.value.best, refusal.value.certificate
    np.testing.assert_allclose(1 - best.error, 0.2654198783123363, rtol=1e-11)
    golden = [1.4806967369353579, -0.7743041652619652]
    np.testing.assert_allclose(best.query, golden, rtol=1e-10)
    assert certificate.claims[0].fields["tolerance"] > best.error - 1e-10
    assert verify(certificate).holds
    assert verify(best.certificate).holds


def test_keys_that_reach_into_each_other_leave_the_query_zero() -> None:
    with pytest.raises(regard.InfeasibleDesign) as refusal:
        design_query(np.eye(5), 0, radius=3.0)
    np.testing.assert_array_equal(refusal.value.best.query, np.zeros(5))
    np.testing.assert_allclose(refusal.value.best.error, 0.8, rtol=1e-11)
    np.testing.assert_allclose(refusal.value.certificate.claims[0].fields["tolerance"], 0.8)


def test_a_mixture_is_better_than_the_sum_of_its_keys_can_be() -> None:
    # The best C (k_a + k_b) has the golden error 0.041885832209954114; the centred one less.
    design = design_query(np.eye(6), {0: 0.5, 1: 0.5}, tolerance=0.04, radius=0.01)
    assert 0.04 * (1 - 1e-9) <= design.error <= 0.04
    assert verify(design.certificate).holds
    with pytest.raises(regard.InfeasibleDesign) as refusal:
        design_query(np.eye(6), {0: 0.5, 1: 0.5}, tolerance=0.03, radius=0.01)
    assert verify(refusal.value.certificate).holds
    # By hand: q = (x, x, -x/2 ...) of length x √3, odds of the pair e^{2R}, of others e^{2R - 3x/2}.
    sizes = np.linspace(1, 6, 100_001)
    moved = np.exp(2 * 0.01 * sizes * math.sqrt(3))
    errors = 0.5 - 1 / (1 + moved + 4 * moved * np.exp(-1.5 * sizes))
    np.testing.assert_allclose(refusal.value.best.error, errors.min(), rtol=1e-6)


def test_a_mixture_at_the_edge_is_decided_on_either_side() -> None:
    least = 0.03540625  # of the centred query, by hand as above, to about five digits
    design_query(np.eye(6), {0: 0.5, 1: 0.5}, tolerance=least * 1.001, radius=0.01)
    with pytest.raises(regard.InfeasibleDesign):
        design_query(np.eye(6), {0: 0.5, 1: 0.5}, tolerance=least * 0.999, radius=0.01)


@example(266, 0.1, 0.685546875)  # the least odds are at a short query
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.5, 0.1, 1e-3, 1e-6]), SHARES)
def test_a_copy_is_as_short_as_a_general_solver_finds(
    seed: int, tolerance: float, share: float
) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 7)), int(rng.integers(2, 5))
    keys = rng.normal(size=(n, d))
    scale = float(rng.choice([1.0, 0.25]))
    try:
        margin = design_query(keys, 0).margin
    except regard.RegardError:
        return  # not even without a radius
    radius = share * margin
    expected = by_cvxpy(keys, 0, tolerance, radius)
    if expected is None:
        with pytest.raises(regard.InfeasibleDesign) as refusal:
            design_query(keys, 0, tolerance=tolerance, radius=radius, scale=scale)
        assert verify(refusal.value.certificate).holds
        assert verify(refusal.value.best.certificate).holds
        return
    design = design_query(keys, 0, tolerance=tolerance, radius=radius, scale=scale)
    assert verify(design.certificate).holds
    np.testing.assert_allclose(np.linalg.norm(design.query) * scale, expected, rtol=1e-5, atol=1e-6)
    for _ in range(10):  # no keys within the radius break it
        step = rng.normal(size=keys.shape)
        step *= radius / np.linalg.norm(step, axis=1, keepdims=True)
        scores = scale * (keys + step) @ design.query
        powers = np.exp(scores - scores.max())
        assert powers[0] / powers.sum() >= 1 - tolerance - 1e-12


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.2, 0.05, 0.01]))
def test_a_mixture_is_within_its_error_for_drawn_keys(seed: int, tolerance: float) -> None:
    rng = np.random.default_rng(seed)
    keys, weights = rng.normal(size=(5, 7)), np.array([0.3, 0.7, 0, 0, 0])
    refusal = None
    try:
        design = design_query(keys, weights, tolerance=tolerance, radius=0.03)
    except regard.RegardError as raised:
        refusal, design = raised, raised.best
    assert refusal is None or refusal.certificate is None or verify(refusal.certificate).holds
    assert verify(design.certificate).holds
    for _ in range(50):
        step = np.sign(rng.normal(size=(5, 1))) * design.query
        step *= 0.03 / np.linalg.norm(step, axis=1, keepdims=True)
        scores = (keys + step) @ design.query
        powers = np.exp(scores - scores.max())
        assert np.max(np.abs(powers / powers.sum() - weights)) <= design.error + 1e-12


def test_a_radius_of_zero_changes_nothing() -> None:
    plain = design_query(KEYS, 0, tolerance=0.01)
    same = design_query(KEYS, 0, tolerance=0.01, radius=0.0)
    np.testing.assert_array_equal(plain.query, same.query)
    assert plain.certificate.to_dict() == same.certificate.to_dict()


def test_what_needs_no_query_needs_none_with_a_radius() -> None:
    design = design_query(KEYS, 0, tolerance=0.8, radius=5.0)
    np.testing.assert_array_equal(design.query, [0.0, 0.0])
    np.testing.assert_allclose(design.error, 0.75, rtol=1e-11)
    assert verify(design.certificate).holds
    alone = design_query([[3.0]], 0, radius=5.0)
    assert alone.error <= 1e-15
    assert verify(alone.certificate).holds


def test_what_cannot_be_meant_is_refused_in_a_sentence() -> None:
    with pytest.raises(regard.ParameterError, match=r"radius must be ≥ 0. Got -1."):
        design_query(KEYS, 0, radius=-1.0)
    with pytest.raises(regard.ParameterError, match=r"radius must be a finite number\. Got inf"):
        design_query(KEYS, 0, radius=math.inf)
    with pytest.raises(regard.ParameterError, match="radius is about weights, and values are"):
        design_query(KEYS, 0, radius=1.0, values=KEYS)


@pytest.mark.parametrize("size", [1e-100, 1e100])
def test_keys_of_extreme_size_are_copied_as_well(size: float) -> None:
    design = design_query(KEYS * size, 0, tolerance=0.01, radius=0.5 * size)
    assert verify(design.certificate).holds
    np.testing.assert_allclose(design.query * size, [5.37208156024054, -2.185713483010814])
