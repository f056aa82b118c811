"""The range of an output when keys or scores move: against all vertices, drawn keys and theory."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regard
from analysis.relaxations import interval_bounds, linear_bounds
from regard.analysis import worst_case
from regard.certify import verify
from regard.core.reference import attention as reference

# Golden numbers, computed with 50 digits.
BOX = {
    "values": [3.0, -1.0, 2.0, 0.0, 5.0],
    "scores": ([0.5, 1.0, -1.0, 2.0, -2.0], [1.0, 1.5, 0.25, 2.5, -1.0]),
}
KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.5]])
QUERY, VALUES = [2.0, 1.0], [1.0, 0.0, -1.0, 3.0]


def by_vertices(values: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
    """Return the smallest and largest average over all choices of ends."""
    found = []
    for scores in itertools.product(*zip(lower, upper, strict=True)):
        powers = np.exp(np.array(scores) - max(scores))
        found.append(powers @ values / powers.sum())
    return np.min(found, axis=0), np.max(found, axis=0)


def output(query: Any, keys: Any, values: Any, scale: float) -> Any:
    """Return the output of the plain loops that define attention."""
    args = (np.asarray(x, float) for x in (np.atleast_2d(query), keys, values))
    return reference(*args, scale=scale).output[0]


def test_a_box_of_scores_has_the_golden_range() -> None:
    worst = worst_case(None, None, BOX["values"], scores=BOX["scores"])
    np.testing.assert_allclose(worst.upper, 0.6799513009862241, rtol=1e-15)
    np.testing.assert_allclose(worst.lower, 0.09975011519005753, rtol=1e-15)
    assert np.flatnonzero(worst.raised_at_upper).tolist() == [0, 2, 4]
    assert np.flatnonzero(worst.raised_at_lower).tolist() == [1, 3]
    assert worst.keys_at_upper is None
    assert worst.nominal is None
    np.testing.assert_array_equal(worst.scores_at_upper, [1.0, 1.0, 0.25, 2.0, -1.0])
    assert verify(worst.certificate, values=np.array(BOX["values"])[:, None]).holds


def test_keys_in_balls_have_the_golden_range_and_the_golden_keys() -> None:
    worst = worst_case(QUERY, KEYS, VALUES, radius=0.25)
    np.testing.assert_allclose(worst.upper, 0.09902566111490486, rtol=1e-14)
    np.testing.assert_allclose(worst.lower, -0.7437756535208946, rtol=1e-14)
    np.testing.assert_allclose(worst.nominal, -0.39541979098078583, rtol=1e-14)
    golden = [
        [1.223606797749979, 0.11180339887498948],
        [-0.22360679774997896, 0.8881966011250105],
        [0.7763932022500211, 0.8881966011250105],
        [-0.7763932022500211, 0.6118033988749895],
    ]
    np.testing.assert_allclose(worst.keys_at_upper, golden, rtol=1e-14)
    assert verify(worst.certificate, keys=KEYS, query=QUERY).holds


def test_the_weight_of_one_key_has_its_closed_form() -> None:
    lower, upper = np.array([0.0, -1.0, 2.0]), np.array([1.0, 0.5, 2.0])
    worst = worst_case(None, None, np.eye(3), scores=(lower, upper))
    for i in range(3):
        rest = [j for j in range(3) if j != i]
        most = 1 / (1 + np.sum(np.exp(lower[rest])) / math.exp(upper[i]))
        least = 1 / (1 + np.sum(np.exp(upper[rest])) / math.exp(lower[i]))
        np.testing.assert_allclose([worst.lower[i], worst.upper[i]], [least, most], rtol=1e-15)


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    """Few keys, with ties, sizes from tiny to huge, and radii of 0."""
    n, d, m = draw(st.integers(1, 6)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    whole = draw(st.booleans())
    size = draw(st.sampled_from([1e-3, 1.0, 30.0]))
    keys = rng.integers(-2, 3, (n, d)) * size if whole else rng.normal(size=(n, d)) * size
    values = rng.integers(-2, 3, (n, m)).astype(float) if whole else rng.normal(size=(n, m))
    radius = draw(st.sampled_from([0.0, 0.01, 1.0, 40.0]))
    query = rng.normal(size=d) * draw(st.sampled_from([0.0, 0.1, 1.0]))
    return {
        "query": query,
        "keys": keys,
        "values": values,
        "radius": radius if draw(st.booleans()) else radius * rng.integers(0, 3, n),
        "scale": draw(st.sampled_from([1.0, -1.0, 0.3, 0.0])),
    }


@settings(max_examples=60)
@given(problems(), st.integers(0, 2**32))
def test_the_range_is_that_of_all_vertices_and_no_keys_leave_it(
    problem: dict[str, Any], seed: int
) -> None:
    worst = worst_case(**problem)
    query, keys, values, scale = (problem[k] for k in ("query", "keys", "values", "scale"))
    radii = np.broadcast_to(problem["radius"], len(keys))
    reach = abs(scale) * radii * np.linalg.norm(query)
    scores = scale * keys @ query
    least, most = by_vertices(values, scores - reach, scores + reach)
    np.testing.assert_allclose(worst.lower, least, atol=1e-11)
    np.testing.assert_allclose(worst.upper, most, atol=1e-11)
    assert verify(worst.certificate, keys=keys, values=values).holds
    rng = np.random.default_rng(seed)
    for _ in range(5):
        step = rng.normal(size=keys.shape)
        step *= (radii * rng.choice([0.3, 1.0]) / np.linalg.norm(step, axis=1))[:, None]
        found = output(query, keys + step, values, scale)
        assert np.all(found <= worst.upper + 1e-11)
        assert np.all(found >= worst.lower - 1e-11)
    for c in range(values.shape[1]):  # attained, by keys within their radii
        for moved, end in ((worst.keys_at_lower, worst.lower), (worst.keys_at_upper, worst.upper)):
            np.testing.assert_allclose(output(query, moved[c], values, scale)[c], end[c], atol=1e-9)
            away = np.linalg.norm(moved[c] - keys, axis=1)
            assert np.all(away <= radii + 1e-12 * (radii + np.max(np.abs(keys), initial=1)))


def test_shapes_follow_the_direction() -> None:
    values = np.array([[1.0, 9.0], [2.0, 4.0], [5.0, 1.0], [7.0, 0.0]])
    each = worst_case(QUERY, KEYS, values, radius=0.1)
    assert each.lower.shape == (2,)
    assert each.keys_at_upper.shape == (2, 4, 2)
    one = worst_case(QUERY, KEYS, values, radius=0.1, direction=[0.0, 1.0])
    assert isinstance(one.upper, float)
    assert one.upper == each.upper[1]
    assert one.keys_at_lower.shape == (4, 2)
    several = worst_case(QUERY, KEYS, values, radius=0.1, direction=[[0, 1], [-1, 0], [1, 1]])
    np.testing.assert_allclose(several.upper[1], -each.lower[0], rtol=1e-15)
    assert several.upper[2] < each.upper[0] + each.upper[1]
    assert verify(several.certificate).holds


def test_nothing_moves_without_a_radius_a_query_or_a_scale() -> None:
    for change in ({"radius": 0.0}, {"query": [0.0, 0.0]}, {"scale": 0.0}):
        problem = {"query": QUERY, "keys": KEYS, "values": VALUES, "radius": 0.5, **change}
        worst = worst_case(**problem)
        assert worst.lower == worst.upper == worst.nominal
    still = worst_case([0.0, 0.0], KEYS, VALUES, radius=0.5)
    np.testing.assert_array_equal(still.keys_at_upper, KEYS)


def test_one_key_brings_its_value_whatever_it_does() -> None:
    worst = worst_case([3.0], [[1.0]], [[2.0, -7.0]], radius=10.0)
    np.testing.assert_array_equal(worst.lower, [2.0, -7.0])
    np.testing.assert_array_equal(worst.upper, [2.0, -7.0])


def test_scores_far_apart_neither_overflow_nor_vanish() -> None:
    # The low value is at 1e6 or at -1e6, the high one stays at 0: each can have all the weight.
    worst = worst_case(None, None, [0.0, 1.0], scores=([-1e6, 0.0], [1e6, 0.0]))
    assert (worst.lower, worst.upper) == (0.0, 1.0)
    assert verify(worst.certificate).holds
    close = worst_case([1e6], [[1.0], [1.0 + 1e-9]], [0.0, 1.0], radius=1e-9)
    # Scores 1e6 and 1e6 + 1e-3, each ± 1e-3; 1 + 1e-9 rounds, which the exact difference has.
    apart = (1.0 + 1e-9 - 1.0) * 1e6
    np.testing.assert_allclose(close.upper, 1 / (1 + math.exp(-apart - 2e-3)), rtol=1e-12)
    np.testing.assert_allclose(close.lower, 1 / (1 + math.exp(-apart + 2e-3)), rtol=1e-12)
    assert verify(close.certificate).holds


def test_many_keys_are_as_exact_as_few() -> None:
    n = 5003
    rng = np.random.default_rng(5)
    keys, values, query = rng.normal(size=(n, 7)), rng.normal(size=n), rng.normal(size=7)
    worst = worst_case(query, keys, values, radius=0.05)
    reach = 0.05 * np.linalg.norm(query)
    scores, order = keys @ query, np.argsort(values)
    found = []
    for k in range(n + 1):  # every threshold
        ends = scores + np.where(np.arange(n) >= k, 1, -1)[np.argsort(order)] * reach
        powers = np.exp(ends)
        found.append(powers @ values / powers.sum())
    np.testing.assert_allclose(worst.upper, max(found), rtol=1e-12)
    assert worst.error < 1e-13
    assert verify(worst.certificate).holds


REFUSED = [
    ({}, "pass radius (how far keys may move) or scores (their intervals). Got neither."),
    ({"radius": 1.0, "scores": ([0.0] * 4, [1.0] * 4)}, "Got both."),
    ({"radius": -1.0}, "radius must be ≥ 0. Got -1."),
    ({"radius": math.nan}, "radius must be ≥ 0. Got nan."),
    ({"radius": math.inf}, "radius must be finite. Got infinity"),
    ({"radius": [1.0, 2.0]}, "radius must be one number, or one per key: shape (4,)."),
    ({"radius": 1.0, "query": None}, "query is None. With radius, query is needed."),
    ({"radius": 1.0, "direction": [1.0, 2.0]}, "direction must be a vector of length 1."),
    ({"radius": 1.0, "values": []}, "values is empty."),
    ({"scores": ([0.0] * 4, [1.0, 1.0, -1.0, 1.0])}, "Got 0 > -1 at 2."),
    ({"scores": 3.0}, "scores must be a pair (lower, upper), each of shape (4,)."),
    ({"scores": ([-math.inf] * 4, [1.0] * 4)}, "scores[0] must be finite. Got -inf at 0."),
]


@pytest.mark.parametrize(("change", "words"), REFUSED)
def test_what_cannot_be_meant_is_refused_in_a_sentence(change: dict[str, Any], words: str) -> None:
    problem = {"query": QUERY, "keys": KEYS, "values": VALUES, **change}
    with pytest.raises(regard.RegardError) as refusal:
        worst_case(**problem)
    assert str(refusal.value).startswith("analysis.worst_case: ")
    assert words in str(refusal.value)


def test_it_prints_and_draws_the_range() -> None:
    worst = worst_case(QUERY, KEYS, np.c_[VALUES, VALUES], radius=0.25)
    assert "-0.743776" in str(worst)
    assert "0.0990257" in worst._repr_html_()
    heights = sorted(bar.get_height() for bar in worst.plot().axes[0].patches)
    np.testing.assert_allclose(heights[:2], [-0.7437756535208946] * 2, rtol=1e-12)
    single = worst_case(QUERY, KEYS, VALUES, radius=0.25)
    bars = [bar.get_height() for bar in single.plot().axes[0].patches]
    np.testing.assert_allclose(sum(bars), 2.0)  # the weights at either end


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 11), st.sampled_from([1e-3, 0.1, 1.0, 5.0]))
def test_relaxations_are_bounds_and_never_narrower(seed: int, n: int, width: float) -> None:
    rng = np.random.default_rng(seed)
    values, lower = rng.normal(size=n), 2 * rng.normal(size=n)
    upper = lower + width * rng.random(n)
    worst = worst_case(None, None, values, scores=(lower, upper))
    for relaxed in (interval_bounds, linear_bounds):
        low, high = relaxed(values, lower, upper)
        assert low <= worst.lower + 1e-12
        assert high >= worst.upper - 1e-12
