"""When one key gets nearly all the weight, and the output is nearly its value.

Let γ be the gap between s_j and the largest other score. α_j = 1/(1 + Σ_{i≠j} e^{s_i − s_j}), and
the sum is at least e^{−γ} and at most (n − 1) e^{−γ}. So α_j ≥ 1 − ε holds exactly where the sum is
at most ε/(1 − ε); γ ≥ ln((n − 1)(1 − ε)/ε) is sufficient, γ ≥ ln((1 − ε)/ε) is necessary, and
neither can be improved: the others may all score alike, or all but one may score next to nothing.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate, Claim
from regard.certify.claims import equivalences
from regard.certify.claims.conditions import condition_claim, gap_claim
from regard.kinds.condition.solve.gaps import gaps, named, renamed, renamed_step, sides
from regard.kinds.condition.solve.mass_shown import mass_details, mass_mistakes
from regard.kinds.condition.spec import ConditionProblem
from regard.report import number, vector
from regard.solving.finding import Status
from regard.solving.key_tables import softmax, tex
from regard.solving.solution import Solution, solved

Float64 = NDArray[np.float64]

SUFFICIENT = "log((n - 1) (1 - epsilon)/epsilon)"
NECESSARY = "log((1 - epsilon)/epsilon)"


def exact_text(problem: ConditionProblem) -> str:
    """The condition that is both sufficient and necessary."""
    j, i = problem.goal.of, problem.goal.other
    if problem.given.n == 2:
        return f"s_{j} - s_{i} >= {NECESSARY}"
    return f"s_{j} - log(sum(exp(s)) - exp(s_{j})) >= {NECESSARY}"


def mass_claims(problem: ConditionProblem) -> list[Claim]:
    """The gaps, the exact condition on both sides, and that ratios are neither."""
    j, i = problem.goal.of, problem.goal.other
    epsilon = str(Fraction(repr(problem.goal.epsilon)))
    case = {"n": problem.given.n, "epsilon": epsilon}
    effect = "u' softmax(s) >= 1 - epsilon"
    instances = [named(problem, scores, epsilon) for scores in sides(problem)]
    ratio = f"s_{j} >= 100 s_{i}"
    small, large = np.array([0.1, 0.001]), np.array([1000.0, 990.0])
    return [
        _goal(problem),
        gap_claim("sufficient", SUFFICIENT, [case], tight=True),
        gap_claim("necessary", NECESSARY, [case], tight=True),
        condition_claim("equivalent", exact_text(problem), effect, instances),
        condition_claim("not sufficient", ratio, effect, [named(problem, small, "1/100")]),
        condition_claim("not necessary", ratio, effect, [named(problem, large, "1/100")]),
    ]


def _goal(problem: ConditionProblem) -> Claim:
    """The condition is necessary and sufficient, for all scores."""
    goal = problem.goal
    return equivalences.claim(
        goal.effect, exact_text(problem), of=goal.of, other=goal.other, n=problem.given.n
    )


def solve_mass(problem: ConditionProblem) -> Solution:
    """When alpha_j ≥ 1 − epsilon."""
    return solved(
        problem,
        Status.PROVED,
        headline(problem),
        {"condition": exact_text(problem)},
        Certificate({}, tuple(mass_claims(problem)), problem.given.scale),
        (*mass_steps(problem), _queries(problem)),
        mass_details(problem),
        mass_mistakes(problem),
        reaches=(0,),
    )


def solve_output(problem: ConditionProblem) -> Solution:
    """When ‖c − v_j‖ ≤ epsilon max_i ‖v_i − v_j‖ for all values: the same condition."""
    epsilon = str(Fraction(repr(problem.goal.epsilon)))
    effect = "norm(V' softmax(s) - v) <= epsilon"
    instances = []
    for scores in sides(problem):
        values = [[0, 0]] + [[1, 0]] * (len(scores) - 1)  # all others in one place, at distance 1
        instances.append({**named(problem, scores, epsilon), "V": values, "v": [0, 0]})
    # Values on either side of v_j, and less weight on it than the condition asks for.
    level = max(1.0, math.log(1 / (1 - problem.goal.epsilon) - 0.5))
    lucky = {
        **named(problem, np.array([0.0, level, level]), epsilon),
        "V": [[0, 0], [-1, 0], [1, 0]],
        "v": [0, 0],
    }
    text = exact_text(problem)
    claims = [
        *mass_claims(problem),
        condition_claim("equivalent", text, effect, instances),
        condition_claim("not necessary", text, effect, [lucky]),
    ]
    chance = softmax([0.0, level, level])
    lucky_values = (
        "That $c \\approx v_j$ needs dominance for particular values too. With the values $v_j = "
        f"0$, -1 and 1 and the weights {vector(chance)} the output is "
        f"{number(round(float(chance @ [0, -1, 1]), 15))}, which is $v_j$ exactly, though "
        f"$\\alpha_j$ is only {number(float(chance[0]))}. Only for all values at once is dominance "
        "necessary."
    )
    step = (
        "The output misses $v_j$ by a mix of differences, so by at most $1 - \\alpha_j$ of the "
        "largest. It does miss by that much if all other values are in one place. So "
        "for all values at once the question is again when $\\alpha_j \\ge 1 - \\varepsilon$.",
        r"c - v_j = \sum_{i \ne j} \alpha_i (v_i - v_j),\qquad "
        r"\lVert c - v_j \rVert \le (1 - \alpha_j) \max_i \lVert v_i - v_j \rVert",
    )
    return solved(
        problem,
        Status.PROVED,
        headline(problem),
        {"condition": text},
        Certificate({}, tuple(claims), problem.given.scale),
        (renamed_step(problem, step), *mass_steps(problem)),
        mass_details(problem),
        (renamed(problem, lucky_values), *mass_mistakes(problem)),
        reaches=(0,),
    )


def headline(problem: ConditionProblem) -> str:
    """The exact condition as LaTeX."""
    left = r"s_j - s_i" if problem.given.n == 2 else r"s_j - \ln \sum_{i \ne j} e^{s_i}"
    return renamed(problem, left + r" \;\ge\; \ln\frac{1 - \varepsilon}{\varepsilon}")


def mass_steps(problem: ConditionProblem) -> tuple[tuple[str, str], ...]:
    """Why, and the two gaps."""
    n, epsilon = problem.given.n, problem.goal.epsilon
    enough, needed = gaps(n, epsilon)
    steps = (
        (
            r"Divide the softmax by $e^{s_j}$: only the differences of the scores are left.",
            r"\alpha_j = \frac{1}{1 + \sum_{i \ne j} e^{s_i - s_j}}",
        ),
        (
            r"So the weight is at least $1 - \varepsilon$ exactly where that sum is small "
            r"enough. Taking "
            "logarithms gives the condition, which is both necessary and sufficient.",
            r"\sum_{i \ne j} e^{s_i - s_j} \le \frac{\varepsilon}{1 - \varepsilon}",
        ),
        (
            r"Let $\gamma$ be the gap to the runner-up. The sum has $n - 1$ terms of at most "
            r"$e^{-\gamma}$, and one of them is $e^{-\gamma}$.",
            r"\gamma = s_j - \max_{i \ne j} s_i,\qquad \frac{e^{-\gamma}}{1 + e^{-\gamma}} \le "
            r"1 - \alpha_j \le \frac{(n-1) e^{-\gamma}}{1 + (n-1) e^{-\gamma}}",
        ),
        (
            "A gap to every other key that is sufficient; it is needed in full if all others score "
            "alike.",
            r"s_j - s_i \ge \ln\frac{(n-1)(1-\varepsilon)}{\varepsilon} = " + tex(enough, 10),
        ),
        (
            "A gap that is necessary; it is enough if there is only one rival that counts.",
            r"s_j - s_i \ge \ln\frac{1-\varepsilon}{\varepsilon} = " + tex(needed, 10),
        ),
    )
    return tuple(renamed_step(problem, step) for step in steps)


def _queries(problem: ConditionProblem) -> tuple[str, str]:
    """The factor and the shortest query for orthonormal keys."""
    n, epsilon, scale = problem.given.n, problem.goal.epsilon, problem.given.scale
    factor = gaps(n, epsilon)[0] / scale
    shortest = factor * math.sqrt((n - 1) / n)
    return renamed_step(
        problem,
        (
            "For keys of length 1 at right angles $q = C k_j$ makes all others score alike, so $C$ "
            "must be the sufficient gap"
            + ("" if scale == 1 else " over the scale")
            + "; taking off the mean of the keys gives the shortest query.",
            rf"C = {tex(factor, 10)},\qquad \lVert q \rVert = C \sqrt{{\frac{{n-1}}{{n}}}} = "
            rf"{tex(shortest, 10)}",
        ),
    )
