"""Why no query has the weights asked for: another average of keys is the same point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.certify import Claim
from regard.certify.verification import statement
from regard.design import QueryDesign
from regard.errors import InfeasibleDesign
from regard.kinds.query.solve.formula import Mix
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import KeyInstance
from regard.report import Facts, number, vector
from regard.solving.finding import Status, excluding
from regard.solving.key_tables import (
    averaged,
    listing,
    softmax,
    symbol,
    tex,
    tex_vector,
    weights_plot,
    weights_table,
)
from regard.solving.solution import Solution, solved

Float64 = NDArray[np.float64]


def impossible(
    problem: QueryProblem, mix: Mix, instance: KeyInstance, refusal: InfeasibleDesign
) -> Solution:
    """Return the obstruction as a solution, with the closest query."""
    best: QueryDesign = refusal.best
    claims = {claim.kind: claim for claim in reversed(refusal.certificate.claims)}
    first = refusal.certificate.claims[0]
    steps = _why_impossible(problem, mix, claims, refusal)
    if "ceiling" in claims and first.kind == "ceiling":
        key = symbol(f"alpha_{mix.names[0]}")
        head = rf"\text{{impossible: }} {key} \le {tex(first.fields['bound'])}"
    else:
        what = "weights" if best.certificate.arrays.get("values") is None else "output"
        within = tex(problem.goal.tolerance)
        head = rf"\text{{impossible: no }} q \text{{ has this {what} to within }} {within}"
    return solved(
        problem,
        Status.IMPOSSIBLE,
        head,
        {"q": best.query.tolist()},
        refusal.certificate,
        steps,
        (
            Facts(
                (
                    ("closest query", vector(best.query)),
                    ("its error", number(best.error)),
                    ("allowed", number(problem.goal.tolerance)),
                )
            ),
            weights_table(problem.given, mix.wanted(), best.weights, caption="closest weights"),
            weights_plot(
                problem.given, mix.wanted(), best.weights, "The closest that can be reached"
            ),
        ),
        _impossible_mistakes(mix, instance),
        reaches=excluding(refusal.certificate),
    )


def _why_impossible(
    problem: QueryProblem, mix: Mix, claims: dict[str, Claim], refusal: InfeasibleDesign
) -> tuple[tuple[str, str], ...]:
    best: QueryDesign = refusal.best
    gap, ceiling = claims.get("weights_apart"), claims.get("ceiling")
    steps = []
    if gap is not None:
        steps += _by_entropy(problem, mix, gap, ceiling)
    first = refusal.certificate.claims[0]
    if first.kind != "ceiling":
        said = statement(first)
        steps.append((f"The goal is excluded within its tolerance: {said}.", ""))
    steps.append(
        (
            "The closest query that was found:",
            rf"q = {tex_vector(best.query)},\qquad \text{{error }} {tex(best.error)}",
        )
    )
    if problem.given.keys.law == "arbitrary":
        steps.append(
            (
                "That is for these keys. For others it works exactly if the flat through the "
                "wanted keys misses the hull of the others, as it does if all are independent "
                "(and if the logarithms of uneven weights fit).",
                r"\operatorname{aff}(K_S) \cap \operatorname{conv}(K_{\text{others}}) = \emptyset",
            )
        )
    return tuple(steps)


def _by_entropy(
    problem: QueryProblem, mix: Mix, gap: Claim, ceiling: Claim | None
) -> list[tuple[str, str]]:
    """Two averages that are the same point, and what follows for the weights."""
    claim = gap if ceiling is None else ceiling
    average = averaged(problem.given, claim.witness["combination"])
    wanted = averaged(problem.given, mix.wanted())
    which = "" if claim.fields["radius"] is None else " to rounding"
    steps = [
        (
            f"Another average of the keys is the same point{which}:",
            rf"{wanted} = {average}",
        ),
        (
            r"Every query gives both sides the same mean score, so the mean of $\ln\alpha$ is "
            r"the same "
            r"on both sides too. Let $\lambda$ be the weights on the right and $p$ those wanted.",
            r"\sum_i p_i \ln \alpha_i = \sum_i \lambda_i \ln \alpha_i \le -H(\lambda)",
        ),
    ]
    if ceiling is not None:
        reach = ceiling.fields["radius"]
        long = "however long the query is" if reach is None else f"for queries up to {reach:.3g}"
        steps.append(
            (
                f"For a single key this bounds its weight, {long}.",
                r"\alpha_j \le \frac{1}{1 + e^{H(\lambda)}} = " + tex(ceiling.fields["bound"]),
            )
        )
    steps.append(
        (
            "In general the divergence from what is wanted is at least the difference of the "
            "entropies.",
            r"\mathrm{KL}(p, \alpha) \ge H(\lambda) - H(p) = " + tex(gap.fields["bound"]),
        )
    )
    return steps


def _impossible_mistakes(mix: Mix, instance: KeyInstance) -> tuple[str, ...]:
    keys, rows = instance.keys, list(mix.rows)
    naive = np.sum(keys[rows], axis=0)
    parts = []
    for factor in (1.0, 10.0, 100.0):
        weights = softmax(mix.scale * factor * (keys @ naive))
        parts.append(f"{vector(weights[rows])} at $C = {tex(factor)}$")
    return (
        "That a longer query must help in the end. The sum of the wanted keys times $C$ gives them "
        f"{listing(parts)}, where {vector(mix.weights)} is wanted.",
    )
