"""Is there no such query, as an answer says?

A search that finds one refutes it; a proof that there is none confirms it; and where there is
neither, the answer is not decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from regard.checking.answers import Answer
from regard.checking.misconceptions import misconception
from regard.checking.sampling import compare
from regard.checking.verdict import Counterexample, GoalResult, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.heads.instance import drawn_instance, plain_instance
from regard.kinds.heads.judge.exclusion import excluded
from regard.kinds.heads.judge.nearest_queries import nearest_queries
from regard.kinds.heads.reading.goal import Goal
from regard.kinds.heads.spec import WeightsProblem
from regard.problems.instances import Float64, KeyInstance
from regard.problems.laws import Arbitrary
from regard.report import number, vector

NAME = "whether there is such a query"
DRAWN = 4  # keys of a law that leaves open whether it is possible


@dataclass(frozen=True, eq=False)
class Decision:
    """Whether queries reach a goal on an instance.

    Attributes:
        possible: None where that is not decided.
        instance: that it is about.
        queries: (heads, d), the closest that were found.
        error: theirs.
        reason: why there are none that do, where that is proved.
    """

    possible: bool | None
    instance: KeyInstance
    queries: Float64
    error: float
    reason: str = ""


def decide(goal: Goal, instance: KeyInstance) -> Decision:
    """Search for queries that reach the goal, prove that there are none, or search longer."""
    reason = None
    for quick in (True, False):
        queries = nearest_queries(goal, instance, quick=quick)
        error = goal.error(instance, queries)
        if error <= goal.tolerance:
            return Decision(True, instance, queries, error)
        reason = excluded(goal, instance) if quick else None
        if reason is not None:
            return Decision(False, instance, queries, error, reason)
    return Decision(None, instance, queries, error)


def claims_possible(answer: Answer) -> bool:
    """Return what an answer says of `possible`; InvalidAnswer where that is not true or false."""
    said = answer.need("possible")
    if not isinstance(said, bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    return said


def judge_claim(problem: WeightsProblem, answer: Answer) -> Verdict:
    """Judge an answer that says that there are no such queries."""
    given = [name for name in problem.query_names if answer.has(name)]
    if given:
        raise InvalidAnswer(f"answer: {given[0]} is given, although possible is false.")
    goal = Goal(problem)
    found = [decide(goal, instance) for instance in _cases(goal)]
    if all(one.possible for one in found):
        return _refuted(goal, found[0])
    at = next(one for one in found if not one.possible)
    compared = compare(at.error, goal.tolerance)
    if all(one.possible is False for one in found):
        sentence = f"{at.reason}; one that a short search found is {compared}"
        return Verdict(problem, (GoalResult(NAME, "this", True, sentence),))
    sentence = f"no such query was found, and none was excluded: {compared}"
    if any(one.possible for one in found):
        sentence = "there is one for some keys, and for others none was found"
    return Verdict(problem, (GoalResult(NAME, "this", False, sentence, decided=False),))


def _cases(goal: Goal) -> Iterator[KeyInstance]:
    """Return the instance of the problem, and others where it may depend on the keys."""
    yield plain_instance(goal.problem)
    given = goal.problem.given
    if isinstance(goal.law, Arbitrary) and given.d is not None and given.d < given.n - 1:
        yield from (drawn_instance(goal.problem, seed) for seed in range(DRAWN))


def _refuted(goal: Goal, found: Decision) -> Verdict:
    """The verdict on an answer that says no where there is a query."""
    weights = goal.weights(found.instance, found.queries)
    named = dict(zip(goal.problem.query_names, found.queries.tolist(), strict=True))
    shown = " and ".join(f"{name} = {vector(np.array(q))}" for name, q in named.items())
    sentence = (
        f"{shown} gives the weights {vector(weights)}: off by {number(found.error)}, and "
        f"{number(goal.tolerance)} is allowed."
    )
    arrays = {"keys": found.instance.keys.tolist(), **named, "weights": weights.tolist()}
    told = f"a query was found that is {compare(found.error, goal.tolerance)}"
    result = GoalResult(NAME, "this", False, told)
    return Verdict(
        goal.problem,
        (result,),
        Counterexample(arrays, sentence),
        misconception("claims-impossible"),
    )
