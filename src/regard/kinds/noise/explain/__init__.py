"""Tell of the law of an output over random keys: who wins, how often, and what that means."""

from __future__ import annotations

import math

from regard.kinds.noise.explain.beliefs import beliefs
from regard.kinds.noise.explain.notation import moments_latex, outcome_latex
from regard.kinds.noise.explain.steps import steps
from regard.kinds.noise.explain.tables import details
from regard.kinds.noise.solve.findings import LimitFound, OutputFound
from regard.kinds.noise.spec import NoiseProblem
from regard.report import number
from regard.report.headline import marked
from regard.report.numbers import short, spelled
from regard.solving.finding import Explanation
from regard.solving.key_tables import symbol

__all__ = ["explain"]

_END = {math.inf: r"\infty", -math.inf: r"-\infty"}


def explain(problem: NoiseProblem, found: OutputFound) -> Explanation:
    """Return the law in words, with its numbers at several sizes of the queries."""
    assumes = ["the keys are normal and independent of each other."]
    if len(problem.given.limits) > 1:
        limits = ", ".join(
            rf"${symbol(one.name)} \to {_END.get(one.target, number(one.target))}$"
            for one in problem.given.read_limits
        )
        assumes.append(f"The limits are taken in this order: {limits}.")
    if problem.given.ignore_negative:
        assumes.append("Cases in which a score that varies is negative are left out.")
    return Explanation(
        _headline(found),
        steps(found),
        details(found),
        beliefs(found),
        tuple(assumes),
        result=_result(found),
    )


def _result(found: OutputFound) -> str:
    if not isinstance(found, LimitFound) or not found.law.exact:
        return ""
    count = len(found.law.atoms)
    if count == 1:
        return f"In the limit the output is {marked('always the same', 'target')}."
    at_random = marked(f"one of {spelled(count)} values", "target")
    return f"In the limit the output is {at_random} at random."


def _headline(found: OutputFound) -> str:
    moments, setting = moments_latex(found), found.setting
    if isinstance(found, LimitFound):
        known = outcome_latex(found.law, setting.given.names)
        if not found.law.exact:
            return rf"\text{{sampled:}} \quad {known}"
        if len(found.law.atoms) == 1:
            moments = r"E\,\|c - E\,c\|^2 = 0"
        return rf"{known},\quad {moments}"
    if not setting.grows:
        return moments
    at = f"{symbol(setting.grows)} = {short(float(setting.symbols[setting.grows]), 4)}"
    return rf"\text{{at }} {at}: \quad {moments}"
