"""Do these two layers do it for every sequence? All of them are run."""

from __future__ import annotations

import numpy as np

from regard.checking.answers import Answer
from regard.checking.factors.open_factor import shown_first, written
from regard.checking.mistakes import recognise
from regard.checking.verdict import Counterexample, GoalResult, SideBySide, Verdict
from regard.kinds.layers.instance import Float64, Stream
from regard.kinds.layers.misconceptions import MISTAKES, Case
from regard.kinds.layers.reading import Asked, read
from regard.kinds.layers.spec import LayersProblem
from regard.report import number, vector

NAME = "every row of every sequence brings what is wanted"
BLUR = 1e-9  # relative: of the tolerance


def judge(problem: LayersProblem, answer: Answer) -> Verdict:
    """Judge matrices on all sequences."""
    asked = read(problem, answer)
    tolerance = problem.goal.tolerance
    worst = 0.0
    for factor in asked.factors or (1.0,):
        errors = asked.stream.errors(asked.matrices(factor))
        worst = max(worst, float(np.max(errors)))
        if worst > tolerance * (1 + BLUR):
            return _refuted(asked, factor, errors)
    count = int(np.sum(asked.stream.wanted >= 0))
    sentence = f"at most {number(worst, 4)}, and {number(tolerance)} is allowed"
    goal = GoalResult(NAME, "all", True, sentence, worst, tolerance, count)
    return Verdict(problem, (goal,))


def _refuted(asked: Asked, factor: float, errors: Float64) -> Verdict:
    stream, problem = asked.stream, asked.stream.problem
    tolerance = problem.goal.tolerance
    wrong = errors > tolerance * (1 + BLUR)
    t = int(np.argmax(np.any(wrong, axis=0)))  # the shortest sequence with a wrong row
    at = int(np.argmax(np.where(wrong[:, t], errors[:, t], -1.0)))
    off = float(errors[at, t])
    names = _names(stream, at, t)
    row = t + 1 - stream.given.start
    said = f"row {row} of ({', '.join(names)}) is {_off_by(off, 4)}"
    sentence = f"{said}, and {number(tolerance)} is allowed"
    goal = GoalResult(NAME, "adversarial", False, sentence, off, tolerance)
    idea = recognise(MISTAKES, Case(asked, factor))
    if asked.factors and not asked.bounded:  # of the same row
        factor = shown_first(factor, lambda C: _error(asked, C, at, t) > tolerance)
        off = _error(asked, factor, at, t)
    return Verdict(problem, (goal,), _counterexample(asked, factor, at, t, off), idea)


def _error(asked: Asked, factor: float, at: int, t: int) -> float:
    return float(asked.stream.errors(asked.matrices(factor))[at, t])


def _off_by(off: float, digits: int = 3) -> str:
    return f"off by {number(off, digits)}" if np.isfinite(off) else "no finite vector"


def _names(stream: Stream, at: int, t: int) -> list[str]:
    first = int(stream.given.start)
    return [stream.given.vocabulary[y] for y in stream.sequences[at, first : t + 1]]


def _counterexample(asked: Asked, factor: float, at: int, t: int, off: float) -> Counterexample:
    stream = asked.stream
    with np.errstate(all="ignore"):
        first, second, brought = (part[at] for part in stream.run(asked.matrices(factor)))
    names, row = _names(stream, at, t), t + 1 - stream.given.start
    wanted = stream.given.vocabulary[stream.wanted[at, t]]
    with_factor = f" (with C = {written(factor)})" if asked.factors else ""
    start = ", the start first" if stream.given.start else ""
    looks = vector(second[t, : t + 1])
    sentence = (
        f"Row {row} of the sequence ({', '.join(names)}) has to bring u_{wanted}. In layer 2 it "
        f"looks "
        f"with the weights {looks}{start}{with_factor}: what it brings is {_off_by(off, 4)}."
    )
    arrays = {
        "sequence": names,
        "row": row,
        "weights of layer 1": first[: t + 1, : t + 1].tolist(),
        "weights of layer 2": second[: t + 1, : t + 1].tolist(),
        "output": brought[t].tolist(),
        "wanted": stream.U[:, stream.wanted[at, t]].tolist(),
    }
    steps = (
        (f"In layer 1 row {row} looks with the weights {vector(first[t, : t + 1])}{start}.", ""),
        (f"In layer 2 it looks with {looks}.", ""),
        (f"It brings {vector(brought[t])}.", ""),
    )
    places = (*(["start"] if stream.given.start else []), *names)
    numbered = tuple(
        name if name == "start" else f"{i + 1 - stream.given.start}: {name}"
        for i, name in enumerate(places)
    )
    before = (("weights of layer 1", tuple(first[t, : t + 1].tolist())),)
    factor_is = f", C = {written(factor, 3)}" if asked.factors else ""
    shows = f"Row {row} has to bring u_{wanted}. What it brings is {_off_by(off)}."
    return Counterexample(
        arrays, sentence, None, steps, shows, f"row {row} of ({', '.join(names)}){factor_is}",
        ("output", "wanted"),
        SideBySide(numbered, tuple(second[t, : t + 1].tolist()), (), "weights of layer 2", before),
    )  # fmt: skip
