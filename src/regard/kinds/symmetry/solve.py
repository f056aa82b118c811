"""Settle whether an output stays, find what it becomes, or what makes an equation true.

Formulas are found by trying short ones made of the old output and the symbols that the change
brings in; the first that is proved for all inputs is taken. Nothing is claimed of those that are
not found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from regard.certify import Certificate
from regard.errors import FormulaError
from regard.kinds.symmetry.parts_of_output import Moved, moved_parts
from regard.kinds.symmetry.solve_every import Every, every_solution
from regard.kinds.symmetry.spec import OLD, SymmetryProblem
from regard.language import parse
from regard.problems.assertions import Assertion
from regard.solving.assertions import Settled, settle
from regard.solving.finding import Finding, Status

__all__ = ["Symmetry", "solve"]

MOST_TRIED = 60


@dataclass(frozen=True, eq=False, kw_only=True)
class Symmetry(Finding):
    """What a change does.

    Attributes:
        invariant: whether the output stays; None where it is not asked.
        formula: what was found, and what proves it; None where it is not asked or not found.
        text: that formula.
        others: all solutions, and what shows that there are no others; None where they are not
            asked for or not found.
        parts: what the change makes of parts of the output, from the inside out.
    """

    invariant: Settled | None = None
    formula: Settled | None = None
    text: str = ""
    others: Every | None = None
    parts: tuple[Moved, ...] = ()


def solve(problem: SymmetryProblem) -> Symmetry:
    """Settle what is asked, with a claim for each."""
    answer: dict[str, Any] = {}
    invariant = formula = others = None
    text = ""
    parts: tuple[Moved, ...] = ()
    if problem.unknown:
        text, formula = _first(problem, _unknowns(problem))
        answer |= {problem.unknown: text} if formula is not None else {}
        if problem.goal.every:
            others = every_solution(problem, text)
            if others is not None:
                text, formula = others.text, others.settled
                answer = {problem.unknown: text}
        asked = [formula]
    else:
        asked = []
        same = problem.changed().same(OLD)
        parts = moved_parts(problem, lambda part: _first(part, _outputs(part)))
        if "invariant" in problem.goal.find:
            invariant = settle([same], problem.given)
            asked.append(invariant)
            answer |= {} if invariant.truth is None else {"invariant": invariant.truth}
        if "becomes" in problem.goal.find:
            text, formula = _first(problem, _outputs(problem))
            asked.append(formula)
            answer |= {"becomes": text} if formula is not None else {}
    settled = [one for one in asked if one is not None and one.truth is not None]
    claims = tuple({f"{c.kind}{c.fields}": c for one in settled for c in one.claims}.values())
    claims += () if others is None else others.claims
    reached = len(claims)
    claims += tuple(claim for one in parts for claim in one.settled.claims)
    status = Status.UNDECIDED
    if problem.goal.every and others is None:
        pass  # what was found may not be all
    elif len(settled) == len(asked):
        scopes = {one.scope for one in settled if one.truth}
        whole = others is None or others.everywhere
        status = Status.PROVED if scopes <= {"all"} and whole else Status.ARGUED
    return Symmetry(
        status,
        answer,
        Certificate({}, claims),
        reaches=tuple(range(reached)),
        invariant=invariant,
        formula=formula,
        text=text,
        others=others,
        parts=parts,
    )


def _first(problem: SymmetryProblem, candidates: Iterator[str]) -> tuple[str, Settled | None]:
    """Return the first formula that is proved right."""
    for tried, text in enumerate(candidates):
        if tried >= MOST_TRIED:
            break
        try:
            found = settle(_stated(problem, text), problem.given)
        except FormulaError:  # of another shape
            continue
        if found.truth and found.scope in ("all", "sizes"):
            return text, found
    return "", None


def _stated(problem: SymmetryProblem, text: str) -> list[Assertion]:
    if not problem.unknown:
        return [problem.changed().same(text)]
    return [
        Assertion(part.relation, part.left, part.right, {problem.unknown: text, **part.where})
        for part in problem.condition()
    ]


def _outputs(problem: SymmetryProblem) -> Iterator[str]:
    """Return formulas in the old output and what the change brings in, the simplest first."""
    given = problem.given
    shapes = given.free_shapes()
    where = problem.changed().where
    for name, text in where.items():
        shapes[name] = parse(text).shape(shapes)
    old = shapes[OLD]
    used: set[str] = set()
    for text in problem.goal.change.values():
        used |= parse(text).names - set(problem.goal.change)
    others = [name for name in given.shapes if name in used]
    yield OLD
    if len(old) == 2:
        yield f"{OLD}'"
    for name in others:
        shape = shapes[name]
        if not shape:
            yield from (f"{name} {OLD}", f"{OLD} / {name}", f"{name}^2 {OLD}", f"{OLD} / {name}^2")
        elif len(shape) == 2 and shape[0] == shape[1]:
            yield from (f"{name} {OLD}", f"{name}' {OLD}", f"{OLD} {name}", f"{OLD} {name}'")
            yield from (f"{name} {OLD} {name}'", f"{name}' {OLD} {name}")
            yield from (f"{name}^-1 {OLD}", f"{OLD} {name}^-1")
        elif len(shape) == 1 and len(old) == 2:
            rows = f"ones({old[0]})"
            yield f"{OLD} + {rows} {name}'"
            yield f"{OLD} - {rows} {name}'"
            for matrix in given.shapes:
                if len(shapes[matrix]) == 2 and shapes[matrix][0] == shape[0]:
                    yield f"{OLD} + {rows} {name}' {matrix}"
        elif len(shape) == 2 and shape == old:
            yield f"{OLD} + {name}"
    pairs = [(one, other) for one in others for other in others if one != other]
    for one, other in pairs:
        if len(shapes[one]) == len(shapes[other]) == 2:
            yield f"{one} {other} {OLD}"
            yield f"{one} {OLD} {other}"
        elif not shapes[one]:
            yield f"{one} {other} {OLD}"
    yield f"-{OLD}"


def _unknowns(problem: SymmetryProblem) -> Iterator[str]:
    """Return formulas of the unknown's shape, the simplest first."""
    wanted = problem.goal.unknown[problem.unknown]
    shapes = problem.given.free_shapes()
    if len(wanted) == 1:
        yield f"ones({wanted[0]})"
    if len(wanted) == 2 and wanted[0] == wanted[1]:
        yield f"I({wanted[0]})"
    if not wanted:
        yield from ("1", "-1")
    for name in problem.given.shapes:
        shape = list(shapes[name])
        if shape == wanted and len(shape) == 2 and shape[0] == shape[1]:
            yield from (name, f"{name}'", f"{name}^-1", f"{name}^-T")
        elif shape == wanted:
            yield from (
                (name, f"-{name}") if shape else (name, f"1 / {name}", f"{name}^2", f"-{name}")
            )
        elif shape == wanted[::-1]:
            yield f"{name}'"
    matrices = [name for name in problem.given.shapes if len(shapes[name]) == 2]
    for one in matrices:
        for other in matrices:
            for text in (f"{one} {other}", f"{one} {other}'", f"{one}' {other}"):
                if _fits(text, shapes, wanted):
                    yield text
    square = [one for one in matrices if len(set(shapes[one])) == 1]
    for one in square:
        for other in matrices:
            for turned in (f"{one}^-1", f"{one}^-T"):
                for text in (f"{turned} {other}", f"{other} {turned}"):
                    if _fits(text, shapes, wanted):
                        yield text


def _fits(text: str, shapes: dict[str, tuple[int | str, ...]], wanted: list[int | str]) -> bool:
    """Whether a formula can be computed, and has the shape of the unknown."""
    try:
        return list(parse(text).shape(shapes)) == wanted
    except FormulaError:
        return False
