"""What is said alike of one head and of several: tolerances, what is proved, what is assumed."""

from __future__ import annotations

from regard.kinds.heads.solve.averaged_heads import AveragedQueries
from regard.kinds.heads.solve.pattern import Pattern
from regard.kinds.heads.spec import WeightsProblem
from regard.language.bounds import upper_bound
from regard.problems.laws import Gaussian
from regard.report import number
from regard.solving.key_tables import formula_tex, symbol
from regard.solving.latex_numbers import tex, tex_upper_bound

Step = tuple[str, str]

RMS = r"\sqrt{E \lVert c - c^* \rVert^2}"
MEANS = r" In the answer $M$ has the means as its rows, so $M^\top w = \sum_i w_i \mu_i$."


def random_assumes(problem: WeightsProblem) -> tuple[str, ...]:
    """Say what is taken for granted about random keys."""
    keys = "the keys are normal and independent of each other."
    if problem.given.values_known:
        return (keys,)
    return keys, "The values may be any, so the tolerance is of the weights."


def proved_in_words(found: AveragedQueries) -> str:
    """Say what is proved of the error."""
    bound, tolerance = found.bound.value, found.heads.tolerance
    return f"at most {upper_bound(min(bound, tolerance) if found.proved else bound, 4)}"


def tolerance_in_words(problem: WeightsProblem) -> str:
    """Say what the tolerance is of."""
    tolerance = number(problem.goal.tolerance)
    random = isinstance(problem.given.keys, Gaussian)
    if problem.given.values_known:
        return f"{tolerance} of " + (f"${RMS}$" if random else r"$\lVert c - c^* \rVert$")
    each, all_ = r"|\alpha_i - p_i|", r"\lVert \alpha - p \rVert"
    if random:
        each, all_ = r"\sqrt{E (\alpha_i - p_i)^2}", rf"\sqrt{{E {all_}^2}}"
    return (
        f"{tolerance} of ${each}$ for each weight, as the values are arbitrary; errors are given, "
        f"and proved, for all weights together, ${all_}$, which is no less"
    )


def variance_letter(problem: WeightsProblem, alpha: float | None) -> str:
    """Return what the problem calls the variance of isotropic noise, as LaTeX."""
    names = [name for name, value in problem.given.parameters.items() if value == alpha]
    return symbol(names[0]) if names else r"\sigma^2"


def level_tex(pattern: Pattern) -> str:
    """Return the score of a wanted key as LaTeX, where the others score 0."""
    return formula_tex(pattern.height) if pattern.even else rf"{pattern.factor} + \ln p_i"


def wanted_value(pattern: Pattern) -> str:
    """Return the wanted output as LaTeX."""
    values = [symbol(f"v_{name}") for name in pattern.names]
    if pattern.m > 4:
        return r"\sum_i p_i v_i"
    if pattern.m == 1:
        return values[0]
    if pattern.even:
        return rf"\tfrac{{1}}{{{pattern.m}}} ({' + '.join(values)})"
    return " + ".join(f"{tex(w)} {v}" for w, v in zip(pattern.weights, values, strict=True))


def proved_step(found: AveragedQueries) -> Step:
    """Say what is proved of the root mean square, beside the error by the exact law.

    Where weights count, both are of all weights together, and the tolerance is of each.
    """
    bound, tolerance, weights_count = (
        found.bound,
        found.heads.tolerance,
        found.heads.keys.weights_count,
    )
    if found.proved and bound.value > tolerance:  # a head that looks at one key, and loud noise
        return (
            "What is proved is a bound for a head that looks at one key $a$: the others together "
            r"score $\ell = \ln \sum_{j \ne a} e^{s_j}$, which is independent of $s_a$ and seldom "
            "far above its mean.",
            r"E (1 - \alpha_a)^2 \le E\, \sigma(\ell_0 + u - s_a)^2 + e^{-u^2/(2 e_{\max})},\qquad "
            + rf"{RMS} \le {tex(tolerance)}",
        )
    more = ""
    if not found.proved:
        more = (
            " The numbers of the exact law are within the tolerance, and this bound is not: the "
            "answer is computed, not proved."
            if found.error <= tolerance
            else " It is above the tolerance, as the error itself is."
            + " Each weight by itself may be within it." * weights_count
        )
    elif weights_count:
        more = " What holds for all weights together holds for each of them."
    return (
        r"**Proof.** What is proved below is a bound in exponentials: $c_0$ is the output for "
        r"scores at their "
        r"means, $R$ how far the noise moves the mean output, and $V$ how much it spreads it, each "
        "at most (by the Gaussian Poincaré inequality and the convexity of the log-sum-exp)."
        + more,
        rf"{RMS} \le \sqrt{{(\lVert c_0 - c^* \rVert + R)^2 + V}} = "
        rf"\sqrt{{({tex_upper_bound(bound.missed, 4)} + {tex_upper_bound(bound.moved, 4)})^2 + "
        rf"{tex_upper_bound(bound.spread, 4)}}} \le "
        rf"{tex_upper_bound(bound.value, 4)} " + (rf"\le {tex(tolerance)}" if found.proved else ""),
    )
