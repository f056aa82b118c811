"""Solve noise problems: the law of the output for given queries over random keys."""

from __future__ import annotations

from regard.kinds.noise.solve.answer import Found, find
from regard.kinds.noise.solve.claims import certificate
from regard.kinds.noise.solve.details import details
from regard.kinds.noise.solve.mistakes import mistakes
from regard.kinds.noise.solve.steps import steps
from regard.kinds.noise.solve.words import outcome_latex
from regard.kinds.noise.spec import NoiseProblem
from regard.language import parse
from regard.report import number
from regard.solving.finding import Status
from regard.solving.solution import Solution, solved


def solve(problem: NoiseProblem) -> Solution:
    """Return the law of the output: atoms, mean, variance, and whether heads are independent.

    The law is worked out for the keys of the plainest instance, written as formulas in the
    values, and tried on other instances of the same laws. Probabilities are proved where one key
    at most varies in each head.
    """
    found = find(problem.given)
    proof, reaches = certificate(found, list(problem.goal.find))
    return solved(
        problem=problem,
        status=_status(found, bool(reaches)),
        headline=_headline(found),
        answer=found.answer(list(problem.goal.find)),
        certificate=proof,
        steps=steps(found),
        details=details(found),
        mistakes=mistakes(found),
        reaches=reaches,
        assumes=_assumes(problem),
    )


def _assumes(problem: NoiseProblem) -> tuple[str, ...]:
    said = ["the keys are normal and independent of each other."]
    if len(problem.given.limits) > 1:
        said.append(f"The limits are taken in this order: {', '.join(problem.given.limits)}.")
    if problem.given.ignore_negative:
        said.append("Cases in which a score that varies is negative are left out.")
    return tuple(said)


def _status(found: Found, proved: bool) -> Status:
    if found.law is None and found.setting.growth is not None:
        return Status.UNDECIDED  # the limit is asked for, and a finite size was worked out
    if found.law is not None and not found.law.exact:
        return Status.UNDECIDED  # samples say about how likely it is, and no more
    return Status.PROVED if proved else Status.NUMERIC


def _headline(found: Found) -> str:
    if found.law is not None and not found.law.exact:
        known = outcome_latex(found.law, found.setting.given.names)
        return rf"\text{{sampled:}} \quad {known}"
    growth = found.setting.growth
    if found.law is None and growth is not None:
        at = rf"{parse(growth.name).to_latex()} = {number(growth.size)}"
        return rf"\text{{at }} {at}: \quad {found.moments_latex}"
    if found.law is None:
        return found.moments_latex
    known = outcome_latex(found.law, found.setting.given.names)
    if len(found.law.atoms) == 1:
        return rf"{known},\quad E\,\|c - E\,c\|^2 = 0"
    return rf"{known},\quad {found.moments_latex}"
