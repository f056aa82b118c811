"""A refusal excludes the goal itself: within its tolerance, in its own measure; or it is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import regard
from audits.designs.refusals import draw
from design.rounding import rounded_down
from regard.certify import verify
from regard.core import reference

LINE = [[-1.0], [0.0], [1.0]]
ENDS = {0: 0.5, 2: 0.5}
GOLDEN = (math.sqrt(5) - 1) / 4  # the smallest error of ENDS on LINE
TRIANGLE = [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [1.0, 1.0]]
CORNERS = {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}
SQUARE = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]


def refused(call: Any, *arguments: Any, **options: Any) -> regard.InfeasibleDesign:
    with pytest.raises(regard.InfeasibleDesign) as caught:
        call(*arguments, **options)
    for certificate in (caught.value.certificate, caught.value.best.certificate):
        result = verify(certificate)
        assert result.holds, str(result)
    return caught.value


def weights(query: Any, keys: Any) -> Any:
    return reference.attention([query], keys, np.eye(len(keys)), scale=1.0).weights[0]


# The measure of the goal --------------------------------------------------------------------------


def test_an_output_that_other_weights_have_is_not_refused() -> None:
    keys, values = [[-2.0], [2.0], [-3.0], [3.0]], [[2.0], [-3.0], [-3.0], [3.0]]
    design = regard.design.query(keys, {1: 0.5, 2: 0.5}, values=values)
    output = weights(design.query, keys) @ np.array(values)
    np.testing.assert_allclose(output, [-3.0], atol=1e-3)
    assert verify(design.certificate).holds


@pytest.mark.parametrize("tolerance", [0.3091, 0.32])
def test_weights_within_the_tolerance_are_not_refused(tolerance: float) -> None:
    design = regard.design.query(LINE, ENDS, tolerance=tolerance)
    missed = np.abs(weights(design.query, LINE) - [0.5, 0, 0.5])
    assert np.max(missed) <= tolerance
    head = regard.design.self_attention(LINE, attend={2: ENDS}, tolerance=tolerance)
    x = np.array(LINE)
    found = reference.attention(x @ head.W_Q, x @ head.W_K, x, scale=1.0).weights[2]
    assert np.max(np.abs(found - [0.5, 0, 0.5])) <= tolerance


@pytest.mark.parametrize("tolerance", [1e-3, 0.17, 0.26, 0.309])
def test_weights_out_of_reach_within_the_tolerance_are_refused(tolerance: float) -> None:
    problem = refused(regard.design.query, LINE, ENDS, tolerance=tolerance)
    assert problem.best.error == pytest.approx(GOLDEN, rel=1e-9)
    refused(regard.design.self_attention, LINE, attend={2: ENDS}, tolerance=tolerance)


def test_at_the_boundary_there_is_no_refusal() -> None:
    """The best query rounded to float64 is within 1e-12 of the boundary, which is not beyond it."""
    design = regard.design.query(LINE, ENDS, tolerance=GOLDEN * (1 + 1e-9))
    assert design.error <= GOLDEN * (1 + 1e-9)
    with pytest.raises(regard.UndecidedDesign) as caught:
        regard.design.query(LINE, ENDS, tolerance=GOLDEN)
    assert caught.value.best.error == pytest.approx(GOLDEN, rel=1e-9)


def test_an_output_that_no_weights_of_the_keys_have_is_refused() -> None:
    """Weights of keys −1, 0, 1 satisfy a_0 a_2 = a_1²; their average of (0, 1, 0) is at least…

    a_1 = 1 / (1 + 2 cosh q) ≤ ⅓: an output of 1 from values 0, 1, 0 is ⅔ away.
    """
    problem = refused(regard.design.query, LINE, 1, values=[[0.0], [1.0], [0.0]], tolerance=0.66)
    assert problem.best.error == pytest.approx(2 / 3, rel=1e-9)
    refused(regard.design.query, LINE, {0: 0.2, 1: 0.8}, values=[[0.0], [1.0], [0.0]])


def test_equal_keys_share_their_values() -> None:
    """The pair gets equal weights: its values 0 and 2 put out 1 together, never 2."""
    keys, values = [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [[0.0], [2.0], [0.0]]
    problem = refused(regard.design.query, keys, 1, values=values)
    assert problem.best.error == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("seed", "number"), [(11, 124), (11, 132), (7, 60)])
def test_fine_tolerances_of_outputs_that_other_weights_have_are_met(seed: int, number: int) -> None:
    """Goals whose outputs are to be met to 1e-6 and finer: what measuring adds has to have room."""
    goal = draw(np.random.default_rng([seed, number]))
    assert goal.values is not None
    design = goal.call(regard.design)
    assert design.error <= goal.tolerance < 2e-6
    assert verify(design.certificate).holds


# Closest in the measure that is quoted ------------------------------------------------------------


def test_h19_the_ends_of_a_line() -> None:
    problem = refused(regard.design.query, LINE, ENDS)
    found = np.sort(problem.best.weights)
    np.testing.assert_allclose(found, [0.19098300562505258, 0.30901699437494745, 0.5], rtol=1e-8)
    np.testing.assert_allclose(np.abs(problem.best.query), [0.48121182505960347], rtol=1e-7)
    assert "The closest weights are those of .best, with error at most 0.309017" in str(problem)


@pytest.mark.parametrize(
    ("keys", "target", "error"),
    [
        (LINE, [0.25, 0.25, 0.5], 0.059016994374947424),  # H21
        ([[0.0], [1.0], [3.0]], [0.5, 0.0, 0.5], 0.2849201454990266),  # H22
        (SQUARE, [0.5, 0.0, 0.5, 0.0], 0.25),  # H23
        (TRIANGLE, [1 / 3, 1 / 3, 1 / 3, 0.0], 0.2060113295832983),  # H24
    ],
)
def test_h21_to_h24_the_closest_weights(keys: Any, target: Any, error: float) -> None:
    problem = refused(regard.design.query, keys, target)
    assert problem.best.error == pytest.approx(error, rel=1e-8)
    assert "closest found" not in str(problem)
    refused(regard.design.query, keys, target, tolerance=error * (1 - 1e-4))
    design = regard.design.query(keys, target, tolerance=error * (1 + 1e-4))
    assert design.error <= error * (1 + 1e-4)


def test_what_no_claim_meets_is_only_the_closest_found() -> None:
    keys = np.random.default_rng(3).standard_normal((1000, 4))
    problem = refused(regard.design.query, keys, {0: 0.5, 1: 0.5})
    assert "The closest found weights are those of .best" in str(problem)


# What a refusal speaks of -------------------------------------------------------------------------


def test_a_refusal_of_rounded_tokens_says_up_to_which_size() -> None:
    """Multiples of (0.1, 0.7) lie on a line up to rounding only."""
    t = np.array([-1.0, 0.3, 0.7, 1.9])
    tokens = t[:, None] * [0.1, 0.7]
    problem = refused(regard.design.self_attention, tokens, attend={3: 1, 2: 0})
    radius = problem.certificate.claims[0].fields["radius"]
    assert radius is not None
    assert f"as long as ‖A‖ ≤ {rounded_down(radius, 3)}" in str(problem)
    assert "whatever the matrices" not in str(problem)


def test_a_certificate_is_exact_only_as_far_as_the_check_can_follow() -> None:
    """64 numbers of 1000 keys are too many for rationals: the claim then has a radius, and holds."""
    keys = np.random.default_rng(0).standard_normal((1000, 64))
    problem = refused(regard.design.query, keys, dict.fromkeys(range(200), 1 / 200))
    assert problem.certificate.claims[0].fields["radius"] is not None


def test_weights_that_miss_one_by_a_rounding_are_refused_with_a_proof() -> None:
    """Ten tenths sum to 1 − 1e-16: the claim divides by that, and so does its witness."""
    t = np.linspace(-1.0, 1.3, 10)
    keys = t[:, None] * [0.3, 0.1, 0.7]
    target = dict.fromkeys(range(10), 0.1)
    assert sum(target.values()) != 1
    target[0], target[9] = 0.15, 0.05
    refused(regard.design.query, keys, target)


# Heads --------------------------------------------------------------------------------------------


def test_a_head_with_soft_rows_is_refused_only_beyond_its_tolerance() -> None:
    """Tokens −1, 0, 1: row 0 and row 2 have opposite queries, so that both cannot look at token 2."""
    rows = {0: {2: 0.9, 0: 0.1}, 2: {2: 0.9, 0: 0.1}}
    refused(regard.design.self_attention, LINE, attend=rows, tolerance=0.3)
    # With A = 0 all weights are 1/3: off by 0.9 − 1/3.
    design = regard.design.self_attention(LINE, attend=rows, tolerance=0.9 - 1 / 3 + 1e-6)
    assert verify(design.certificate).holds


def test_outputs_of_given_values_are_refused_where_no_head_has_them() -> None:
    """Row 0 is token 0: its scores are 0, its weights even, its output the mean of the values."""
    tokens = [[0.0], [1.0], [2.0]]
    problem = refused(regard.design.self_attention, tokens, outputs={0: [1.9]}, W_V=[[1.0]])
    assert problem.best.error == pytest.approx(0.9, rel=1e-6)
    design = regard.design.self_attention(
        tokens, outputs={0: [1.9]}, W_V=[[1.0]], tolerance=0.9 + 1e-6
    )
    assert design.error <= 0.9 + 1e-6
