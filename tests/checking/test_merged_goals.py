"""An answer on its own instance, on drawn ones and on hard ones."""

from __future__ import annotations

import numpy as np

from regard.checking.merged_goals import tried


def error(x: float) -> float:
    return abs(x - 2.0)


def draw(rng: np.random.Generator) -> float:
    return float(rng.choice([2.0, 5.0]))


def test_without_others_only_the_instance_counts() -> None:
    tries = tried(2.0, error, 0.5, hard=[9.0])
    assert [trial.instance for trial in tries.all] == [2.0]
    goal = tries.goal("near 2", lambda trial: "far")
    assert goal.passed
    assert goal.scope == "this"


def test_all_have_to_be_right_and_the_first_that_is_not_is_told() -> None:
    tries = tried(2.0, error, 0.5, draw, [9.0])
    assert len(tries.all) == 62
    assert {trial.instance for trial in tries.failing} == {5.0, 9.0}
    goal = tries.goal("near 2", lambda trial: f"{trial.instance:g} is far")
    assert not goal.passed
    assert goal.sentence.startswith("right for the numbers of the problem, and wrong on ")
    assert goal.sentence.endswith("5 is far")
