"""Why a query over random keys works, and between which limits its factor is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.kinds.query.solve.law import Bound, RandomKeys
from regard.kinds.query.spec import QueryProblem
from regard.solving.key_tables import known_values, symbol, tex

if TYPE_CHECKING:
    from regard.kinds.query.solve.noise import Noisy

Float64 = NDArray[np.float64]

Steps = tuple[tuple[str, str], ...]


def noise_headline(found: Noisy) -> str:
    """The query, and its factor: what is proved. The window of the factor is among the steps."""
    mix = found.mix
    assert found.window is not None
    low, high = found.window
    shown = f"q = {mix.latex()}"
    if mix.rest or high > low:
        shown += rf",\quad {mix.factor} = {tex(found.factor)}"
    return shown


def noise_steps(problem: QueryProblem, found: Noisy) -> Steps:
    """Why the formula works, and between which limits."""
    mix, c, alpha = found.mix, found.mix.factor, found.variance
    pair = found.closed is not None
    letter = _letter(problem, found)
    root = rf"{letter}^{{-1/2}}"
    power = c if mix.scale == 1 or not mix.even else f"{tex(mix.scale)} {c}"
    squared = f"{c}^2" if mix.scale == 1 else rf"({tex(mix.scale)} {c})^2"
    level = power if mix.even else rf"{c} + \ln p_i"
    assert found.window is not None
    spread = np.sort(found.keys.spread(found.query)[list(mix.rows)])
    within = float(np.sum(spread[-2:]))
    steps = [
        (
            "A head sees of a random key only its score, which is a normal variable. In the mean "
            "the "
            "scores are those of keys at their means.",
            r"s_i \sim \mathcal{N}(q^\top \mu_i,\; q^\top \Sigma_i q),\qquad "
            rf"E s_i = {level} \;\text{{ if wanted}},\quad 0 \;\text{{ otherwise}}",
        )
    ]
    if not known_values(problem.given):
        steps.append(
            (
                "The values are arbitrary, so the weights themselves must be right; they are the "
                "output if the values are unit vectors.",
                r"v_i = e_i,\qquad c = \alpha,\qquad c^* = p",
            )
        )
    if pair:
        steps.append(
            (
                "Between the two wanted keys the difference of the scores decides. It has mean "
                "0, so "
                "they share evenly in the mean; how evenly each time depends on its deviation "
                r"$\tau$.",
                rf"Z = s_{{{mix.names[0]}}} - s_{{{mix.names[1]}}} \sim \mathcal{{N}}(0, \tau^2),"
                rf"\quad \tau^2 = 4 {letter} {squared} = {tex(within)},\qquad "
                rf"\operatorname{{Var}} \approx \frac{{\tau^2}}{{16}} = "
                rf"\frac{{{letter} {squared}}}{{4}}",
            )
        )
    elif mix.m > 1:
        steps.append(
            (
                r"How evenly the wanted keys share depends on the deviation $\tau$ of the "
                r"differences "
                "of their scores, which grows with the factor.",
                rf"\tau^2 = q^\top (\Sigma_i + \Sigma_j)\, q \le {tex(within)}",
            )
        )
    steps.append(_limits(found, pair, root))
    if pair:
        first_order = predicted(found, found.closed or 0.0)
        steps.append(
            (
                "To first order the mean square error is that of the leak plus that of the "
                "noise. It "
                "is least where Lambert's $W$ says.",
                rf"\left(\frac{{n-2}}{{2}}\right)^2 e^{{-2 {power}}} D^2 + "
                rf"\frac{{{letter} {squared}}}{{4}} \lVert v_{{{mix.names[0]}}} - "
                rf"v_{{{mix.names[1]}}} \rVert^2,\qquad {c}^* = "
                + ("" if mix.scale == 1 else rf"\frac{{1}}{{{tex(mix.scale)}}} ")
                + rf"\tfrac{{1}}{{2}} W\left(\frac{{2 (n-2)^2 D^2}}{{{letter} \lVert "
                rf"v_{{{mix.names[0]}}} - v_{{{mix.names[1]}}} \rVert^2}}\right) = "
                rf"{tex(found.closed or 0.0, 7)}",
            )
        )
        steps.append(
            (
                "The exact law agrees: integrated over the scores, the error is least nearby.",
                rf"\text{{predicted }} {tex(first_order)},\quad \text{{exact }} "
                rf"{tex(float(found.off(np.array(found.closed)) ** 2))} \;\text{{ at }} "
                rf"{c}^*;\qquad "
                rf"\text{{exact minimum }} {tex(float(found.off(np.array(found.best)) ** 2))} "
                rf"\;\text{{ at }} {tex(found.best, 4)}",
            )
        )
    error = float(found.off(np.array(found.factor)))
    steps.append(
        proved_step(found.bound, found.tolerance, error, found.proved, found.keys.weights_count)
    )
    if found.proved and problem.given.limits and found.bound.value <= found.tolerance:
        steps.append(SMALLER_NOISE)
    if problem.given.limits and alpha is not None and pair:
        smaller = _smaller(found)
        steps.append(
            (
                f"As ${letter} \\to 0$ the best factor grows like $\\frac{{1}}{{2}} "
                f"\\ln(1/{letter})$, "
                "far slower than its upper limit, and both errors vanish.",
                r",\quad ".join(
                    rf"{letter} = {tex(a)}:\; {c}^* = {tex(f, 4)},\, \text{{error }} {tex(e, 3)}"
                    for a, f, e in smaller
                ),
            )
        )
    return tuple(steps)


def _limits(found: Noisy, pair: bool, root: str) -> tuple[str, str]:
    mix, c = found.mix, found.mix.factor
    assert found.window is not None
    low, high = found.window
    window = rf"{tex(low, 4)} \le {c} \le {tex(high, 4)}"
    if pair and found.variance is not None:
        return (
            rf"So ${c}$ has two limits: the leak wants it large against $\ln n$, and the noise "
            rf"wants "
            rf"$\tau$ small, ${c} \ll {root}$. Within the tolerance, as computed, are these:",
            rf"\ln n = {tex(math.log(mix.n), 4)} \ll {c} \ll {root} = "
            rf"{tex(found.variance**-0.5, 4)},\qquad {window}",
        )
    if mix.m == 1:
        return (
            f"A query for a single key needs ${c}$ large against $\\ln n$; noise does not limit it "
            "from above as it does a mix. Within the tolerance are these (as far as was tried):",
            window,
        )
    return (
        f"So ${c}$ has two limits: the leak wants it large, the noise wants it small. Within the "
        "tolerance, as computed, are these:",
        window,
    )


SMALLER_NOISE = (
    "Every term of that bound grows with the variances of the scores. So what is proved for the "
    "noise given is proved for the same noise made smaller, all the way to the limit.",
    r"\Sigma_i \to t\, \Sigma_i,\qquad 0 \le t \le 1",
)


def proved_step(
    bound: Bound, tolerance: float, error: float, proved: bool, weights_count: bool
) -> tuple[str, str]:
    """What is proved of the root mean square, as a step; the error is the one of the exact law.

    Where weights count, both are of all weights together, and the tolerance is of each.
    """
    missed = r"\sqrt{E \lVert c - c^* \rVert^2}"
    if proved and bound.value > tolerance:  # a head that looks at one key, and loud noise
        return (
            "What is proved is a bound for a head that looks at one key $a$: the others together "
            r"score $\ell = \ln \sum_{j \ne a} e^{s_j}$, which is independent of $s_a$ and seldom "
            "far above its mean.",
            r"E (1 - \alpha_a)^2 \le E\, \sigma(\ell_0 + u - s_a)^2 + e^{-u^2/(2 e_{\max})},\qquad "
            + rf"{missed} \le {tex(tolerance)}",
        )
    more = ""
    if not proved:
        more = (
            " The numbers of the exact law are within the tolerance, and this bound is not: the "
            "answer is computed, not proved."
            if error <= tolerance
            else " It is above the tolerance, as the error itself is."
            + " Each weight by itself may be within it." * weights_count
        )
    elif weights_count:
        more = " What holds for all weights together holds for each of them."
    return (
        r"What is proved below is a bound in exponentials: $c_0$ is the output for scores at their "
        r"means, $R$ how far the noise moves the mean output, and $V$ how much it spreads it, each "
        "at most (by the Gaussian Poincaré inequality and the convexity of the log-sum-exp)."
        + more,
        rf"{missed} \le \sqrt{{(\lVert c_0 - c^* \rVert + R)^2 + V}} = "
        rf"\sqrt{{({tex(bound.missed)} + {tex(bound.moved)})^2 + {tex(bound.spread)}}} = "
        rf"{tex(bound.value)} " + (rf"\le {tex(tolerance)}" if proved else ""),
    )


def _letter(problem: QueryProblem, found: Noisy) -> str:
    """What the problem calls the variance of the noise."""
    for name, value in problem.given.parameters.items():
        if found.variance is not None and value == found.variance:
            return symbol(name)
    return r"\sigma^2"


def distances(found: Noisy) -> tuple[float, float, list[int]]:
    """D, the distance of the two wanted values, and the other keys."""
    mix, values = found.mix, found.keys.values
    rest = [i for i in range(mix.n) if i not in mix.rows]
    D = float(np.linalg.norm(np.mean(values[rest], axis=0) - found.wanted)) if rest else 0.0
    apart = float(np.linalg.norm(np.subtract(*values[list(mix.rows)])))
    return D, apart, rest


def predicted(found: Noisy, factor: float) -> float:
    """The mean square error to first order."""
    D, apart, rest = distances(found)
    height = found.mix.scale * factor
    leak = len(rest) / 2 * math.exp(-height) * D
    return leak**2 + (found.variance or 0.0) * height**2 / 4 * apart**2


def _smaller(found: Noisy) -> list[tuple[float, float, float]]:
    from regard.design import isotropic_scale

    assert found.variance is not None
    D, apart, _ = distances(found)
    result = []
    for times in (1.0, 1e-2, 1e-4):
        alpha = found.variance * times
        factor = isotropic_scale(found.mix.n, alpha, D, apart) / found.mix.scale
        keys = RandomKeys(
            found.keys.means, found.keys.covariances * times, found.keys.values, found.keys.scale
        )
        error = float(keys.off(found.queries(np.array(factor)), found.wanted))
        result.append((alpha, factor, error))
    return result
