"""Are these the gradients? As formulas for all inputs, or in numbers to the digits written.

A formula is computed on drawn inputs and compared with the chain rule there. What passes is proved:
the loss is differentiated along every direction, and both are written out in symbols for all sizes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from regard.certify import Certificate, verify
from regard.checking.answers import Answer, without_name
from regard.checking.mistakes import recognise
from regard.checking.numbers import digits
from regard.checking.sampling import Trial, compare, goal
from regard.checking.typed.names import instead_of
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import FormulaError, InvalidAnswer
from regard.kinds.gradient.backward_pass import backward_formulas
from regard.kinds.gradient.bounds import judge_bound
from regard.kinds.gradient.case import CLOSE, Case
from regard.kinds.gradient.forward import scale_text, statement
from regard.kinds.gradient.instance import Float64, Instance, drawn, example
from regard.kinds.gradient.misconceptions import MISTAKES
from regard.kinds.gradient.reading import Asked, Misfit, has_shape_of, sizes_of_ones
from regard.kinds.gradient.spec import LOSS, GradientProblem
from regard.language import Formula
from regard.report import number

__all__ = ["has_shape_of", "judge", "sizes_of_ones"]

TRIALS = 12


@dataclass(frozen=True, eq=False)
class Found:
    """What was found about one field."""

    goal: GoalResult
    wrong: bool
    said: list[Float64 | None]
    near: list[object]


def judge(problem: GradientProblem, answer: Answer) -> Verdict:
    """Judge every gradient that is asked for."""
    if problem.goal.bound is not None:
        return judge_bound(problem, answer)
    asked = Asked(problem, answer)
    order = (*problem.given.gradients(), *problem.given.joined(), LOSS)
    for name in answer.fields:
        if name not in order and name not in answer.used:
            raise InvalidAnswer(
                f"answer: {name} is not asked for. Asked for are "
                f"{', '.join(problem.goal.find)}.{instead_of(name, problem.goal.find)}"
            )
    numbers = problem.in_numbers
    instances = (
        [example(problem.given)] if numbers else [drawn(problem.given, s) for s in range(TRIALS)]
    )
    names = [name for name in order if name in problem.goal.find]
    judged = _in_numbers if numbers else _as_formula
    found = {name: judged(asked, name, instances) for name in names}
    wrong = [name for name in names if found[name].wrong]
    shown = idea = None
    if wrong:
        shown = _counterexample(asked, wrong[0], instances)
        idea = _recognised(problem, instances, wrong, found) or _on_squares(asked, wrong)
        if idea is None and all(one is None for one in found[wrong[0]].said):
            asked.value(wrong[0], instances[0])  # which says what does not fit
    goals = tuple(replace(found[name].goal, part=name) for name in dict.fromkeys(problem.goal.find))
    return Verdict(problem, goals, shown, idea)


def _recognised(
    problem: GradientProblem, instances: list[Instance], wrong: list[str], found: dict[str, Found]
) -> Misconception | None:
    said = {name: found[name].said for name in wrong}
    near = {name: found[name].near for name in wrong}
    for names in (wrong, wrong[:1]):
        idea = recognise(MISTAKES, Case(problem, instances, names, said, near))
        if idea is not None:
            return idea
    return None


def _on_squares(asked: Asked, wrong: list[str]) -> Misconception | None:
    """Name the mistake in formulas whose sizes do not fit, where all sizes are the same."""
    if asked.problem.in_numbers:
        return None
    squares = [drawn(asked.problem.given, seed, square=True) for seed in range(3)]
    try:
        found = {name: _as_formula(asked, name, squares) for name in wrong}
    except InvalidAnswer:
        return None
    return _recognised(asked.problem, squares, wrong, found)


def _as_formula(asked: Asked, name: str, instances: list[Instance]) -> Found:
    trials: list[Trial[Instance]] = []
    said: list[Float64 | None] = []
    near: list[object] = []
    for seed, at in enumerate(instances):
        wanted = at.gradients[name]
        size = max(1.0, float(np.max(np.abs(wanted))))
        near.append(CLOSE * size)
        try:
            value = asked.value(name, at)
        except Misfit:
            said.append(None)
            trials.append(Trial(at, np.inf, CLOSE, seed))
            continue
        if value.shape != wanted.shape and value.size == wanted.size and wanted.ndim < 2:
            value = value.reshape(wanted.shape)
        said.append(value)
        fits = value.shape == wanted.shape
        error = float(np.max(np.abs(value - wanted))) / size if fits else np.inf
        trials.append(Trial(at, error, CLOSE, seed))
    wrong = not all(trial.right for trial in trials)

    def say(trial: Trial[Instance]) -> str:
        if trial.error == np.inf:
            return "the sizes do not fit"
        return f"it comes to other numbers: off by {number(trial.error)} of the largest entry"

    result = goal(f"{name} for all inputs and sizes", "sampled", trials, say=say)
    if not wrong and _proved(asked, name):
        sentence = "proved: the loss, differentiated in every direction, is the same sum of symbols"
        result = GoalResult(result.name, "all", True, sentence)
    return Found(result, wrong, said, near)


def _proved(asked: Asked, name: str) -> bool:
    """Whether the formula is proved to be the gradient, with the names in it put in."""
    given = asked.problem.given
    said = without_name(name, asked.answer.need(name))
    if not isinstance(said, Formula) or given.mask is not None:
        return False
    steps = {"scale": scale_text(given)}
    if given.loss == "sum":
        last = "d" if given.output else "d_v"
        steps |= dict.fromkeys(given.parts("G"), f"ones(n) ones({last})'")
    for one, text in backward_formulas(given).items():
        own = asked.answer.fields.get(one) if one in asked.before(name) else None
        steps[one] = str(without_name(one, own)) if isinstance(own, Formula) else text
    steps.pop(name, None)
    try:
        claim = statement(given, name, str(said), steps)
    except FormulaError:
        return False
    return verify(Certificate({}, (claim,))).holds


def _in_numbers(asked: Asked, name: str, instances: list[Instance]) -> Found:
    (at,) = instances
    wanted, tolerance = at.gradients[name], asked.problem.goal.tolerance
    try:
        values, places = asked.array(name, at)
    except Misfit:
        result = GoalResult(name, "this", False, "the sizes do not fit", np.inf, tolerance)
        return Found(result, True, [None], [0.0])
    if values.shape != wanted.shape:
        sentence = f"it has the shape {values.shape} and must have {wanted.shape}"
        result = GoalResult(name, "this", False, sentence, np.inf, tolerance)
        return Found(result, True, [values], [digits.alike(places, values, tolerance)])
    allowed = digits.allowed(places, wanted, tolerance)
    with np.errstate(all="ignore"):
        apart = np.abs(values - wanted)
        right = bool(np.all(apart <= allowed))
        place = np.unravel_index(
            np.argmax(np.nan_to_num(apart / allowed, nan=np.inf)), wanted.shape
        )
    error, most = float(apart[place]), float(allowed[place])
    sentence = compare(error, most)
    if not right:
        where = ", ".join(str(int(i) + 1) for i in place)
        entry = f"entry ({where})" if place else "it"
        sentence += (
            f": {entry} is {number(float(values[place]))} and must be "
            f"{number(float(wanted[place]))}"
        )
    near = digits.alike(places, values, tolerance)
    return Found(
        GoalResult(name, "this", right, sentence, error, most), not right, [values], [near]
    )


def _counterexample(asked: Asked, name: str, instances: list[Instance]) -> Counterexample:
    """Show the smallest instance, with the gradient there and what the answer says."""
    at = (
        instances[0]
        if len(instances) == 1
        else min(instances, key=lambda one: sum(np.size(x) for x in one.inputs.values()))
    )
    arrays: dict[str, object] = {
        one: np.round(np.asarray(x), 6).tolist()
        for one, x in at.inputs.items()
        if one in asked.problem.given.inputs()
    }
    wanted = at.gradients[name]
    arrays["loss there" if name == LOSS else f"{name} by the chain rule"] = wanted.tolist()
    try:
        value = asked.array(name, at)[0] if asked.problem.in_numbers else asked.value(name, at)
    except Misfit as problem:
        return Counterexample(arrays, f"{name} cannot be computed: {problem.reason}")
    arrays[name] = value.tolist()
    if value.shape != wanted.shape:
        sentence = f"{name} has the shape {value.shape} and must have {wanted.shape}."
        return Counterexample(arrays, sentence)
    place = np.unravel_index(int(np.argmax(np.abs(value - wanted))), wanted.shape)
    where = ", ".join(str(int(i) + 1) for i in place)
    what = f"Entry ({where}) of {name}" if place else f"The {name}"
    how = "" if name == LOSS else " by the chain rule"
    sentence = (
        f"{what} is {number(float(wanted[place]))}{how}, and the answer says "
        f"{number(float(value[place]))}."
    )
    right = "loss there" if name == LOSS else f"{name} by the chain rule"
    return Counterexample(arrays, sentence, main=(name, right))
