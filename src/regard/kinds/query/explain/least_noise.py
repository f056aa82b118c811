"""Tell of a query that was designed against noise, or for keys at their means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from regard.kinds.heads.explain.proved_bounds import (
    MEANS,
    RMS,
    Step,
    proved_in_words,
    proved_step,
    random_assumes,
)
from regard.kinds.query.solve.least_noise import LeastNoise, NoMeanScores, VanishingNoise
from regard.kinds.query.spec import QueryProblem
from regard.report import Facts, Plot, Series, Table, number, vector
from regard.report.numbers import short
from regard.solving.finding import Explanation, Status
from regard.solving.key_tables import key_name, symbol, tex_vector
from regard.solving.latex_numbers import equal, tex
from regard.solving.refusals import in_words

CLEARLY = 1 + 1e-6  # by this factor an error must be larger to be called so

_AVERAGES = (
    "**Average.** Another average of the means, with weights $\\lambda$, is the same point. Its "
    "score differs "
    "from that of the wanted average by a normal number of mean 0, which is at most 0 half of the "
    "time. Then the weights are off by at least the difference of the entropies. So the squares of "
    "the errors of all $n$ weights sum to more than $n$ times that of the tolerance "
    "$\\varepsilon$, and one of them is above it.",
    r"P(Y \le 0) \ge \tfrac12,\qquad \sum_j p_j \ln\frac{p_j}{\alpha_j} \ge H(\lambda) - H(p)"
    r"\quad\text{where } Y \le 0,\qquad E \lVert \alpha - p \rVert^2 > n\, \varepsilon^2",
)


def explain_no_mean_scores(problem: QueryProblem, found: NoMeanScores) -> Explanation:
    """Return why no query has these weights in the mean, and what that excludes."""
    said = (in_words(found.refusal), "")
    if found.status is Status.IMPOSSIBLE:
        headline = r"\text{impossible: the means have no query with these mean scores}"
        return Explanation(headline, (said, _AVERAGES), assumes=random_assumes(problem))
    headline = r"\text{not known: no query has the mean scores that these weights need}"
    return Explanation(headline, (said,))


def in_the_limit(found: VanishingNoise, told: Explanation) -> Explanation:
    """Return what is told of keys at their means, with how small the noise must be for it."""
    more = (
        "**With noise.** That is the limit of vanishing noise, where keys are their means. With "
        "the noise given "
        f"the error{found.heads.keys.together} of the same query is {short(found.error)}. It is "
        "within twice the tolerance where the variance is smaller by this factor.",
        tex(found.less, 3),
    )
    return replace(
        told,
        headline=rf"{told.headline} \quad \text{{as the noise vanishes}}",
        steps=(*told.steps, more),
        assumes=("the noise vanishes first, so that keys are their means.",),
    )


def explain_least_noise(problem: QueryProblem, found: LeastNoise) -> Explanation:
    """Return why the designed query has the least noise, as it is rounded."""
    query = tex_vector(found.query)
    if found.coefficients is not None:
        query = rf"M^\top {tex_vector(found.coefficients)}"
    tolerance = problem.goal.tolerance
    facts = (
        ("query", vector(found.query)),
        ("gap", number(found.design.gap)),
        ("error, by the exact law", number(found.error)),
        ("error, as proved", proved_in_words(found)),
    )
    return Explanation(
        f"q = {query}",
        tuple(_steps(found, tolerance)),
        (Facts(facts), _scores(problem, found), _curve(found)),
        tuple(_beliefs(found)),
        random_assumes(problem),
    )


def _steps(found: LeastNoise, tolerance: float) -> Iterator[Step]:
    here, least = found.error, float(np.min(found.sum_of_means[1]))
    yield (
        "**Scores.** A head sees of a random key only its score, a normal variable. The wanted "
        "keys must "
        "score alike (up to the logarithms of their weights) and above the others in the mean.",
        r"s_i \sim \mathcal{N}(q^\top \mu_i,\; q^\top \Sigma_i q)",
    )
    yield (
        "**Least noise.** Of all queries with such a gap, take the one whose score differences "
        "vary least: it "
        "looks away from directions in which the wanted keys are noisy. That is a convex program.",
        r"\min_q\; q^\top (\Sigma_i + \Sigma_j)\, q \quad\text{with}\quad "
        r"q^\top (\mu_i - \mu_j) = \ln\frac{p_i}{p_j},\quad q^\top (\mu_i - \mu_l) \ge g",
    )
    yield (
        "**Gap.** The error depends on the gap; of those tried, this one has the least."
        + MEANS * (found.coefficients is not None),
        rf"g {equal(found.design.gap)},\qquad q = {tex_vector(found.query)}",
    )
    summed = (
        " The sum of the wanted means is above it too: at its best length it comes to "
        f"{short(least)}."
    )
    within = ", which is within" if here <= tolerance else ". It is above"
    each = found.heads.keys.weights_count and here > tolerance
    yield (
        "**Exact law.** The exact law of the output, integrated over the scores, gives the error"
        f"{found.heads.keys.together}{within} the tolerance."
        + " Each weight by itself may be within it." * each
        + summed * (tolerance < least <= here * CLEARLY),
        rf"{RMS} {equal(here)},\qquad \text{{allowed }} "
        rf"{tex(tolerance)}",
    )
    yield proved_step(found)


def _scores(problem: QueryProblem, found: LeastNoise) -> Table:
    variances = found.heads.keys.score_variances(found.query)
    columns = (found.pattern.wanted, found.scores[0], variances)
    rows = tuple(
        (
            f"${symbol(key_name(problem.given, i, 'mu'))}$",
            *(number(float(column[i])) for column in columns),
        )
        for i in range(min(found.pattern.n, 12))
    )
    return Table(("key", "wanted", "mean score", "variance"), rows, "scores")


def _curve(found: LeastNoise) -> Plot:
    at, errors = (tuple(x.tolist()) for x in found.sum_of_means)
    return Plot(
        "lines",
        "The sum of the wanted means, turned up, against the designed query",
        "length",
        "root mean square error",
        (
            Series("sum of the means", at, errors),
            Series("designed", (at[0], at[-1]), (found.error, found.error)),
        ),
    )


def _beliefs(found: LeastNoise) -> Iterator[str]:
    here, least = found.error, float(np.min(found.sum_of_means[1]))
    if least > here * CLEARLY:
        yield (
            "The sum of the wanted means as direction, which takes the noise with it. At its best "
            f"length the error is {short(least)}; the designed query has {short(here)}."
        )
    if found.error_of_longer > here * CLEARLY:
        yield (
            "That a longer query must help in the end: it amplifies the noise too. Three times as "
            f"long, the error is {short(found.error_of_longer)} instead of {short(here)}."
        )
