"""Answers with a slip in them: right numbers changed, and what then follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from regard.kinds.compute.instance import Example, Float64
from regard.kinds.compute.reading import given_names
from regard.kinds.compute.spec import ComputeProblem, is_quantity, quantity

Right = Mapping[str, Any]
Answers = Iterator[dict[str, Any]]


def another_token(problem: ComputeProblem, _: Right) -> Answers:
    """The rows of other tokens."""
    example = Example(problem.given)
    for name in problem.goal.find:
        asked = quantity(name, problem.given)
        whole = example.right[asked.name]
        if asked.column is None:
            shifts = [np.roll(whole, i, axis=0) for i in range(1, len(whole))]
            for rows in shifts:
                said = rows[asked.row - 1] if asked.row else rows
                yield _answer(problem, example, {name: said})


def transposed(problem: ComputeProblem, _: Right) -> Answers:
    """Matrices with rows and columns exchanged."""
    example = Example(problem.given)
    for name in problem.goal.find:
        if example.pick(example.right, name).ndim == 2:
            yield _answer(problem, example, {name: example.pick(example.right, name).T})


def other_signs(problem: ComputeProblem, _: Right) -> Answers:
    """All numbers with the other sign."""
    example = Example(problem.given)
    names = problem.goal.find
    yield _answer(problem, example, {one: -example.pick(example.right, one) for one in names})


def carried_on(problem: ComputeProblem, _: Right) -> Answers:
    """A number that is off by one on the way there, and what follows from it."""
    example = Example(problem.given)
    for name in _on_the_way(problem, example):
        own = np.round(example.pick(example.right, name), _places(problem))
        own.flat[0] += 1
        yield _following(problem, example, name, own)


def rounded(problem: ComputeProblem, _: Right) -> Answers:
    """Numbers on the way there that are written with few digits, and what follows from these."""
    example = Example(problem.given)
    for name in _on_the_way(problem, example):
        right = example.pick(example.right, name)
        for places in (1, 2, 3):
            if not np.array_equal(own := np.round(right, places), right):
                yield _following(problem, example, name, own)


def _on_the_way(problem: ComputeProblem, example: Example) -> list[str]:
    """Return what an answer may state beside what is asked for, the last of it first."""
    given = given_names(example)
    whole = [name for name in example.order if name in example.right and name not in given]
    asked = [name for name in problem.goal.find if name not in whole]
    return [name for name in (*asked, *reversed(whole)) if is_quantity(name, problem.given)]


def _following(
    problem: ComputeProblem, example: Example, name: str, own: Float64
) -> dict[str, Any]:
    found = example.with_own({name: own})
    said = {one: example.pick(found, one) for one in problem.goal.find if one != name}
    return _answer(problem, example, said) | {name: own.tolist()}


def _answer(
    problem: ComputeProblem, example: Example, said: Mapping[str, Float64]
) -> dict[str, Any]:
    """Return an answer with these numbers, and the right ones beside them."""
    names, places = problem.goal.find, _places(problem)
    numbers = {one: said.get(one, example.pick(example.right, one)) for one in names}
    return {one: (np.round(row, places) + 0.0).tolist() for one, row in numbers.items()}


def _places(problem: ComputeProblem) -> int:
    return max(4, math.ceil(-math.log10(problem.goal.tolerance)) + 1)
