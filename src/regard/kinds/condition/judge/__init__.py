"""Does this condition say when it happens?

Asked for is sufficiency: a condition is right if the effect is there wherever it holds, and if it
can be met at all. An instance on which it holds without the effect shows that it is wrong. Only
where a problem asks when *exactly* it happens has a condition to be necessary as well, within three
digits, and sufficiency alone is half of the answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from regard.checking.answers import Answer
from regard.checking.factors.open_factor import written
from regard.checking.mistakes import recognise
from regard.checking.verdict import GoalResult, Verdict
from regard.kinds.condition.instance import Instance, level_of
from regard.kinds.condition.judge.counterexamples import counterexample, happens
from regard.kinds.condition.misconceptions import MISTAKES, Case
from regard.kinds.condition.reading import Asked, read
from regard.kinds.condition.reading.digits import readings
from regard.kinds.condition.reading.trials import (
    asked_gap,
    drawn,
    is_gap,
    is_right,
    is_sure,
    meets,
    surely_holds,
    too_strong,
    with_factor,
)
from regard.kinds.condition.spec import ConditionProblem
from regard.report import number, vector

SURE = 3
HALF_A_DIGIT = 0.00501  # of a gap with two decimals
SUFFICIENT = "sufficient: where it holds, it happens"
NECESSARY = "necessary: where it happens, it holds"


@dataclass(frozen=True, eq=False)
class Found:
    """What came of trying a condition.

    Attributes:
        tried: the instances.
        alone: those on which it holds without the effect.
        missed: those with the effect on which it does not hold.
        met: whether it holds anywhere.
        rounded: whether it is sufficient to the digits written only.
    """

    tried: list[Instance]
    alone: list[Instance]
    missed: list[Instance]
    met: bool
    rounded: bool

    @property
    def sufficient(self) -> bool:
        """Whether it implies the effect, and can be met."""
        return self.met and (self.rounded or not self.alone)

    @property
    def always(self) -> bool:
        """Whether it holds on everything that it was tried on."""
        return not self.missed and len(self.alone) == sum(not one.effect for one in self.tried)


def judge(problem: ConditionProblem, answer: Answer) -> Verdict:
    """Judge a condition: is it sufficient, and, where that is asked for, necessary?"""
    asked = read(problem, answer)
    asked.holds(next(iter(drawn(asked))))  # names and shapes, before anything is judged
    asked, least = with_factor(asked)
    found = _try(asked)
    strong = [one for one in found.missed if too_strong(asked, one)]
    goals = [replace(_sufficient(asked, found), part="sufficient")]
    if problem.goal.exact:
        goals.append(replace(_necessary(found, strong), part="necessary"))
    example = idea = None
    if found.sufficient and asked.fixed_threshold is not None:
        return Verdict(problem, tuple(goals[:1]))  # right for the numbers of the instance alone
    if not all(goal.passed for goal in goals):
        alone = found.alone if found.met and not found.rounded else []
        example = counterexample(asked, alone, strong if found.met else found.missed)
        idea = recognise(MISTAKES, Case(asked, found.met, found.sufficient, found.always))
    return Verdict(problem, tuple(goals), example, idea, _remarks(asked, found, least))


def _try(asked: Asked) -> Found:
    """Try a condition; the first exceptions are made sure of, and then float64 is believed."""
    exceptions: dict[bool, list[Instance]] = {True: [], False: []}
    tried, met = drawn(asked), False
    for one in tried:
        holds = asked.holds(one)
        met = met or (holds and surely_holds(asked, one))
        if holds == one.effect:
            continue
        if len(exceptions[holds]) >= SURE or is_sure(asked, one, holds):
            exceptions[holds].append(one)
    met = met or meets(asked)
    rounded = bool(met and exceptions[True]) and _right_as_written(asked)
    return Found(tried, exceptions[True], exceptions[False], met, rounded)


def _right_as_written(asked: Asked) -> bool:
    """Whether it is sufficient with a decimal number that is rounded to the one written."""
    before = None if asked.about_keys else asked_gap(asked)
    if before is None:
        return False
    for option in readings(asked):
        after = asked_gap(option)
        near = after is not None and abs(after - before) <= HALF_A_DIGIT
        if near and is_right(option, sufficient_only=True):
            return True
    return False


def _sufficient(asked: Asked, found: Found) -> GoalResult:
    count = len(found.tried)
    if not found.met:
        said = f"it holds on none of {count} instances, nor with any lead up to 1e15"
        return GoalResult(SUFFICIENT, "adversarial", False, said, trials=count)
    fixed = asked.fixed_threshold
    if found.sufficient and fixed is not None:
        said = (
            f"it does not name {fixed}, which the statement leaves open: no number is enough for "
            f"every {fixed}"
        )
        return GoalResult(SUFFICIENT, "adversarial", False, said, trials=count)
    if not found.alone:
        said = f"no exception among {count} instances"
    elif found.rounded:
        said = f"to the digits that are written{_margin(asked)}"
    else:
        why = _elsewhere(asked, found) or _margin(asked)
        said = f"{len(found.alone)} exceptions among {count}{why}"
    return GoalResult(SUFFICIENT, "adversarial", found.sufficient, said, trials=count)


def _necessary(found: Found, strong: list[Instance]) -> GoalResult:
    """Judge whether it is as weak as can be; it counts only for what is sufficient."""
    count = len(found.tried)
    said = f"{len(strong) or 'no'} exceptions among {count}" + (
        "" if strong else ", within three digits"
    )
    passed = found.met and not strong
    weight = 1.0 if found.sufficient else 0.0
    return GoalResult(NECESSARY, "adversarial", passed, said, trials=count, weight=weight)


def _margin(asked: Asked) -> str:
    """Say what gap is asked for and what gap is enough, if it is a matter of gaps."""
    if asked.about_keys:
        return ""
    found, needed = asked_gap(asked), level_of(asked.problem).enough(asked.problem.given.n)
    if found is None or abs(found - needed) <= 1e-5 * abs(needed) or not is_gap(asked, found):
        return ""
    asks = f"with all others alike it asks for a gap of {number(round(found, 9))}"
    verb = "is needed" if found < needed else "is enough"
    if found >= needed and "n" in asked.left_open - asked.names:
        verb += f" for {asked.problem.given.n} keys; the statement leaves n open"
    return f": {asks}, and {number(needed)} {verb}"


def _elsewhere(asked: Asked, found: Found) -> str:
    """Say for which other numbers it is not enough, where it is enough for those of the problem."""
    goal, n = asked.problem.goal, asked.problem.given.n
    pairwise = goal.effect == "pairwise"
    if asked.about_keys or any(_of_problem(asked, one) for one in found.alone):
        return ""
    one = found.alone[0]
    other = f"R = {number(one.ratio)}" if pairwise else f"epsilon = {number(one.epsilon)}"
    at = f"n = {one.n}" if one.n != n else other
    return f": enough for the numbers of the problem, and not for {at}, which it speaks of as well"


def _of_problem(asked: Asked, one: Instance) -> bool:
    """Whether an instance has the numbers of the problem."""
    goal = asked.problem.goal
    same = one.ratio == goal.ratio if goal.effect == "pairwise" else one.epsilon == goal.epsilon
    return same and one.n == asked.problem.given.n


def _remarks(asked: Asked, found: Found, least: float | None) -> tuple[str, ...]:
    said = []
    if least is not None:
        said.append(f"C was left open: every C from {written(least, 4)} on that was tried does.")
    if not found.sufficient:
        return tuple(said)
    if not found.missed:
        said.append("No instance was found with the effect and without the condition.")
    elif not found.rounded:
        said.append(_weaker(asked, found.missed))
    return tuple(said)


def _weaker(asked: Asked, missed: Iterable[Instance]) -> str:
    """Say that less would do, and how much less."""
    if asked.about_keys:
        one = min(missed, key=lambda i: (i.n, np.max(np.abs(i.scores))))
        assert one.keys is not None
        keys = ", ".join(vector(key) for key in one.keys)
        return (
            f"It is sufficient, and not exactly necessary: for the keys {keys} the effect is there "
            "although it does not hold."
        )
    epsilon = asked.problem.goal.epsilon
    one = min(missed, key=lambda i: (i.epsilon != epsilon, np.max(np.abs(i.scores))))
    return (
        f"It is sufficient, and not exactly necessary: for the scores {vector(one.scores)} "
        f"{happens(asked, one)}, although it does not hold{_margin(asked)}."
    )
