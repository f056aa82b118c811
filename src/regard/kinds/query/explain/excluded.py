"""Telling of a query that is proved not to exist: the obstruction, and what comes closest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regard.certify import Claim
from regard.certify.verification import statement
from regard.kinds.heads.explain.proved_bounds import Step
from regard.kinds.query.explain.max_margin import FLAT_MISSES_HULL, weights_shown
from regard.kinds.query.solve.max_margin import Excluded
from regard.kinds.query.spec import QueryProblem
from regard.language.bounds import lower_bound, upper_bound
from regard.report import Facts, number, vector
from regard.report.headline import marked
from regard.report.numbers import short
from regard.solving.finding import Explanation
from regard.solving.key_tables import averaged, listing, softmax, symbol, tex_vector
from regard.solving.latex_numbers import equal, tex, tex_lower_bound, tex_upper_bound


def explain_excluded(problem: QueryProblem, found: Excluded) -> Explanation:
    """Return why no query has the weights asked for: another average of keys is the same point."""
    best, pattern = found.design, found.pattern
    first = found.certificate.claims[0]
    if first.kind == "ceiling":
        key = symbol(f"alpha_{pattern.names[0]}")
        headline = rf"\text{{impossible: }} {key} \le {tex_upper_bound(first.fields['bound'], 4)}"
    else:
        what = "weights" if best.certificate.arrays.get("values") is None else "output"
        within = tex_lower_bound(problem.goal.tolerance, 4)
        headline = rf"\text{{impossible: no }} q \text{{ has this {what} to within }} {within}"
    facts = (
        ("closest query", vector(best.query)),
        ("its error", upper_bound(best.error, 4)),
        ("allowed", number(problem.goal.tolerance)),
    )
    return Explanation(
        headline,
        tuple(_why_impossible(problem, found)),
        (
            Facts(facts),
            *weights_shown(problem, found, "closest weights", "The closest that can be reached"),
        ),
        (_longer_query(found),),
        result=f"{marked('No query', 'bad')} does it: the closest is off by "
        f"{number(best.error, 3)}, and {short(problem.goal.tolerance)} is allowed.",
    )


def _why_impossible(problem: QueryProblem, found: Excluded) -> Iterator[Step]:
    gap, first = found.claim("weights_apart"), found.certificate.claims[0]
    if gap is not None:
        yield from _by_entropy(problem, found, gap)
    if first.kind != "ceiling":
        yield f"The goal is excluded within its tolerance: {statement(first)}.", ""
    yield (
        "The closest query that was found:",
        rf"q = {tex_vector(found.query)},\qquad \text{{error }} {tex(found.design.error)}",
    )
    if found.example:
        yield (
            "That is for these keys. For others it works exactly if the flat through the "
            "wanted keys misses the hull of the others, as it does if all are independent "
            "(and if the logarithms of uneven weights fit).",
            FLAT_MISSES_HULL,
        )


def _by_entropy(problem: QueryProblem, found: Excluded, gap: Claim) -> Iterator[Step]:
    """Two averages that are the same point, and what follows for the weights."""
    ceiling = found.claim("ceiling")
    claim = gap if ceiling is None else ceiling
    average = averaged(problem.given, claim.witness["combination"])
    wanted = averaged(problem.given, found.pattern.wanted)
    which = "" if claim.fields["radius"] is None else " to rounding"
    yield f"Another average of the keys is the same point{which}:", rf"{wanted} = {average}"
    yield (
        r"Every query gives both sides the same mean score, so the mean of $\ln\alpha$ is the same "
        r"on both sides too. Let $\lambda$ be the weights on the right and $p$ those wanted.",
        r"\sum_i p_i \ln \alpha_i = \sum_i \lambda_i \ln \alpha_i \le -H(\lambda)",
    )
    if ceiling is not None:
        radius = ceiling.fields["radius"]
        long = (
            "however long the query is"
            if radius is None
            else f"for queries up to {lower_bound(radius, 3)}"
        )
        yield (
            f"For a single key this bounds its weight, {long}.",
            r"\alpha_j \le \frac{1}{1 + e^{H(\lambda)}} = "
            + tex_upper_bound(ceiling.fields["bound"], 4),
        )
    yield (
        "In general the divergence from what is wanted is at least the difference of the "
        "entropies.",
        r"\mathrm{KL}(p, \alpha) \ge H(\lambda) - H(p) " + equal(gap.fields["bound"]),
    )


def _longer_query(found: Excluded) -> str:
    keys, rows = found.heads.instance.keys, list(found.pattern.rows)
    scores = found.pattern.scale * (keys @ np.sum(keys[rows], axis=0))
    parts = [
        f"{vector(softmax(factor * scores)[rows])} at $C {equal(factor)}$"
        for factor in (1.0, 10.0, 100.0)
    ]
    return (
        "That a longer query must help in the end. The sum of the wanted keys times $C$ gives them "
        f"{listing(parts)}, where {vector(found.pattern.weights)} is wanted."
    )
