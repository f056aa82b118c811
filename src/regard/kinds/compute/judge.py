"""Are these the numbers of a worked example?

Each quantity asked for is one goal, and numbers are judged to the digits that they are written
with. A number that is wrong only because it follows from another wrong number of the answer is
said to be so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from regard.checking.answers import Answer
from regard.checking.sampling import compare
from regard.checking.verdict import Counterexample, GoalResult, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.compute.instance import Float64
from regard.kinds.compute.misconceptions import recognised
from regard.kinds.compute.reading import Work, read
from regard.kinds.compute.spec import ComputeProblem
from regard.kinds.compute.worked import worked
from regard.report import number, vector
from regard.report.numbers import seen_apart

MOST_STEPS = 4  # wrong entries that are worked out


def judge(problem: ComputeProblem, answer: Answer) -> Verdict:
    """Judge every number that is asked for."""
    done = read(problem, answer)
    wrong = [name for name in done.names() if not done.passes(name)]
    carried = {name: origin for name in wrong if (origin := _origin(done, name, wrong))}
    roots = [name for name in wrong if name not in carried]
    idea = recognised(done, roots, carried)
    misfit = next((name for name in wrong if not done.fits(name)), None)
    if misfit is not None and idea is None:
        raise InvalidAnswer(f"answer: {misfit} {_sizes(done, misfit)}.")
    goals = tuple(
        replace(_goal(done, name, carried), part=name) for name in dict.fromkeys(problem.goal.find)
    )
    asked = [name for name in wrong if name in problem.goal.find]
    example = (
        _counterexample(done, next((n for n in roots if n in asked), asked[0])) if asked else None
    )
    return Verdict(problem, goals, example, idea if asked else None, _remarks(done, wrong, carried))


def _origin(done: Work, name: str, wrong: list[str]) -> str | None:
    """Return which earlier field a wrong number follows from, or None.

    It may be a field that is right as far as it is written, but rounded too much.
    """
    if not done.fits(name):
        return None
    follows = _followed(done, name)
    if not done.same(name, follows) or done.passes(name, follows):
        return None  # where what follows is right, the slip is here
    causes = _causes(done, name)
    return next((one for one in causes if one in wrong), causes[0] if causes else None)


def _before(done: Work, name: str) -> list[str]:
    """Return the fields that stand before another one in the order of the computation."""
    order, asked = done.example.order, done.quantity(name)
    here = order.index(asked.name)
    return [
        one
        for one in done.names()
        if done.fits(one) and order.index(done.quantity(one).name) < here
    ]


def _causes(done: Work, name: str) -> list[str]:
    """Return the earlier fields that a number would be another one without."""
    earlier = _before(done, name)
    order = done.example.order
    weights = max((i for i, one in enumerate(order) if one.startswith("A")), default=0)
    if order.index(done.quantity(name).name) > weights:
        earlier.reverse()  # of an output what is nearest says most
    direct = [
        one
        for one in earlier
        if not done.same(name, _followed(done, name, {one: done.wanted(one)}))
    ]
    behind = {two for one in direct for two in _causes(done, one)}
    return [one for one in earlier if one in direct or one in behind]


def _followed(done: Work, name: str, mended: Mapping[str, Float64] | None = None) -> Float64:
    """Return what follows for a field from what the answer says before it.

    Args:
        done: the answer.
        name: of the field.
        mended: other numbers for some of the fields before it.
    """
    own = {one: done.given[one] for one in _before(done, name)} | dict(mended or {})
    return done.example.pick(done.example.with_own(own), name)


def _goal(done: Work, name: str, carried: dict[str, str]) -> GoalResult:
    if not done.fits(name):
        tolerance = done.problem.goal.tolerance
        return GoalResult(name, "this", False, _sizes(done, name), float("inf"), tolerance)
    passed = done.passes(name)
    place = np.unravel_index(int(np.argmax(_excess(done, name))), done.given[name].shape)
    error, tolerance = float(done.apart(name)[place]), float(done.allowed(name)[place])
    sentence = compare(error, tolerance)
    if not passed:
        at = tuple(map(int, place))
        sentence = f"{sentence}: {_entry_sentence(done, name, at)}{_more_decimals(done, name)}"
        if name in carried:
            sentence += f"; it follows from the {carried[name]} of the answer"
    return GoalResult(name, "this", passed, sentence, error, tolerance)


def _excess(done: Work, name: str) -> Float64:
    """Return how far off each number is, in terms of what is allowed."""
    found = done.apart(name) / done.allowed(name)
    return np.where(np.isnan(found), np.inf, found)


def _more_decimals(done: Work, name: str) -> str:
    """Say how many decimals to write, where only these are missing."""
    whole = done.decimals[name] == 0
    near = np.abs(np.round(done.wanted(name)) - done.given[name]) == 0
    tolerance = done.problem.goal.tolerance
    right = (done.apart(name) <= tolerance) | near
    wrong = _excess(done, name) > 1
    if not np.all(right | ~wrong) or not np.all(whole | ~wrong):
        return ""
    least = max(2, int(np.ceil(-np.log10(2 * tolerance))))
    return f" (whole numbers are read as exact: write {least} decimals or more)"


def _sizes(done: Work, name: str) -> str:
    given, wanted = done.given[name].shape, done.wanted(name).shape
    return f"has {_size(given)} and must have {_size(wanted)}"


def _size(shape: tuple[int, ...]) -> str:
    if len(shape) == 2:
        return f"{shape[0]} rows of {shape[1]} numbers"
    count = shape[0] if shape else 1
    return f"{count} number{'s' if count > 1 else ''}" if len(shape) < 2 else "too many levels"


def _wrong_places(done: Work, name: str) -> list[tuple[int, ...]]:
    """Return the places of the wrong entries."""
    wrong = ~(done.apart(name) <= done.allowed(name))
    return [tuple(map(int, place)) for place in np.argwhere(wrong)]


def _entry_sentence(done: Work, name: str, place: tuple[int, ...]) -> str:
    where = " and column ".join(str(index + 1) for index in place)
    what = "entry" if len(place) == 1 else "the entry in row" if place else name
    is_, must = seen_apart(float(done.given[name][place]), float(done.wanted(name)[place]), 6)
    return f"{f'{what} {where}'.strip()} is {is_} and must be {must}"


def _counterexample(done: Work, name: str) -> Counterexample:
    """Work out the entries that are wrong."""
    wanted = done.wanted(name)
    arrays = {name: done.given[name].tolist(), f"{name} computed": wanted.tolist()}
    main = (name, f"{name} computed")
    if not done.fits(name):
        return Counterexample(arrays, f"{name} {_sizes(done, name)}.", about=name, main=main)
    said = _entry_sentence(done, name, _wrong_places(done, name)[0])
    sentence = f"{name} is not {_written(done.given[name])}: {said}."
    asked = done.quantity(name)
    steps = []
    for place in _wrong_places(done, name)[:MOST_STEPS]:
        both = (*(i for i in (asked.row, asked.column) if i), *(at + 1 for at in place))
        row, entry = (*both, 1)[:2]
        latex = worked(done.example, asked.name, row, entry)
        if latex:
            label = f"{asked.symbol.lower()}_{{{row}}}"
            steps.append((f"Entry {entry} of ${label}$:", latex))
    shows = f"{said}." if said.startswith(name) else f"In {name} {said}."
    return Counterexample(arrays, sentence, None, tuple(steps), shows, name, main)


def _written(values: Float64) -> str:
    if values.ndim == 0:
        return number(float(values))
    return vector(values) if values.ndim == 1 else "; ".join(vector(row) for row in values)


def _remarks(done: Work, wrong: list[str], carried: dict[str, str]) -> tuple[str, ...]:
    found = []
    for name, origin in carried.items():
        cause = "wrong" if origin in wrong else "rounded"
        found.append(
            f"{name} is what follows from the {origin} of the answer, which is {cause}: the step "
            "itself is right."
        )
    extra = [name for name in wrong if name not in done.problem.goal.find and name not in carried]
    found += [f"{name} was not asked for, and is wrong." for name in extra]
    return tuple(found)
