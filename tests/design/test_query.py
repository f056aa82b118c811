"""Queries: cases that can be worked out by hand, and what is said of them."""

from __future__ import annotations

import copy
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import regard
from design.rounding import rounded_up
from regard.certify import Certificate, verify
from regard.core import reference
from regard.design import QueryDesign

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def proved(thing: Any, **arrays: Any) -> Any:
    result = verify(thing.certificate, **arrays)
    assert result.holds, str(result)
    return thing


def refused(*arguments: Any, **options: Any) -> regard.InfeasibleDesign:
    with pytest.raises(regard.InfeasibleDesign) as caught:
        regard.design.query(*arguments, **options)
    proved(caught.value)
    proved(caught.value.best)
    return caught.value


def kinds(thing: Any) -> list[str]:
    return [claim.kind for claim in thing.certificate.claims]


def error_of(query: Any, keys: Any, target: Any, values: Any = None, scale: float = 1.0) -> float:
    """The error of a query, in plain loops."""
    averaged = np.eye(len(keys)) if values is None else values
    found = reference.attention([query], keys, averaged, scale=scale).output[0]
    missed = found - np.asarray(target) @ averaged
    return float(np.max(np.abs(missed)) if values is None else np.linalg.norm(missed))


# Small cases --------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [0, {0: 1.0}, [1.0]])
def test_a_single_key_has_all_the_weight_with_the_query_zero(target: Any) -> None:
    design = proved(regard.design.query([[3.0, 5.0]], target))
    np.testing.assert_array_equal(design.query, [0.0, 0.0])
    np.testing.assert_array_equal(design.weights, [1.0])
    assert design.margin == math.inf
    assert design.error < 1e-300


@pytest.mark.parametrize("share", [0.5, 0.9, 1e-9, 1 - 1e-9])
def test_any_mix_of_two_keys_has_its_closed_query(share: float) -> None:
    """The score difference is ln(p / (1 - p)), along the difference of the keys."""
    a, b = np.array([3.0, 1.0]), np.array([1.0, 2.0])
    design = proved(regard.design.query([a, b], [share, 1 - share]))
    gap = math.log(share) - math.log1p(-share)
    np.testing.assert_allclose(design.query, gap * (a - b) / 5, rtol=1e-9, atol=1e-15)


def test_a_copy_of_one_of_two_keys_needs_this_gap() -> None:
    design = proved(regard.design.query([[0.0, 0.0], [3.0, 4.0]], 1, tolerance=1e-4))
    np.testing.assert_allclose(design.query, math.log(9999) / 25 * np.array([3.0, 4.0]))
    np.testing.assert_allclose(design.margin, 5, rtol=1e-9)


def test_keys_on_a_line_can_be_copied_at_the_ends_only() -> None:
    keys = [[-2.0], [1.0], [3.0], [7.0]]
    for end, sign in ((0, -1), (3, 1)):
        assert np.sign(proved(regard.design.query(keys, end)).query[0]) == sign
    for middle in (1, 2):
        assert refused(keys, middle).certificate.claims[0].fields["radius"] is None


def test_the_middle_of_three_keys_on_a_line_gets_a_third_at_most() -> None:
    """k = 1/3 of the way: λ = (2/3, 1/3), sup = 1/(1 + e^H(λ))."""
    problem = refused([[0.0], [1.0], [3.0]], 1)
    entropy = -2 / 3 * math.log(2 / 3) - 1 / 3 * math.log(1 / 3)
    ceiling = 1 / (1 + math.exp(entropy))
    np.testing.assert_allclose(problem.certificate.claims[0].fields["bound"], ceiling, rtol=1e-9)
    np.testing.assert_allclose(problem.best.weights[1], ceiling, rtol=1e-9)
    # At the best query the others' weights are as λ: q·3 = ln(1/2).
    np.testing.assert_allclose(problem.best.query, [math.log(0.5) / 3], rtol=1e-6)
    np.testing.assert_allclose(problem.best.error, 1 - ceiling, rtol=1e-9)


def test_orthogonal_keys_that_are_not_unit_are_copied_with_the_widest_margin() -> None:
    """Distance from (4, 0) to the segment from (0, 3) to (0, -2) is 4, at the origin."""
    design = proved(regard.design.query([[4.0, 0.0], [0.0, 3.0], [0.0, -2.0]], 0))
    np.testing.assert_allclose(design.margin, 4, rtol=1e-9)
    direction = next(c for c in design.certificate.claims if c.kind == "margin_at_least")
    np.testing.assert_allclose(direction.witness["direction"], [1, 0], atol=1e-9)
    # Along it the length would be this; the shortest query leans towards the second key.
    assert np.linalg.norm(design.query) < math.log(2 * 999) / 4
    assert design.query[1] < 0


def test_a_key_that_stands_m_times_gets_an_mth_of_its_weight() -> None:
    problem = refused([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]], 2)
    claim = problem.certificate.claims[0]
    assert claim.kind == "ceiling"
    np.testing.assert_allclose(claim.fields["bound"], 1 / 3, rtol=1e-9)
    assert claim.fields["radius"] is None
    np.testing.assert_allclose(problem.best.weights, [1 / 3, 0, 1 / 3, 1 / 3], atol=1e-3)


def test_copies_of_a_key_can_share_its_weight_evenly_and_not_otherwise() -> None:
    keys = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    design = proved(regard.design.query(keys, {0: 0.5, 2: 0.5}))
    np.testing.assert_allclose(design.weights, [0.5, 0, 0.5], atol=1e-3)
    problem = refused(keys, {0: 0.25, 2: 0.75})
    np.testing.assert_allclose(problem.best.weights, [0.5, 0, 0.5], atol=1e-3)
    # KL(p ‖ even) = ln 2 - H(p)
    gap = math.log(2) + 0.25 * math.log(0.25) + 0.75 * math.log(0.75)
    np.testing.assert_allclose(problem.certificate.claims[-1].fields["bound"], gap, rtol=1e-6)


@pytest.mark.parametrize("key", [[2.0, -1.0, 5.0], [0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])
@pytest.mark.parametrize("n", [2, 3, 7])
def test_keys_that_are_all_equal_have_equal_weights_whatever_the_query(
    key: list[float], n: int
) -> None:
    design = proved(regard.design.query([key] * n, dict.fromkeys(range(n), 1 / n)))
    np.testing.assert_array_equal(design.query, np.zeros(3))
    problem = refused([key] * n, 0)
    np.testing.assert_allclose(problem.best.weights, np.full(n, 1 / n))
    np.testing.assert_allclose(problem.certificate.claims[0].fields["bound"], 1 / n, rtol=1e-9)
    uneven = np.arange(1, n + 1) / (n * (n + 1) / 2)
    problem = refused([key] * n, uneven)
    np.testing.assert_allclose(problem.best.weights, np.full(n, 1 / n))
    gap = math.log(n) + uneven @ np.log(uneven)
    np.testing.assert_allclose(problem.certificate.claims[-1].fields["bound"], gap, rtol=1e-6)


def test_a_key_on_an_edge_is_bounded_by_the_ends_of_that_edge_alone() -> None:
    """(½, 0) lies between two corners: the third corner can be made to have no weight: 1/3."""
    problem = refused([[0.5, 0.0], *TRIANGLE], 0)
    np.testing.assert_allclose(problem.certificate.claims[0].fields["bound"], 1 / 3, rtol=1e-9)
    np.testing.assert_allclose(problem.best.weights, [1 / 3, 1 / 3, 1 / 3, 0], atol=1e-3)


def test_an_edge_is_mixed_with_a_point_on_it_only_if_the_weights_fit() -> None:
    keys = [*TRIANGLE, [0.5, 0.0]]
    even = proved(regard.design.query(keys, {0: 1 / 3, 1: 1 / 3, 3: 1 / 3}))
    np.testing.assert_allclose(even.margin, 1, rtol=1e-9)
    geometric = proved(regard.design.query(keys, {0: 1 / 7, 3: 2 / 7, 1: 4 / 7}))
    np.testing.assert_allclose(geometric.query[0], 2 * math.log(2), rtol=1e-6)
    refused(keys, {0: 0.3, 3: 0.3, 1: 0.4})


def test_a_support_of_dependent_keys_is_reached_where_its_logarithms_fit() -> None:
    """A square face of a pyramid: ln p is affine on it, and the tip has no weight."""
    keys = np.vstack([np.column_stack([SQUARE, np.zeros(4)]), [[0.5, 0.5, 1.0]]])
    weights = np.array([1.0, 2.0, 6.0, 3.0]) / 12
    design = proved(regard.design.query(keys, [*weights, 0.0]))
    np.testing.assert_allclose(design.weights[:4], weights, rtol=2e-3)
    np.testing.assert_allclose(design.query[:2], [math.log(2), math.log(3)], rtol=1e-6)
    refused(keys, [0.3, 0.2, 0.3, 0.2, 0.0])


def test_weights_of_zero_are_left_out_of_the_target() -> None:
    design = proved(regard.design.query(SQUARE, {0: 0.5, 1: 0.5, 2: 0.0}))
    assert design.target == {0: 0.5, 1: 0.5}


def test_a_tiny_wanted_weight_is_met_relative_to_the_tolerance() -> None:
    design = proved(regard.design.query(np.eye(3), {0: 1e-9, 1: 1 - 1e-9}, tolerance=1e-12))
    np.testing.assert_allclose(design.weights[0], 1e-9, atol=1.1e-12)
    assert design.error <= 1e-12


def test_a_goal_within_the_tolerance_is_reached_though_the_exact_one_is_not() -> None:
    """Half each on two equal keys is within 0.05 of (0.47, 0.53)."""
    keys = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    design = proved(regard.design.query(keys, {0: 0.47, 2: 0.53}, tolerance=0.05))
    assert design.error <= 0.05
    refused(keys, {0: 0.47, 2: 0.53}, tolerance=0.01)


# Values -------------------------------------------------------------------------------------------


def test_with_values_the_error_is_that_of_the_output() -> None:
    values = np.array([[3.0, 4.0], [0.0, 0.0], [6.0, 8.0]])
    design = proved(regard.design.query(np.eye(3), 1, values=values, tolerance=0.01))
    output = design.weights @ values
    np.testing.assert_allclose(np.linalg.norm(output), 0.01, rtol=1e-6)
    assert kinds(design)[:2] == ["output_close", "weights_close"]
    assert kinds(regard.design.query(np.eye(3), 1))[0] == "weights_close"


def test_values_that_are_all_equal_need_no_scale() -> None:
    design = proved(regard.design.query(np.eye(3), 1, values=np.ones((3, 2))))
    np.testing.assert_allclose(design.query, 0, atol=1e-2)


def test_an_output_may_be_reached_where_its_weights_cannot() -> None:
    """The key in the centre cannot be copied, and its value is the average of all values."""
    keys = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    design = proved(regard.design.query(keys, 0, values=keys))
    assert design.error <= 1e-3
    np.testing.assert_allclose(design.query, 0, atol=1e-3)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e5])
def test_an_output_out_of_reach_is_refused_whatever_the_size_of_the_values(size: float) -> None:
    """A key that stands twice: half of the weight is lost to a value at distance `size`."""
    keys = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    values = size * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    problem = refused(keys, 0, values=values, tolerance=0.1 * size)
    # The nearest average of the other values is at (½, ½): 1/√2 away, and half the weight.
    claim = next(c for c in problem.certificate.claims if c.kind == "output_ceiling")
    np.testing.assert_allclose(claim.fields["bound"], size / math.sqrt(8), rtol=1e-6)
    proved(regard.design.query(keys, 0, values=values, tolerance=0.6 * size))


def test_half_the_weight_may_be_enough_for_an_output() -> None:
    keys = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    design = proved(regard.design.query(keys, 0, values=[[0.0], [0.1], [5.0]], tolerance=0.06))
    assert design.error <= 0.06


# Scale, size, dtype -------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1 / math.sqrt(7), 1e-6, 3.0, 1e6])
def test_the_query_is_shorter_by_the_scale(scale: float) -> None:
    keys = np.random.default_rng(2).standard_normal((11, 7))
    plain = regard.design.query(keys, {2: 0.25, 5: 0.75})
    design = proved(regard.design.query(keys, {2: 0.25, 5: 0.75}, scale=scale))
    assert design.scale == scale
    np.testing.assert_allclose(design.query * scale, plain.query, rtol=1e-5)
    np.testing.assert_allclose(design.margin, plain.margin, rtol=1e-9)
    target = np.zeros(11)
    target[[2, 5]] = 0.25, 0.75
    assert error_of(design.query, keys, target, scale=scale) <= design.error + 1e-12 <= 1.1e-3


@pytest.mark.parametrize("size", [1e200, 1e-200, 1e30, 1e-30])
def test_huge_and_tiny_keys_are_ordinary(size: float) -> None:
    keys = np.random.default_rng(3).standard_normal((7, 3))
    keys[0] = 5 * keys[0] / np.linalg.norm(keys[0])
    for target in (0, {0: 1.0}):
        plain = regard.design.query(keys, target)
        design = proved(regard.design.query(keys * size, target))
        np.testing.assert_allclose(design.query * size, plain.query, rtol=1e-6)
        np.testing.assert_allclose(design.margin / size, plain.margin, rtol=1e-6)
    problem = refused(np.array([[0.0], [1.0], [3.0]]) * size, 1)
    np.testing.assert_allclose(problem.certificate.claims[0].fields["bound"], 0.346, atol=1e-3)


def test_keys_of_very_different_lengths_can_be_copied() -> None:
    keys = np.diag([1e-6, 1.0, 1e6])
    for j in range(3):
        design = proved(regard.design.query(keys, j))
        assert error_of(design.query, keys, np.eye(3)[j]) <= 1e-3 + 1e-9


@pytest.mark.parametrize("read", [np.float32, np.float16, np.int64])
def test_keys_of_other_dtypes_are_read_as_the_numbers_they_are(read: Any) -> None:
    keys = np.array([[1, 0, 2], [3, 1, 0], [0, 2, 2], [5, 0, 1]]).astype(read)
    design = proved(regard.design.query(keys, {0: 0.25, 3: 0.75}))
    same = regard.design.query(keys.astype(np.float64).tolist(), {0: 0.25, 3: 0.75})
    np.testing.assert_array_equal(design.query, same.query)
    assert design.query.dtype == design.weights.dtype == np.float64


def test_float32_keys_are_not_rounded_again() -> None:
    keys = np.random.default_rng(4).standard_normal((7, 5)).astype(np.float32)
    design = proved(regard.design.query(keys, 3, tolerance=1e-7), keys=keys)
    assert error_of(design.query, keys.astype(np.float64), np.eye(7)[3]) <= 1e-7 + 1e-12


def test_the_keys_are_not_changed_and_may_be_changed_afterwards() -> None:
    keys = np.random.default_rng(5).standard_normal((5, 3))
    before = keys.copy()
    design = regard.design.query(keys, 2)
    np.testing.assert_array_equal(keys, before)
    keys[:] = 0
    proved(design, keys=before)


@pytest.mark.parametrize("target", [np.int64(2), np.array(2), [0, 0, 1, 0, 0], {np.int64(2): 1}])
def test_indices_and_weights_may_be_of_numpy(target: Any) -> None:
    keys = np.eye(5)
    same = regard.design.query(keys, 2).query
    np.testing.assert_array_equal(regard.design.query(keys, target).query, same)


def test_the_same_call_gives_the_same_bits() -> None:
    keys = np.random.default_rng(6).standard_normal((31, 29))
    designs = [regard.design.query(keys, {3: 0.4, 4: 0.6}, tolerance=0.05) for _ in range(2)]
    np.testing.assert_array_equal(designs[0].query, designs[1].query)
    assert designs[0].certificate.to_dict() == designs[1].certificate.to_dict()


# The shortest query, the smallest scale -----------------------------------------------------------


@pytest.mark.parametrize("shape", [(5, 11), (11, 5), (7, 7)])
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_no_shorter_query_has_the_same_weights(shape: tuple[int, int], offset: float) -> None:
    """Q = K_c⁺ K_c q with K_c the keys less their mean: nothing lies outside their span."""
    n, d = shape
    rng = np.random.default_rng(n)
    keys = rng.standard_normal((n, 3)) @ rng.standard_normal((3, d)) + offset
    top = int(np.argmax(keys @ rng.standard_normal(d)))
    design = proved(regard.design.query(keys, top))
    centred = keys - np.mean(keys, axis=0)
    shortest = np.linalg.pinv(centred, rcond=1e-10) @ (centred @ design.query)
    np.testing.assert_allclose(design.query, shortest, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("target", "tolerance"),
    [(0, 1e-3), (0, 0.3), (0, 1e-9), ({0: 0.5, 3: 0.5}, 1e-3), ({0: 0.2, 3: 0.8}, 1e-6)],
)
@pytest.mark.parametrize("valued", [False, True])
def test_the_scale_is_the_smallest_that_meets_the_tolerance(
    target: Any, tolerance: float, valued: bool
) -> None:
    rng = np.random.default_rng(7)
    keys = np.abs(rng.standard_normal((7, 5))) * 0.3
    keys[0] += [2, 0, 0, 0, 0]
    keys[3] += [2, 0, 0, 1, 0]
    values = rng.standard_normal((7, 2)) if valued else None
    design = proved(regard.design.query(keys, target, tolerance=tolerance, values=values))
    weights = np.zeros(7)
    if isinstance(target, dict):
        weights[list(target)] = list(target.values())
    else:
        weights[target] = 1
    assert tolerance * (1 - 1e-4) <= design.error <= tolerance
    # Along the direction of the margin, a step back of 0.1 % of the length is too far.
    direction = next(c for c in design.certificate.claims if c.kind == "margin_at_least")
    step = direction.witness["direction"] * (design.query @ direction.witness["direction"])
    shorter = design.query - 1e-3 * step
    assert error_of(shorter, keys, weights, values) > tolerance


def test_a_looser_tolerance_never_needs_a_longer_query() -> None:
    keys = np.random.default_rng(8).standard_normal((13, 11))
    lengths = [
        np.linalg.norm(regard.design.query(keys, 5, tolerance=t).query)
        for t in (1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5)
    ]
    assert lengths == sorted(lengths, reverse=True)


# What comes with it -------------------------------------------------------------------------------


def test_a_design_has_its_numbers_as_attributes() -> None:
    design = regard.design.query(SQUARE, {0: 0.5, 1: 0.5}, tolerance=0.01, scale=2.0)
    assert isinstance(design, QueryDesign)
    assert design.query.shape == (2,)
    assert design.weights.shape == (4,)
    assert isinstance(design.error, float)
    assert isinstance(design.margin, float)
    assert (design.scale, design.tolerance, design.target) == (2.0, 0.01, {0: 0.5, 1: 0.5})
    assert kinds(design) == ["weights_close", "margin_at_least", "margin_at_most"]
    assert design.certificate.claims[0].fields["bound"] == design.error


def test_a_refusal_has_the_proof_and_the_closest_design() -> None:
    problem = refused(SQUARE, {0: 0.5, 2: 0.5})
    assert isinstance(problem.best, QueryDesign)
    assert isinstance(problem.certificate, Certificate)
    assert kinds(problem) == ["floors_out_of_reach", "weights_beyond", "weights_apart"]
    assert str(problem) == (
        "design.query: no query gives the weights asked for to within 0.001: two averages of keys "
        "are the same point, and the weights asked for tell them apart. The certificate proves it. "
        "The closest weights are those of .best, with error at most 0.250001 (proved to 0.1 %)."
    )
    for same in (copy.copy(problem), pickle.loads(pickle.dumps(problem))):
        assert str(same) == str(problem)
        np.testing.assert_array_equal(same.best.query, problem.best.query)


def test_a_refused_copy_says_the_ceiling() -> None:
    assert str(refused([[0.0], [1.0], [2.0]], 1)) == (
        "design.query: no query gives key 1 more than 0.333334: it is an average of other keys. The "
        "certificate proves it. The closest weights are those of .best, with error at most 0.666667."
    )


def test_a_tolerance_finer_than_float64_is_undecided_and_has_the_closest_design() -> None:
    """The query ln 2 is not a float64: its weights miss 1/3 and 2/3 by about 1e-17."""
    with pytest.raises(regard.UndecidedDesign) as caught:
        regard.design.query([[0.0], [1.0]], [1 / 3, 2 / 3], tolerance=1e-25)
    proved(caught.value.best)
    np.testing.assert_allclose(caught.value.best.query, [math.log(2)])
    assert caught.value.certificate is None
    message = (
        "design.query: neither a query nor a proof that there is none was found. The target lies "
        "at the edge of what these keys can reach, or the tolerance 1e-25 is finer than a float64 "
        "query can meet. The closest query found is .best, with error at most "
    )
    assert str(caught.value) == message + f"{rounded_up(caught.value.best.error)}."


@pytest.mark.parametrize("distance", [1e-6, 1e-3, 1.0])
def test_what_lies_off_the_edge_is_decided_both_ways(distance: float) -> None:
    line = [[0.0, 0.0], [1.0, distance], [2.0, 0.0], [1.0, -5.0]]
    design = proved(regard.design.query(line, 1))
    np.testing.assert_allclose(design.margin, distance, rtol=1e-6)
    line[1][1] = -distance
    refused(line, 1)


def test_a_certificate_goes_to_json_and_back() -> None:
    for thing in (
        regard.design.query(SQUARE, {0: 0.25, 1: 0.75}, values=SQUARE, scale=0.5),
        refused(SQUARE, {0: 0.5, 2: 0.5}),
        refused([[0.0], [0.1], [0.3]], 1, values=[[0.0], [5.0], [2.0]], scale=3.0),
    ):
        data = json.loads(json.dumps(thing.certificate.to_dict(), allow_nan=False))
        back = Certificate.from_dict(data)
        assert back.to_dict() == thing.certificate.to_dict()
        for name, array in thing.certificate.arrays.items():
            np.testing.assert_array_equal(back.arrays[name], array)
        assert verify(back, **thing.certificate.arrays).holds


def test_a_certificate_is_about_its_own_keys_only() -> None:
    design = regard.design.query(SQUARE, 0)
    assert verify(design.certificate, keys=SQUARE).holds
    assert not verify(design.certificate, keys=SQUARE[::-1]).holds


# Printing -----------------------------------------------------------------------------------------


def test_a_design_prints_as_a_short_summary() -> None:
    design = regard.design.query([[0.0], [1.0]], [0.5, 0.5])
    assert str(design) == repr(design)
    assert str(design).rstrip() == "\n".join(
        [
            "A query over 2 keys",
            "===================",
            "",
            "query   (0)",
            "length  0",
            "scale   1",
            f"error   at most {regard.report.number(design.error)} (allowed 0.001)",
            "margin  no other keys",
            "claims  1",
            "",
            "weights",
            "       wanted  given",
            "-----  ------  -----",
            "key 0     0.5    0.5",
            "key 1     0.5    0.5",
        ]
    )


def test_a_design_over_many_keys_prints_the_keys_that_matter() -> None:
    design = regard.design.query(np.eye(101), {7: 0.75, 3: 0.25})
    lines = str(design).splitlines()
    assert len(lines) < 30
    assert max(map(len, lines)) < 120
    assert any(line.startswith("key 7 ") for line in lines)
    assert any(line.startswith("key 3 ") for line in lines)
    shown = sum(line.startswith("key ") for line in lines)
    assert any(f"{101 - shown} more keys" in line for line in lines)


def test_a_design_is_a_table_in_a_notebook() -> None:
    design = regard.design.query(SQUARE, {0: 0.25, 1: 0.75})
    page = design._repr_html_()
    assert page.endswith(f"{design.report()._repr_html_()}</details>")
    assert page.count("<table") >= 1
    for words in ("A query over 4 keys", "key 0", "0.25", "margin"):
        assert words in page


def test_the_report_of_a_design_is_plain_data() -> None:
    report = regard.design.query(SQUARE, 0).report()
    assert report.title == "A query over 4 keys"
    assert regard.report.Report.from_dict(json.loads(json.dumps(report.to_dict()))) == report


# Bad input ----------------------------------------------------------------------------------------

WORDS = "Need float16, bfloat16, float32, float64 or integers."


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((np.zeros((0, 3)), 0), {}, "keys is empty. Need keys (n, d) with at least one row and one column. Got keys (0, 3)."),
        ((np.zeros((3, 0)), 0), {}, "keys is empty. Need keys (n, d) with at least one row and one column. Got keys (3, 0)."),
        (([1.0, 2.0], 0), {}, "keys needs 2 axes (n, d). Got keys (2,). Add the missing axis: keys[:, None]."),
        ((np.zeros((2, 3, 5)), 0), {}, "keys needs 2 axes (n, d). Got keys (2, 3, 5)."),
        (([[1.0, math.nan], [0, 1]], 0), {}, "keys must be finite. Got nan in row 0, column 1."),
        (([[1.0, 0.0], [-math.inf, 1]], 0), {}, "keys must be finite. Got -inf in row 1, column 0."),
        (([[1.0, 2.0], [3.0]], 0), {}, "keys is not an array: setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions. The detected shape was (2,) + inhomogeneous part."),
        (([["a"]], 0), {}, f"keys has dtype <U1. {WORDS}"),
        ((None, 0), {}, "keys is None. Need an array of float16, bfloat16, float32, float64 or integers."),
        ((np.eye(3), 3), {}, "target must be the index of a key, 0 to 2. Got 3."),
        ((np.eye(3), -1), {}, "target must be the index of a key, 0 to 2. Got -1."),
        ((np.eye(3), True), {}, "target must be a whole number. Got True."),
        ((np.eye(3), {True: 1.0}), {}, "target must be a whole number. Got True."),
        ((np.eye(3), {5: 1.0}), {}, "target must be the index of a key, 0 to 2. Got 5."),
        ((np.eye(3), {"a": 1.0}), {}, "target must be a whole number. Got 'a'."),
        ((np.eye(3), "a"), {}, f"target has dtype <U1. {WORDS}"),
        ((np.eye(3), {}), {}, "target is empty. Need at least one {index: weight}."),
        ((np.eye(3), {0: -0.5, 1: 1.5}), {}, "the weights of target must be ≥ 0. Got -0.5 for index 0."),
        ((np.eye(3), [1.5, -0.5, 0]), {}, "the weights of target must be ≥ 0. Got -0.5 for index 1."),
        ((np.eye(3), {0: 0.5, 1: 0.6}), {}, "the weights of target must sum to 1. They sum to 1.1. Divide them by their sum."),
        ((np.eye(3), {0: 0.0}), {}, "the weights of target must sum to 1. They sum to 0."),
        ((np.eye(3), {0: math.nan, 1: 1}), {}, "target[0] must be a finite number. Got nan."),
        ((np.eye(3), [0.5, 0.5]), {}, "target must be a vector of length 3. Got shape (2,)."),
        ((np.eye(3), [[1, 0, 0]]), {}, "target must be a vector of length 3. Got shape (1, 3)."),
        ((np.eye(3), 0), {"tolerance": 0}, "tolerance must be a positive finite number. Got 0."),
        ((np.eye(3), 0), {"tolerance": -1e-3}, "tolerance must be a positive finite number. Got -0.001."),
        ((np.eye(3), 0), {"tolerance": math.nan}, "tolerance must be a positive finite number. Got nan."),
        ((np.eye(3), 0), {"scale": 0}, "scale must be a positive finite number. Got 0."),
        ((np.eye(3), 0), {"scale": "x"}, "scale must be a positive finite number. Got 'x'."),
        ((np.eye(3), 0), {"values": np.eye(2)}, "values needs 3 rows, (n, d_v). Got values (2, 2)."),
        ((np.eye(3), 0), {"values": [1.0, 2.0, 3.0]}, "values needs 2 axes (n, d_v). Got values (3,). Add the missing axis: values[:, None]."),
        ((np.eye(3), 0), {"values": [[1.0], [math.inf], [2.0]]}, "values must be finite. Got inf in row 1, column 0."),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named(
    arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises((regard.ParameterError, regard.ShapeError)) as caught:
        regard.design.query(*arguments, **options)
    assert str(caught.value) == f"design.query: {message}"


def test_a_bad_entry_of_a_long_target_is_named_in_a_short_message() -> None:
    target = np.full(10_007, 1 / 10_007)
    target[5] = math.nan
    with pytest.raises(regard.ParameterError) as caught:
        regard.design.query(np.zeros((10_007, 1)), target)
    assert "target" in str(caught.value)
    assert len(str(caught.value)) < 300
