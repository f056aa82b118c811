"""Do these keys, queries and values do what was asked of the head?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from regard.checking.answers import Answer
from regard.checking.sampling import TRIALS, Trial, compare, goal
from regard.checking.self_attention.heads import (
    Asked,
    Scene,
    error_of,
    errors,
    family,
    flipped,
    read,
    scene,
    worst,
)
from regard.checking.verdict import GoalResult, Verdict
from regard.errors import InvalidAnswer
from regard.language import parse_limit
from regard.problems.kinds.tokens import SelfAttentionProblem
from regard.report import number

ROOM = 3  # dimensions beyond those of the basis
WIDE = 5  # frames tried there


def judge(problem: SelfAttentionProblem, answer: Answer) -> Verdict:
    """Judge the matrices of an answer, or its claim that there are none."""
    from regard.checking.self_attention.example import counterexample
    from regard.checking.self_attention.mistakes import recognise

    if answer.has("possible"):
        from regard.checking.self_attention.claim import judge_claim

        return judge_claim(problem, answer)
    asked = read(problem, answer)
    try:
        asked.head(scene(problem))
    except InvalidAnswer as error:
        return _other_way_round(asked, error)
    goals = [_this(asked, label) for label in errors_here(asked)]
    if not asked.in_numbers:
        drawn = [_trial(asked, seed) for seed in range(TRIALS)]
        goals.append(goal(_in_any_frame(asked), "sampled", drawn))
        d = len(problem.given.basis.names) if problem.given.d is None else problem.given.d
        if _fits(asked, d + ROOM):
            wide = [_trial(asked, seed, d + ROOM) for seed in range(WIDE)]
            goals.append(goal(f"the same in {d + ROOM} dimensions", "adversarial", wide))
    wrong = not all(one.passed for one in goals)
    return Verdict(
        problem,
        tuple(goals),
        counterexample(asked) if wrong else None,
        recognise(asked) if wrong else None,
        _remarks(asked, not wrong),
    )


def errors_here(asked: Asked) -> dict[str, float]:
    """Return the errors on the instance as it is; where it has limits also near to them.

    There what counts is that the answer is right for every large enough parameter.
    """
    at = scene(asked.problem)
    found = {
        label: worst(errors(asked, at, asked.head(at, factor))[label] for factor in asked.factors)
        for label in errors(asked, at, asked.head(at))
    }
    if asked.times == (1.0,):
        return found
    near = family(asked)
    return {label: min(error, error_of(asked, near, label=label)) for label, error in found.items()}


def _this(asked: Asked, label: str) -> GoalResult:
    at, goal_ = scene(asked.problem), asked.problem.goal
    if label.startswith("c_"):
        name = f"{label} is near {goal_.outputs[label]}"
    else:
        there = goal_.attend[label]
        terms = there if isinstance(there, str) else " and ".join(there)
        name = f"{label} attends to {terms}"
    trial = Trial(at, errors_here(asked)[label], asked.tolerance)
    return goal(name, "this", [trial], say=_margin(asked))


def _margin(asked: Asked) -> Callable[[Trial[Scene]], str]:
    """Say by how much an error is too large, and whether longer queries would do."""

    def say(trial: Trial[Scene]) -> str:
        from regard.checking.self_attention.mistakes import growth

        grow = growth(asked)
        advice = f": Q must grow about {grow:.2g}×" if grow else ""
        return compare(trial.error, asked.tolerance) + advice

    return say


def _in_any_frame(asked: Asked) -> str:
    names = [parse_limit(text).name for text in asked.problem.given.limits]
    large = f" and {', '.join(names)} near the limit" if names else ""
    return f"the same for any basis{large}"


def _trial(asked: Asked, seed: int, d: int | None = None) -> Trial[list[Scene]]:
    # Of the steps towards the limits one is enough for each frame.
    near = family(asked, seed, d)[seed % len(asked.times) :][:1]
    return Trial(near, error_of(asked, near), asked.tolerance, seed)


def _fits(asked: Asked, d: int) -> bool:
    """Whether the answer can be evaluated there: I(4) is about four dimensions only."""
    try:
        asked.head(scene(asked.problem, seed=0, d=d))
    except InvalidAnswer:
        return False
    return True


def _other_way_round(asked: Asked, error: InvalidAnswer) -> Verdict:
    """Judge matrices that fit only as their transposes; otherwise they cannot be read."""
    from regard.checking.misconceptions import misconception
    from regard.checking.self_attention.example import counterexample

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
    return Verdict(asked.problem, goals, example, misconception("rows-for-columns"))


def _remarks(asked: Asked, right: bool) -> tuple[str, ...]:
    if asked.in_numbers:
        return ("The answer is made of numbers, so it was tried on this instance only.",)
    said = []
    if right and asked.free:
        least = _least(lambda C: _with_factor(asked, C), asked.tolerance, 1e-3, 1e6)
        if least is not None:
            said.append(f"Here every C from {number(least, 4)} on is large enough.")
    if right and asked.problem.given.limits and not asked.free:
        times = _least(lambda t: _with_times(asked, t), asked.tolerance, 1e-2, 8.0)
        name = parse_limit(asked.problem.given.limits[0]).name
        if times is not None:
            value = scene(asked.problem, times).symbols[name]
            said.append(f"It holds for every {name} from {number(float(value), 4)} on.")
    return tuple(said)


def _with_factor(asked: Asked, C: float) -> float:
    at = scene(asked.problem)
    return worst(errors(asked, at, asked.head(at, C)).values())


def _with_times(asked: Asked, times: float) -> float:
    at = scene(asked.problem, times)
    return worst(errors(asked, at, asked.head(at)).values())


def _least(
    error: Callable[[float], float], tolerance: float, low: float, high: float
) -> float | None:
    """Return the smallest number from which on the error is small enough, by halving."""
    grid = np.geomspace(low, high, 20)
    wrong = [i for i, x in enumerate(grid) if not error(float(x)) <= tolerance]
    if not wrong or wrong[-1] == len(grid) - 1:
        return None
    low, high = float(grid[wrong[-1]]), float(grid[wrong[-1] + 1])
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (low, middle) if error(middle) <= tolerance else (middle, high)
    return high
