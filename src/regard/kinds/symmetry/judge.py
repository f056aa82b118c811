"""Does the output stay, does it become what is said, does the unknown make the equation true?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from regard.checking.answers import Answer
from regard.checking.assertions import Judged, decide
from regard.checking.mistakes import recognise
from regard.checking.sampling import generator
from regard.checking.verdict import Counterexample, GoalResult, Verdict
from regard.errors import FormulaError, InvalidAnswer
from regard.kinds.symmetry.families import left_out, missing
from regard.kinds.symmetry.misconceptions import MISTAKES, Case
from regard.kinds.symmetry.reading import Said, has_shape_of, read, sizes_of_ones
from regard.kinds.symmetry.spec import OLD, SymmetryProblem
from regard.problems.assertions import Assertion
from regard.problems.symbols import SymbolsGiven

__all__ = ["has_shape_of", "judge", "sizes_of_ones"]


def judge(problem: SymmetryProblem, answer: Answer) -> Verdict:
    """Judge each field of an answer, by proofs and by numbers."""
    said = read(problem, answer)
    goals: list[GoalResult] = []
    examples: list[Counterexample] = []
    invariant = None
    if said.invariant is not None:
        judged = decide([problem.changed().same(OLD)], problem.given)
        invariant = judged.truth
        goals.append(replace(_invariant(judged, said.invariant), part="invariant"))
        if not goals[-1].passed and judged.truth is not None:
            examples.append(_example("The output is not the same", judged, problem.given))
    wrong = False
    if said.assertion:
        name = problem.unknown or "becomes"
        try:
            judged = decide(said.assertion, said.given)
        except FormulaError as error:  # sizes that are names, and differ
            raise InvalidAnswer(f"answer: {name}: {error}") from None
        # Where all solutions are asked for, 0 may be the only one.
        sought = problem.unknown and not problem.goal.every
        zero = bool(sought) and _zero(said.formula, said.given)
        goals.append(replace(_formula(name, judged, zero), part=name))
        wrong = judged.truth is False
        if zero:
            examples.append(Counterexample({}, f"{name} is 0 whatever is given."))
        elif wrong:
            examples.append(_example(f"With this {name} the two sides differ", judged, said.given))
    if problem.goal.every and not wrong:
        goals.append(_complete(problem, said))
        if not goals[-1].passed:
            examples += _left_out(problem, said)
    case = Case(problem, said, invariant, wrong)
    right = all(goal.passed or not goal.decided for goal in goals)
    idea = None if right else recognise(MISTAKES, case)
    return Verdict(problem, tuple(goals), examples[0] if examples else None, idea)


def _invariant(judged: Judged, called: bool) -> GoalResult:
    if judged.truth is None:
        sentence = "neither a proof nor numbers for which it changes were found"
        return GoalResult("invariant", "sampled", False, sentence, decided=False)
    word = "the output stays the same" if judged.truth else "the output changes"
    how = _how(judged)
    return GoalResult("invariant", "all", called == judged.truth, f"{word}: {how}")


def _how(judged: Judged) -> str:
    if not judged.truth:
        return "there are numbers that show it"
    return "proved" if judged.everywhere else "proved for some sizes"


def _formula(name: str, judged: Judged, zero: bool) -> GoalResult:
    goal = f"{name} for all inputs"
    if zero:
        return GoalResult(goal, "all", False, "it is 0, which says nothing")
    if judged.truth is None:
        sentence = "neither a proof nor numbers for which it is wrong were found"
        return GoalResult(goal, "sampled", False, sentence, decided=False)
    sentence = _how(judged) if judged.truth else f"it is wrong: {judged.words}"
    return GoalResult(goal, "all", judged.truth, sentence)


def _complete(problem: SymmetryProblem, said: Said) -> GoalResult:
    """Judge whether a family has all solutions, at drawn numbers of some sizes."""
    others = missing(problem, said.formula, said.given)
    sentence = (
        "no other was found: as many directions as the equation leaves free"
        if others == 0
        else "there are others: the equation leaves more free than the answer does"
    )
    return GoalResult(f"every {problem.unknown}", "sampled", others == 0, sentence)


def _left_out(problem: SymmetryProblem, said: Said) -> list[Counterexample]:
    """Show a solution that the answer does not have."""
    found = left_out(problem, said.formula, said.given)
    if found is None:
        return []
    sizes, array = found
    where = ", ".join(f"{name} = {count}" for name, count in sizes.items())
    sentence = (
        f"This {problem.unknown} makes the equation true as well"
        f"{f' (with {where})' * bool(where)}, at all inputs that were tried, and the answer does "
        "not have it."
    )
    return [Counterexample({problem.unknown: array.tolist()}, sentence)]


def _zero(formula: str, given: SymbolsGiven) -> bool:
    """Whether a formula is 0 for all inputs."""
    return (
        decide([Assertion("=", formula, f"0 ({formula})", dict(given.define))], given).truth is True
    )


def _example(differs: str, judged: Judged, given: SymbolsGiven) -> Counterexample:
    if judged.values:
        arrays: dict[str, Any] = {n: judged.values[n] for n in given.shapes if n in judged.values}
        return Counterexample(arrays, f"{differs} for these numbers: {judged.words}.")
    values = given.draw(generator(1), given.sizes(1), 2)
    arrays = {name: np.asarray(values[name]).tolist() for name in given.shapes}
    return Counterexample(arrays, "The output is the same for these numbers, and for all others.")
