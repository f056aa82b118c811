"""Solve noise problems: the law of the output for given queries over random keys."""

from __future__ import annotations

from regard.problems.kinds.noise import NoiseProblem
from regard.solving.noise.answer import Found, find
from regard.solving.noise.claims import certificate
from regard.solving.noise.details import details
from regard.solving.noise.mistakes import mistakes
from regard.solving.noise.steps import outcome_latex, steps
from regard.solving.solution import Solution, Status


def solve(problem: NoiseProblem) -> Solution:
    """Return the law of the output: atoms, mean, variance, and whether heads are independent.

    The law is worked out for the keys of the plainest instance, written as formulas in the
    values, and tried on other instances of the same laws. Probabilities are proved where one key
    at most varies in each head.
    """
    found = find(problem.given)
    proof, proved = certificate(found)
    return Solution(
        problem=problem,
        status=_status(found, proved),
        headline=_headline(found),
        answer=found.answer(list(problem.goal.find)),
        certificate=proof,
        steps=steps(found),
        details=details(found),
        mistakes=mistakes(found),
    )


def _status(found: Found, proved: bool) -> Status:
    if found.law is not None and not found.law.exact:
        return Status.UNDECIDED  # samples say about how likely it is, and no more
    return Status.PROVED if proved else Status.COMPUTED


def _headline(found: Found) -> str:
    if found.law is not None and not found.law.exact:
        known = outcome_latex(found.law.atoms, found.setting.given.names)
        return rf"\text{{sampled:}} \quad {known}"
    moments = rf"E\,c = {found.mean_latex},\quad E\,\|c - E\,c\|^2 = {found.variance_latex}"
    if found.law is None:
        return moments
    if len(found.law.atoms) == 1:
        only = outcome_latex(found.law.atoms, found.setting.given.names)
        return rf"{only},\quad E\,\|c - E\,c\|^2 = 0"
    return rf"{outcome_latex(found.law.atoms, found.setting.given.names)}\quad {moments}"
