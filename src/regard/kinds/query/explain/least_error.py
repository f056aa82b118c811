"""Tell how near a query can come, from both sides."""

from __future__ import annotations

import numpy as np

from regard.kinds.query.solve.least_error import LeastError
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import key_instance
from regard.report import Facts, number
from regard.report.headline import marked
from regard.report.numbers import short
from regard.solving.finding import Explanation, Status, Steps
from regard.solving.key_tables import tex_vector, weights_table
from regard.solving.latex_numbers import equal, tex, tex_lower_bound, tex_upper_bound


def explain(problem: QueryProblem, found: LeastError) -> Explanation:
    """Return the least error in words, and what it means for the tolerance."""
    least, goal = found.least, problem.goal
    length = goal.longest
    which = "" if length is None else rf"_{{\lVert q \rVert \le {tex(length)}}}"
    headline = rf"\min{which} \text{{error}} {equal(least.value)}"
    if goal.find == ["query"]:
        shown = f"q = {tex_vector(least.query)}"
        headline = r"\text{impossible}" if found.status is Status.IMPOSSIBLE else shown
    measure = r"\max_i |\alpha_i - p_i|"
    steps: Steps = (
        (
            "**From above.** How near weights come is a question about all queries. From above "
            "it is answered by "
            "one "
            "query and what it does.",
            rf"q = {tex_vector(least.query)}:\qquad {measure} {equal(least.high)}",
        ),
        _below(found),
        (
            "**Least error.** So this is the least error."
            if goal.find == ["error"]
            else "That is compared with the tolerance.",
            rf"{tex_lower_bound(least.low)} \le \min {measure} \le {tex_upper_bound(least.high)}"
            + ("" if goal.find == ["error"] else rf",\qquad \varepsilon {equal(goal.tolerance)}"),
        ),
    )
    wanted = np.zeros(problem.given.n)
    for name, share in goal.weights.items():
        wanted[problem.given.names[name]] = share
    facts = [
        ("least error, at least", number(least.low, 9)),
        ("least error, at most", number(least.high, 9)),
        ("length of that query", number(float(np.linalg.norm(least.query)), 6)),
        ("keys", str(len(key_instance(problem.given).keys))),
    ]
    table = weights_table(problem.given, wanted, least.weights, caption="the nearest weights")
    return Explanation(
        headline,
        steps,
        (Facts(tuple(facts)), table),
        _beliefs(problem, found),
        result=_result(problem, found),
    )


def _result(problem: QueryProblem, found: LeastError) -> str:
    """Say the least error, or whether it is small enough."""
    goal, least = problem.goal, number(found.least.value, 4)
    queries = "" if goal.longest is None else f" of length {short(goal.longest)} or less"
    if goal.find == ["error"]:
        return f"The least error of all queries{queries} is {marked(least, 'target')}."
    within = number(goal.tolerance)
    if found.status is Status.IMPOSSIBLE:
        none = marked("No query", "bad")
        return f"{none}{queries} comes within {within}: the least error is {least}."
    return f"One query{queries} comes within {marked(within, 'target')}."


def _below(found: LeastError) -> tuple[str, str]:
    least = found.least
    if least.low == 0:
        return (
            "**From below.** From below there is nothing to prove: no error is less than 0, and "
            "longer queries "
            "come "
            "as near as one likes.",
            r"\text{error} \to 0",
        )
    if any(claim.kind == "floors_out_of_reach" for claim in least.certificate.claims):
        return (
            "**From below.** From below: with mixtures $\\pi$ of the wanted keys and $\\alpha$ "
            "of all, no query of "
            "this "
            "length lifts all wanted weights to $p_i - \\varepsilon$ for a smaller $\\varepsilon$.",
            r"\sum_i \pi_i \ln (p_i - \varepsilon) \le R\, \lVert \sum_i (\pi_i - \alpha_i) k_i "
            r"\rVert "
            r"- H(\alpha)",
        )
    return (
        "**From below.** From below: a claim about all queries excludes any smaller error.",
        rf"\text{{error}} \ge {tex_lower_bound(least.low)}",
    )


def _beliefs(problem: QueryProblem, found: LeastError) -> tuple[str, ...]:
    if found.least.low == 0:
        return ("That weights of 0 or 1 are ever reached: they are only come near to.",)
    if problem.goal.longest is None:
        length = number(float(np.linalg.norm(found.least.query)), 4)
        return (
            "That a longer query always comes nearer: the nearest one here has the length "
            f"{length}.",
        )
    return (
        "That the direction alone counts: with a limit on the length, scores are no further apart "
        "than the length times the distance of two keys, and no weights are sharper than that.",
    )
