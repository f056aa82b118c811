"""Does this condition say when it happens?

Asked for is sufficiency: a condition is right if the effect is there wherever it holds, and if it
can be met at all. An instance on which it holds without the effect shows that it is wrong. Only
where a problem asks when *exactly* it happens has a condition to be necessary as well, within three
digits, and sufficiency alone is half of the answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from regard.checking.answers import Answer
from regard.checking.condition.example import counterexample, happens
from regard.checking.condition.factors import with_factor
from regard.checking.condition.mistakes import recognise
from regard.checking.condition.reading import Asked, Instance, read_condition
from regard.checking.condition.rounding import readings
from regard.checking.condition.scores import asked_gap, enough, is_gap
from regard.checking.condition.truth import (
    drawn,
    is_right,
    is_sure,
    meets,
    surely_holds,
    too_strong,
)
from regard.checking.misconceptions import misconception
from regard.checking.verdict import GoalResult, Verdict
from regard.problems.kinds.condition import ConditionProblem
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


def judge(problem: ConditionProblem, answer: Answer) -> Verdict:
    """Judge a condition: is it sufficient, and, where that is asked for, necessary?"""
    asked = read_condition(problem, answer)
    asked.holds(next(iter(drawn(asked))))  # names and shapes, before anything is judged
    asked, least = with_factor(asked)
    found = _try(asked)
    strong = [one for one in found.missed if too_strong(asked, one)]
    goals = [_sufficient(asked, found)]
    if problem.goal.exact:
        goals.append(_necessary(found, strong))
    example = idea = None
    if not found.met:
        idea = misconception("never-holds")
        example = counterexample(asked, [], found.missed)
    elif not all(goal.passed for goal in goals):
        alone = [] if found.rounded else found.alone
        example = counterexample(asked, alone, strong)
        idea = recognise(asked, sufficient=found.sufficient, always=_always(found))
    return Verdict(problem, tuple(goals), example, idea, _remarks(asked, found, least))


def _try(asked: Asked) -> Found:
    """Try a condition; the first exceptions are made sure of, and then float64 is believed."""
    exceptions: dict[bool, list[Instance]] = {True: [], False: []}
    tried = drawn(asked)
    met = False
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
    """Whether it is right with a decimal number that is rounded to the one written."""
    before = None if asked.about_keys else asked_gap(asked)
    if before is None:
        return False
    for option in readings(asked):
        after = asked_gap(option)
        if after is not None and abs(after - before) <= HALF_A_DIGIT and is_right(option):
            return True
    return False


def _sufficient(asked: Asked, found: Found) -> GoalResult:
    count = len(found.tried)
    if not found.met:
        said = f"it holds on none of {count} instances, nor with any lead up to 1e15"
        return GoalResult(SUFFICIENT, "adversarial", False, said, trials=count)
    if not found.alone:
        said = f"no exception among {count} instances"
    elif found.rounded:
        said = f"to the digits that are written{_margin(asked)}"
    else:
        said = f"{len(found.alone)} exceptions among {count}{_margin(asked)}"
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


def _always(found: Found) -> bool:
    """Whether it holds on everything that it was tried on."""
    return not found.missed and len(found.alone) == sum(not one.effect for one in found.tried)


def _margin(asked: Asked) -> str:
    """Say what gap is asked for and what gap is enough, if it is a matter of gaps."""
    if asked.about_keys:
        return ""
    goal, n = asked.problem.goal, asked.problem.given.n
    found, needed = asked_gap(asked), enough(asked, n, goal.epsilon, goal.ratio)
    if found is None or abs(found - needed) <= 1e-5 * abs(needed) or not is_gap(asked, found):
        return ""
    asks = f"with all others alike it asks for a gap of {number(round(found, 9))}"
    verb = "is needed" if found < needed else "is enough"
    return f": {asks}, and {number(needed)} {verb}"


def _remarks(asked: Asked, found: Found, least: float | None) -> tuple[str, ...]:
    said = []
    if least is not None:
        said.append(f"C was left open: every C from {number(least, 4)} on that was tried does.")
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
