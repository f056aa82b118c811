"""Problems near the edge of what can be done, or of what float64 can hold, drawn from seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import regard
from design.judging import judge_query

Array = NDArray[np.float64]


@pytest.fixture(params=[range(8), pytest.param(range(8, 24), marks=pytest.mark.slow)], ids=str)
def seeds(request: pytest.FixtureRequest) -> range:
    return request.param


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - np.max(scores))
    return powers / np.sum(powers)


@pytest.mark.parametrize("power", [-1, -3, -6, -8])
@pytest.mark.parametrize("side", [1, -1])
def test_a_key_just_above_or_below_the_hull_of_the_others_is_decided(
    power: int, side: int, seeds: range
) -> None:
    """The others span a facet at height 0 and lie below it; the key stands over its middle."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        d = int(rng.integers(2, 7))
        facet = np.column_stack([rng.standard_normal((d, d - 1)), np.zeros(d)])
        below = np.column_stack([rng.standard_normal((3, d - 1)), -1 - rng.random(3)])
        keys = np.vstack([np.mean(facet, axis=0), facet, below])
        # Deep enough below the facet that a key under it is inside.
        keys[-1, :-1] = keys[0, :-1]
        keys[0, -1] = side * 10.0**power
        turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
        outcome = judge_query(keys @ turn, 0)
        assert outcome == ("reached" if side > 0 else "infeasible"), f"seed {seed}"


@pytest.mark.parametrize("power", [-2, -5, -7, -9, -11])
def test_a_support_that_is_nearly_on_a_line_has_a_design_that_verifies(
    power: int, seeds: range
) -> None:
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(4, 20)), int(rng.integers(2, 8))
        keys = rng.standard_normal((n, d))
        keys[:, 0] = -np.abs(keys[:, 0]) - 0.1
        line = np.arange(3)[:, None] * rng.standard_normal(d)
        keys[:3] = line + 10.0**power * rng.standard_normal((3, d))
        keys[:3, 0] = 0
        weights = softmax(line[:, 1:] @ rng.standard_normal(d - 1))
        outcome = judge_query(keys, dict(enumerate(weights.tolist())))
        assert outcome == "reached", f"seed {seed}"


def test_the_margin_is_claimed_alike_from_both_sides() -> None:
    """Three keys nearly on a line: what is scored alike must be the same thing in both claims."""
    keys = [[0, 0, 0], [0, 1, 1e-10], [0, 2, 3e-10], [-1, 0.3, 0.7], [-0.5, -0.4, 0.2]]
    design = regard.design.query(keys, {0: 1 / 3, 1: 1 / 3, 2: 1 / 3})
    bounds = {claim.kind: claim.fields["bound"] for claim in design.certificate.claims}
    assert bounds["margin_at_least"] <= bounds["margin_at_most"] * (1 + 1e-9)


@pytest.mark.parametrize("tolerance", [0.5, 0.1, 1e-2, 1e-3])
def test_a_target_within_the_tolerance_of_what_a_query_gives_is_reached(
    tolerance: float, seeds: range
) -> None:
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(2, 30)), int(rng.integers(1, 6))
        keys = rng.standard_normal((n, d))
        weights = softmax(keys @ rng.standard_normal(d) * rng.choice([0.3, 1, 5]))
        target = weights * (1 + 0.4 * min(1.0, tolerance) * rng.uniform(-1, 1, n))
        target /= np.sum(target)
        assert np.max(np.abs(target - weights)) < tolerance
        assert judge_query(keys, target, tolerance=tolerance) == "reached", f"seed {seed}"


def test_a_value_between_those_of_two_keys_that_can_be_copied_is_never_called_out_of_reach(
    seeds: range,
) -> None:
    """From one such key to the other the output moves continuously: on the way it is what is wanted."""
    for seed in [*seeds, *(seed + 24 for seed in seeds)]:
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(3, 12)), int(rng.integers(1, 4))
        keys, values = rng.standard_normal((n, d)), rng.standard_normal((n, 1))
        ends = [int(np.argmax(keys @ rng.standard_normal(d))) for _ in range(2)]
        low, high = sorted(values[ends, 0])
        for j in np.flatnonzero((values[:, 0] > low + 0.01) & (values[:, 0] < high - 0.01)):
            outcome = judge_query(keys, int(j), values=values)
            assert outcome != "infeasible", f"seed {seed}, key {j}"


def test_an_output_that_one_query_gives_is_not_called_out_of_reach() -> None:
    """The query -16.72 misses by 1e-5, though key 3 itself can never have half of the weight."""
    keys = [[0.7889], [-1.3932], [-1.7074], [0.7641]]
    values = np.array([[0.9857], [1.5763], [-0.7287], [-0.7167]])
    design = regard.design.query(keys, 3, values=values)
    assert design.error <= 1e-3


@pytest.mark.parametrize("power", [-9, pytest.param(0, marks=pytest.mark.slow), 9])
def test_the_size_of_the_values_does_not_count(power: int) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        keys = rng.standard_normal((int(rng.integers(3, 13)), int(rng.integers(1, 5))))
        if seed % 2:
            keys[1] = keys[0]
        values = rng.standard_normal((len(keys), 3))
        options: dict[str, Any] = {"tolerance": 0.01}
        plain = judge_query(keys, 0, values=values, **options)
        size = 10.0**power
        sized = judge_query(keys, 0, values=values * size, tolerance=0.01 * size)
        assert sized == plain, f"seed {seed}"


@pytest.mark.parametrize("axis", [0, 1])
def test_keys_of_very_different_lengths_or_units_have_a_design_or_a_proof(
    axis: int, seeds: range
) -> None:
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(2, 15)), int(rng.integers(1, 8))
        keys = rng.standard_normal((n, d))
        keys *= 10 ** rng.uniform(-5, 5, (n, 1) if axis == 0 else (1, d))
        assert judge_query(keys, int(rng.integers(n))) != "undecided", f"seed {seed}"


@pytest.mark.parametrize("tolerance", [1e-3, 1e-9, 1e-12])
def test_weights_down_to_a_billionth_of_a_thousandth_are_met(
    tolerance: float, seeds: range
) -> None:
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 12))
        keys = rng.standard_normal((n, n))
        weights = 10 ** rng.uniform(-12, 0, 3)
        target = dict(enumerate((weights / np.sum(weights)).tolist()))
        assert judge_query(keys, target, tolerance=tolerance) == "reached", f"seed {seed}"


def test_keys_far_from_the_origin_are_told_apart(seeds: range) -> None:
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(2, 40)), int(rng.integers(1, 10))
        keys = rng.standard_normal((n, d)) + 10 ** rng.uniform(0, 8) * rng.standard_normal(d)
        first = int(np.argmax((keys - np.mean(keys, axis=0)) @ rng.standard_normal(d)))
        assert judge_query(keys, first) == "reached", f"seed {seed}"


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9])
def test_a_mix_of_two_keys_stays_even_where_a_small_margin_needs_a_long_query(
    tolerance: float,
) -> None:
    # The query is some 1e5 long: a direction that tells the two wanted keys apart by 1e-11 shows.
    keys = [
        [2.1505117288328917, -2.054942137672796, -1.1804215267404328, -2.217089494222843],
        [0.10368151331408976, -0.7521408947699922, -0.5853590961759761, 0.30093965866655376],
        [0.35936775851022285, -5.279666603407384, -2.8598069738635465, 2.5724950997397467],
        [-0.11890286234102412, 1.1408885107400173, 0.3375540110458413, -0.46046052635354384],
        [3.683782295425637, -3.6633836423691664, -0.603122882511258, -3.868865854597613],
    ]
    assert judge_query(np.array(keys), {1: 0.5, 2: 0.5}, tolerance=tolerance) == "reached"
