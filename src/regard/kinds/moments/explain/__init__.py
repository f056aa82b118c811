"""Tell mean and variance of a score, and what to divide it by."""

from __future__ import annotations

from dataclasses import replace

from regard.kinds.moments.explain import dot_product, position_scores
from regard.kinds.moments.instance.closed_forms import Formulas
from regard.kinds.moments.solve.scores import DotProductMoments, PositionMoments
from regard.kinds.moments.spec import MomentsProblem
from regard.report.numbers import listing
from regard.solving.finding import Explanation
from regard.solving.latex_numbers import formula


def explain(problem: MomentsProblem, found: DotProductMoments | PositionMoments) -> Explanation:
    """Return the formulas in words, with what they are made of."""
    find: list[str] = list(problem.goal.find)
    if isinstance(found, DotProductMoments):
        score = r"q^\top q" if found.given.same else r"q^\top k"
        told = dot_product.explain(found, _headline(found.formulas, find, score), find)
        return replace(told, result=_result(found.formulas, find))
    headline = _headline(found.formulas, find, r"(k + e_\tau)^\top (q + e_t)")
    told = position_scores.explain(found, headline, find)
    return replace(told, result=_result(found.formulas, find))


def _result(formulas: Formulas, find: list[str]) -> str:
    """Return what is asked for as a sentence."""
    mean, variance = (f"${formula(text)}$" for text in (formulas.mean_text, formulas.variance_text))
    if "s" in find:
        return f"Divided by ${formula(formulas.s_text)}$, scores vary alike at every width." * (
            formulas.varies
        )
    said = [f"the mean {mean}"] * ("mean" in find) + [f"the variance {variance}"] * (
        "variance" in find
    )
    return f"The score has {listing(said)}." if said else ""


def _headline(formulas: Formulas, find: list[str], score: str) -> str:
    parts = {
        "mean": rf"E\left[{score}\right] = {formula(formulas.mean_text)}",
        "variance": rf"\mathrm{{Var}}\left({score}\right) = {formula(formulas.variance_text)}",
        "s": r"\text{no } s \text{: the variance is } 0",
    }
    if formulas.varies:
        parts["s"] = f"s = {formula(formulas.s_text)}"
    return r",\quad ".join(part for name, part in parts.items() if name in find)
