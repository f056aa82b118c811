"""Counterexamples can be drawn again by their seed."""

from __future__ import annotations

import numpy as np
import pytest

from regard import problems
from regard.checking import check, replay
from regard.checking.sampling import generator
from regard.errors import InvalidAnswer

KEYS_IN_NUMBERS = problems.from_dict(
    {
        **problems.to_dict(problems.load("average-two-values")),
        "given": {"keys": [[1, 0], [0, 1], [0, 0]], "names": {"a": 0, "b": 1}},
    }
)
BAKED = {"q": "20 (k_a + [0, 1, 0, 0, 0, 0])"}  # right for keys along the axes only


def test_the_seed_of_a_counterexample_draws_it_again() -> None:
    example = check("average-two-values", BAKED).counterexample
    assert example is not None
    assert example.seed == 0
    again = replay("average-two-values", BAKED, example.seed)
    assert again.arrays == example.arrays
    assert again.sentence == example.sentence
    keys = np.array(again.arrays["keys"])
    np.testing.assert_allclose(keys @ keys.T, np.eye(6), atol=1e-12)


def test_other_seeds_draw_other_instances() -> None:
    one, two = (replay("average-two-values", BAKED, seed).arrays["keys"] for seed in (0, 1))
    assert one != two
    wide = np.array(replay("average-two-values", {"q": "C (k_a + k_b)"}, 1000).arrays["keys"])
    assert wide.shape == (6, 9)
    many = np.array(replay("average-two-values", {"q": "C (k_a + k_b)"}, 2000).arrays["keys"])
    assert many.shape == (200, 200)
    np.testing.assert_allclose(many @ many.T, np.eye(200), atol=1e-12)


def test_an_instance_on_which_the_answer_is_right_is_worked_out_as_well() -> None:
    found = replay("average-two-values", {"q": "C (k_a + k_b)", "C": 20}, 5)
    np.testing.assert_allclose(found.arrays["weights"], [0.5, 0.5, 0, 0, 0, 0], atol=1e-8)
    assert "0.001" in found.sentence


def test_a_check_draws_the_same_instances_every_time() -> None:
    first, second = (check("average-two-values", BAKED).to_dict() for _ in range(2))
    assert first == second
    assert generator(3).integers(1000) == generator(3).integers(1000)


def test_replaying_what_was_not_drawn_is_refused() -> None:
    with pytest.raises(InvalidAnswer) as caught:
        replay(KEYS_IN_NUMBERS, {"q": [1, 1]}, 0)
    assert str(caught.value) == "replay: this answer is about one instance, and none is drawn."
    with pytest.raises(InvalidAnswer) as caught:
        replay("average-two-values", BAKED, -1)
    assert str(caught.value) == "replay: seed must be 0 or more. Got -1."
    with pytest.raises(InvalidAnswer) as caught:
        replay("take-a-value-out-of-a-sum", {"M": "S S'"}, 3)
    assert str(caught.value) == "replay: the seed 3 draws no counterexample to this answer."
    with pytest.raises(InvalidAnswer) as caught:
        check("attention-lab", {"q": "1"})
    assert str(caught.value) == "answer: file is missing: the text of a Python file."
