"""When one weight is R times every other: α_j/α_i = e^{s_j − s_i}, so where s_j − s_i ≥ ln R."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from regard.certify import Certificate
from regard.certify.claims import equivalences
from regard.certify.claims.conditions import condition_claim, gap_claim
from regard.kinds.condition.solve.gaps import NEAR, renamed
from regard.kinds.condition.spec import ConditionProblem
from regard.report import Block, Facts, Plot, Series, Table, number
from regard.solving.finding import Status
from regard.solving.key_tables import softmax, tex
from regard.solving.solution import Solution, solved

MANY = 10**6


def solve_pairwise(problem: ConditionProblem) -> Solution:
    """When alpha_j ≥ R alpha_i for every other i."""
    j, i = problem.goal.of, problem.goal.other
    n, ratio = problem.given.n, problem.goal.ratio
    text = f"s_{j} - s_{i} >= log(R)"
    exact = str(Fraction(repr(ratio)))
    effect = "u' softmax(s) >= R (w' softmax(s))"
    instances = []
    for way in (1, -1):
        gap = math.log(ratio) + way * NEAR
        for scores in ([gap, 0.0, 0.0], [gap, -5.0, 0.0]):
            instances.append(
                {
                    "s": scores,
                    f"s_{j}": scores[0],
                    f"s_{i}": max(scores[1:]),
                    "u": [1, 0, 0],
                    "w": [0, 0, 1],
                    "R": exact,
                }
            )
    claims = (
        equivalences.claim("pairwise", text, of=j, other=i, n=n),
        gap_claim("sufficient", "log(R)", [{"R": exact}], effect="ratio", tight=True),
        gap_claim("necessary", "log(R)", [{"R": exact}], effect="ratio", tight=True),
        condition_claim("equivalent", text, effect, instances),
        # A ratio of weights says little about their sum.
        condition_claim(
            "not sufficient",
            text,
            "R/(R + n - 1) >= 1/2",
            [{f"s_{j}": math.log(ratio) + NEAR, f"s_{i}": 0, "R": exact, "n": _many(ratio)}],
        ),
    )
    return solved(
        problem,
        Status.PROVED,
        renamed(problem, r"s_j - s_i \;\ge\; \ln R \quad\text{for every other } ")
        + renamed(problem, "x_i")[2:],
        {"condition": text},
        Certificate({}, claims, problem.given.scale),
        _steps(problem),
        _details(n, ratio),
        _mistakes(n, ratio),
        reaches=(0,),
    )


def _many(ratio: float) -> int:
    return max(MANY, math.ceil(10 * ratio))


def least(n: float, ratio: float) -> float:
    """The smallest weight that R times every other may mean: all others alike."""
    return ratio / (ratio + n - 1)


def _steps(problem: ConditionProblem) -> tuple[tuple[str, str], ...]:
    n, ratio = problem.given.n, problem.goal.ratio
    scale = "" if problem.given.scale == 1 else f"{tex(problem.given.scale)} "
    steps = (
        (
            "All weights have the same denominator, so it cancels in a ratio.",
            r"\frac{\alpha_j}{\alpha_i} = \frac{e^{s_j}}{e^{s_i}} = e^{s_j - s_i}",
        ),
        (
            "Taking logarithms gives the condition: necessary, sufficient, and independent of the "
            "number of keys. " + _which_ratio(problem),
            rf"s_j - s_i \ge \ln R,\qquad \ln {tex(ratio)} = {tex(math.log(ratio), 10)}",
        ),
        (
            f"It is a condition on differences of scores. With $s_i = {scale}k_i \\cdot q$ it "
            "reads as follows, so a query of length $\\lVert q \\rVert$ needs keys that are far "
            "enough apart.",
            rf"{scale}(k_j - k_i) \cdot q \ge \ln R",
        ),
        (
            "Such a query exists, if long enough, exactly if $k_j$ is outside the hull of the "
            "other "
            "keys.",
            r"k_j \notin \operatorname{conv}\{k_i : i \ne j\}",
        ),
        (
            "It does not mean that key $j$ has most of the weight: many small weights add up.",
            rf"\alpha_j \ge \frac{{R}}{{R + n - 1}} = {tex(least(n, ratio))} \quad (n = {n})",
        ),
    )
    return tuple(
        (renamed(problem, a).replace("key $j$", _key(problem)), renamed(problem, b))
        for a, b in steps
    )


def _which_ratio(problem: ConditionProblem) -> str:
    ratio, told = number(problem.goal.ratio), problem.goal.model_fields_set
    unused = " Its epsilon is for other effects, and does not enter here."
    if "ratio" in told:
        said = f"The ratio asked for is $R = {ratio}$."
    else:
        said = f"The problem names no ratio; numbers here and below are for $R = {ratio}$."
    return said + unused * ("epsilon" in told)


def _key(problem: ConditionProblem) -> str:
    return f"key ${renamed(problem, 'x_j')[2:]}$"


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
            f"a weight {number(ratio)} times every other may still be small",
        ),
        Plot(
            "lines",
            "The least weight that is R times every other",
            "number of keys (power of ten)",
            "weight",
            (Series("least weight", tuple(float(a) for a in x), y),),
        ),
    )


def _mistakes(n: int, ratio: float) -> tuple[str, ...]:
    needed = math.log(99 * (n - 1))
    return (
        f'"Overwhelmingly larger than each" taken for "nearly all". With R = {number(ratio)} and a '
        f"million keys the largest weight may be {number(least(MANY, ratio))}; with {n} keys it "
        f"may "
        f"be {number(least(n, ratio))}. For 0.99 of the weight among {n} keys the gap would have "
        f"to "
        f"be {number(needed)} instead of {number(math.log(ratio))}.",
        f'"Much larger" read as a ratio of scores. The scores 0.1 and 0.001 have the ratio '
        f"{number(100)}, and their weights only {number(math.exp(0.1 - 0.001))}.",
        "A condition on the query alone. If another key equals this one, their weights are equal "
        f"for every query: the ratio is {number(math.exp(0.0))}.",
    )
