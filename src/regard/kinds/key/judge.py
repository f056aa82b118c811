"""Does this key do it, is this the least error, is there really no key?"""

from __future__ import annotations

import numpy as np

from regard.checking.answers import Answer, evaluate, without_name
from regard.checking.mistakes import recognise
from regard.checking.numbers.digits import allowed, of_formula, of_numbers
from regard.checking.sampling import compare
from regard.checking.verdict import Counterexample, GoalResult, Scope, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.key.instance import Replacement, plain
from regard.kinds.key.misconceptions import MISTAKES, Case
from regard.kinds.key.reading import Tried, read
from regard.kinds.key.spec import KeyProblem
from regard.language import Formula
from regard.report import number, vector

BLUR = 1e-9  # relative: a least error this near to the tolerance is not told from it


def judge(problem: KeyProblem, answer: Answer) -> Verdict:
    """Judge each part that is asked for."""
    goals: list[GoalResult] = []
    examples: list[Counterexample] = []
    case = plain(problem)
    tried: tuple[Tried, ...] = ()
    denied, stated = False, None
    if "error" in problem.goal.find:
        goal, stated = _error(case, answer)
        goals.append(goal)
        if not goal.passed:
            examples.append(
                _example(case, case.best, f"The least error is {number(case.least, 8)}.")
            )
    if "key" in problem.goal.find:
        if answer.has("possible"):
            goal, denied = _denied(case, answer), True
            if not goal.passed and goal.decided:
                examples.append(
                    _example(
                        case,
                        case.best,
                        f"A new key with the weight {number(case.best, 6)} is off by "
                        f"{number(case.least, 4)} only.",
                    )
                )
        else:
            tried = read(problem, answer)
            goal = _tried(tried)
            if not goal.passed:
                examples.append(_shown(next(one for one in tried if not one.right)))
        goals.append(goal)
    right = all(goal.passed or not goal.decided for goal in goals)
    idea = None if right else recognise(MISTAKES, Case(problem, case, tried, denied, stated))
    return Verdict(problem, tuple(goals), examples[0] if examples else None, idea)


def _tried(tried: tuple[Tried, ...]) -> GoalResult:
    problem = tried[0].case.problem
    tolerance = problem.goal.tolerance
    what = "weights" if problem.goal.weights is not None else "output"
    name = f"the {what} with the new key"
    worst = max(tried, key=lambda one: np.inf if np.isnan(one.error) else one.error)
    wrong = next((one for one in tried if not one.length_is_right), None)
    if wrong is not None and worst.error <= tolerance * (1 + BLUR):
        sentence = f"the key has the length {number(wrong.length, 6)}, and {_length(problem)}"
        return GoalResult(name, "all", False, sentence, worst.error, tolerance, len(tried))
    scope: Scope = "this" if len(tried) == 1 else "sampled"
    passed = all(one.right for one in tried)
    return GoalResult(
        name, scope, passed, compare(worst.error, tolerance), worst.error, tolerance, len(tried)
    )


def _length(problem: KeyProblem) -> str:
    goal = problem.goal
    if goal.norm is not None:
        return f"{number(goal.norm)} is asked for"
    return f"{number(goal.longest or 0.0)} is allowed"


def _denied(case: Replacement, answer: Answer) -> GoalResult:
    answer.only("possible", "error")
    said = answer.need("possible")
    if said is not False:
        raise InvalidAnswer("answer: possible must be false; if it is possible, give the key k.")
    tolerance = case.problem.goal.tolerance
    name, least = "no key does it", case.least
    if abs(least - tolerance) <= BLUR * tolerance:
        sentence = "the least error is too near to the tolerance to tell"
        return GoalResult(name, "this", False, sentence, decided=False)
    passed = least > tolerance
    sentence = f"the least error is {number(least, 6)}, and {number(tolerance)} is allowed"
    return GoalResult(name, "this", passed, sentence, least, tolerance)


def _error(case: Replacement, answer: Answer) -> tuple[GoalResult, float | None]:
    field = without_name("error", answer.need("error"))
    if not isinstance(field, Formula | float):
        raise InvalidAnswer("answer: error must be one number.")
    value = np.asarray(evaluate("error", field, {**case.instance.symbols, "q": case.query}))
    if value.shape != ():
        raise InvalidAnswer("answer: error must be one number.")
    decimals = (
        of_formula(field, value)
        if isinstance(field, Formula)
        else of_numbers(value, answer.decimals.get("error"))
    )
    right = np.asarray(case.least)
    off = abs(float(value) - case.least)
    room = float(allowed(decimals, right, min(5e-3, 0.05 * case.least + 1e-9)))
    sentence = f"{number(float(value), 6)}, and the least error is {number(case.least, 6)}"
    goal = GoalResult("the least error", "this", bool(off <= room), sentence, off, room)
    return goal, None if goal.passed else float(value)


def _shown(one: Tried) -> Counterexample:
    case = one.case
    weights = (
        case.weights(case.weight(one.score)) if np.isfinite(one.score) else case.weights(case.best)
    )
    said = (
        f"With k = {vector(one.key)}, of length {number(one.length, 5)}, the score of the new key "
        f"is "
        f"{number(one.score, 5)}, the others are {vector(case.others)}: the weights are "
        f"{vector(weights)}."
    )
    arrays = _arrays(case, weights) | {"k": one.key.tolist()}
    return Counterexample(arrays, said, case.seed)


def _example(case: Replacement, u: float, said: str) -> Counterexample:
    return Counterexample(_arrays(case, case.weights(u)), said)


def _arrays(
    case: Replacement, weights: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
) -> dict[str, object]:
    return {
        "keys": case.instance.keys.tolist(),
        "q": case.query.tolist(),
        "other scores": case.others.tolist(),
        "weights": weights.tolist(),
        "wanted": case.wanted.tolist(),
    }
