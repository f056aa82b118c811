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
from regard.kinds.heads.spec import HeadsProblem
from regard.kinds.query.judge import instances as instances
from regard.kinds.query.judge.asked import Asked, Float64, labels
from regard.kinds.query.judge.errors import errors_of, weights_of
from regard.kinds.query.judge.excluded import excluded
from regard.kinds.query.judge.search import closest
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import KeyInstance
from regard.problems.laws import Arbitrary
from regard.report import number, vector

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


def decide(asked: Asked, instance: KeyInstance) -> Decision:
    """Search for queries that reach the goal, prove that there are none, or search longer."""
    reason = None
    for quick in (True, False):
        queries = closest(asked, instance, quick=quick)
        error = float(errors_of(asked, instance, queries[None])[0])
        if error <= asked.tolerance:
            return Decision(True, instance, queries, error)
        reason = excluded(asked, instance) if quick else None
        if reason is not None:
            return Decision(False, instance, queries, error, reason)
    return Decision(None, instance, queries, error)


def judge_claim(problem: QueryProblem | HeadsProblem, answer: Answer) -> Verdict:
    """Judge `possible`; an answer that says true has to give the queries as well."""
    from regard.kinds.query.judge import judge

    said = answer.need("possible")
    if not isinstance(said, bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    if said:
        rest = {name: value for name, value in answer.fields.items() if name != "possible"}
        return judge(problem, Answer(rest, answer.problem))
    given = [name for name in labels(problem) if answer.has(name)]
    if given:
        raise InvalidAnswer(f"answer: {given[0]} is given, although possible is false.")
    asked = Asked(problem, (), {}, False)
    found = [decide(asked, instance) for instance in _cases(asked)]
    if all(one.possible for one in found):
        return _refuted(asked, found[0])
    name = "whether there is such a query"
    if all(one.possible is False for one in found):
        sentence = f"{found[0].reason}; the closest found comes to {_compared(asked, found[0])}"
        return Verdict(problem, (GoalResult(name, "this", True, sentence),))
    at = next(one for one in found if not one.possible)
    sentence = f"no such query was found, and none was excluded: {_compared(asked, at)}"
    if any(one.possible for one in found):
        sentence = "there is one for some keys, and for others none was found"
    return Verdict(problem, (GoalResult(name, "this", False, sentence, decided=False),))


def _cases(asked: Asked) -> Iterator[KeyInstance]:
    """Return the instance of the problem, and others where it may depend on the keys."""
    yield instances.plain(asked.problem)
    given = asked.problem.given
    if isinstance(asked.law, Arbitrary) and given.d is not None and given.d < given.n - 1:
        yield from (instances.drawn(asked.problem, seed) for seed in range(DRAWN))


def _compared(asked: Asked, found: Decision) -> str:
    return compare(found.error, asked.tolerance)


def _refuted(asked: Asked, found: Decision) -> Verdict:
    """The verdict on an answer that says no where there is a query."""
    weights = weights_of(asked, found.instance, found.queries[None])[0]
    named = dict(zip(asked.labels, found.queries.tolist(), strict=True))
    shown = " and ".join(f"{name} = {vector(np.array(q))}" for name, q in named.items())
    sentence = (
        f"{shown} gives the weights {vector(weights)}: off by {number(found.error)}, and "
        f"{number(asked.tolerance)} is allowed."
    )
    arrays = {"keys": found.instance.keys.tolist(), **named, "weights": weights.tolist()}
    told = f"the closest query found comes to {_compared(asked, found)}"
    goal = GoalResult("whether there is such a query", "this", False, told)
    return Verdict(
        asked.problem, (goal,), Counterexample(arrays, sentence), misconception("claims-impossible")
    )
