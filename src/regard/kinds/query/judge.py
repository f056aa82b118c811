"""Is this the query that was asked for? It is judged as the queries of several heads are.

Where the length is limited, or the least error is asked for, that is judged beside it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.checking.answers import Answer, evaluate, without_name
from regard.checking.misconceptions import misconception
from regard.checking.mistakes import named
from regard.checking.numbers.digits import allowed, of_formula, of_numbers
from regard.checking.sampling import softmax
from regard.checking.verdict import Counterexample, GoalResult, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.heads.judge import judge as judge_heads
from regard.kinds.heads.judge import replay
from regard.kinds.query.misconceptions import MISTAKES
from regard.kinds.query.spec import QueryProblem
from regard.language import Formula
from regard.problems.instances import Float64, key_instance
from regard.report import number, vector

if TYPE_CHECKING:
    from regard.kinds.query.least import Least

__all__ = ["judge", "replay"]

ROOM = 1e-6  # relative: digits of a length
SOME = 100.0  # a factor that an open one is shown with


def judge(problem: QueryProblem, answer: Answer) -> Verdict:
    """Judge a query, the least error, or that there is no query within the length."""
    if not problem.goal.least:
        return judge_heads(problem, answer)
    if problem.goal.find == ["error"]:
        return _error(problem, answer)
    if answer.has("possible"):
        return _denied(problem, answer)
    found = judge_heads(problem, answer)
    length = _length(problem, answer)
    longest = problem.goal.longest or 0.0
    fits = length is not None and length <= longest * (1 + ROOM)
    said = "an open factor, of any length" if length is None else f"of length {number(length, 6)}"
    sentence = f"{said}, and {number(longest)} is allowed"
    goals = (*found.goals, GoalResult("the length of the query", "this", fits, sentence))
    if fits or not found.right:
        return replace(found, goals=goals)
    keys, query = _query(problem, answer, SOME)
    weights = softmax(problem.given.scale * (keys @ query))
    arrays = {"keys": keys.tolist(), "q": query.tolist(), "weights": weights.tolist()}
    example = Counterexample(arrays, f"The query is {sentence}.")
    return replace(
        found, goals=goals, counterexample=example, misconception=named(MISTAKES, "query-too-long")
    )


def _length(problem: QueryProblem, answer: Answer) -> float | None:
    """Return the length of the query; None where a factor in it is open."""
    bounds = [isinstance(f, Formula) and f.is_condition for f in answer.fields.values()]
    if any(bounds) or ("C" in answer.used and not answer.has("C")):
        return None
    return float(np.linalg.norm(_query(problem, answer, 1.0)[1]))


def _query(problem: QueryProblem, answer: Answer, factor: float) -> tuple[Float64, Float64]:
    """Return the keys (n, d) and the query (d,) of the plain instance, with C where it is open."""
    instance = key_instance(problem.given)
    symbols: dict[str, Any] = {**instance.symbols, "C": factor}
    for name in answer.beside("q"):
        field = answer.fields[name]
        if not (isinstance(field, Formula) and field.is_condition):
            symbols[name] = evaluate(name, field, symbols)
    found = evaluate("q", without_name("q", answer.need("q")), symbols)
    return instance.keys, np.asarray(found, float).reshape(-1)


def _error(problem: QueryProblem, answer: Answer) -> Verdict:
    from regard.kinds.query.least import least_error  # slow to load: it verifies

    answer.only("error")
    least, field = least_error(problem), without_name("error", answer.need("error"))
    if not isinstance(field, Formula | float):
        raise InvalidAnswer("answer: error must be one number.")
    value = np.asarray(evaluate("error", field, key_instance(problem.given).symbols))
    if value.shape != ():
        raise InvalidAnswer("answer: error must be one number.")
    if isinstance(field, Formula):
        decimals = of_formula(field, value)
    else:
        decimals = of_numbers(value, answer.decimals.get("error"))
    # Two decimals say something of an error that they do not round to 0.
    most = 5e-3 if round(least.value, 2) else 0.02 * least.value + 1e-9
    room = float(allowed(decimals, np.asarray(least.value), most))
    off = abs(float(value) - least.value)
    sentence = f"{number(float(value), 6)}, and the least error is {number(least.value, 6)}"
    if not least.proved and least.low - room <= float(value) < least.high - room:
        goal = GoalResult("the least error", "this", False, sentence, decided=False)
        return Verdict(problem, (goal,))
    goal = GoalResult("the least error", "this", bool(off <= room), sentence, off, room)
    if goal.passed:
        return Verdict(problem, (goal,))
    tag = "nearer-than-any-query" if float(value) < least.value else "a-query-comes-nearer"
    return Verdict(problem, (goal,), _example(problem, least), named(MISTAKES, tag))


def _denied(problem: QueryProblem, answer: Answer) -> Verdict:
    from regard.kinds.query.least import least_error  # slow to load: it verifies

    answer.only("possible")
    if answer.need("possible") is not False:
        raise InvalidAnswer("answer: possible must be false; if it is possible, give the query q.")
    least, tolerance = least_error(problem), problem.goal.tolerance
    name = "no query of this length does it"
    sentence = f"the least error is {number(least.high, 6)}, and {number(tolerance)} is allowed"
    if least.high <= tolerance:
        goal = GoalResult(name, "this", False, sentence, least.high, tolerance)
        return Verdict(
            problem, (goal,), _example(problem, least), misconception("claims-impossible")
        )
    if least.low > tolerance:
        return Verdict(problem, (GoalResult(name, "all", True, sentence, least.high, tolerance),))
    return Verdict(problem, (GoalResult(name, "this", False, sentence, decided=False),))


def _example(problem: QueryProblem, least: Least) -> Counterexample:
    said = (
        f"With q = {vector(least.query)} the weights are {vector(least.weights)}: the error is "
        f"{number(least.high, 6)}, and none is smaller than {number(least.low, 6)}."
    )
    keys = key_instance(problem.given).keys
    arrays = {
        "keys": keys.tolist(),
        "q": least.query.tolist(),
        "weights": least.weights.tolist(),
    }
    return Counterexample(arrays, said)
