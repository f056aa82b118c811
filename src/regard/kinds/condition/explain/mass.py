"""When one key gets nearly all the weight, and the output is nearly its value."""

from __future__ import annotations

import math

import numpy as np

from regard.kinds.condition.explain.letters import renamed, renamed_steps
from regard.kinds.condition.instance import Float64
from regard.kinds.condition.solve import MOST_TRIED, OfScores
from regard.kinds.condition.spec import ConditionProblem
from regard.language.bounds import upper_bound
from regard.problems import key_instance
from regard.report import Block, Facts, Plot, Series, Table, Text, number, vector
from regard.report.headline import marked
from regard.report.numbers import short
from regard.solving.closed_forms import NECESSARY_GAP, SUFFICIENT_GAP
from regard.solving.finding import Explanation
from regard.solving.general_remarks import GENERAL_REMARKS
from regard.solving.key_tables import softmax
from regard.solving.latex_numbers import equal
from regard.solving.sliders import along

POINTS = 49
OUTPUT = (
    "**Output.** The output misses $v_j$ by a mix of differences, so by at most $1 - \\alpha_j$ "
    "of the "
    "largest. It does miss by that much if all other values are in one place. So for all values at "
    "once the question is again when $\\alpha_j \\ge 1 - \\varepsilon$.",
    r"c - v_j = \sum_{i \ne j} \alpha_i (v_i - v_j),\qquad "
    r"\lVert c - v_j \rVert \le (1 - \alpha_j) \max_i \lVert v_i - v_j \rVert",
)


def explain_mass(problem: ConditionProblem, found: OfScores) -> Explanation:
    """Tell of the log-sum-exp of the other scores, and of the two gaps."""
    left = r"s_j - s_i" if found.n == 2 else r"s_j - \ln \sum_{i \ne j} e^{s_i}"
    output = problem.goal.effect == "output"
    steps = [*_gap_steps(found)]
    steps = [OUTPUT, *steps] if output else [*steps, _query(problem, found)]
    return Explanation(
        renamed(problem, left + r" \;\ge\; " + NECESSARY_GAP.latex),
        renamed_steps(problem, steps),
        (
            *_sides(found),
            *(_values(problem) if output else ()),
            along(_curves(found), found.enough),
            *GENERAL_REMARKS,
            _example(),
        ),
        () if found.lucky is None else (renamed(problem, _by_chance(softmax(found.lucky))),),
        result=renamed(
            problem,
            f"A key wins when it leads {marked('all others together', 'target')} by "
            f"${NECESSARY_GAP.latex}$.",
        ),
    )


def _gap_steps(found: OfScores) -> tuple[tuple[str, str], ...]:
    return (
        (
            r"**Weights.** Divide the softmax by $e^{s_j}$: only the differences of the scores "
            r"are left.",
            r"\alpha_j = \frac{1}{1 + \sum_{i \ne j} e^{s_i - s_j}}",
        ),
        (
            r"**Condition.** So the weight is at least $1 - \varepsilon$ exactly where that sum "
            r"is small enough. "
            "Taking logarithms gives the condition, which is both necessary and "
            "sufficient.",
            r"\sum_{i \ne j} e^{s_i - s_j} \le \frac{\varepsilon}{1 - \varepsilon}",
        ),
        (
            r"**Gap.** Let $\gamma$ be the gap to the runner-up. The sum has $n - 1$ terms of at "
            r"most "
            r"$e^{-\gamma}$, and one of them is $e^{-\gamma}$.",
            r"\gamma = s_j - \max_{i \ne j} s_i,\qquad \frac{e^{-\gamma}}{1 + e^{-\gamma}} \le "
            r"1 - \alpha_j \le \frac{(n-1) e^{-\gamma}}{1 + (n-1) e^{-\gamma}}",
        ),
        (
            "**Sufficient.** A gap to every other key that is sufficient; it is needed in full "
            "if all others score "
            "alike.",
            rf"s_j - s_i \ge {SUFFICIENT_GAP.latex} {equal(found.enough)}",
        ),
        (
            "**Necessary.** A gap that is necessary; it is enough if there is only one rival "
            "that counts.",
            rf"s_j - s_i \ge {NECESSARY_GAP.latex} {equal(found.needed)}",
        ),
    )


def _query(problem: ConditionProblem, found: OfScores) -> tuple[str, str]:
    """The factor and the shortest query for orthonormal keys."""
    n, scale = found.n, problem.given.scale
    factor = found.enough / scale
    over = "" if scale == 1 else " over the scale"
    return (
        "**Query.** For keys of length 1 at right angles $q = C k_j$ makes all others score "
        "alike, so $C$ "
        f"must be the sufficient gap{over}; taking off the mean of the keys gives the shortest "
        "query.",
        rf"C {equal(factor)},\qquad \lVert q \rVert = C \sqrt{{\frac{{n-1}}{{n}}}} "
        rf"{equal(factor * math.sqrt((n - 1) / n))}",
    )


def _sides(found: OfScores) -> tuple[Block, ...]:
    """The gaps in numbers, and both sides of the border."""
    n, epsilon = found.n, found.level.epsilon
    facts = Facts(
        (
            ("keys", str(n)),
            (r"$\varepsilon$", number(epsilon)),
            ("sufficient gap", number(found.enough, 10)),
            ("necessary gap", number(found.needed, 10)),
        )
    )
    rows = []
    for scores in found.sides:
        weight = softmax(scores)[0]
        alike = np.ptp(scores[1:]) == 0
        rows.append(
            (
                "all others score alike" if alike else "one rival only",
                number(float(scores[0] - np.max(scores[1:])), 8),
                number(1 - float(weight), 8),
                "yes" if weight >= 1 - epsilon else "no",
            )
        )
    few = "" if n <= MOST_TRIED else f" ({MOST_TRIED} keys)"
    columns = ("scores", "gap", r"$1 - \alpha$", r"at most $\varepsilon$")
    return facts, Table(columns, tuple(rows), f"just on either side of the border{few}")


def _values(problem: ConditionProblem) -> tuple[Block, ...]:
    """What the condition means for values that are given, though it does not depend on them."""
    if problem.given.values.law != "fixed":
        return ()
    values = key_instance(problem.given).values
    away = np.linalg.norm(values - values[problem.given.names[problem.goal.of]], axis=1)
    widest, epsilon = float(np.max(away)), problem.goal.epsilon
    return (
        Text(
            "The condition is for all values, so those given do not enter into it. For them, the "
            f"farthest being {short(widest)} away, it means an error of at most "
            f"{upper_bound(epsilon * widest, 3)}."
        ),
    )


def _example() -> Table:
    scores = np.array([5.0, 1.0, 0.0, -2.0])
    gap = scores[0] - scores[1]
    lost = float(np.sum(softmax(scores)[1:]))
    cells = (
        number(gap),
        number(math.exp(-gap) / (1 + math.exp(-gap)), 10),
        number(lost, 10),
        number(3 * math.exp(-gap) / (1 + 3 * math.exp(-gap)), 10),
    )
    columns = ("gap", "lower bound", r"$1 - \alpha$", "upper bound")
    return Table(columns, (cells,), "the bounds for the scores 5, 1, 0, -2")


def _curves(found: OfScores) -> Plot:
    n, wanted = found.n, 1 - found.level.epsilon
    x = np.linspace(0, max(1.4 * found.enough, 1.0), POINTS)
    places = tuple(float(g) for g in x)
    one, all_alike = 1 / (1 + np.exp(-x)), 1 / (1 + (n - 1) * np.exp(-x))
    series = (
        Series("one rival only", places, tuple(one.tolist())),
        Series("all others score alike", places, tuple(all_alike.tolist())),
        Series("wanted", places, (wanted,) * len(places)),
    )
    return Plot("lines", "The weight of the key against its gap", "gap", "weight", series)


def _by_chance(weights: Float64) -> str:
    return (
        "That $c \\approx v_j$ needs dominance for particular values too. With the values $v_j = "
        f"0$, -1 and 1 and the weights {vector(weights)} the output is "
        f"{short(round(float(weights @ [0, -1, 1]), 15))}, which is $v_j$ exactly, though "
        f"$\\alpha_j$ is only {short(float(weights[0]))}. Only for all values at once is "
        "dominance necessary."
    )
