"""Do these formulas hold for all inputs?

Each is computed on the example and on drawn whole numbers, with a size of its own for every named
size, and compared with what its rows or entries are by definition. What passes is written out in
symbols, so that "for all inputs" is proved where it can be. The example shows a reader something,
and does not count by itself: a formula is asked for.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regard.checking.answers import Answer
from regard.checking.mistakes import recognise
from regard.checking.sampling import Trial, goal
from regard.checking.verdict import Counterexample, GoalResult, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.identity.instance import Values, drawn_numbers, error_of, example_numbers
from regard.kinds.identity.judge.counterexamples import (
    compared,
    failing_instance,
    shape_in_words,
    sizes_in_words,
    symbolic_difference,
)
from regard.kinds.identity.judge.shapes import judge_shapes
from regard.kinds.identity.judge.symbolic_proof import Decided, decide, right_in_balls
from regard.kinds.identity.misconceptions import MISTAKES
from regard.kinds.identity.misconceptions.case import CLOSE, Case, part_is_right
from regard.kinds.identity.reading import Asked, Misfit, read, read_shapes
from regard.kinds.identity.spec import IdentityProblem
from regard.language import Formula

__all__ = ["judge"]

TRIALS = 24
MOST_DRAWS = 4 * TRIALS  # some may have to be left out


def judge(problem: IdentityProblem, answer: Answer) -> Verdict:
    """Judge each formula, and the sizes where they are given."""
    shapes = read_shapes(problem, answer)
    asked = read(problem, answer)
    goals: list[GoalResult] = []
    idea = wrong = None
    examples: list[Counterexample] = []
    for claim in problem.goal.claims:
        case = Case(asked, claim)
        _check_field(case)
        trials, misfit = _trials(case)
        # Where floats fail, they may only have overflown.
        worth = all(trial.right or np.isnan(trial.error) for trial in trials)
        decided = decide(asked, claim) if worth else Decided()
        trials = [_again(asked, decided, trial) for trial in trials]
        goals += _goals(case, trials, decided)
        failing = [trial for trial in trials if not trial.right]
        if failing:
            wrong = wrong or (case, failing)
            found = recognise(MISTAKES, case)
            if found is None and misfit:
                raise InvalidAnswer(misfit)
            idea = idea or found
        elif decided.wrong is not None:
            examples.append(symbolic_difference(asked, claim, decided.wrong))
    _only_used(asked)
    shape_goals, shape_idea, shape_example = judge_shapes(asked, shapes)
    if wrong:
        examples.insert(0, failing_instance(*wrong))
    elif not examples:
        idea = shape_idea
    return Verdict(problem, (*goals, *shape_goals), (*examples, shape_example)[0], idea)


def _again(asked: Asked, decided: Decided, trial: Trial[Values]) -> Trial[Values]:
    """Return a trial that floats fail as a right one, where the answer is proved and defined."""
    if trial.right or not right_in_balls(decided, asked, trial.instance):
        return trial
    return replace(trial, error=0.0)


def _check_field(case: Case) -> None:
    """Raise InvalidAnswer where a field is no formula, or speaks of one row only."""
    name, given = case.claim.name, case.asked.given
    if not isinstance(case.field, Formula | np.ndarray | float):
        raise InvalidAnswer(f"answer: {name} must be a formula.")
    if case.indices and not part_is_right(case):
        raise InvalidAnswer(
            f"answer: {name}: {case.indices[0]} is one row or entry, and the whole is asked for: "
            f"use {', '.join(sorted(given.whole_shapes()))}."
        )


def _trials(case: Case) -> tuple[list[Trial[Values]], str]:
    """Try a formula on the example and on drawn numbers; return also why it does not fit, or "".

    Numbers for which the definition itself comes to nothing, such as 1/0, say nothing.
    """
    given, name = case.asked.given, case.claim.name
    trials: list[Trial[Values]] = []
    misfit = ""
    for seed in (None, *range(MOST_DRAWS)):
        if len(trials) > TRIALS:
            break
        values = example_numbers(given) if seed is None else drawn_numbers(given, seed)
        wanted = case.wanted(values)
        if not np.all(np.isfinite(wanted)):
            continue
        try:
            found = case.value(values, wanted)
            error = error_of(found, wanted)
            if error == np.inf and np.all(np.isfinite(np.asarray(found))) and seed is not None:
                misfit = misfit or (
                    f"answer: {name} has the wrong size: with {sizes_in_words(given, values)} it "
                    f"is {shape_in_words(found)} and must be {shape_in_words(wanted)}."
                )
        except Misfit as problem:
            error, misfit = np.inf, misfit or str(problem)
        trials.append(Trial(values, float(error), CLOSE, seed))
    return trials, "" if isinstance(case.field, np.ndarray) else misfit


def _goals(case: Case, trials: list[Trial[Values]], decided: Decided) -> list[GoalResult]:
    def say(trial: Trial[Values]) -> str:
        if np.isnan(trial.error):
            return "it is not a finite number"
        if trial.seed is None:
            return compared(case, trial.instance)[1]
        return "the sizes do not fit" if trial.error == np.inf else "it comes to other numbers"

    this = [trial for trial in trials if trial.seed is None]
    drawn = [trial for trial in trials if trial.seed is not None]
    name, shown = (
        f"{case.claim.name} {of}" for of in ("for all inputs and sizes", "in the example")
    )
    example = [goal(shown, "this", this, say=say, weight=0.0)] if this else []
    general = goal(name, "sampled", drawn, say=say) if drawn else _never_defined(name)
    if (general.passed or not drawn) and decided.wrong is not None:
        general = GoalResult(name, "adversarial", False, "it comes to other numbers")
    elif (general.passed or not drawn) and decided.proved:
        sentence = "proved: written out in symbols, it is the same sum as the definition"
        general = GoalResult(name, "all", True, sentence)
    return [replace(one, part=case.claim.name) for one in (*example, general)]


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
