"""When one weight is R times every other: the ratio of two weights is e^{s_j − s_i}."""

from __future__ import annotations

import math

import numpy as np

from regard.kinds.condition.explain.letters import renamed, renamed_steps
from regard.kinds.condition.solve import MANY, OfScores
from regard.kinds.condition.spec import ConditionProblem
from regard.report import Block, Facts, Plot, Series, Table, number
from regard.report.headline import marked
from regard.report.numbers import short
from regard.solving.closed_forms import LEAST_OF_RATIO, SUFFICIENT_GAP
from regard.solving.finding import Explanation, Steps
from regard.solving.key_tables import softmax
from regard.solving.latex_numbers import equal, tex


def explain_pairwise(problem: ConditionProblem, found: OfScores) -> Explanation:
    """Tell of differences of scores, and of how little a ratio of weights says about their sum."""
    n, ratio = found.n, found.level.ratio
    return Explanation(
        renamed(problem, r"s_j - s_i \;\ge\; \ln R \quad\text{for every other } i"),
        _steps(problem),
        _details(n, ratio),
        (
            f'"Overwhelmingly larger than each" taken for "nearly all". With R = {short(ratio)} '
            f"and a million keys the largest weight may be {short(least(MANY, ratio))}; with {n} "
            f"keys it may be {short(least(n, ratio))}. For 0.99 of the weight among {n} keys the "
            f"gap would have to be {short(SUFFICIENT_GAP.value(n=n, epsilon=0.01))} instead of "
            f"{short(math.log(ratio))}.",
            "A condition on the query alone. If another key equals this one, their weights are "
            "equal for every query: the ratio is 1.",
        ),
        result=f"A key outweighs each other $R$ times when it leads {marked('each', 'target')} by "
        r"$\ln R$.",
    )


def least(n: float, ratio: float) -> float:
    """The smallest weight that R times every other may mean: all others alike."""
    return LEAST_OF_RATIO.value(R=ratio, n=n)


def _steps(problem: ConditionProblem) -> Steps:
    n, ratio = problem.given.n, problem.goal.ratio
    scale = "" if problem.given.scale == 1 else f"{tex(problem.given.scale)} "
    steps = (
        (
            "**Ratio.** All weights have the same denominator, so it cancels in a ratio.",
            r"\frac{\alpha_j}{\alpha_i} = \frac{e^{s_j}}{e^{s_i}} = e^{s_j - s_i}",
        ),
        (
            "**Logarithm.** Taking logarithms gives the condition: necessary, sufficient, and "
            "independent of the "
            "number of keys. " + _which_ratio(problem),
            rf"s_j - s_i \ge \ln R,\qquad \ln {tex(ratio)} {equal(math.log(ratio))}",
        ),
        (
            f"**Scores.** It is a condition on differences of scores. With "
            f"$s_i = {scale}k_i \\cdot q$ it "
            "reads as follows, so a query of length $\\lVert q \\rVert$ needs keys that are far "
            "enough apart.",
            rf"{scale}(k_j - k_i) \cdot q \ge \ln R",
        ),
        (
            "**Query.** Such a query exists, if long enough, exactly if $k_j$ is outside the "
            "hull of the "
            "other keys.",
            r"k_j \notin \operatorname{conv}\{k_i : i \ne j\}",
        ),
        (
            "**Share.** It does not mean that key $j$ has most of the weight: many small weights "
            "add up.",
            rf"\alpha_j \ge {LEAST_OF_RATIO.latex} {equal(least(n, ratio))} \quad (n = {n})",
        ),
    )
    return renamed_steps(problem, steps)


def _which_ratio(problem: ConditionProblem) -> str:
    ratio, told = number(problem.goal.ratio), problem.goal.model_fields_set
    unused = " Its epsilon is for other effects, and does not enter here."
    if "ratio" in told:
        said = f"The ratio asked for is $R = {ratio}$."
    else:
        said = f"The problem names no ratio; numbers here and below are for $R = {ratio}$."
    return said + unused * ("epsilon" in told)


def _details(n: int, ratio: float) -> tuple[Block, ...]:
    counts = sorted({2, 10, n, 1000, MANY})
    rows = tuple((number(count), number(least(count, ratio))) for count in counts)
    x = np.linspace(math.log10(2), 6, 41)
    y = tuple(least(10**a, ratio) for a in x)
    gap = math.log(ratio)
    weights = softmax([gap, 0.0, 0.0])
    return (
        Facts(
            (
                ("$R$", number(ratio)),
                (r"gap $\ln R$", number(gap, 10)),
                ("ratio of weights at that gap", number(float(weights[0] / weights[1]), 10)),
            )
        ),
        Table(
            ("keys", "least weight of the largest"),
            rows,
            f"a weight {short(ratio)} times every other may still be small",
        ),
        Plot(
            "lines",
            "The least weight that is R times every other",
            "number of keys (power of ten)",
            "weight",
            (Series("least weight", tuple(float(a) for a in x), y),),
        ),
    )
