"""Levels of scores by hand, keys inside and outside of hulls, and the letters of a problem."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regard.kinds.condition.explain.letters import renamed
from regard.kinds.condition.instance import Level, first_and_rest, level_of
from regard.kinds.condition.instance.keys import key_instances, separating
from regard.kinds.condition.instance.scores import score_instances, small_scores
from regard.problems import from_dict


def problem(effect: str, of: str = "j", other: str = "i", **goal: Any) -> Any:
    keys = {"law": "fixed", "rows": [[1, 0], [0, 2], [3, 1]]}
    return from_dict(
        {
            "schema": 1,
            "id": "p",
            "title": "p",
            "kind": "condition",
            "statement": "p",
            "given": {"n": 3, "keys": keys, "names": {of: 1}},
            "goal": {"effect": effect, "of": of, "other": other, **goal},
        }
    )


def test_a_mass_needs_the_logarithm_of_its_odds_above_the_log_sum_exp() -> None:
    level = Level(pairs=False, epsilon=0.01, ratio=7.0)
    np.testing.assert_allclose(level.above, math.log(99), rtol=1e-14)
    np.testing.assert_allclose(level.base(np.log([2.0, 3.0, 6.0])), math.log(11), rtol=1e-14)
    np.testing.assert_allclose(level.enough(5), math.log(99 * 4), rtol=1e-14)
    # With s_0 = ln(99 · 11) the weights are 99 · 11 : 2 : 3 : 6, of which 0.99 is the first.
    border = math.log(99 * 11)
    for step, effect in ((1e-9, True), (-1e-9, False)):
        one = level.instance(np.append(border + step, np.log([2.0, 3.0, 6.0])), seed=4)
        assert one.effect is effect
        np.testing.assert_allclose(one.margin, step, rtol=1e-5)
        assert (one.n, one.epsilon, one.seed) == (4, 0.01, 4)


def test_pairs_need_the_logarithm_of_the_ratio_above_the_largest() -> None:
    level = Level(pairs=True, epsilon=0.3, ratio=7.0)
    np.testing.assert_allclose(level.above, math.log(7), rtol=1e-14)
    assert level.base(np.array([-2.0, 5.0, 1.0])) == 5.0
    np.testing.assert_allclose(level.enough(1000), math.log(7), rtol=1e-14)


def test_a_level_is_that_of_the_problem_unless_another_is_named() -> None:
    assert level_of(problem("mass", epsilon=0.2)) == Level(False, 0.2, 100.0)
    assert level_of(problem("pairwise", ratio=9.0), ratio=2.0) == Level(True, 0.01, 2.0)
    np.testing.assert_array_equal(first_and_rest(3.0, -1.0, 4), [3, -1, -1, -1])


@pytest.mark.parametrize("effect", ["mass", "output", "pairwise"])
def test_scores_lie_on_both_sides_of_the_border_and_effects_are_those_of_softmax(
    effect: str,
) -> None:
    asked = problem(effect)
    found = [*score_instances(asked, {"n", "epsilon", "R"}, [30.0]), *small_scores(asked)]
    assert {one.effect for one in found} == {True, False}
    assert {one.n for one in found} >= {2, 3, 7, 50}
    for one in found:
        if abs(one.margin) < 1e-6 * max(1.0, float(np.max(np.abs(one.scores)))):
            continue
        powers = np.exp(np.clip(one.scores - one.scores[0], -700, 700))
        wanted = (
            1 / np.max(powers[1:]) >= one.ratio
            if effect == "pairwise"
            else 1 / np.sum(powers) >= 1 - one.epsilon
        )
        assert one.effect == wanted, one.scores


def test_a_direction_ahead_is_found_exactly_for_keys_outside_the_hull() -> None:
    outside = np.array([[2.0, 0], [0, 0], [0, 1], [1, 3]])
    direction = separating(outside)
    assert direction is not None
    assert np.min((outside[0] - outside[1:]) @ direction) > 0
    assert separating(np.array([[1.0, 2], [2, 2], [0, 3], [0, 0]])) is None
    assert separating(np.array([[1.0, 0], [1, 0], [0, 1]])) is None


@pytest.mark.parametrize("effect", ["aligned", "dominable"])
def test_effects_of_keys_are_those_of_long_queries(effect: str) -> None:
    for one in key_instances(problem(effect)):
        assert one.keys is not None
        queries = [one.keys[0]] if effect == "aligned" else list(one.queries)
        leads = [one.keys[0] @ q - np.max(one.keys[1:] @ q) for q in queries]
        scale = float(np.max(np.abs(one.keys @ one.keys[0]), initial=1.0))
        assert one.effect == (max(leads) > 1e-9 * scale), one.keys


def test_letters_of_a_problem_take_the_place_of_j_and_i() -> None:
    text = r"s_j - s_i, i \ne j, key $j$, \text{for every other } i"
    assert renamed(problem("mass"), text) == text
    assert renamed(problem("mass", "i", "j"), text) == (
        r"s_i - s_j, j \ne i, key $i$, \text{for every other } j"
    )
    assert renamed(problem("mass", "ab", "l"), "k_j, k_i") == r"k_{\mathrm{ab}}, k_l"
