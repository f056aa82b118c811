"""Does this condition say when it happens?

It is tried both ways: an instance on which it holds without the effect shows that it is not
sufficient, one with the effect on which it does not hold that it is not necessary. Where nearly
all the weight is asked about, a condition may ask for more than is needed, within reason: the gap
that is enough whatever the other scores are is a right answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from regard.checking.answers import Answer
from regard.checking.condition.keys import small_keys
from regard.checking.condition.mistakes import drawn, is_right, lenient, recognise
from regard.checking.condition.reading import Asked, Float64, Instance, read_condition
from regard.checking.condition.scores import asked_gap, enough, small_scores
from regard.checking.sampling import softmax
from regard.checking.verdict import Counterexample, GoalResult, Scope, Verdict
from regard.problems.kinds.condition import ConditionProblem
from regard.report import number, vector

LADDER = tuple(float(x) for x in np.geomspace(0.1, 1e3, 25))  # numbers that an open C may be
SURE = 3
LONG = 50.0  # of a query along a key that is shown


def judge(problem: ConditionProblem, answer: Answer) -> Verdict:
    """Judge a condition: is it sufficient, and is it necessary?"""
    asked = read_condition(problem, answer)
    instances = drawn(asked)
    asked.holds(instances[0])  # names and shapes, before anything is judged
    asked, working = _with_factor(asked, instances)
    alone, without = _exceptions(asked, instances)
    missed = [one for one in without if one.far or not lenient(asked)]
    goals = (
        _goal(asked, "sufficient: where it holds, it happens", alone, instances),
        _goal(asked, _second(asked), missed, instances),
    )
    example = idea = None
    if alone or missed:
        example = _counterexample(asked, alone, missed)
        idea = recognise(asked, sufficient=not alone)
    return Verdict(
        problem, goals, example, idea, _remarks(asked, without, working, example is None)
    )


def _exceptions(asked: Asked, instances: list[Instance]) -> tuple[list[Instance], list[Instance]]:
    """Return the instances with the condition alone, and those with the effect alone.

    The first ones found are made sure of; what float64 says is believed after that.
    """
    found: dict[bool, list[Instance]] = {True: [], False: []}
    for one in instances:
        holds = asked.holds(one)
        if holds == one.effect:
            continue
        if len(found[holds]) >= SURE or _is_sure(asked, one, holds):
            found[holds].append(one)
    return found[True], found[False]


def _is_sure(asked: Asked, one: Instance, holds: bool) -> bool:
    """Whether it is no matter of rounding that a condition holds, or does not.

    What cannot be decided is not a number, and so does not hold; but for ties.
    """
    sure = asked.surely(one)
    return not one.tie if sure is None else sure == holds


def _with_factor(asked: Asked, instances: list[Instance]) -> tuple[Asked, list[float]]:
    """Return the condition with a number for an open C, and all numbers found that do."""
    if asked.factor is None:
        return asked, []
    options = [replace(asked, factor=factor) for factor in LADDER]
    right = [option for option in options if is_right(option, instances)]
    chosen = right[0] if right else replace(asked, factor=LADDER[len(LADDER) // 2])
    return chosen, [option.factor for option in right if option.factor is not None]


def _second(asked: Asked) -> str:
    if lenient(asked):
        return "not too strong: it holds where the lead is large"
    return "necessary: where it happens, it holds"


def _goal(asked: Asked, name: str, failing: list[Instance], tried: list[Instance]) -> GoalResult:
    count = len(tried)
    scope: Scope = "sampled" if name.startswith("sufficient") else "adversarial"
    if not failing:
        result = GoalResult(
            name, scope, True, f"no exception among {count} instances", trials=count
        )
        if result.confidence is None:
            return result
        return replace(result, sentence=f"{result.sentence}: {result.confidence}")
    return GoalResult(
        name, scope, False, f"{len(failing)} exceptions among {count}{_margin(asked)}", trials=count
    )


def _margin(asked: Asked) -> str:
    """Say what gap is asked for and what gap is enough, if it is a matter of gaps."""
    if asked.about_keys:
        return ""
    goal, n = asked.problem.goal, asked.problem.given.n
    found, needed = asked_gap(asked), enough(asked, n, goal.epsilon, goal.ratio)
    if found is None or abs(found - needed) <= 1e-3 * abs(needed):
        return ""
    asks = f"with all others alike it asks for a gap of {number(round(found, 9))}"
    return f": {asks}, and {number(needed)} is needed"


def _counterexample(asked: Asked, alone: list[Instance], missed: list[Instance]) -> Counterexample:
    """Return the smallest instance on which the condition is wrong."""
    without_effect = bool(alone)
    found = _smallest(asked, without_effect) or (alone or missed)[0]
    if asked.about_keys:
        return _with_keys(asked, found, without_effect)
    weights = softmax(found.scores)
    goal, happens = asked.problem.goal, _happens(asked, found)
    holds = "The condition holds" if without_effect else "The condition does not hold"
    first = f"the first that of key {goal.of}"
    sentence = f"{holds} for the scores {vector(found.scores)}, {first}: {happens}."
    arrays = {"s": found.scores.tolist(), "alpha": weights.tolist()}
    steps = (
        (f"The scores are {vector(found.scores)}.", ""),
        (f"Softmax turns them into the weights {vector(weights)}.", ""),
        (f"{holds}, and {happens}.", ""),
    )
    return Counterexample(arrays, sentence, found.seed, steps)


def _happens(asked: Asked, one: Instance) -> str:
    weights = softmax(one.scores)
    if asked.problem.goal.effect == "pairwise":
        ratio = number(float(np.exp(one.scores[0] - np.max(one.scores[1:]))), 4)
        return f"its weight is {ratio} times the next, and {number(one.ratio)} is wanted"
    wanted = number(1 - one.epsilon, 10)
    return f"its weight is {number(float(weights[0]), 10)}, and {wanted} is wanted"


def _smallest(asked: Asked, without_effect: bool) -> Instance | None:
    candidates: Iterable[Instance] = small_keys(asked) if asked.about_keys else small_scores(asked)
    for one in candidates:
        if one.effect == without_effect or (lenient(asked) and not without_effect and not one.far):
            continue
        if asked.holds(one) == without_effect and _is_sure(asked, one, without_effect):
            return one
    return None


def _with_keys(asked: Asked, found: Instance, without_effect: bool) -> Counterexample:
    assert found.keys is not None
    goal = asked.problem.goal
    arrays = {"keys": found.keys.tolist()}
    holds = "The condition holds" if without_effect else "The condition does not hold"
    shown = ", ".join(vector(key) for key in found.keys)
    query: Float64 | None
    if goal.effect == "aligned":
        query, said = LONG * found.keys[0], f"a query {number(LONG)} times as long as key {goal.of}"
    elif without_effect:
        query = asked.query(found) if "q" in asked.names else None
        said = f"the query {vector(query)}, for which it holds," if query is not None else ""
    else:
        query = LONG * found.queries[0]
        said = f"the query {vector(query)}"
    if query is None:
        sentence = f"{holds} for the keys {shown}, and no query brings key {goal.of} near to 1."
        return Counterexample(arrays, sentence, found.seed)
    weights = softmax(found.keys @ query)
    arrays |= {"q": query.tolist(), "alpha": weights.tolist()}
    sentence = (
        f"{holds} for the keys {shown}, the first that of {goal.of}; {said} gives the weights "
        f"{vector(weights)}."
    )
    if goal.effect == "dominable" and without_effect:
        sentence += " The key is an average of the others, so no query brings it near to 1."
    return Counterexample(arrays, sentence, found.seed)


def _remarks(
    asked: Asked, without: list[Instance], working: list[float], right: bool
) -> tuple[str, ...]:
    found = []
    if working:
        found.append(
            f"C was left open; numbers from {number(working[0])} to {number(working[-1])} do here."
        )
    if right and lenient(asked):
        if not without:
            found.append("No instance was found with the effect and without the condition.")
        else:
            epsilon = asked.problem.goal.epsilon
            one = min(without, key=lambda i: (i.epsilon != epsilon, np.max(np.abs(i.scores))))
            found.append(
                "It is sufficient, and not exactly necessary: for the scores "
                f"{vector(one.scores)} {_happens(asked, one)}, although it does not hold."
            )
    return tuple(found)
