"""Compute a worked example: exactly where that can be, in balls elsewhere, and with a proof."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from regard.analysis.exact_trace.pipeline import Pipeline, Step, Traced, floats
from regard.certify import Certificate, Claim
from regard.certify.claims.worked_examples import stepwise
from regard.certify.steps import RATIONAL
from regard.kinds.compute.solve.printed import PrintedRow, compared
from regard.kinds.compute.solve.stages import pipeline_of
from regard.kinds.compute.spec import ComputeProblem, fraction, is_rational, quantity, sizes
from regard.solving.finding import Finding, Status

NEAR_EXACT = 1e-50  # balls around a rational shrink to it, and never are that number

Place = tuple[str, int]  # the name of a matrix, and a row counted from 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Numbers(Finding):
    """Every number of a worked example.

    Attributes:
        pipeline: the whole computation.
        places: what is asked for, row by row, each once and in the order of the computation.
        printed: every row that is printed, in that order.
    """

    pipeline: Pipeline
    places: tuple[Place, ...]
    printed: tuple[PrintedRow, ...]

    @property
    def wrong(self) -> list[PrintedRow]:
        """The printed rows that do not agree."""
        return [row for row in self.printed if row.wrong]

    @property
    def names(self) -> list[str]:
        """The matrices that something is asked of."""
        return list(dict.fromkeys(name for name, _ in self.places))

    def row(self, name: str, row: int) -> tuple[Traced, ...]:
        """Return a row, counted from 1."""
        return tuple(self.pipeline.matrix(name)[row - 1])


def solve(problem: ComputeProblem) -> Numbers:
    """Compute what is asked for."""
    given, goal = problem.given, problem.goal
    pipeline, known = pipeline_of(given), sizes(given)
    order = list(known)
    asked = {name: quantity(name, given) for name in goal.find}
    places = sorted(
        {(one.name, row) for one in asked.values() for row in one.rows(known[one.name][0])},
        key=lambda place: (order.index(place[0]), place[1]),
    )
    certificate = _certificate(pipeline, places)
    return Numbers(
        Status.COMPUTED,
        {name: _answer(pipeline, one, known[one.name]) for name, one in asked.items()},
        certificate,
        reaches=tuple(range(len(certificate.claims))),  # one for each matrix that is asked for
        pipeline=pipeline,
        places=tuple(places),
        printed=compared(problem, pipeline),
    )


def _answer(pipeline: Pipeline, asked: Any, shape: tuple[int, ...]) -> Any:
    """Return what is asked for as an answer file has it."""
    matrix = pipeline.matrix(asked.name)
    rows = [[plain(value) for value in row] for row in matrix]
    whole: Any = [row[0] for row in rows] if len(shape) == 1 else rows
    if asked.row is None:
        return whole
    row = whole[asked.row - 1]
    return row if asked.column is None else row[asked.column - 1]


def plain(value: Traced) -> int | float | str:
    """Write a number as an answer file does: exactly if it is rational."""
    if not isinstance(value, Fraction):
        return float(value)
    return value.numerator if value.denominator == 1 else str(value)


def _certificate(pipeline: Pipeline, places: Sequence[Place]) -> Certificate:
    """Claim every row that is asked for: rationals exactly, others to the last bit of a float."""
    arrays: dict[str, Any] = {}
    claims: list[Claim] = []
    for name in dict.fromkeys(name for name, _ in places):
        rows = [row for one, row in places if one == name]
        steps = [_as_data(step, arrays) for step in pipeline.needed(name)]
        matrix = pipeline.matrix(name)[[row - 1 for row in rows]]
        entries, bound = _stated(matrix, pipeline.needed(name))
        zero_based = [row - 1 for row in rows]
        claims.append(stepwise.claim(name, entries, steps, rows=zero_based, bound=bound))
    return Certificate(arrays, tuple(claims))


def _stated(matrix: Any, steps: Iterable[Step]) -> tuple[list[list[Any]], float]:
    """Return entries for a claim, and how near they are."""
    if all(isinstance(value, Fraction) for value in matrix.reshape(-1)):
        rational = all(step.op in RATIONAL for step in steps) and all(
            is_rational(step.options.get("by", 1)) for step in steps
        )
        entries = [[plain(value) for value in row] for row in matrix]
        return entries, 0 if rational and _all_rational(steps) else NEAR_EXACT
    near = floats(matrix)
    return near.tolist(), 2.0**-51 * max(1.0, float(np.max(np.abs(near))))


def _all_rational(steps: Iterable[Step]) -> bool:
    return all(
        is_rational(entry)
        for step in steps
        if step.op == "written"
        for row in step.options["entries"]
        for entry in row
    )


def _as_data(step: Step, arrays: dict[str, Any]) -> Mapping[str, Any]:
    """Return a step as plain data; what is given goes to the arrays of the certificate."""
    options = dict(step.options)
    if step.op == "written":
        rows = options["entries"]
        if all(is_rational(entry) for row in rows for entry in row):
            name = step.name.removeprefix("given ")
            numbers = [[fraction(entry) for entry in row] for row in rows]
            over = math.lcm(*(x.denominator for row in numbers for x in row))
            arrays[name] = np.array([[float(x * over) for x in row] for row in numbers])
            options = {"array": name, "over": over}
        else:
            options = {"entries": [[str(entry) for entry in row] for row in rows]}
    for name in ("by", "base", "epsilon"):
        if name in options:
            options[name] = str(options[name])
    return {"name": step.name, "op": step.op, "of": list(step.of), "options": options}
