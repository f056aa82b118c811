"""Are these the mean and the variance of the score, and what to divide it by?

Formulas are compared with the exact moments at many values of their symbols.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from regard.checking.answers import Answer, evaluate
from regard.checking.matrices import shape_words, with_own_names
from regard.checking.misconceptions import misconception
from regard.checking.moments.laws import DotProduct, Positions, Symbols
from regard.checking.sampling import TRIALS, Trial, compare, generator, goal, sampled
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.language import Formula
from regard.problems.kinds.moments import DotProductGiven, MomentsProblem
from regard.report import number

EXACT = 1e-9  # relative
ROUNDED = 1e-3  # of numbers, which people round
DRAWN = 6  # values of the symbols on which a misconception has to show


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem, and the formulas of an answer.

    Attributes:
        problem: what is asked.
        law: of the score.
        answer: what was answered.
        own: the names that the answer declares beside the fields asked for.
    """

    problem: MomentsProblem
    law: DotProduct | Positions
    answer: Answer
    own: tuple[str, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """What is asked for."""
        return tuple(dict.fromkeys(self.problem.goal.find))

    def value(self, name: str, symbols: Symbols) -> float:
        """Return what the answer says; InvalidAnswer where that is no number."""
        names = with_own_names(self.answer, self.own, symbols)
        found = evaluate(name, self.answer.need(name), names)
        if isinstance(found, bool | list | dict):
            raise InvalidAnswer(f"answer: {name} must be a formula or a number.")
        array = np.asarray(found, float)
        if array.shape != ():
            raise InvalidAnswer(
                f"answer: {name} must be a single number. It is {shape_words(array)}."
            )
        # Dividing by -s does the same to the variance as dividing by s.
        return abs(float(array)) if name == "s" else float(array)

    def error(self, name: str, symbols: Symbols) -> float:
        """Return how far off a field is, relative to what is right."""
        right = self.law.right(symbols)
        return relative(self.value(name, symbols), right[name], right["s"])

    def in_numbers(self, name: str) -> bool:
        """Whether a field is a number although what is asked for varies with the symbols."""
        field = self.answer.need(name)
        if isinstance(field, Formula) and field.names:
            return False
        plain = self.law.right(self.law.plain())
        drawn = [self.law.right(self.law.draw(generator(seed))) for seed in range(DRAWN)]
        return any(relative(one[name], plain[name], plain["s"]) > EXACT for one in drawn)

    def tolerance(self, name: str) -> float:
        """How far off a field may be."""
        return ROUNDED if self.in_numbers(name) else EXACT


def relative(found: float, right: float, size: float) -> float:
    """Return the relative error; of what should be 0, relative to the standard deviation."""
    with np.errstate(all="ignore"):
        scale = abs(right) if right else (size or 1.0)
        return float(np.float64(abs(found - right)) / scale)


def judge(problem: MomentsProblem, answer: Answer) -> Verdict:
    """Judge the formulas of an answer."""
    asked = read(problem, answer)
    impossible = "s" in asked.fields and _never_varies(asked.law)
    if impossible or answer.fields.get("possible") is False:
        return _claim(asked, impossible)
    goals: list[GoalResult] = []
    wrong: list[str] = []
    for name in asked.fields:
        found = _goals(asked, name)
        goals += found
        if not all(one.passed for one in found):
            wrong.append(name)
    return Verdict(
        problem,
        tuple(goals),
        _counterexample(asked, wrong[0]) if wrong else None,
        _recognise(asked, wrong) if wrong else None,
        _remarks(asked),
    )


def read(problem: MomentsProblem, answer: Answer) -> Asked:
    """Return the formulas of an answer."""
    given, wanted = problem.given, problem.goal.variance
    law: DotProduct | Positions
    if isinstance(given, DotProductGiven):
        law = DotProduct(given, wanted)
    else:
        law = Positions(given, wanted)
    possible = answer.fields.get("possible", True)
    if not isinstance(possible, bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    own = tuple(name for name in answer.fields if name not in (*problem.goal.find, "possible"))
    return Asked(problem, law, answer, own)


def _goals(asked: Asked, name: str) -> list[GoalResult]:
    law, allowed = asked.law, asked.tolerance(name)
    words = {"mean": "the mean", "variance": "the variance", "s": "what to divide by"}[name]

    def error(symbols: Symbols) -> float:
        return asked.error(name, symbols)

    def say(trial: Trial[Symbols]) -> str:
        value, right = asked.value(name, trial.instance), law.right(trial.instance)[name]
        margin = compare(trial.error, trial.tolerance)
        return f"{number(value)} and not {number(right)} for {_at(trial.instance)} ({margin})"

    plain = law.plain()
    goals = [goal(words, "this", [Trial(plain, error(plain), allowed)], say=say)]
    if not asked.in_numbers(name):
        drawn = sampled(law.draw, error, allowed, TRIALS)
        goals.append(goal(f"{words} for any {law.varied}", "sampled", drawn))
        hard = [Trial(at, error(at), allowed) for at in law.hard() if _fits(asked, name, at)]
        if hard:
            goals.append(goal(f"{words} for extreme numbers", "adversarial", hard))
    return goals


def _fits(asked: Asked, name: str, at: Symbols) -> bool:
    """Whether a field can be evaluated there: I(100000) is too large."""
    try:
        asked.value(name, at)
    except InvalidAnswer:
        return False
    return True


def _at(symbols: Symbols) -> str:
    shown = [f"{name} = {number(x)}" for name, x in symbols.items()]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _counterexample(asked: Asked, name: str) -> Counterexample:
    """Look for the smallest numbers at which a field is wrong."""
    law, allowed = asked.law, asked.tolerance(name)
    candidates = [] if asked.in_numbers(name) else list(law.small())
    drawn = [] if asked.in_numbers(name) else [law.draw(generator(s)) for s in range(TRIALS)]
    hard = [at for at in law.hard() if _fits(asked, name, at)]
    places = [*candidates, law.plain(), *hard, *drawn]
    at = next((s for s in places if not asked.error(name, s) <= allowed), law.plain())
    value, right = asked.value(name, at), law.right(at)[name]
    words = {"mean": "the mean is", "variance": "the variance is", "s": "the right s is"}[name]
    sentence = f"With {_at(at)} {words} {number(right)}, and the answer says {number(value)}."
    return Counterexample({**at, name: right, "answer": value}, sentence, None, law.steps(at))


def _recognise(asked: Asked, wrong: list[str]) -> Misconception | None:
    """Name the first misconception that leads to the numbers of a field that is wrong."""
    law = asked.law
    for name in wrong:
        places = [law.plain()]
        if not asked.in_numbers(name):
            places += [law.draw(generator(1000 + seed)) for seed in range(DRAWN)]
        values = [asked.value(name, at) for at in places]
        if not all(map(math.isfinite, values)):
            return misconception("not-finite")
        mistaken = [law.mistaken(at) for at in places]
        scales = [law.right(at)["s"] for at in places]
        for place, (tag, first) in enumerate(mistaken[0]):
            if name not in first:
                continue
            others = [one[place][1][name] for one in mistaken]
            pairs = zip(values, others, scales, strict=True)
            if all(relative(x, y, s) <= asked.tolerance(name) for x, y, s in pairs):
                return misconception(tag)
        if all(_constant_factor(asked, name, places)):
            return misconception("extra-factor")
    return None


def _constant_factor(asked: Asked, name: str, places: list[Symbols]) -> list[bool]:
    """Whether a field is the same multiple of what is right everywhere."""
    if len(places) < 2:
        return [False]
    with np.errstate(all="ignore"):
        ratios = [np.float64(asked.value(name, at)) / asked.law.right(at)[name] for at in places]
    return [bool(np.isfinite(r) and r and abs(r / ratios[0] - 1) <= EXACT) for r in ratios]


def _never_varies(law: DotProduct | Positions) -> bool:
    places = [law.plain(), *(law.draw(generator(seed)) for seed in range(DRAWN))]
    return all(law.right(at)["variance"] == 0 for at in places)


def _claim(asked: Asked, impossible: bool) -> Verdict:
    """Judge what an answer says about whether there is an s."""
    claimed = not asked.answer.has("s") or asked.answer.fields.get("possible") is False
    name = "whether there is such an s"
    right = impossible == claimed
    sentence = "the score does not vary" if impossible else "the score varies, so there is one"
    goals = [GoalResult(name, "this", right, sentence)]
    for field in asked.fields:
        if field != "s" and (impossible or asked.answer.has(field)):
            goals += _goals(asked, field)
    if all(one.passed for one in goals):
        return Verdict(asked.problem, tuple(goals))
    at = asked.law.plain()
    variance = asked.law.right(at)["variance"]
    example = Counterexample(
        {**at, "variance": variance},
        f"With {_at(at)} the variance is {number(variance)}: {sentence}.",
    )
    tag = "claims-possible" if impossible else "claims-impossible"
    idea = None if right else misconception(tag)
    return Verdict(asked.problem, tuple(goals), example, idea)


def _remarks(asked: Asked) -> tuple[str, ...]:
    said = []
    numbers = [name for name in asked.fields if asked.in_numbers(name)]
    if numbers:
        said.append(
            f"{' and '.join(numbers)}: a number and no formula, so it was compared for "
            f"{_at(asked.law.plain())} only."
        )
    if "s" in asked.fields and _negative(asked):
        said.append("s is negative there: dividing by it also changes the sign of the score.")
    return (*said, *asked.law.remarks(asked.law.plain()))


def _negative(asked: Asked) -> bool:
    names = with_own_names(asked.answer, asked.own, asked.law.plain())
    return float(np.asarray(evaluate("s", asked.answer.need("s"), names))) < 0
