"""Is what an answer calls true true, and what it calls false false? Are its reasons some?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from regard.certify.claims.positions.equal_positions import common_period
from regard.checking.answers import Answer
from regard.checking.assertions import Judged, decide, fails_there
from regard.checking.mistakes import recognise
from regard.checking.sampling import generator
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.choice.misconceptions import MISTAKES, Case
from regard.kinds.choice.reading import LISTED, Said, read
from regard.kinds.choice.spec import ChoiceProblem, SharedPositions, Statement
from regard.language import Formula
from regard.problems.assertions import Assertion, assertions
from regard.problems.symbols import Values

__all__ = ["judge"]

WEIGHT = 0.5  # of a reason, beside the word true or false


def hint(error: InvalidAnswer) -> str:
    """Say what to write where a list of labels or a reason cannot be read."""
    if error.formula is not None and error.field.startswith("reason_"):
        return (
            "\nWrite numbers for which the sides differ, by name, as { X = [[1, 0], [0, 1]] }; or, "
            'of what is true, formulas from one side to the other: "A = B = C".'
        )
    if error.formula is None or error.field != LISTED:
        return ""
    return '\nWrite the statements that are true as a list of labels: true = ["a", "c"].'


def judge(problem: ChoiceProblem, answer: Answer) -> Verdict:
    """Judge what is said of each statement, and the reasons."""
    said = read(problem, answer)
    goals: list[GoalResult] = []
    examples: list[Counterexample] = []
    missing: list[Counterexample] = []  # what is wrong with reasons alone
    idea: Misconception | None = None
    for statement in problem.goal.statements:
        judged = _judged(problem, statement)
        called = said.truths[statement.label]
        goals.append(replace(_goal(statement, judged, called), part=statement.label))
        if judged.truth is not None and called != judged.truth:
            found = recognise(MISTAKES, Case(problem, statement, called))
            first = idea is None and found is not None  # what it is about is what is shown
            example = _example(problem, statement, judged, called)
            examples.insert(0 if first else len(examples), example)
            idea = idea or found
            continue
        reason = _reason_goal(problem, statement, judged, said)
        if reason is not None:
            asked = statement.label in problem.goal.reasons
            part = f"reason_{statement.label}" if asked else statement.label
            goals.append(replace(reason, part=part))
        if reason is not None and reason.decided and not reason.passed:
            given = statement.label in said.reasons
            fault = "does not show it" if given else "is missing"
            sentence = f"A reason for {statement.label} {fault}: {reason.sentence}."
            missing.append(Counterexample({}, sentence))
    return Verdict(problem, tuple(goals), (*examples, *missing, None)[0], idea)


def _judged(problem: ChoiceProblem, statement: Statement) -> Judged:
    if statement.shared_positions is not None:
        return _positions(statement.shared_positions)
    return decide(problem.parts(statement), problem.given)


def _positions(asked: SharedPositions) -> Judged:
    if asked.over == "integers":
        words = (
            "two rows with the same sin(p) and cos(p) are a multiple of 2 pi apart, and no whole "
            "number but 0 is one"
        )
        return Judged(False, words=words)
    period = common_period(asked.d_model, asked.base)
    if period is None:
        words = "the first two pairs have no period in common: their ratio is irrational"
        return Judged(False, words=words)
    return Judged(True, words=f"rows that are 2 pi times {period} apart are the same")


def _goal(statement: Statement, judged: Judged, called: bool) -> GoalResult:
    name = f"statement {statement.label}"
    if judged.truth is None:
        sentence = "neither a proof nor numbers for which it fails were found"
        return GoalResult(name, "sampled", False, sentence, decided=False)
    word = "true" if judged.truth else "false"
    if called != judged.truth:
        return GoalResult(name, "all", False, f"it is {word}, and was called {str(called).lower()}")
    if not judged.everywhere:
        return GoalResult(name, "sampled", True, f"it is {word}: proved for some sizes")
    how = "proved" if judged.truth else "there is a counterexample"
    if judged.truth and judged.values:
        how = "there are numbers that show it"
    if not judged.truth and not judged.values:
        how = "proved"
    return GoalResult(name, "all", True, f"it is {word}: {how}")


def _example(
    problem: ChoiceProblem, statement: Statement, judged: Judged, called: bool
) -> Counterexample:
    """Show the numbers for which a statement fails; of a true one, numbers for which it holds."""
    word = "true" if judged.truth else "false"
    said = f"Statement {statement.label} is {word} and was called {str(called).lower()}"
    if judged.values:
        arrays = {
            name: judged.values[name] for name in problem.given.shapes if name in judged.values
        }
        return Counterexample(arrays, f"{said}, as these numbers show: {judged.words}.")
    if judged.words:
        return Counterexample({}, f"{said}: {judged.words}.")
    if not judged.truth:
        return Counterexample({}, f"{said}: both sides are the same for all arrays.")
    values = problem.given.draw(generator(1), problem.given.sizes(1), 2)
    arrays = {name: np.asarray(values[name]).tolist() for name in problem.given.shapes}
    others = "all others" if judged.everywhere else "all others of some sizes"
    sentence = f"{said}: it holds for these numbers, and is proved for {others}."
    return Counterexample(arrays, sentence)


def _reason_goal(
    problem: ChoiceProblem, statement: Statement, judged: Judged, said: Said
) -> GoalResult | None:
    """Judge a reason that is given or asked for."""
    label, name = statement.label, f"a reason for {statement.label}"
    if label not in said.reasons:
        if label not in problem.goal.reasons:
            return None
        sentence = "it is asked for, and the answer gives none"
        return GoalResult(name, "this", False, sentence, weight=WEIGHT)
    reason, parts = said.reasons[label], problem.parts(statement)
    numbers_wanted = bool(judged.values) if judged.truth else True
    if isinstance(reason, Mapping):
        if not numbers_wanted:
            sentence = "numbers are one case, and it is true for all"
            return GoalResult(name, "this", False, sentence, weight=WEIGHT)
        return _by_numbers(problem, parts, reason, name)
    if numbers_wanted:
        sentence = "numbers are wanted for which the sides differ"
        return GoalResult(name, "this", False, sentence, weight=WEIGHT)
    return _by_chain(problem, statement, reason, name)


def _by_numbers(
    problem: ChoiceProblem, parts: list[Assertion], reason: Mapping[str, Any], name: str
) -> GoalResult:
    """Look whether the sides differ for the numbers that are given."""
    values = _values(problem, parts, reason, name)
    outside = _outside(problem, values)
    if outside:
        return GoalResult(name, "this", False, outside, weight=WEIGHT)
    turned = [Assertion("=", p.left, p.right, p.where) if p.relation == "!=" else p for p in parts]
    found = fails_there(turned, problem.given, values)
    sentence = found or "the sides do not differ there"
    return GoalResult(name, "this", bool(found), sentence, weight=WEIGHT)


def _outside(problem: ChoiceProblem, values: Values) -> str:
    """Say which numbers of a reason are none that a symbol stands for; "" where all are."""
    for symbol in problem.given.permutations:
        array = np.asarray(values.get(symbol, np.eye(1)), float)
        ones = all(np.array_equal(np.sort(row), np.eye(len(row))[-1]) for row in (*array, *array.T))
        if array.shape[0] != array.shape[1] or not ones:
            return f"{symbol} is no permutation matrix: one 1 in each row and column, and else 0"
    for symbol in problem.given.positive:
        if not np.all(np.asarray(values.get(symbol, 1.0)) > 0):
            return f"{symbol} has to be above 0"
    return ""


def _values(
    problem: ChoiceProblem, parts: list[Assertion], reason: Mapping[str, Any], name: str
) -> Values:
    """Return the numbers of a reason with the sizes that they have.

    Raises:
        InvalidAnswer: one is missing, or has another shape.
    """
    given = problem.given
    sizes: dict[str, int] = {}
    needed = {one for part in parts for one in part.fields(given)["shapes"]}
    values: Values = {}
    for symbol in reason:
        if symbol not in given.shapes:
            raise InvalidAnswer(f"answer: {name}: {symbol} is no symbol of this problem.")
    for symbol, shape in given.shapes.items():
        if symbol not in reason:
            if symbol in needed:
                raise InvalidAnswer(f"answer: {name}: numbers for {symbol} are missing.")
            continue
        field = reason[symbol]
        array = np.asarray(field.evaluate({}) if isinstance(field, Formula) else field, float)
        if array.ndim != len(shape):
            raise InvalidAnswer(
                f"answer: {name}: {symbol} has {array.ndim} axes, not {len(shape)}."
            )
        for size, count in zip(shape, array.shape, strict=True):
            if (isinstance(size, int) and size != count) or (
                isinstance(size, str) and sizes.setdefault(size, count) != count
            ):
                raise InvalidAnswer(f"answer: {name}: the sizes of {symbol} do not fit the others.")
        values[symbol] = array
    return values | {size: float(count) for size, count in sizes.items()}


def _by_chain(
    problem: ChoiceProblem, statement: Statement, reason: Formula, name: str
) -> GoalResult:
    """Look whether each formula of a chain is what both sides of the statement are."""
    try:
        chain = assertions(problem.given, f"{statement.says} = {reason.text}", name)
    except ValueError as error:
        raise InvalidAnswer(f"answer: {error}") from None
    for link in chain:
        judged = decide([link], problem.given)
        if judged.truth is None:
            sentence = "a step is neither proved nor refuted"
            return GoalResult(name, "sampled", False, sentence, weight=WEIGHT, decided=False)
        if not judged.truth:
            sentence = f"a formula of the chain is another one: {judged.words}"
            return GoalResult(name, "this", False, sentence, weight=WEIGHT)
    return GoalResult(name, "all", True, "every step is proved", weight=WEIGHT)
