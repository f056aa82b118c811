"""Solve moments problems: mean and variance of a score as formulas, and what to divide it by."""

from __future__ import annotations

from regard.analysis.positions.interference import READINGS
from regard.kinds.moments.solve import positions as positions
from regard.kinds.moments.solve import product as products
from regard.kinds.moments.solve import product_report as shown
from regard.kinds.moments.spec import DotProductGiven, MomentsProblem
from regard.language import parse
from regard.solving.finding import Status
from regard.solving.solution import Solution, solved

_SAME = "k is q, and the entries of q are independent and normal (the variance needs their law)."
_APART = "q and k are independent, and so are the entries of each; their laws may be any."
_PHASES = "the phases of positions are uniform, and independent of each other and of the content;"


def solve(problem: MomentsProblem) -> Solution:
    """Return formulas in the problem's symbols, built from those of the laws.

    They are proved for all values of the symbols, and compared with the moments of the instance.
    """
    given, goal = problem.given, problem.goal
    find: list[str] = list(goal.find)
    if isinstance(given, DotProductGiven):
        found = products.product(given, goal)
        proof, whole = products.certificate(found, find)
        status = Status.PROVED if whole else Status.NUMERIC
        if not products.checked(found):
            status = Status.UNDECIDED  # a variance that is negative for the instance, say
        elif find == ["s"] and not found.variance.terms:
            status = Status.IMPOSSIBLE
        return solved(
            problem=problem,
            status=status,
            headline=_headline(found, find, "q^\\top q" if given.same else "q^\\top k"),
            answer=_answer(found, find),
            certificate=proof,
            reaches=tuple(range(len(proof.claims))) if whole else (),
            assumes=(_SAME if given.same else _APART,),
            steps=shown.steps(found, find),
            details=shown.details(found) if status is not Status.UNDECIDED else (),
            mistakes=shown.mistakes(found, find) if status is not Status.UNDECIDED else (),
        )
    score = positions.score(given, goal)
    return solved(
        problem=problem,
        status=Status.PROVED,
        headline=_headline(score, find, r"(k + e_\tau)^\top (q + e_t)"),
        answer=_answer(score, find),
        certificate=positions.certificate(score),
        reaches=(0,),
        assumes=(_PHASES, f"{READINGS[given.reading].replace('·', ' · ')}."),
        steps=positions.steps(score, find),
        details=positions.details(score),
        mistakes=positions.mistakes(score),
    )


def _answer(found: products.Product | positions.Score, find: list[str]) -> dict[str, str]:
    fields = {"mean": found.mean_text, "variance": found.variance_text}
    if found.variance.terms:
        fields["s"] = found.s_text
    return {name: text for name, text in fields.items() if name in find}


def _headline(found: products.Product | positions.Score, find: list[str], score: str) -> str:
    parts = []
    if "mean" in find:
        parts.append(rf"E\left[{score}\right] = {parse(found.mean_text).to_latex()}")
    if "variance" in find:
        variance = parse(found.variance_text).to_latex()
        parts.append(rf"\mathrm{{Var}}\left({score}\right) = {variance}")
    if "s" in find:
        if found.variance.terms:
            parts.append(rf"s = {parse(found.s_text).to_latex()}")
        else:
            parts.append(r"\text{no } s \text{: the variance is } 0")
    return r",\quad ".join(parts)
