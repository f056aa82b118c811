"""How a wrong condition shows what was got wrong about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regard.checking.sampling import generator
from regard.kinds.condition.instance import Float64, level_of
from regard.kinds.condition.instance.keys import key_instances
from regard.kinds.condition.reading import Asked, Names
from regard.kinds.condition.reading.trials import asked_gap, drawn, is_gap, is_right
from regard.kinds.condition.spec import ConditionProblem
from regard.language import Formula

DRAWN = 40
TIGHT = 0.02  # by how much a gap may differ from the one for two keys, relative


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong condition.

    Attributes:
        asked: the condition.
        met: whether it holds anywhere.
        sufficient: whether it is sufficient, and so only too strong.
        always: whether it holds on everything that it was tried on: then it is also right for
            special keys, and says nothing of them.
    """

    asked: Asked
    met: bool
    sufficient: bool
    always: bool

    @property
    def problem(self) -> ConditionProblem:
        """What is asked."""
        return self.asked.problem

    @property
    def effect(self) -> str:
        """What it is to be a condition for."""
        return self.problem.goal.effect

    @property
    def of_keys(self) -> bool:
        """Whether it says something of keys."""
        return self.asked.about_keys and not self.always

    @property
    def of_scores(self) -> bool:
        """Whether it says something of scores."""
        return not self.asked.about_keys and not self.always

    def holds(self, scores: Float64) -> bool:
        """Whether it holds for scores, the one asked about first."""
        return self.asked.holds(level_of(self.problem).instance(scores))


def turned(case: Case) -> bool:
    """Right with the opposite relation, or with the two scores exchanged."""
    asked = case.asked
    if case.effect == "dominable":
        return False  # the opposite query does what the query does
    negated = replace(asked, negated=True)
    if asked.about_keys:
        return is_right(negated, [one for one in key_instances(case.problem) if not one.tie])
    instances = drawn(asked)
    options = (negated, replace(asked, change=_exchange(case.problem)))
    return any(is_right(option, instances) for option in options)


def _exchange(problem: ConditionProblem) -> Callable[[Names], Names]:
    of, other = problem.goal.of, problem.goal.other

    def change(names: Names) -> Names:
        turned = dict(names)
        for letter in ("s", "k", "alpha"):
            one, two = f"{letter}_{of}", f"{letter}_{other}"
            if one in names and two in names:
                turned |= {one: names[two], two: names[one]}
        return turned

    return change


def ratio(case: Case) -> bool:
    """Twice the scores make no difference to it, and the same added to all of them does."""
    shifted = False
    for seed in range(DRAWN):
        rng = generator(seed)
        scores = rng.choice([0.01, 1.0, 20.0]) * rng.standard_normal(3)
        if seed % 2:
            scores[1:] = rng.uniform(0.001, 0.1, 2) * abs(scores[0]) / 10
            scores[0] = abs(scores[0]) * rng.choice([0.2, 1.0, 5.0])
        plain = case.holds(scores)
        if any(case.holds(times * scores) != plain for times in (0.5, 3.0)):
            return False
        shifted = shifted or any(case.holds(scores + by) != plain for by in (-50.0, 50.0, 5.0))
    return shifted


def without_log(case: Case) -> bool:
    """The gap that it asks for is what the logarithm should have been taken of."""
    goal, n = case.problem.goal, case.problem.given.n
    found = asked_gap(case.asked)
    if found is None or not is_gap(case.asked, found):
        return False
    odds = (1 - goal.epsilon) / goal.epsilon
    ratios = (goal.ratio,) if goal.effect == "pairwise" else (odds, 1 / goal.epsilon)
    options = [count * ratio for ratio in ratios for count in (1, n - 1, n)]
    return any(abs(found - option) <= 1e-3 * option for option in options)


def other_effect(case: Case, effect: str) -> bool:
    """Whether it may be about the other effect: what is too weak for all keys, or too strong."""
    about = (case.effect == "pairwise") == (effect == "pairwise")
    return case.of_scores and about and case.sufficient == (effect == "pairwise")


def right_for_two_keys(case: Case) -> bool:
    """It is right, and no more than that, where there is one other key only."""
    given = case.problem.given.model_copy(update={"n": 2})
    small = replace(case.asked, problem=case.problem.model_copy(update={"given": given}))
    found, needed = asked_gap(small), level_of(case.problem).enough(2)
    if case.problem.given.n <= 2 or found is None or abs(found - needed) > TIGHT * abs(needed):
        return False
    return is_right(small, [one for one in drawn(small) if one.n == 2])


def largest(case: Case) -> bool:
    """It holds exactly where the score is the largest."""
    for seed in range(DRAWN):
        scores = 3 * generator(seed).standard_normal(4)
        if seed % 2:
            scores[0] = np.max(scores[1:]) + (0.01 if seed % 4 == 1 else 5.0)
        if case.holds(scores) != (scores[0] > np.max(scores[1:])):
            return False
    return True


def without_ties(case: Case) -> bool:
    """Right with < for ≤ and > for ≥."""
    strict = {">=": ">", "<=": "<"}
    condition = case.asked.condition
    tree = tuple(
        replace(node, value=tuple(strict.get(one, one) for one in node.value))
        if node.op == "compare"
        else node
        for node in condition.tree
    )
    mended = replace(case.asked, condition=Formula(tree, condition.text))
    return tree != condition.tree and is_right(mended)


def agrees(case: Case, meant: Callable[[Float64], Any]) -> bool:
    """Whether it holds exactly where something else does."""
    for one in key_instances(case.problem):
        assert one.keys is not None
        if case.asked.holds(one) != bool(meant(one.keys)):
            return False
    return True


def beats(keys: Float64) -> Any:
    """Whether a query along the first key gives it the largest score."""
    return np.all(keys[1:] @ keys[0] < keys[0] @ keys[0])


def differs(keys: Float64) -> Any:
    """Whether the first key differs from all others."""
    return not np.any(np.all(keys[1:] == keys[0], axis=1))
