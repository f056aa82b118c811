"""Do these formulas hold for all inputs?

Each is computed on the example and on drawn whole numbers, with a size of its own for every named
size, and compared with what its rows or entries are by definition. What passes is written out in
symbols, so that "for all inputs" is proved where it can be. The example shows a reader something,
and does not count by itself: a formula is asked for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from regard.certify.formulas import counterexamples as proofs
from regard.checking.answers import Answer
from regard.checking.misconceptions import misconception
from regard.checking.sampling import Trial, goal
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.identity.judge.decision import Decided, decide, right_in_balls
from regard.kinds.identity.judge.instances import (
    CLOSE,
    Asked,
    Float64,
    Misfit,
    Values,
    draw,
    error_of,
    expected,
)
from regard.kinds.identity.judge.mistakes import part_is_right, recognise
from regard.kinds.identity.judge.shapes import ShapeResult, judge_shapes, read_shapes
from regard.kinds.identity.spec import IdentityClaim, IdentityProblem
from regard.language import Formula
from regard.report import number

TRIALS = 24
MOST_DRAWS = 4 * TRIALS  # some may have to be left out


def judge(problem: IdentityProblem, answer: Answer) -> Verdict:
    """Judge each formula, and the sizes where they are given."""
    shapes = read_shapes(problem, answer)
    fields = {
        name: field for name, field in answer.fields.items() if name not in ("shape", "shapes")
    }
    asked = Asked(problem, Answer(fields))
    goals: list[GoalResult] = []
    wrong: list[tuple[IdentityClaim, list[Trial[Values]]]] = []
    idea = None
    examples: list[Counterexample] = []
    for claim in problem.goal.claims:
        _check_field(asked, claim)
        trials, misfit = _trials(asked, claim)
        decided = decide(asked, claim) if _worth(trials) else Decided()
        trials = [_again(asked, decided, trial) for trial in trials]
        goals += _goals(claim, trials, decided)
        failing = [trial for trial in trials if not trial.right]
        if failing:
            wrong.append((claim, failing))
            found = recognise(asked, claim)
            if found is None and misfit:
                raise InvalidAnswer(misfit)
            idea = idea or found
        elif decided.wrong is not None:
            examples.append(_where_it_differs(asked, claim, decided.wrong))
    _only_used(asked)
    judged = judge_shapes(problem, shapes)
    goals += [result.goal for result in judged]
    if not wrong and not examples:
        idea = _shape_idea(judged)
    if wrong:
        examples.insert(0, _counterexample(asked, *wrong[0]))
    return Verdict(problem, tuple(goals), (*examples, _shape_example(judged))[0], idea)


def _worth(trials: list[Trial[Values]]) -> bool:
    """Say whether an answer may be right: where floats fail, they may only have overflown."""
    return all(trial.right or np.isnan(trial.error) for trial in trials)


def _again(asked: Asked, decided: Decided, trial: Trial[Values]) -> Trial[Values]:
    """Return a trial that floats fail as a right one, where the answer is proved and defined."""
    if trial.right or not right_in_balls(decided, asked, trial.instance):
        return trial
    return replace(trial, error=0.0)


def _where_it_differs(
    asked: Asked, claim: IdentityClaim, found: proofs.Counterexample
) -> Counterexample:
    """Show numbers for which an answer is wrong that floats do not tell from a right one."""
    sizes = ", ".join(f"{name} = {size}" for name, size in found.sizes.items())
    there = f"With {sizes}" if sizes else "There"
    arrays = {name: found.values[name] for name in asked.given.shapes if name in found.values}
    words = found.difference.words("by the answer", "by definition")
    return Counterexample(arrays, f"{there}: {claim.name} is {words}.")


def _check_field(asked: Asked, claim: IdentityClaim) -> None:
    """Raise InvalidAnswer where a field is no formula, or speaks of one row only."""
    field = asked.answer.need(claim.name)
    if not isinstance(field, Formula | np.ndarray | float):
        raise InvalidAnswer(f"answer: {claim.name} must be a formula.")
    rows = sorted(field.names & set(asked.given.indexed())) if isinstance(field, Formula) else []
    if rows and not part_is_right(asked, claim):
        raise InvalidAnswer(
            f"answer: {claim.name}: {rows[0]} is one row or entry, and the whole is asked for: use "
            f"{', '.join(sorted(asked.given.whole_shapes()))}."
        )


def _trials(asked: Asked, claim: IdentityClaim) -> tuple[list[Trial[Values]], str]:
    """Try a formula on the example and on drawn numbers; return also why it does not fit, or "".

    Numbers for which the definition itself comes to nothing, such as 1/0, say nothing.
    """
    trials: list[Trial[Values]] = []
    misfit = ""
    for seed in (None, *range(MOST_DRAWS)):
        if len(trials) > TRIALS:
            break
        values = draw(asked.given, seed)
        wanted = expected(claim, asked.given, values)
        if not np.all(np.isfinite(wanted)):
            continue
        try:
            found = _value(asked, claim, values, wanted)
            error = error_of(found, wanted)
            if error == np.inf and np.all(np.isfinite(np.asarray(found))) and seed is not None:
                misfit = misfit or (
                    f"answer: {claim.name} has the wrong size: with {_sizes(asked, values)} it is "
                    f"{_shape(found)} and must be {_shape(wanted)}."
                )
        except Misfit as problem:
            error, misfit = np.inf, misfit or str(problem)
        trials.append(Trial(values, float(error), CLOSE, seed))
    numbers = isinstance(asked.answer.need(claim.name), np.ndarray)
    return trials, "" if numbers else misfit


def _value(asked: Asked, claim: IdentityClaim, values: Values, wanted: Float64) -> Any:
    field = asked.answer.need(claim.name)
    if isinstance(field, Formula) and field.names & set(asked.given.indexed()):
        return np.nan  # a part of it, which is never the whole
    return asked.value(claim.name, values, wanted.shape)


def _goals(claim: IdentityClaim, trials: list[Trial[Values]], decided: Decided) -> list[GoalResult]:
    def say(trial: Trial[Values]) -> str:
        if trial.error == np.inf:
            return "the sizes do not fit"
        return "it comes to other numbers" if trial.error > CLOSE else "it is not a finite number"

    this = [trial for trial in trials if trial.seed is None]
    drawn = [trial for trial in trials if trial.seed is not None]
    name = f"{claim.name} for all inputs and sizes"
    example = (
        [goal(f"{claim.name} in the example", "this", this, say=say, weight=0.0)] if this else []
    )
    general = goal(name, "sampled", drawn, say=say) if drawn else _never_defined(name)
    if (general.passed or not drawn) and decided.wrong is not None:
        general = GoalResult(name, "adversarial", False, "it comes to other numbers")
    elif (general.passed or not drawn) and decided.proved:
        sentence = "proved: written out in symbols, it is the same sum as the definition"
        general = GoalResult(name, "all", True, sentence)
    return [*example, general]


def _never_defined(name: str) -> GoalResult:
    sentence = "the definition comes to nothing for all numbers that were drawn"
    return GoalResult(name, "sampled", False, sentence, decided=False)


def _only_used(asked: Asked) -> None:
    """Raise InvalidAnswer for a field that is neither asked for nor used."""
    claims = {claim.name for claim in asked.problem.goal.claims}
    used = {
        name
        for field in asked.answer.fields.values()
        if isinstance(field, Formula)
        for name in field.names
    }
    for name in asked.answer.fields:
        if name not in claims and name not in used:
            raise InvalidAnswer(
                f"answer: {name} is no field of this problem: use {', '.join(sorted(claims))}."
            )


def _counterexample(
    asked: Asked, claim: IdentityClaim, failing: list[Trial[Values]]
) -> Counterexample:
    """Show the failing instance with the fewest and smallest numbers."""
    fits = [trial for trial in failing if np.isfinite(trial.error)]
    trial = min(fits or failing, key=lambda one: _size(asked, one.instance))
    values = trial.instance
    wanted = expected(claim, asked.given, values)
    arrays = {name: np.asarray(values[name]).tolist() for name in asked.given.shapes}
    arrays[f"{claim.name} by definition"] = wanted.tolist()
    try:
        found = _value(asked, claim, values, wanted)
    except Misfit as problem:
        reason = str(problem).removeprefix(f"answer: {claim.name}: ").splitlines()[0].rstrip(".")
        sentence = f"With {_sizes(asked, values)} it cannot be computed: {reason}."
        return Counterexample(arrays, sentence, trial.seed)
    arrays[claim.name] = np.asarray(found).tolist()
    if error_of(found, wanted) == np.inf:
        sentence = (
            f"With {_sizes(asked, values)} {claim.name} is {_shape(found)} and must be "
            f"{_shape(wanted)}."
        )
        return Counterexample(arrays, sentence, trial.seed)
    sentence = f"With {_sizes(asked, values)}: {_difference(claim.name, found, wanted)}."
    steps = (
        (f"The formula comes to {_rows(np.asarray(found))}.", ""),
        (f"By definition {claim.name} is {_rows(wanted)}.", ""),
    )
    return Counterexample(arrays, sentence, trial.seed, steps)


def _difference(name: str, found: Any, wanted: Float64) -> str:
    array = np.reshape(np.asarray(found, float), wanted.shape)
    if not wanted.ndim:
        return f"{name} is {number(float(array))} and must be {number(float(wanted))}"
    with np.errstate(all="ignore"):
        apart = np.nan_to_num(np.abs(array - wanted), nan=np.inf)
    place = np.unravel_index(int(np.argmax(apart)), wanted.shape)
    where = ", ".join(str(int(axis) + 1) for axis in place)
    return (
        f"entry {where} of {name} is {number(float(array[place]))} and must be "
        f"{number(float(wanted[place]))}"
    )


def _rows(array: Float64) -> str:
    if array.ndim == 0:
        return number(float(array))
    if array.ndim == 1:
        return "(" + ", ".join(number(float(x), 4) for x in array[:6]) + ")"
    return "[" + ", ".join(_rows(row) for row in array[:6]) + "]"


def _size(asked: Asked, values: Values) -> float:
    arrays = [np.asarray(values[name], float) for name in asked.given.shapes]
    return float(sum(array.size + np.max(np.abs(array)) for array in arrays))


def _sizes(asked: Asked, values: Values) -> str:
    every = (size for shape in asked.given.shapes.values() for size in shape)
    named = dict.fromkeys(size for size in every if isinstance(size, str))
    return ", ".join(f"{size} = {int(values[size])}" for size in named)


def _shape(array: Any) -> str:
    shape = np.shape(array)
    if len(shape) == 0:
        return "a number"
    return f"a vector of {shape[0]}" if len(shape) == 1 else " × ".join(map(str, shape))


def _shape_idea(judged: list[ShapeResult]) -> Misconception | None:
    wrong = [result for result in judged if not result.goal.passed and result.tag]
    return misconception(wrong[0].tag) if wrong else None


def _shape_example(judged: list[ShapeResult]) -> Counterexample | None:
    for result in judged:
        if not result.goal.passed and result.stated:
            return Counterexample(
                {result.name: list(result.stated)}, f"{result.name}: {result.goal.sentence}."
            )
    return None
