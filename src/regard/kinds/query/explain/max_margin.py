"""Tell of queries over keys without structure: designed, impossible, or not decided."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from regard.kinds.heads.explain.proved_bounds import Step
from regard.kinds.heads.solve.averaged_heads import QueriesFound
from regard.kinds.query.solve.max_margin import MaxMargin, OtherUnits, Undecided
from regard.kinds.query.spec import QueryProblem
from regard.language.bounds import upper_bound
from regard.report import Block, Facts, Plot, Table, number, vector
from regard.report.headline import marked
from regard.report.numbers import short
from regard.solving.finding import Explanation
from regard.solving.key_tables import (
    below,
    key_name,
    listing,
    softmax,
    symbol,
    tex_vector,
    weights_plot,
    weights_table,
)
from regard.solving.latex_numbers import equal, tex, tex_upper_bound
from regard.solving.refusals import in_words

_EXAMPLE = (
    "the keys are those of the example, as there are too many for all scores to be had; the last "
    "step says for which other keys the same works.",
)
FLAT_MISSES_HULL = (
    r"\operatorname{aff}(K_S) \cap \operatorname{conv}(K_{\text{others}}) = \emptyset"
)


def explain_design(problem: QueryProblem, found: MaxMargin) -> Explanation:
    """Return why the designed query works."""
    return Explanation(
        f"q = {tex_vector(found.query)}",
        tuple(_why_it_works(problem, found)),
        _details(problem, found),
        tuple(_design_beliefs(found)),
        _EXAMPLE if found.example else (),
        result=_result(problem, found),
    )


def _result(problem: QueryProblem, found: MaxMargin) -> str:
    query, most = tex_vector(found.query, 3), number(problem.goal.tolerance)
    return f"{marked('One query', 'target')} comes within {most} of the goal: ${query}$."


def explain_undecided(problem: QueryProblem, found: Undecided) -> Explanation:
    """Return what the design says, and the weights of the closest query where keys are known."""
    table = weights_table(problem.given, found.pattern.wanted, found.weights)
    said = ((in_words(found.refusal), ""),)
    details = () if found.heads.keys.random else (table,)
    return Explanation(rf"q \approx {tex_vector(found.query)}", said, details)


def explain_other_units(problem: QueryProblem, found: OtherUnits) -> Explanation:
    """Return why a query in other units works."""
    smallest, largest = found.sizes
    query = rf"q = {tex_vector(found.query)}"
    steps = (
        (
            "**Units.** The coordinates of the keys are of very different size. Measured in "
            "units $u_j$ of "
            "their own, with the query measured in $1/u_j$, all scores stay the same.",
            rf"k_i^\top q = \sum_j \frac{{k_{{ij}}}}{{u_j}} \, (u_j q_j),\qquad "
            rf"u = {tex_vector(found.units)}",
        ),
        (
            "**Query.** In these units the wanted keys are lifted above the others by a query of "
            "ordinary "
            "length, turned up until the others get little enough.",
            query,
        ),
        ("**Scores.** The scores of this query are these.", rf"s = {tex_vector(found.scores[0])}"),
        (
            "**Error.** The error is measured for the query as it is rounded, and is proved below.",
            rf"{tex(found.error)} \le \varepsilon {equal(problem.goal.tolerance)}",
        ),
    )
    facts = Facts((("query", vector(found.query)), ("error", number(found.error))))
    belief = (
        "Judging by the length of the query, which means little where coordinates are of such "
        f"different size: from {short(smallest)} to {short(largest)} here."
    )
    return Explanation(query, steps, (facts, *weights_shown(problem, found)), (belief,))


def weights_shown(
    problem: QueryProblem,
    found: QueriesFound,
    caption: str = "weights",
    title: str = "Weights wanted and given",
) -> tuple[Table, Plot]:
    """Return the weights of a query beside those wanted, as a table and as a plot."""
    given, wanted, weights = problem.given, found.pattern.wanted, found.weights
    return (
        weights_table(given, wanted, weights, caption=caption),
        weights_plot(given, wanted, weights, title),
    )


def _why_it_works(problem: QueryProblem, found: MaxMargin) -> Iterator[Step]:
    design, pattern, query = found.design, found.pattern, tex_vector(found.query)
    if math.isinf(design.margin):
        yield (
            "**Keys.** All keys are wanted, so there are none to be kept down.",
            r"S = \{1, \dots, n\}",
        )
    elif design.margin > 0:
        keys = [f"${symbol(key_name(problem.given, row))}$" for row in pattern.rows]
        yield (
            f"**Direction.** Raise {listing(keys)} above all other keys: look for a direction "
            f"$q_0$ in which they "
            "score alike and every other key scores less. There is one exactly if the flat through "
            "the wanted keys misses the hull of the others.",
            r"k_i^\top q_0 = t \;\text{ for } i \in S,\qquad k_j^\top q_0 < t \;\text{ for } j "
            r"\notin S",
        )
        yield (
            "**Margin.** The best direction has the widest margin: the distance between that "
            "flat and the "
            "hull. No direction does better.",
            rf"\delta {equal(design.margin)}",
        )
    else:
        yield (
            "**Query.** The weights need no limit: they are close to those of one query of "
            "ordinary length.",
            r"\alpha = \mathrm{softmax}(K q)",
        )
    if not pattern.even:
        yield (
            "**Scores.** The wanted keys must differ in score as the logarithms of their weights "
            "do. That can "
            "be had if they are affinely independent, or if these numbers happen to fit.",
            r"k_i^\top q_1 = \ln p_i + \text{const}",
        )
    leak = tex(max(1 - float(np.sum(design.weights[list(pattern.rows)])), 0.0))
    if design.longer < 1 and np.any(found.query):
        scaled = "" if pattern.scale == 1 else rf"{tex(pattern.scale)}\,"
        yield (
            "**Shortest.** Of all queries that leave the others at most $\\varepsilon$ this is "
            "the shortest, "
            f"up to {upper_bound(design.longer, 3)} of its length. With $\\pi$ the shares of "
            "the others in what leaks, of entropy $H$, every such query obeys this, and it is an "
            "equality for this one.",
            r"\lVert q \rVert \ge \frac{\ln\frac{1-\varepsilon}{\varepsilon} + H(\pi)}"
            rf"{{{scaled}\lVert k_j - \sum_i \pi_i k_i \rVert}},\qquad q = {query},\qquad "
            rf"r = {leak}",
        )
    elif 0 < design.margin < math.inf:
        yield (
            "**Length.** Turn the direction up until the others get little enough. The leak "
            "falls like "
            r"$e^{-C\delta}$.",
            rf"q = q_1 + C q_0 = {query},\qquad r = {leak}",
        )
    else:
        yield (
            "**Scores.** Alike weights need alike scores, and the query 0 gives every key the "
            "score 0."
            if not np.any(found.query)
            else "**Query.** This query has such scores.",
            rf"q = {query}",
        )
    yield "**Scores.** The scores of this query are these.", rf"s = {tex_vector(found.scores[0])}"
    on_output = problem.given.values_known
    yield (
        f"**Error.** The error of "
        f"{'the output' if on_output else 'the weight that is farthest off'} was "
        "measured for the query as it is rounded, and is proved.",
        rf"\text{{error}} \le {tex_upper_bound(design.error)} "
        rf"\le \varepsilon {equal(design.tolerance)}",
    )
    if found.example:
        yield (
            "**Other keys.** For other keys the same steps work as long as there is such a "
            "direction: always if "
            "the keys are affinely independent, never if an average of the other keys lies in "
            "the flat through the wanted ones.",
            FLAT_MISSES_HULL,
        )


def _details(problem: QueryProblem, found: MaxMargin) -> tuple[Block, ...]:
    design, values = found.design, found.heads.instance.values
    output = found.pattern.wanted @ values
    missed = float(np.linalg.norm(design.weights @ values - output))
    facts = (
        ("query", vector(found.query)),
        ("its length", number(float(np.linalg.norm(found.query)))),
        ("margin", "no other keys" if math.isinf(design.margin) else number(design.margin)),
        ("error", f"at most {upper_bound(design.error, 3)} (allowed {short(design.tolerance)})"),
        ("wanted output", vector(output)),
        ("off by, for these values", below(missed, 1e-12 * (1 + float(np.max(np.abs(output)))))),
    )
    return (Facts(facts), *weights_shown(problem, found))


def _design_beliefs(found: MaxMargin) -> Iterator[str]:
    keys, pattern, query = found.heads.instance.keys, found.pattern, found.query
    rows, allowed = list(pattern.rows), found.design.tolerance
    naive = np.sum(keys[rows], axis=0)
    length = float(np.linalg.norm(naive))
    as_long = naive * (float(np.linalg.norm(query)) / length if length else 0.0)
    summed, half = (softmax(pattern.scale * (keys @ q)) for q in (as_long, query / 2))
    far = [np.max(np.abs(weights - pattern.wanted)) > 2 * allowed for weights in (summed, half)]
    wanted = vector(pattern.weights)
    if length and far[0]:
        yield (
            "The sum of the wanted keys, as if keys were at right angles. As long as the query "
            f"above it gives them {vector(summed[rows])} instead of {wanted}."
        )
    if np.any(query) and far[1]:
        yield f"Half the length: the wanted keys get {vector(half[rows])} instead of {wanted}."
    elif not (length and far[0]) and math.isinf(found.design.margin):
        off = float(np.max(np.abs(found.design.weights - pattern.wanted)))
        yield (
            "That a softmax never gives exact weights. Without other keys it does, up to rounding: "
            f"{below(off, 1e-12)} here."
        )
