"""Do these matrices do it for every sequence?

A bound over all sequences proves it; a sequence whose row is further off refutes it, and the
shortest such sequence is the counterexample. Where neither is found, it is not decided.
"""

from __future__ import annotations

import numpy as np

from regard.checking.answer_reading import from_dict
from regard.checking.answers import Answer
from regard.checking.factors.open_factor import shown_first, written
from regard.checking.mistakes import recognise
from regard.checking.verdict import Counterexample, GoalResult, SideBySide, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.sequences.instance import Row, example, wanted
from regard.kinds.sequences.late_rows import right_apart
from regard.kinds.sequences.misconceptions import MISTAKES, Case
from regard.kinds.sequences.reading import Asked, error, proved, read, worst
from regard.kinds.sequences.spec import SequencesProblem
from regard.language.bounds import upper_bound
from regard.report import number, vector

FACTORS = (1e3, 1e4)
NAME = "every row of every sequence brings what is wanted"


def judge(problem: SequencesProblem, answer: Answer) -> Verdict:
    """Judge matrices, or the answer that there are none."""
    if answer.has("possible"):
        return _claimed(problem, answer)
    with np.errstate(all="ignore"):
        asked = read(problem, answer)
        factors = asked.factors or (1.0,)
        tolerance = problem.goal.tolerance
        most, own = max(proved(asked, factor) for factor in factors), ""
        right: bool | None = most <= tolerance * (1 + 1e-9)
        if not right and asked.factors and not asked.bounded:
            (right, most), own = right_apart(asked, factors), ", each row with a C of its own"
        if right:
            sentence = f"at most {upper_bound(most, 4)}{own}, and {number(tolerance)} is allowed"
            return Verdict(problem, (GoalResult(NAME, "all", True, sentence, most, tolerance),))
        if right is None:
            sentence = (
                f"a row is off by {number(most, 4)} as far as its scores can be followed, "
                f"{number(tolerance)} is allowed, and it still falls"
            )
            return Verdict(problem, (GoalResult(NAME, "sampled", False, sentence, decided=False),))
        found = _shortest(asked, factors)
        if found is None:
            sentence = "no sequence that is further off was found, and no proof that there is none"
            return Verdict(
                problem, (GoalResult(NAME, "adversarial", False, sentence, decided=False),)
            )
        off, sequence, row, length, factor = found
        names = ", ".join(problem.given.vocabulary[y] for y in sequence)
        sentence = (
            f"row {row.t + 1} of ({names}) is {_off_by(off, 4)}, and {number(tolerance)} is allowed"
        )
        goal = GoalResult(NAME, "adversarial", False, sentence, off, tolerance)
        example = _counterexample(asked, sequence, row, length, factor)
        return Verdict(problem, (goal,), example, recognise(MISTAKES, Case(asked, factor)))


def _shortest(
    asked: Asked, factors: tuple[float, ...]
) -> tuple[float, tuple[int, ...], Row, int, float] | None:
    """Return the shortest sequence found that is further off than allowed."""
    most = asked.problem.given.length
    uses_positions = asked.setting(most).has_positions and asked.answer.used & _sized(most)
    for length in [most] if uses_positions else range(1, most + 1):
        for factor in factors:
            try:
                found = worst(asked, length, factor)
            except InvalidAnswer:  # it names positions that are not there in short sequences
                continue
            if found is not None and not found[0] <= asked.problem.goal.tolerance * (1 + 1e-9):
                return *found, length, factor
    return None


def _off_by(off: float, digits: int = 3) -> str:
    return f"off by {number(off, digits)}" if np.isfinite(off) else "no finite vector"


def _sized(length: int) -> set[str]:
    """Return the names that tie an answer to the length of the problem."""
    return {"N", "J", *(f"p_{t}" for t in range(2, length + 1))}


def _counterexample(
    asked: Asked, sequence: tuple[int, ...], row: Row, length: int, factor: float
) -> Counterexample:
    problem, setting = asked.problem, asked.setting(length)
    goal = wanted(problem, setting, row)

    def off_at(C: float) -> float:
        return error(setting, asked.heads(length, C), sequence, row.t, row.seen, goal)

    if asked.factors and not asked.bounded:
        factor = shown_first(factor, lambda C: off_at(C) > problem.goal.tolerance)
    off = off_at(factor)
    scores, values = asked.heads(length, factor).tables(setting)
    seen, tokens = np.arange(row.seen), np.array(sequence[: row.seen])
    s = scores[sequence[row.t], row.t, tokens, seen]
    weights = np.exp(s - np.max(s))
    weights /= np.sum(weights)
    output = weights @ values[tokens, seen]
    names = [problem.given.vocabulary[y] for y in sequence]
    with_factor = f" (with C = {written(factor)})" if asked.factors else ""
    sentence = (
        f"Row {row.t + 1} of the sequence ({', '.join(names)}) looks with the weights "
        f"{vector(weights)}{with_factor}: what it brings is {_off_by(off, 4)}."
    )
    arrays = {
        "sequence": names,
        "row": row.t + 1,
        "scores": s.tolist(),
        "weights": weights.tolist(),
        "output": output.tolist(),
        "wanted": goal.tolist(),
    }
    steps = (
        (f"The scores of row {row.t + 1} are {vector(s)}.", ""),
        (f"Softmax turns them into the weights {vector(weights)}.", ""),
        (f"The output is {vector(output)}, and {vector(goal)} is wanted.", ""),
    )
    places = tuple(f"{i + 1}: {name}" for i, name in enumerate(names[: row.seen]))
    before = (("scores", tuple(s.tolist())),) if np.all(np.isfinite(s)) else ()
    factor_is = f", C = {written(factor, 3)}" if asked.factors else ""
    return Counterexample(
        arrays, sentence, None, steps,
        f"What row {row.t + 1} brings is {_off_by(off)}.",
        f"row {row.t + 1} of ({', '.join(names)}){factor_is}",
        ("output", "wanted"),
        SideBySide(places, tuple(weights.tolist()), (), before=before),
    )  # fmt: skip


def _claimed(problem: SequencesProblem, answer: Answer) -> Verdict:
    """Judge `possible`: without positions only a token's own can be had."""
    answer.only("possible")
    said = answer.need("possible")
    if not isinstance(said, bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    if said:
        raise InvalidAnswer("answer: if it is possible, give K, Q and V that do it.")
    right = problem.given.positions == "none" and problem.goal.copy_what != "own token"
    if right:
        a, b = problem.given.vocabulary[:2]
        sentence = (
            f"({a}, {b}, {a}) and ({b}, {a}, {a}) look the same to row 3, and want different things"
        )
        return Verdict(problem, (GoalResult("it cannot be done", "all", True, sentence),))
    works = example(problem)
    if problem.given.positions == "none":
        works = {"K": "I", "Q": "C I", "V": "I"}
    shown = ", ".join(f"{name} = {text}" for name, text in works.items())
    most = max(proved(read(problem, from_dict(works)), f) for f in FACTORS)
    sentence = (
        f"With {shown} and a large C every row is within {number(most, 3)} of what is wanted."
    )
    goal = GoalResult("it cannot be done", "all", False, "there are matrices that do it")
    shows = "There are matrices that do it."
    return Verdict(problem, (goal,), Counterexample(dict(works), sentence, shows=shows))
