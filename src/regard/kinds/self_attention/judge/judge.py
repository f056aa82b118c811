"""Do these keys, queries and values do what was asked of the head?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from regard.checking.answers import Answer
from regard.checking.mistakes import named, recognise
from regard.checking.sampling import TRIALS, compare
from regard.checking.verdict import GoalResult, Scope, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.self_attention.instance import instance_of
from regard.kinds.self_attention.misconceptions import MISTAKES
from regard.kinds.self_attention.misconceptions.recognised import Case, growth
from regard.kinds.self_attention.reading.heads import (
    Asked,
    error_of,
    errors,
    family,
    flipped,
    read,
    worst,
)
from regard.kinds.self_attention.spec import SelfAttentionProblem
from regard.language import parse_limit
from regard.report import number
from regard.report.numbers import rounded_up

ROOM = 3  # dimensions beyond those of the basis
WIDE = 5  # frames tried there
GRID = 60  # factors that are looked at before the smallest is found
Errors = dict[str, float]


def judge(problem: SelfAttentionProblem, answer: Answer) -> Verdict:
    """Judge the matrices of an answer, or its claim that there are none."""
    from regard.kinds.self_attention.judge.example import counterexample
    from regard.kinds.self_attention.judge.existence import existence

    if answer.has("possible"):
        from regard.kinds.self_attention.judge.claim import judge_claim

        return judge_claim(problem, answer)
    asked = read(problem, answer)
    try:
        asked.head(instance_of(problem))
    except InvalidAnswer as error:
        return _other_way_round(asked, error)
    goals = _goals(asked)
    if all(one.passed for one in goals) and _contradicts_itself(asked):
        return Verdict(problem, tuple(_by_leaks_alone(asked, goals)))
    wrong = not all(one.passed or not one.decided for one in goals)
    return Verdict(
        problem,
        tuple(goals),
        counterexample(asked) if wrong else None,
        recognise(MISTAKES, Case(asked, existence(problem).possible)) if wrong else None,
        _remarks(asked, all(one.passed for one in goals)),
    )


def _contradicts_itself(asked: Asked) -> bool:
    from regard.kinds.self_attention.judge.existence import contradicting_values

    return contradicting_values(instance_of(asked.problem), asked.tolerance) is not None


def _by_leaks_alone(asked: Asked, goals: list[GoalResult]) -> Iterator[GoalResult]:
    """Yield the goals of a head that reaches outputs which its weights rule out.

    Such a goal is impossible; what makes the outputs is weight that the tolerance leaves to tokens
    which are not to be looked at, times values that are very far apart.
    """
    sentence = (
        "with the weights asked for it cannot be: what makes it is the weight that the tolerance "
        "leaves to other tokens, times values that are very far apart"
    )
    for goal in goals:
        output = any(goal.name == _name(asked, label) for label in asked.problem.goal.outputs)
        yield replace(goal, passed=False, sentence=sentence) if output else goal


def errors_here(asked: Asked) -> dict[str, float]:
    """Return the errors on the instance, along the axes; near to the limits where it has some.

    There what counts is that the answer is right for every large enough parameter.
    """
    near = family(asked)
    labels = errors(asked, near[0], asked.head(near[0]))
    return {label: error_of(asked, near, label=label) for label in labels}


def _goals(asked: Asked) -> list[GoalResult]:
    """Return a goal for each thing asked: right on the instance, and for any basis."""
    here = errors_here(asked)
    if asked.in_coordinates:
        return [_goal(asked, label, error, [], []) for label, error in here.items()]
    given = asked.problem.given
    d = len(given.basis.names) if given.d is None else given.d
    drawn = [_drawn(asked, seed) for seed in range(TRIALS)]
    wide = []
    if _fits(asked, d + ROOM):
        wide = [_drawn(asked, seed, d + ROOM) for seed in range(WIDE)]
    return [_goal(asked, label, error, drawn, wide) for label, error in here.items()]


def _goal(
    asked: Asked, label: str, here: float, drawn: list[Errors], wide: list[Errors]
) -> GoalResult:
    """Judge one thing asked: the error on the instance, on drawn bases and with more room."""
    tolerance = asked.tolerance
    found = [each[label] for each in (*drawn, *wide)]
    wrong = sum(not one <= tolerance for one in found)
    top = max((here, *found), key=lambda one: one if np.isfinite(one) else np.inf)
    passed = bool(np.isfinite(top)) and top <= tolerance
    if not here <= tolerance:
        said = compare(here, tolerance) + _advice(asked)
    else:
        said = compare(top, tolerance)
        if found:
            names = [parse_limit(text).name for text in asked.problem.given.limits]
            where = f" with {', '.join(names)} near the limit" if names else ""
            said += f"; right for {len(found) - wrong} of {len(found)} other bases{where}"
    if not passed and here <= tolerance and label in asked.apart:
        said = "right along the axes, and elsewhere what grows early is rounded by more than this"
        return GoalResult(_name(asked, label), "this", False, said, part=label, decided=False)
    scope: Scope = "sampled" if drawn else "this"
    trials = len(drawn) or 1
    result = GoalResult(
        _name(asked, label), scope, passed, said, top, tolerance, trials, part=label
    )
    if result.confidence is None:
        return result
    return replace(result, sentence=f"{said}: {result.confidence}")


def _name(asked: Asked, label: str) -> str:
    goal = asked.problem.goal
    if label.startswith("c_"):
        return f"{label} is near {goal.outputs[label]}"
    there = goal.attend[label]
    if isinstance(there, str):
        return f"{label} attends to {there}"
    shares = " and ".join(f"{number(weight)} {name}" for name, weight in there.items())
    return f"{label} attends to {shares}"


def _drawn(asked: Asked, seed: int, d: int | None = None) -> Errors:
    # Of the steps towards the limits one is enough for each frame.
    near = family(asked, seed, d)
    at = near[seed % len(near)]
    each = {C: errors(asked, at, asked.head(at, C)) for C in asked.factors}
    for C in {C for found in asked.apart.values() for C in found} - set(each):
        each[C] = errors(asked, at, asked.head(at, C))
    labels = each[asked.factors[0]]
    return {label: worst(each[C][label] for C in asked.factors_of(label)) for label in labels}


def _advice(asked: Asked) -> str:
    """Say whether longer queries would do, and by how much."""
    grow = growth(asked)
    return "" if grow is None else f": Q must grow about {rounded_up(grow)}×"


def _fits(asked: Asked, d: int) -> bool:
    """Whether the answer can be evaluated there: I(4) is about four dimensions only."""
    try:
        asked.head(instance_of(asked.problem, seed=0, d=d))
    except InvalidAnswer:
        return False
    return True


def _other_way_round(asked: Asked, error: InvalidAnswer) -> Verdict:
    """Judge matrices that fit only as their transposes; otherwise they cannot be read."""
    from regard.kinds.self_attention.judge.example import counterexample

    turned = flipped(asked)
    try:
        right = worst(errors_here(turned).values()) <= asked.tolerance
    except InvalidAnswer:
        raise error from None
    if not right:
        raise error
    sentence = str(error).removeprefix("answer: ")
    goals = (GoalResult("the matrices fit the tokens", "this", False, sentence),)
    example = counterexample(turned, "Read as their transposes, the matrices would be right")
    return Verdict(asked.problem, goals, example, named(MISTAKES, "rows-for-columns"))


def _remarks(asked: Asked, right: bool) -> tuple[str, ...]:
    said = []
    if asked.in_coordinates:
        names = ", ".join(asked.problem.given.basis.names)
        said.append(f"The numbers were read as coordinates along {names}.")
    if right and asked.free:
        most = min(float(asked.factors[-1]), 1e300)  # beyond that it is told of no number
        least = _least(lambda C: _with_factor(asked, C), asked.tolerance, 1e-3, most)
        if least is not None:
            said.append(f"Here every C from {number(least, 4)} on is large enough.")
    if right and asked.problem.given.limits and not asked.free:
        times = _least(lambda t: _with_times(asked, t), asked.tolerance, 1e-2, asked.times[-1])
        name = parse_limit(asked.problem.given.limits[0]).name
        if times is not None:
            value = instance_of(asked.problem, times).symbols[name]
            said.append(f"It holds for every {name} from {number(float(value), 4)} on.")
    return tuple(said)


def _with_factor(asked: Asked, C: float) -> float:
    at = instance_of(asked.problem)
    return worst(errors(asked, at, asked.head(at, C)).values())


def _with_times(asked: Asked, times: float) -> float:
    at = instance_of(asked.problem, times)
    return worst(errors(asked, at, asked.head(at)).values())


def _least(
    error: Callable[[float], float], tolerance: float, low: float, high: float
) -> float | None:
    """Return the smallest number from which on the error is small enough, by halving."""
    grid = np.geomspace(low, high, GRID)
    wrong = [i for i, x in enumerate(grid) if not error(float(x)) <= tolerance]
    if not wrong or wrong[-1] == len(grid) - 1:
        return None
    low, high = float(grid[wrong[-1]]), float(grid[wrong[-1] + 1])
    for _ in range(60):
        middle = np.sqrt(low) * np.sqrt(high)
        low, high = (low, middle) if error(middle) <= tolerance else (middle, high)
    return high
