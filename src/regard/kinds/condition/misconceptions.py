"""What is got wrong about conditions on scores and keys, and how a wrong one shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regard.checking.mistakes import Mistake
from regard.checking.sampling import generator
from regard.kinds.condition.instance import Float64, level_of
from regard.kinds.condition.instance.keys import key_instances, unit_keys
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


def _turned(case: Case) -> bool:
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


def _ratio(case: Case) -> bool:
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


def _without_log(case: Case) -> bool:
    """The gap that it asks for is what the logarithm should have been taken of."""
    goal, n = case.problem.goal, case.problem.given.n
    found = asked_gap(case.asked)
    if found is None or not is_gap(case.asked, found):
        return False
    odds = (1 - goal.epsilon) / goal.epsilon
    ratios = (goal.ratio,) if goal.effect == "pairwise" else (odds, 1 / goal.epsilon)
    options = [count * ratio for ratio in ratios for count in (1, n - 1, n)]
    return any(abs(found - option) <= 1e-3 * option for option in options)


def _other_effect(case: Case, effect: str) -> bool:
    """Whether it may be about the other effect: what is too weak for all keys, or too strong."""
    about = (case.effect == "pairwise") == (effect == "pairwise")
    return case.of_scores and about and case.sufficient == (effect == "pairwise")


def _right_for_two_keys(case: Case) -> bool:
    """It is right, and no more than that, where there is one other key only."""
    given = case.problem.given.model_copy(update={"n": 2})
    small = replace(case.asked, problem=case.problem.model_copy(update={"given": given}))
    found, needed = asked_gap(small), level_of(case.problem).enough(2)
    if case.problem.given.n <= 2 or found is None or abs(found - needed) > TIGHT * abs(needed):
        return False
    return is_right(small, [one for one in drawn(small) if one.n == 2])


def _largest(case: Case) -> bool:
    """It holds exactly where the score is the largest."""
    for seed in range(DRAWN):
        scores = 3 * generator(seed).standard_normal(4)
        if seed % 2:
            scores[0] = np.max(scores[1:]) + (0.01 if seed % 4 == 1 else 5.0)
        if case.holds(scores) != (scores[0] > np.max(scores[1:])):
            return False
    return True


def _without_ties(case: Case) -> bool:
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


def _agrees(case: Case, meant: Callable[[Float64], Any]) -> bool:
    """Whether it holds exactly where something else does."""
    for one in key_instances(case.problem):
        assert one.keys is not None
        if case.asked.holds(one) != bool(meant(one.keys)):
            return False
    return True


def _beats(keys: Float64) -> Any:
    """Whether a query along the first key gives it the largest score."""
    return np.all(keys[1:] @ keys[0] < keys[0] @ keys[0])


def _differs(keys: Float64) -> Any:
    """Whether the first key differs from all others."""
    return not np.any(np.all(keys[1:] == keys[0], axis=1))


def _condition(
    text: str, *effects: str, exact: bool = False
) -> Callable[[ConditionProblem], dict[str, str] | None]:
    """An answer to problems about these effects; with `exact`, where less than exact is wrong."""

    def wrong(problem: ConditionProblem) -> dict[str, str] | None:
        goal = problem.goal
        if goal.effect not in effects or (exact and not goal.exact):
            return None
        return {"condition": text.format(j=goal.of, i=goal.other)}

    return wrong


_OF_MASS = ("mass", "output")
MISTAKES: tuple[Mistake[ConditionProblem, Case], ...] = (
    Mistake(
        "never-holds",
        "No instance was found on which the condition holds, and so it does not say when anything "
        "happens.",
        lambda case: not case.met,
    ),
    Mistake(
        "ratio-instead-of-difference",
        "Softmax sees differences of scores and not ratios: the scores 0.1 and 0.001 give nearly "
        "equal weights, and 1000 and 990 do not.",
        lambda case: case.of_scores and _ratio(case),
        _condition("s_{j} >= 100 s_{i}", *_OF_MASS, "pairwise"),
        '"Much larger" read as a ratio',
    ),
    Mistake(
        "wrong-direction",
        "The inequality points the wrong way.",
        lambda case: (case.of_keys or case.of_scores) and _turned(case),
        _condition("k_{j}' k_{j} < k_{i}' k_{j}", "aligned"),
    ),
    Mistake(
        "equality-is-not-enough",
        "With equality two keys may score alike and share the weight, as all do for q = 0: the "
        "inequality has to be strict.",
        lambda case: case.asked.about_keys and _without_ties(case),
        _condition("k_{j}' q >= k_{i}' q", "dominable"),
    ),
    Mistake(
        "alignment-without-norms",
        "The condition is right for keys of length 1 only. A longer key may score higher although "
        "the query points along another one.",
        lambda case: (
            case.of_keys
            and case.effect == "aligned"
            and is_right(case.asked, unit_keys(case.problem))
        ),
        _condition("norm(k_{j} - k_{i}) > 0", "aligned"),
        "That the key which the query points along gets the weight, if no other is the same",
    ),
    Mistake(
        "key-as-its-own-query",
        "The condition says when a query along the key itself wins. Another query may win where "
        "that one does not.",
        lambda case: case.of_keys and case.effect == "dominable" and _agrees(case, _beats),
        _condition("k_{j}' k_{j} > k_{i}' k_{j}", "dominable", exact=True),
        "Taking the key itself as the query",
    ),
    Mistake(
        "different-is-not-enough",
        "A key may differ from every other and still be an average of them, and then it never "
        "scores above all of them.",
        lambda case: case.of_keys and _agrees(case, _differs),
        _condition("norm(k_{j} - k_{i}) > 0", "dominable"),
        "That different keys can always be told apart",
    ),
    Mistake(
        "threshold-without-log",
        "The gap between scores is compared with a ratio of weights. Scores are logarithms of "
        "weights, so a gap has to be compared with the logarithm of a ratio.",
        lambda case: case.of_scores and _without_log(case),
        _condition("s_{j} - s_{i} >= R", "pairwise", exact=True),
        "The ratio without its logarithm",
    ),
    Mistake(
        "mass-instead-of-pairwise",
        "The condition compares with all other keys together. Asked was how one weight compares "
        "with each of the others, however many there are.",
        lambda case: _other_effect(case, "pairwise") and _right_for_two_keys(case),
        _condition("s_{j} - log(sum(exp(s)) - exp(s_{j})) >= log(R)", "pairwise", exact=True),
        '"Larger than each" taken for "larger than all together"',
    ),
    Mistake(
        "pairwise-instead-of-mass",
        "The condition is right for a single other key. Many small weights add up: with n keys the "
        "gap has to be larger by ln(n - 1), or all other keys have to be counted together.",
        lambda case: _other_effect(case, "mass") and _right_for_two_keys(case),
        _condition("s_{j} - s_{i} >= log((1 - epsilon)/epsilon)", *_OF_MASS),
        "The gap for a single rival, used with more of them",
    ),
    Mistake(
        "largest-score-only",
        "Being the largest score is not enough: with a small lead the weights are nearly equal.",
        lambda case: case.of_scores and _largest(case),
        _condition("s_{j} > s_{i}", *_OF_MASS, "pairwise"),
        "Having the largest score",
    ),
    Mistake(
        "always-holds",
        "The condition holds whatever happens, and so it does not say when.",
        lambda case: case.always,
    ),
    Mistake(
        "not-necessary",
        "The effect can be there without the condition, and not only near the border.",
        lambda case: case.sufficient,
    ),
    Mistake("not-sufficient", "The condition can hold without the effect.", lambda case: True),
)
OFTEN = (
    "ratio-instead-of-difference",
    "largest-score-only",
    "pairwise-instead-of-mass",
    "alignment-without-norms",
    "different-is-not-enough",
)
