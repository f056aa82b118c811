"""Which misconception a wrong condition shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from regard.checking.condition.keys import key_instances, unit_keys
from regard.checking.condition.reading import Asked, Case, Instance
from regard.checking.condition.scores import (
    asked_gap,
    enough,
    is_gap,
    score_instances,
    with_scores,
)
from regard.checking.condition.truth import is_right
from regard.checking.misconceptions import misconception
from regard.checking.sampling import generator
from regard.checking.verdict import Misconception
from regard.language import Formula

DRAWN = 40
TIGHT = 0.02  # by how much a gap may differ from the one for two keys, relative


def recognise(asked: Asked, *, sufficient: bool, always: bool) -> Misconception:
    """Name the misconception that a wrong condition shows; at least which way it is wrong.

    Args:
        asked: the condition.
        sufficient: whether it is sufficient, and so only too strong.
        always: whether it holds on everything that it was tried on.
    """
    tests: list[tuple[str, Callable[[Asked], bool]]] = (
        [
            ("wrong-direction", _turned_keys),
            ("equality-is-not-enough", _without_ties),
            ("alignment-without-norms", _right_for_unit_keys),
            ("key-as-its-own-query", _own_query),
            ("different-is-not-enough", _different),
        ]
        if asked.about_keys
        else [
            ("ratio-instead-of-difference", _ratio),
            ("wrong-direction", _turned_scores),
            ("threshold-without-log", _without_log),
            (
                _other_reading(asked),
                lambda one: _other_effect(one, sufficient) and _right_for_two_keys(one),
            ),
            ("largest-score-only", _largest),
        ]
    )
    if always:  # which is also right for special keys, and says nothing of them
        tests = [test for test in tests if test[0] == "equality-is-not-enough"]
    for tag, shows in tests:
        if shows(asked):
            return misconception(tag)
    if always:
        return misconception("always-holds")
    return misconception("not-necessary" if sufficient else "not-sufficient")


def _other_reading(asked: Asked) -> str:
    pairs = asked.problem.goal.effect == "pairwise"
    return "mass-instead-of-pairwise" if pairs else "pairwise-instead-of-mass"


def _other_effect(asked: Asked, sufficient: bool) -> bool:
    """Whether it may be about the other effect: what is too weak for all keys, or too strong."""
    return sufficient == (asked.problem.goal.effect == "pairwise")


def _exchanged(asked: Asked) -> Callable[[Case], Case]:
    of, other = asked.problem.goal.of, asked.problem.goal.other

    def change(case: Case) -> Case:
        turned = dict(case)
        for letter in ("s", "k", "alpha"):
            one, two = f"{letter}_{of}", f"{letter}_{other}"
            if one in case and two in case:
                turned |= {one: case[two], two: case[one]}
        return turned

    return change


def _turned_scores(asked: Asked) -> bool:
    """Right with the opposite relation, or with the two scores exchanged."""
    instances = list(score_instances(asked))
    options = (replace(asked, negated=True), asked.changed(_exchanged(asked)))
    return any(is_right(option, instances) for option in options)


def _turned_keys(asked: Asked) -> bool:
    if asked.problem.goal.effect == "dominable":
        return False  # the opposite query does what the query does
    instances = [one for one in key_instances(asked) if not one.tie]
    return is_right(replace(asked, negated=True), instances)


def _ratio(asked: Asked) -> bool:
    """Twice the scores make no difference to it, and the same added to all of them does."""
    shifted = False
    for seed in range(DRAWN):
        rng = generator(seed)
        scores = rng.choice([0.01, 1.0, 20.0]) * rng.standard_normal(3)
        if seed % 2:
            scores[1:] = rng.uniform(0.001, 0.1, 2) * abs(scores[0]) / 10
            scores[0] = abs(scores[0]) * rng.choice([0.2, 1.0, 5.0])
        plain = asked.holds(_scored(asked, scores))
        if any(asked.holds(_scored(asked, times * scores)) != plain for times in (0.5, 3.0)):
            return False
        shifted = shifted or any(
            asked.holds(_scored(asked, scores + shift)) != plain for shift in (-50.0, 50.0, 5.0)
        )
    return shifted


def _scored(asked: Asked, scores: np.ndarray) -> Instance:
    goal = asked.problem.goal
    return with_scores(asked, scores, goal.epsilon, goal.ratio)


def _without_log(asked: Asked) -> bool:
    """The gap that it asks for is what the logarithm should have been taken of."""
    goal, n = asked.problem.goal, asked.problem.given.n
    found = asked_gap(asked)
    if found is None or not is_gap(asked, found):
        return False
    odds = (1 - goal.epsilon) / goal.epsilon
    ratios = (goal.ratio,) if goal.effect == "pairwise" else (odds, 1 / goal.epsilon)
    options = [count * ratio for ratio in ratios for count in (1, n - 1, n)]
    return any(abs(found - option) <= 1e-3 * option for option in options)


def _right_for_two_keys(asked: Asked) -> bool:
    """It is right, and no more than that, where there is one other key only."""
    goal = asked.problem.goal
    given = asked.problem.given.model_copy(update={"n": 2})
    problem = asked.problem.model_copy(update={"given": given})
    small = replace(asked, problem=problem)
    found, needed = asked_gap(small), enough(small, 2, goal.epsilon, goal.ratio)
    if asked.problem.given.n <= 2 or found is None or abs(found - needed) > TIGHT * abs(needed):
        return False
    return is_right(small, [one for one in score_instances(small) if one.n == 2])


def _largest(asked: Asked) -> bool:
    """It holds exactly where the score is the largest."""
    for seed in range(DRAWN):
        scores = 3 * generator(seed).standard_normal(4)
        if seed % 2:
            scores[0] = np.max(scores[1:]) + (0.01 if seed % 4 == 1 else 5.0)
        if asked.holds(_scored(asked, scores)) != (scores[0] > np.max(scores[1:])):
            return False
    return True


def _right_for_unit_keys(asked: Asked) -> bool:
    return asked.problem.goal.effect == "aligned" and is_right(asked, unit_keys(asked))


def _without_ties(asked: Asked) -> bool:
    """Right with < for ≤ and > for ≥."""
    strict = {">=": ">", "<=": "<"}
    tree = tuple(
        replace(node, value=tuple(strict.get(one, one) for one in node.value))
        if node.op == "compare"
        else node
        for node in asked.condition.tree
    )
    if tree == asked.condition.tree:
        return False
    return is_right(replace(asked, condition=Formula(tree, asked.condition.text)))


def _agrees(asked: Asked, meant: Callable[[np.ndarray], bool]) -> bool:
    """Whether it holds exactly where something else does."""
    for one in key_instances(asked):
        assert one.keys is not None
        if asked.holds(one) != meant(one.keys):
            return False
    return True


def _own_query(asked: Asked) -> bool:
    if asked.problem.goal.effect != "dominable":
        return False
    return _agrees(asked, lambda keys: bool(np.all(keys[1:] @ keys[0] < keys[0] @ keys[0])))


def _different(asked: Asked) -> bool:
    return _agrees(asked, lambda keys: not np.any(np.all(keys[1:] == keys[0], axis=1)))
