"""Tell of a formula over random keys, and between which limits its factor is."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from regard.analysis import key_noise
from regard.kinds.heads.explain.proved_bounds import (
    RMS,
    Step,
    level_tex,
    proved_in_words,
    proved_step,
    random_assumes,
    tolerance_in_words,
    variance_letter,
)
from regard.kinds.query.explain.error_curve import error_curve
from regard.kinds.query.solve.noise_window import NoiseWindow
from regard.kinds.query.spec import QueryProblem
from regard.report import Facts, Table, number, vector
from regard.report.headline import marked
from regard.report.numbers import rounded_down, rounded_up, short
from regard.solving.finding import Explanation
from regard.solving.key_tables import (
    error_in_digits,
    formula_tex,
    how_many,
    nice,
    variance_in_digits,
)
from regard.solving.latex_numbers import equal, tex, tex_enough, tex_lower_bound

_SMALLER_NOISE = (
    "**Variances.** Every term of that bound grows with the variances of the scores. So what is "
    "proved for the "
    "noise given is proved for the same noise made smaller, all the way to the limit.",
    r"\Sigma_i \to t\, \Sigma_i,\qquad 0 \le t \le 1",
)


def explain(problem: QueryProblem, found: NoiseWindow) -> Explanation:
    """Return the formula with its factor, which is proved; the window is among the steps."""
    pattern, (low, high) = found.pattern, found.window
    headline = f"q = {pattern.latex()}"
    if pattern.rest or high > low:
        headline += rf",\quad {pattern.factor} {equal(found.factor)}"
    return Explanation(
        headline,
        tuple(_steps(problem, found)),
        (
            _facts(problem, found),
            _by_factor(found),
            error_curve(problem.given, found),
            _other_directions(found),
        ),
        tuple(_beliefs(found)),
        random_assumes(problem),
        result=_result(problem, found),
    )


def _result(problem: QueryProblem, found: NoiseWindow) -> str:
    low, high = found.window
    if not low < high < math.inf:
        return ""
    between = f"{marked(rounded_up(low), 'target')} and {marked(rounded_down(high), 'target')}"
    return (
        f"With ${found.pattern.factor}$ between {between}, the output of "
        f"${found.pattern.latex()}$ stays within {short(problem.goal.tolerance)} of the goal."
    )


def _steps(problem: QueryProblem, found: NoiseWindow) -> Iterator[Step]:
    pattern, c = found.pattern, found.pattern.factor
    letter = variance_letter(problem, found.variance)
    power = formula_tex(pattern.height)
    squared = f"{c}^2" if pattern.scale == 1 else rf"({tex(pattern.scale)} {c})^2"
    spread = np.sort(found.heads.keys.score_variances(found.queries[0])[list(pattern.rows)])
    within = tex(float(np.sum(spread[-2:])))
    yield (
        "**Scores.** A head sees of a random key only its score, which is a normal variable. In "
        "the mean the "
        "scores are those of keys at their means.",
        r"s_i \sim \mathcal{N}(q^\top \mu_i,\; q^\top \Sigma_i q),\qquad "
        rf"E s_i = {level_tex(pattern)} \;\text{{ if wanted}},\quad 0 \;\text{{ otherwise}}",
    )
    if not problem.given.values_known:
        yield (
            "**Tolerance.** The values are arbitrary, so the weights themselves must be right; "
            "they are the "
            "output if the values are unit vectors.",
            r"v_i = e_i,\qquad c = \alpha,\qquad c^* = p",
        )
    if found.closed is not None:
        a, b = pattern.names
        yield (
            "**Noise.** Between the two wanted keys the difference of the scores decides. It has "
            "mean 0, so "
            r"they share evenly in the mean; how evenly each time depends on its deviation $\tau$.",
            rf"Z = s_{{{a}}} - s_{{{b}}} \sim \mathcal{{N}}(0, \tau^2),\quad "
            rf"\tau^2 = 4 {letter} {squared} = {within},\qquad \operatorname{{Var}} \approx "
            rf"\frac{{\tau^2}}{{16}} = \frac{{{letter} {squared}}}{{4}}",
        )
    elif pattern.m > 1:
        yield (
            r"**Noise.** How evenly the wanted keys share depends on the deviation $\tau$ of the "
            r"differences "
            "of their scores, which grows with the factor.",
            rf"\tau^2 = q^\top (\Sigma_i + \Sigma_j)\, q \le {within}",
        )
    yield _limits(found, rf"{letter}^{{-1/2}}")
    if found.closed is not None:
        yield from _pair_steps(found, found.closed, letter, power, squared)
    yield proved_step(found)
    if not problem.given.limits:
        return
    if found.proved and found.bound.value <= found.heads.tolerance:
        yield _SMALLER_NOISE
    if found.closed is not None:
        smaller = map(found.with_less_noise, (1.0, 1e-2, 1e-4))
        yield (
            f"**Small noise.** As ${letter} \\to 0$ the best factor grows like "
            f"$\\frac{{1}}{{2}} \\ln(1/{letter})$, "
            "far slower than its upper limit, and both errors vanish.",
            r",\quad ".join(
                rf"{letter} {equal(a)}:\; {c}^* {equal(f)},\, \text{{error }} {tex(e, 3)}"
                for a, f, e in smaller
            ),
        )


def _pair_steps(
    found: NoiseWindow, closed: float, letter: str, power: str, squared: str
) -> Iterator[Step]:
    """The best factor of an even pair, to first order and by the exact law."""
    pattern, c = found.pattern, found.pattern.factor
    apart = rf"\lVert v_{{{pattern.names[0]}}} - v_{{{pattern.names[1]}}} \rVert^2"
    times = "" if pattern.scale == 1 else rf"\frac{{1}}{{{tex(pattern.scale)}}} "
    yield (
        "**Best factor.** To first order the mean square error is that of the leak plus that of "
        "the noise. It is "
        "least where Lambert's $W$ says.",
        rf"\left(\frac{{n-2}}{{2}}\right)^2 e^{{-2 {power}}} D^2 + "
        rf"\frac{{{letter} {squared}}}{{4}} {apart},\qquad {c}^* = {times}\tfrac{{1}}{{2}} "
        rf"W\left(\frac{{2 (n-2)^2 D^2}}{{{letter} {apart}}}\right) {equal(closed)}",
    )
    yield (
        "**Exact law.** The exact law agrees: integrated over the scores, the error is least "
        "nearby.",
        rf"\text{{predicted }} {tex(found.predicted(closed))},\quad \text{{exact }} "
        rf"{tex(found.error_at(closed) ** 2)} \;\text{{ at }} {c}^*;\qquad "
        rf"\text{{exact minimum }} {tex(found.error_at(found.best) ** 2)} "
        rf"\;\text{{ at }} {tex(found.best, 4)}",
    )


def _limits(found: NoiseWindow, root: str) -> Step:
    pattern, c, (low, high) = found.pattern, found.pattern.factor, found.window
    window = rf"{tex_enough(low)} \le {c} \le {tex_lower_bound(high)}"
    if found.closed is not None and found.variance is not None:
        return (
            rf"**Limits.** So ${c}$ has two limits: the leak wants it large against $\ln n$, and "
            rf"the noise "
            rf"wants $\tau$ small, ${c} \ll {root}$. Within the tolerance, as computed, are these:",
            rf"\ln n {equal(math.log(pattern.n))} \ll {c} \ll {root} "
            rf"{equal(found.variance**-0.5)},\qquad {window}",
        )
    if pattern.m == 1:
        return (
            f"**Limits.** A query for a single key needs ${c}$ large against $\\ln n$; noise "
            f"does not limit it "
            "from above as it does a mix. Within the tolerance are these (as far as was tried):",
            window,
        )
    return (
        f"**Limits.** So ${c}$ has two limits: the leak wants it large, the noise wants it "
        f"small. Within the "
        "tolerance, as computed, are these:",
        window,
    )


def _facts(problem: QueryProblem, found: NoiseWindow) -> Facts:
    pattern, closed = found.pattern, found.closed
    facts = [
        ("keys", how_many(pattern.n, pattern.m)),
        ("tolerance", tolerance_in_words(problem)),
        (f"factor ${pattern.factor}$ of the answer", number(found.factor)),
        ("query", vector(found.queries[0])),
        ("error, by the exact law", error_in_digits(found.error)),
        ("error, as proved", proved_in_words(found)),
    ]
    if closed is not None:
        facts += [
            ("best factor, Lambert's $W$", number(closed, 7)),
            ("mean square error predicted there", number(found.predicted(closed))),
            ("exact there", number(found.error_at(closed) ** 2)),
        ]
    return Facts(tuple(facts))


def _by_factor(found: NoiseWindow) -> Table:
    pattern = found.pattern
    tried = {times * pattern.unit for times in (0, 1, 3, 5, 10, 50, 100)} | {found.factor}
    factors = np.array(sorted(tried))
    errors, variances = found.heads.off_and_variance(found.heads.at(factors))
    rows = tuple(
        (
            number(f),
            number(pattern.leak(f)),
            "0" if f == 0 and pattern.even else variance_in_digits(v),
            error_in_digits(e),
        )
        for f, v, e in zip(factors.tolist(), variances, errors, strict=True)
    )
    columns = (
        f"${pattern.factor}$",
        "leak without noise",
        "variance of the output",
        f"${RMS}$",
    )
    louder = ", too large a one amplifies the noise" if pattern.m > 1 else ""
    return Table(columns, rows, f"too small a factor leaks{louder}")


def _other_directions(found: NoiseWindow) -> Table:
    """The same for other queries of the same gap."""
    pattern, heads, query = found.pattern, found.heads, found.queries[0]
    queries = [("formula", query)]
    if pattern.rest and pattern.structure == "orthonormal" and pattern.even:
        centre = np.mean(heads.keys.means, axis=0)
        centred = query - pattern.m * found.factor * centre
        queries.append(("formula less the mean of the means", centred))
    if found.robust is not None:
        queries.append(("designed for the least noise", found.robust.queries[0]))
    rows = []
    for name, q in queries:
        spread = np.sort(heads.keys.score_variances(q)[list(pattern.rows)])
        length, noise = float(np.linalg.norm(q)), float(np.sum(spread[-2:]))
        error = error_in_digits(float(heads.off(q[None])))
        rows.append((name, number(length), number(noise), error))
    columns = ("query", "length", r"$\tau^2$", "error")
    return Table(columns, tuple(rows), "the formula and other directions")


def _beliefs(found: NoiseWindow) -> Iterator[str]:
    pattern = found.pattern
    if found.closed is not None:
        yield _small_against_what()
    else:
        large = nice(20 * max(found.factor, 1.0))
        there = found.error_at(large)
        if there > max(found.error, found.heads.tolerance):
            yield (
                f"A factor that is as large as one likes. At ${pattern.factor} {equal(large)}$ the "
                f"error is {short(there)}; at {short(found.factor)} it is {short(found.error)}."
            )
    if pattern.m > 1:
        variance = variance_in_digits(found.error_and_variance[1])
        yield (
            "That a second head with the same query averages the noise away. Both see the same "
            f"keys and put out the same: the variance stays {variance}."
        )


def _small_against_what() -> str:
    noise = np.broadcast_to(0.01 * np.eye(2), (2, 2, 2))
    law = key_noise(np.ones(2), np.eye(2), noise, np.eye(2), scale=np.array([5.0, 50.0]))
    five, fifty = (number(float(law.covariance[i, 0, 0]), 3) for i in (0, 1))
    return (
        r'"Vanishingly small" without saying against what: it is $C^{-2}$ that the noise must be '
        "small against. With two keys alone and noise of variance 0.01 the weight of one has "
        f"variance {five} at $C = 5$ and {fifty} at $C = 50$, where 0.25 is a coin flip."
    )
