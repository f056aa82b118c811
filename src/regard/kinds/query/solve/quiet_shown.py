"""Steps, tables and mistakes of a query that was designed against noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.design import RobustDesign
from regard.kinds.query.solve.formula import Mix
from regard.kinds.query.solve.law import Bound, RandomKeys
from regard.kinds.query.solve.noise_shown import proved_in_words
from regard.kinds.query.solve.noise_steps import proved_step
from regard.kinds.query.spec import QueryProblem
from regard.report import Block, Facts, Plot, Series, Table, number, vector
from regard.solving.key_tables import key_name, symbol, tex, tex_vector

Float64 = NDArray[np.float64]

Steps = tuple[tuple[str, str], ...]

MEANS = r" In the answer $M$ has the means as its rows, so $M^\top w = \sum_i w_i \mu_i$."


def vanishing_steps(keys: RandomKeys, query: Float64, mix: Mix, tolerance: float) -> Steps:
    """How small the noise must be for the limit to be near."""
    wanted = mix.wanted() @ keys.values

    def error(times: float) -> float:
        scaled = RandomKeys(keys.means, keys.covariances * times, keys.values, keys.scale)
        return float(scaled.off(query[None], wanted))

    low, high = -16.0, 0.0
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if error(10**middle) <= 2 * tolerance else (low, middle)
    return (
        (
            "That is the limit of vanishing noise, where keys are their means. With the noise "
            f"given the error{keys.together} of the same query is {number(error(1.0))}. It is "
            "within twice the tolerance where the variance is smaller by this factor.",
            tex(10**low, 3),
        ),
    )


def robust_shown(
    problem: QueryProblem,
    mix: Mix,
    keys: RandomKeys,
    quiet: RobustDesign,
    query: Float64,
    bound: Bound,
    proved: bool,
    in_means: bool,
) -> tuple[Steps, tuple[Block, ...], tuple[str, ...]]:
    """Steps, details and mistakes of a designed query, as it is rounded."""
    scores, spread = keys.scale * (keys.means @ query), keys.spread(query)
    wanted = mix.wanted() @ keys.values
    naive = np.sum(keys.means[list(mix.rows)], axis=0)
    at = np.linspace(0.1, 3.0, 30) * float(np.linalg.norm(query)) / float(np.linalg.norm(naive))
    errors = keys.off(np.multiply.outer(at, naive)[:, None, :], wanted)
    here = float(keys.off(query[None], wanted))
    within = here <= problem.goal.tolerance
    least = float(np.min(errors))
    worse = least > here * (1 + 1e-6)
    steps = (
        (
            "A head sees of a random key only its score, a normal variable. The wanted keys must "
            "score alike (up to the logarithms of their weights) and above the others in the mean.",
            r"s_i \sim \mathcal{N}(q^\top \mu_i,\; q^\top \Sigma_i q)",
        ),
        (
            "Of all queries with such a gap, take the one whose score differences vary least: it "
            "looks away from directions in which the wanted keys are noisy. That is a convex "
            "program.",
            r"\min_q\; q^\top (\Sigma_i + \Sigma_j)\, q \quad\text{with}\quad "
            r"q^\top (\mu_i - \mu_j) = \ln\frac{p_i}{p_j},\quad q^\top (\mu_i - \mu_l) \ge g",
        ),
        (
            "The error depends on the gap; of those tried, this one has the least."
            + MEANS * in_means,
            rf"g = {tex(quiet.gap)},\qquad q = {tex_vector(query)}",
        ),
        (
            "The exact law of the output, integrated over the scores, gives the error"
            f"{keys.together}"
            + (", which is within the tolerance." if within else ". It is above the tolerance.")
            + (" Each weight by itself may be within it." * (keys.weights_count and not within))
            + (
                " The sum of the wanted means is above it too: at its best length it comes to "
                f"{number(least)}."
                if not worse and problem.goal.tolerance < least
                else ""
            ),
            rf"\sqrt{{E \lVert c - c^* \rVert^2}} = {tex(here)},\qquad \text{{allowed }} "
            rf"{tex(problem.goal.tolerance)}",
        ),
        proved_step(bound, problem.goal.tolerance, here, proved, keys.weights_count),
    )
    rows = tuple(
        (
            f"${symbol(key_name(problem.given, i, 'mu'))}$",
            number(float(mix.wanted()[i])),
            number(float(scores[i])),
            number(float(spread[i])),
        )
        for i in range(min(mix.n, 12))
    )
    details: tuple[Block, ...] = (
        Facts(
            (
                ("query", vector(query)),
                ("gap", number(quiet.gap)),
                ("error, by the exact law", number(here)),
                ("error, as proved", proved_in_words(bound, problem.goal.tolerance, proved)),
            )
        ),
        Table(("key", "wanted", "mean score", "variance"), rows, "scores"),
        Plot(
            "lines",
            "The sum of the wanted means, turned up, against the designed query",
            "length",
            "root mean square error",
            (
                Series("sum of the means", tuple(at.tolist()), tuple(errors.tolist())),
                Series("designed", (float(at[0]), float(at[-1])), (here, here)),
            ),
        ),
    )
    mistakes = []
    if worse:
        mistakes.append(
            "The sum of the wanted means as direction, which takes the noise with it. At its best "
            f"length the error is {number(least)}; the designed query has {number(here)}."
        )
    longer = float(keys.off(3 * query[None], wanted))
    if longer > here * (1 + 1e-6):
        mistakes.append(
            "That a longer query must help in the end: it amplifies the noise too. Three times as "
            f"long, the error is {number(longer)} instead of {number(here)}."
        )
    return steps, details, tuple(mistakes)
