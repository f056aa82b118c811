"""Why the queries of several heads work, or cannot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from regard.errors import InfeasibleDesign
from regard.kinds.heads.solve.examples import hard_limit
from regard.kinds.heads.spec import HeadsProblem
from regard.kinds.query.solve.exact import wanted_value
from regard.kinds.query.solve.formula import Mix
from regard.kinds.query.solve.noise_steps import proved_step
from regard.kinds.query.solve.quiet import in_means
from regard.kinds.query.solve.quiet_shown import MEANS
from regard.report import Block, number
from regard.solving.key_tables import (
    averaged,
    key_name,
    symbol,
    tex,
    tex_vector,
    weights_table,
)

if TYPE_CHECKING:
    from regard.kinds.heads.solve.setting import Heads

Float64 = NDArray[np.float64]

Steps = tuple[tuple[str, str], ...]


def heads_headline(found: Heads) -> str:
    """The queries of all heads."""
    parts = []
    for h, (mix, query) in enumerate(zip(found.mixes, found.queries, strict=True)):
        shown = tex_vector(query) if math.isnan(found.factor) else mix.latex()
        parts.append(f"q_{{{h + 1}}} = {shown}")
        if h == 3 and len(found.mixes) > 5:
            parts.append(r"\ldots")
            break
    if not math.isnan(found.factor):
        parts.append(rf"{found.whole.factor} = {tex(found.factor)}")
    limit = "" if found.noisy is None else r" \quad \text{as the noise vanishes}"
    return r",\quad ".join(parts) + limit


def spread_of(found: Heads) -> float | None:
    """alpha, where every covariance is alpha I."""
    noise = found.keys.covariances
    alpha = float(noise[0, 0, 0])
    same = np.allclose(noise, alpha * np.eye(noise.shape[1]), rtol=1e-12, atol=0)
    return alpha if same and alpha > 0 else None


def heads_steps(problem: HeadsProblem, found: Heads) -> Steps:
    """Why the queries work."""
    whole, heads = found.whole, len(found.mixes)
    pure = all(mix.m == 1 for mix in found.mixes)
    shares = [
        rf"c_{{{h + 1}}} \approx "
        + " + ".join(
            (f"{tex(w, 4)} " if w < 1 else "") + symbol(f"v_{name}")
            for name, w in zip(mix.names, mix.weights, strict=True)
        )
        for h, mix in enumerate(found.mixes[:4])
    ]
    outputs = rf"\frac{{1}}{{{heads}}} \sum_{{h=1}}^{{{heads}}} c_h"
    first = (
        f"The outputs of {heads} heads are averaged, so each counts $1/{heads}$. "
        + (
            "A head for each wanted value is all it takes."
            if pure
            else "The shares do not all fit whole heads, so the rest is mixed in one head or more."
        ),
        rf"c = {outputs} \approx {wanted_value(whole)},\qquad " + r",\; ".join(shares),
    )
    steps = [first]
    if math.isnan(found.factor):
        steps.append(
            (
                "Each query was designed for its keys: the wanted ones score above all others"
                + (", with as little noise as possible." if found.random else ".")
                + (MEANS * _of_means(found)),
                r",\quad ".join(
                    rf"q_{{{h + 1}}} = {tex_vector(q)}" for h, q in enumerate(found.queries[:4])
                ),
            )
        )
    else:
        steps += _formula_steps(found, pure)
    if np.any(found.keys.covariances) and pure:
        steps += _noise_steps(problem, found)
    steps.append(_bound_step(found))
    if found.noisy is not None:
        steps.append(
            (
                "That is in the limit of vanishing noise, where keys are their means. With the "
                f"noise given the error{found.keys.together} of the same queries is",
                rf"\sqrt{{E \lVert c - c^* \rVert^2}} = {tex(found.error_with_noise)} > "
                rf"{tex(found.tolerance)}",
            )
        )
    return tuple(steps)


def _of_means(found: Heads) -> bool:
    """Whether the answer writes the queries as combinations of the means."""
    queries = found.queries if found.whole.prefix == "mu" else ()
    return any(in_means(query, found.instance) is not None for query in queries)


def _bound_step(found: Heads) -> tuple[str, str]:
    if not found.random:
        return (
            "The output of these queries, as they are rounded, is proved to be that near.",
            rf"\lVert c - c^* \rVert = {tex(found.error)}"
            + (rf" \le {tex(found.tolerance)}" if found.proved else ""),
        )
    return proved_step(
        found.provable, found.tolerance, found.error, found.proved, found.keys.weights_count
    )


def _formula_steps(found: Heads, pure: bool) -> list[tuple[str, str]]:
    c, n, whole = found.whole.factor, found.whole.n, found.whole
    power = c if whole.scale == 1 else f"{tex(whole.scale)} {c}"
    leak = found.mixes[0].leak(found.factor)
    if not pure:
        return [
            (
                "The query of a mixed head adds the logarithms of its shares, if they differ.",
                r",\quad ".join(
                    rf"q_{{{h + 1}}} = {mix.latex()}" for h, mix in enumerate(found.mixes[:4])
                ),
            )
        ]
    mean = r"\mu_i" if whole.prefix == "mu" else "k_i"
    return [
        (
            f"In each head the wanted key scores ${power}$"
            + (" in the mean" if found.random else "")
            + " and every other key 0.",
            rf"{mean}^\top q_h = {c} \;\text{{ for its key}},\qquad \alpha = "
            rf"\frac{{e^{{{power}}}}}{{e^{{{power}}} + n - 1}}",
        ),
        (
            f"What leaks to the other {'key' if n == 2 else f'{n - 1} keys'} falls like "
            f"$e^{{-{power}}}$, so ${c}$ must be large against $\\ln n$. This one is enough for "
            "the tolerance:",
            rf"r = \frac{{n-1}}{{e^{{{power}}} + n - 1}} = {tex(leak)} \quad\text{{at }} "
            rf"{c} = {tex(found.factor)}",
        ),
    ]


def _noise_steps(problem: HeadsProblem, found: Heads) -> list[tuple[str, str]]:
    alpha = spread_of(found)
    if alpha is None or found.whole.structure != "orthonormal" or math.isnan(found.factor):
        return []
    n, c = found.whole.n, found.whole.factor
    name = next((k for k, v in problem.given.parameters.items() if v == alpha), None)
    letter = r"\sigma^2" if name is None else symbol(name)
    success, _ = hard_limit(n, alpha)
    return [
        (
            "Noise moves the gap to each rival, but in proportion to the gap itself: making "
            f"${c}$ larger does no harm. A head with one wanted key has no upper limit on ${c}$; a "
            f"pair in one head needs ${c} \\ll {letter}^{{-1/2}}$.",
            rf"s_a - s_i \sim \mathcal{{N}}({c},\, 2 {letter} {c}^2),\qquad "
            rf"P(s_a < s_i) = \Phi\left(-\frac{{1}}{{\sqrt{{2 {letter}}}}}\right) = "
            rf"{_tail(1, alpha)}",
        ),
        (
            f"As ${c} \\to \\infty$ the head copies its value if its key scores highest, and the "
            "probability of that does not depend on the scale any more.",
            rf"P = \int \varphi(z)\, \Phi(z + {letter}^{{-1/2}})^{{n-1}}\, dz = "
            rf"{tex(success, 10)},\qquad "
            rf"1 - P \le (n-1)\, \Phi\left(-\frac{{1}}{{\sqrt{{2 {letter}}}}}\right) = "
            rf"{_tail(n - 1, alpha)}",
        ),
    ]


def _tail(times: int, alpha: float) -> str:
    """Times · Φ(−1/√(2 alpha)) as LaTeX, also where a float would be 0."""
    power = (math.log(times) + float(log_ndtr(-1 / math.sqrt(2 * alpha)))) / math.log(10)
    if power > -300:
        return tex(10**power, 4)
    whole = math.floor(power)
    return rf"{tex(10 ** (power - whole), 3)} \cdot 10^{{{whole}}}"


def impossible_shown(
    problem: HeadsProblem, whole: Mix, row: int, weight: float, refusal: InfeasibleDesign
) -> tuple[str, Steps, tuple[Block, ...], tuple[str, ...]]:
    """Why a wanted key cannot get its share from any head."""
    ceiling = next(c for c in refusal.certificate.claims if c.kind == "ceiling")
    most = ceiling.fields["bound"]
    key = symbol(key_name(problem.given, row))
    best = refusal.best
    headline = rf"\text{{impossible: every head gives }} {key} \text{{ at most }} {tex(most)}"
    steps = (
        (
            "This key is an average of others:",
            rf"{key} = {averaged(problem.given, ceiling.witness['combination'])}",
        ),
        (
            "So no query gives it more than this, and no average of heads does.",
            r"\alpha \le \frac{1}{1 + e^{H(\lambda)}} = " + tex(most),
        ),
        (
            "It was to have more.",
            rf"{tex(weight)} - {tex(problem.goal.tolerance)} > {tex(most)}",
        ),
    )
    table = weights_table(
        problem.given, whole.wanted(), best.weights, caption="the most it can get"
    )
    mistakes = (
        f"That more heads help. Each of {problem.goal.heads} heads gives the key at most "
        f"{number(most)}, so their average does too.",
    )
    return headline, steps, (table,), mistakes
