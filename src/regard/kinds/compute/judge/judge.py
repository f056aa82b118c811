"""Are these the numbers of a worked example?

Each quantity asked for is one goal, and numbers are judged to the digits that they are written
with. A number that is wrong only because it follows from another wrong number of the answer is
said to be so.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regard.checking.answers import Answer
from regard.checking.misconceptions import misconception
from regard.checking.sampling import compare
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.compute.judge.mistakes import recognise
from regard.kinds.compute.judge.numbers import Float64, Work, followed, letter
from regard.kinds.compute.judge.reading import work
from regard.kinds.compute.spec import MATRICES, ComputeProblem
from regard.report import number, vector

MOST_STEPS = 4  # wrong entries that are worked out


def judge(problem: ComputeProblem, answer: Answer) -> Verdict:
    """Judge every number that is asked for."""
    done = work(problem, answer)
    wrong = [name for name in done.names() if not done.passes(name)]
    carried = {name: origin for name in wrong if (origin := _origin(done, name, wrong))}
    roots = [name for name in wrong if name not in carried]
    idea = _recognise(done, roots, carried)
    misfit = next((name for name in wrong if not done.fits(name)), None)
    if misfit is not None and idea is None:
        raise InvalidAnswer(f"answer: {misfit} {_sizes(done, misfit)}.")
    goals = tuple(_goal(done, name, carried) for name in dict.fromkeys(problem.goal.find))
    asked = [name for name in wrong if name in problem.goal.find]
    example = (
        _counterexample(done, next((n for n in roots if n in asked), asked[0])) if asked else None
    )
    return Verdict(problem, goals, example, idea if asked else None, _remarks(done, wrong, carried))


def _origin(done: Work, name: str, wrong: list[str]) -> str | None:
    """Return which earlier field a wrong number follows from, or None.

    It may be a field that is right as far as it is written, but rounded too much.
    """
    kind = letter(name)
    if kind in "qkv" or not done.fits(name) or not done.same(name, followed(done, name)):
        return None
    if done.passes(name, followed(done, name)):  # what follows is right, and the slip is here
        return None
    causes = _causes(done, name)
    faulty = [one for one in causes if one in wrong]
    return faulty[0] if faulty else causes[0] if causes else None


def _causes(done: Work, name: str) -> list[str]:
    """Return the earlier fields that a number would be another one without."""
    before = {"z": "qk", "a": "qkz", "c": "qkvza"}[letter(name)]
    earlier = [one for one in done.names() if letter(one) in before and done.fits(one)]
    if letter(name) == "c":  # what is nearest says most
        earlier.sort(key=lambda one: "azqkv".index(letter(one)))
    direct = []
    for one in earlier:
        mended = {**done.given, one: done.wanted(one)}
        if not done.same(name, followed(replace(done, given=mended), name)):
            direct.append(one)
    behind = {two for one in direct if letter(one) in "za" for two in _causes(done, one)}
    return [one for one in earlier if one in direct or one in behind]


def _recognise(done: Work, roots: list[str], carried: dict[str, str]) -> Misconception | None:
    found = recognise(done, roots) if roots else None
    if found is not None or not carried:
        return found
    rounded = all(done.passes(origin) for origin in carried.values())
    return misconception("rounded-too-early" if rounded else "carried-error")


def _goal(done: Work, name: str, carried: dict[str, str]) -> GoalResult:
    if not done.fits(name):
        tolerance = done.problem.goal.tolerance
        return GoalResult(name, "this", False, _sizes(done, name), float("inf"), tolerance)
    passed = done.passes(name)
    place = np.unravel_index(np.argmax(_excess(done, name)), done.given[name].shape)
    error, tolerance = float(done.apart(name)[place]), float(done.allowed(name)[place])
    sentence = compare(error, tolerance)
    if not passed:
        sentence = f"{sentence}: {_entry_sentence(done, name)}{_more_decimals(done, name)}"
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


def _worst(done: Work, name: str) -> list[tuple[int, ...]]:
    """Return the places of the wrong entries."""
    wrong = ~(done.apart(name) <= done.allowed(name))
    return [tuple(map(int, place)) for place in np.argwhere(wrong)]


def _entry_sentence(done: Work, name: str) -> str:
    place = _worst(done, name)[0]
    where = " and column ".join(str(index + 1) for index in place)
    what = "entry" if len(place) == 1 else "the entry in row"
    is_, must = float(done.given[name][place]), float(done.wanted(name)[place])
    shown = next((n for n in (6, 9, 12) if number(is_, n) != number(must, n)), 17)
    return f"{what} {where} is {number(is_, shown)} and must be {number(must, shown)}"


def _counterexample(done: Work, name: str) -> Counterexample:
    """Work out the entries that are wrong."""
    wanted = done.wanted(name)
    arrays = {name: done.given[name].tolist(), f"{name} computed": wanted.tolist()}
    if not done.fits(name):
        return Counterexample(arrays, f"{name} {_sizes(done, name)}.")
    sentence = f"{name} is not {_written(done.given[name])}: {_entry_sentence(done, name)}."
    steps = []
    for place in _worst(done, name)[:MOST_STEPS]:
        token = place[0] + 1 if name in MATRICES else int(name[2:])
        entry = done.found.entry(letter(name), token, place[-1] + 1)
        steps.append((f"Entry {place[-1] + 1} of ${letter(name)}_{{{token}}}$:", entry.latex))
    return Counterexample(arrays, sentence, None, tuple(steps))


def _written(values: Float64) -> str:
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
