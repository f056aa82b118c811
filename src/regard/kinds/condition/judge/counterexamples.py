"""The smallest instance on which a condition is wrong, and what happens there."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from regard.checking.sampling import softmax
from regard.checking.verdict import Counterexample, SideBySide
from regard.kinds.condition.instance import Float64, Instance
from regard.kinds.condition.instance.keys import small_keys
from regard.kinds.condition.instance.scores import small_scores
from regard.kinds.condition.reading import Asked
from regard.kinds.condition.reading.trials import (
    is_sure,
    too_strong,
)
from regard.report import number, vector
from regard.report.numbers import spelled

LONG = 50.0  # of a query along a key that is shown


def counterexample(asked: Asked, alone: list[Instance], missed: list[Instance]) -> Counterexample:
    """Return the smallest instance on which the condition is wrong."""
    without_effect = bool(alone)
    found = _smallest(asked, without_effect) or (alone or missed)[0]
    if asked.about_keys:
        return _with_keys(asked, found, without_effect)
    weights = softmax(found.scores)
    goal, said = asked.problem.goal, happens(asked, found)
    holds = "The condition holds" if without_effect else "The condition does not hold"
    first = f"the first that of key {goal.of}"
    sentence = f"{holds} for the scores {vector(found.scores)}, {first}: {said}."
    arrays = {"s": found.scores.tolist(), "alpha": weights.tolist()}
    steps = (
        (f"The scores are {vector(found.scores)}.", ""),
        (f"Softmax turns them into the weights {vector(weights)}.", ""),
        (f"{holds}, and {said}.", ""),
    )
    names = tuple(f"key {goal.of}" if at == 0 else f"key {at + 1}" for at in range(len(weights)))
    table = None
    if np.all(np.isfinite(found.scores)):
        before = (("scores", tuple(found.scores.tolist())),)
        table = SideBySide(names, tuple(weights.tolist()), (), before=before)
    about = f"{spelled(len(weights))} keys"
    return Counterexample(
        arrays, sentence, found.seed, steps, f"{holds}, but {said}.", about, table=table
    )


def happens(asked: Asked, one: Instance) -> str:
    """Say what the weight is, and what is wanted."""
    weights, key = softmax(one.scores), f"key {asked.problem.goal.of}"
    if asked.problem.goal.effect == "pairwise":
        found = float(np.exp(one.scores[0] - np.max(one.scores[1:])))
        ratio, wanted = _apart(found, one.ratio, 4)
        return f"the weight of {key} is {ratio} times the next, and {wanted} is wanted"
    weight, wanted = _apart(float(weights[0]), 1 - one.epsilon, 4)
    return f"the weight of {key} is {weight}, and {wanted} is wanted"


def _apart(found: float, wanted: float, digits: int) -> tuple[str, str]:
    """Write two numbers, with as many digits as it takes to see that they differ."""
    while digits < 15 and number(found, digits) == number(wanted, digits):
        digits += 1
    return number(found, digits), number(wanted, max(digits, 6))


def _smallest(asked: Asked, without_effect: bool) -> Instance | None:
    candidates: Iterable[Instance] = (
        small_keys(asked.problem) if asked.about_keys else small_scores(asked.problem)
    )
    for one in candidates:
        if one.effect == without_effect or not (without_effect or too_strong(asked, one)):
            continue
        if asked.holds(one) == without_effect and is_sure(asked, one, without_effect):
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
