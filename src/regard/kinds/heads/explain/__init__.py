"""Tell of several heads: their queries and why they work, or why no heads do."""

from __future__ import annotations

import math
from collections.abc import Iterator

from regard.kinds.heads.explain.general_facts import hardmax_limit
from regard.kinds.heads.explain.proved_bounds import (
    MEANS,
    RMS,
    Step,
    proved_step,
    random_assumes,
    variance_letter,
    wanted_value,
)
from regard.kinds.heads.explain.tables import details
from regard.kinds.heads.solve.head_queries import HeadQueries, WeightCeiling
from regard.kinds.heads.spec import HeadsProblem
from regard.language.bounds import upper_bound
from regard.report.headline import marked
from regard.report.numbers import short, spelled
from regard.solving.finding import Explanation
from regard.solving.key_tables import (
    KNOWN,
    averaged,
    error_in_digits,
    formula_tex,
    key_name,
    symbol,
    tex_vector,
    variance_in_digits,
    weights_table,
)
from regard.solving.latex_numbers import equal, tex, tex_upper_bound
from regard.solving.refusals import in_words

__all__ = ["explain"]

SHOWN = 4  # heads that a step writes out
_NEARLY = 0.9999


def explain(problem: HeadsProblem, found: HeadQueries | WeightCeiling) -> Explanation:
    """Return the queries of all heads in words, or the key that no head can give its share."""
    if isinstance(found, WeightCeiling):
        return _impossible(problem, found)
    return Explanation(
        _headline(found),
        tuple(_steps(problem, found)),
        tuple(details(problem, found)),
        tuple(_beliefs(problem, found)),
        random_assumes(problem) if found.heads.keys.random else (),
        result=_result(problem, found),
    )


def _result(problem: HeadsProblem, found: HeadQueries) -> str:
    count = spelled(len(found.queries)).capitalize()
    heads = marked(f"{count} head{'s' * (len(found.queries) > 1)}", "target")
    factor = ""
    if found.factor is not None:
        factor = f", with the factor ${found.heads.whole.factor}$ {equal(found.factor)}"
    limit = "" if found.noisy is None else " as the noise vanishes"
    return f"{heads} come within {short(problem.goal.tolerance)} of the goal{factor}{limit}."


def _beliefs(problem: HeadsProblem, found: HeadQueries) -> Iterator[str]:
    heads, whole = found.heads, found.heads.whole
    # Where noise stays and each head has a key, that is a wrong answer, and told as such.
    believed = bool(problem.given.limits) or not heads.pure
    if believed and heads.keys.random and whole.m > 1 and found.factor is not None:
        single = whole.query(found.factor, heads.instance.symbols)
        alike, apart = float(heads.keys.variance(single[None])), found.error_and_variance[1]
        if alike > max(apart, KNOWN**2):
            yield (
                "The same mixed query in every head: all of them see the same keys and put out the "
                "same, so averaging removes no noise. The variance stays "
                f"{variance_in_digits(alike)}; with the queries above it is "
                f"{variance_in_digits(apart)}."
            )
    if found.noisy is not None:
        yield (
            "That the noise does not matter because it is small. Small against what: with the "
            f"noise given the error is {error_in_digits(found.error_with_noise)}, without it "
            f"{short(found.error)}."
        )


def _headline(found: HeadQueries) -> str:
    parts = []
    for h, (pattern, query) in enumerate(zip(found.heads.patterns, found.queries, strict=True)):
        shown = tex_vector(query) if found.factor is None else pattern.latex()
        parts.append(f"q_{{{h + 1}}} = {shown}")
        if h == 3 and len(found.queries) > 5:
            parts.append(r"\ldots")
            break
    if found.factor is not None:
        parts.append(rf"{found.heads.whole.factor} {equal(found.factor)}")
    limit = "" if found.noisy is None else r" \quad \text{as the noise vanishes}"
    return r",\quad ".join(parts) + limit


def _impossible(problem: HeadsProblem, found: WeightCeiling) -> Explanation:
    given, most = problem.given, found.ceiling.fields["bound"]
    key, weight = symbol(key_name(given, found.row)), found.whole.target[found.row]
    steps = (
        (
            "**Inside.** This key is an average of others:",
            rf"{key} = {averaged(given, found.ceiling.witness['combination'])}",
        ),
        (
            "**Ceiling.** So no query gives it more than this, and no average of heads does.",
            r"\alpha \le \frac{1}{1 + e^{H(\lambda)}} \le " + tex_upper_bound(most),
        ),
        (
            "**Wanted.** It was to have more.",
            rf"{tex(weight)} - {tex(problem.goal.tolerance)} > {tex_upper_bound(most, 4)}",
        ),
    )
    caption = "the most it can get"
    table = weights_table(given, found.whole.wanted, found.closest.weights, caption=caption)
    belief = (
        f"That more heads help. Each of {problem.goal.heads} heads gives the key at most "
        f"{upper_bound(most, 3)}, so their average does too."
    )
    headline = rf"\text{{impossible: every head gives }} {key} \text{{ at most }} {tex(most)}"
    return Explanation(headline, steps, (table,), (belief,))


def _steps(problem: HeadsProblem, found: HeadQueries) -> Iterator[Step]:
    """Yield the steps: how heads share the weights, their queries, the noise, what is proved."""
    heads, random = found.heads, found.heads.keys.random
    if found.refusal is not None:  # of one head, and the certificate is of the queries below
        yield in_words(found.refusal, proved=False), ""
    elif found.factor is None:
        yield _shares(found)
        yield (
            "**Queries.** Each query was designed for its keys: the wanted ones score above all "
            "others"
            + (", with as little noise as possible." if random else ".")
            + MEANS * found.in_means,
            _listed(tex_vector(query) for query in found.queries[:SHOWN]),
        )
    elif heads.pure:
        yield _shares(found)
        yield from _one_key_steps(found, found.factor)
    else:
        yield _shares(found)
        yield (
            "**Queries.** The query of a mixed head adds the logarithms of its shares, if they "
            "differ.",
            _listed(pattern.latex() for pattern in heads.patterns[:SHOWN]),
        )
    alpha = heads.keys.isotropic
    orthonormal = found.pattern.structure == "orthonormal"
    if alpha is not None and heads.pure and orthonormal and found.factor is not None:
        yield from _noise_steps(problem, found, alpha)
    if random:
        yield proved_step(found)
    else:
        yield (
            "**Error.** The output of these queries, as they are rounded, is proved to be that "
            "near.",
            rf"\lVert c - c^* \rVert {equal(found.error)}"
            + (rf" \le {tex(heads.tolerance)}" if found.proved else ""),
        )
    if found.noisy is not None:
        yield (
            "**With noise.** That is in the limit of vanishing noise, where keys are their "
            "means. With the noise "
            f"given the error{heads.keys.together} of the same queries is",
            rf"{RMS} {equal(found.error_with_noise)} > "
            rf"{tex(heads.tolerance)}",
        )


def _listed(queries: Iterator[str]) -> str:
    return r",\quad ".join(rf"q_{{{h + 1}}} = {query}" for h, query in enumerate(queries))


def _shares(found: HeadQueries) -> Step:
    heads, count = found.heads, len(found.queries)
    shares = [
        rf"c_{{{h + 1}}} \approx "
        + " + ".join(
            (f"{tex(w, 4)} " if w < 1 else "") + symbol(f"v_{name}")
            for name, w in zip(pattern.names, pattern.weights, strict=True)
        )
        for h, pattern in enumerate(heads.patterns[:SHOWN])
    ]
    return (
        f"**Shares.** The outputs of {count} heads are averaged, so each counts $1/{count}$. "
        + (
            "A head for each wanted value is all it takes."
            if heads.pure
            else "The shares do not all fit whole heads, so the rest is mixed in one head or more."
        )
        + " Each head is proved to be near its own part as well." * (heads.apart and found.proved),
        rf"c = \frac{{1}}{{{count}}} \sum_{{h=1}}^{{{count}}} c_h \approx "
        rf"{wanted_value(heads.whole)},\qquad " + r",\; ".join(shares),
    )


def _one_key_steps(found: HeadQueries, factor: float) -> Iterator[Step]:
    whole, random = found.pattern, found.heads.keys.random
    c, n = whole.factor, whole.n
    one = found.heads.patterns[0]
    power = formula_tex(one.height)
    mean = r"\mu_i" if whole.prefix == "mu" else "k_i"
    yield (
        f"**Scores.** In each head the wanted key scores ${power}$"
        + (" in the mean" if random else "")
        + " and every other key 0.",
        rf"{mean}^\top q_h = {c} \;\text{{ for its key}},\qquad \alpha = "
        + formula_tex(one.weight_formula),
    )
    yield (
        f"**Leak.** What leaks to the other {'key' if n == 2 else f'{n - 1} keys'} falls like "
        f"$e^{{-{power}}}$, so ${c}$ must be large against $\\ln n$. This one is enough for "
        "the tolerance:",
        rf"r = {formula_tex(one.leak_formula)} {equal(one.leak(factor))} \quad\text{{at }} {c} "
        + equal(factor),
    )


def _noise_steps(problem: HeadsProblem, found: HeadQueries, alpha: float) -> Iterator[Step]:
    n, c = found.pattern.n, found.pattern.factor
    letter = variance_letter(problem, alpha)
    tail = rf"\Phi\left(-\frac{{1}}{{\sqrt{{2 {letter}}}}}\right)"
    yield (
        "**Noise.** Noise moves the gap to each rival, but in proportion to the gap itself: making "
        f"${c}$ larger does no harm. A head with one wanted key has no upper limit on ${c}$; a "
        f"pair in one head needs ${c} \\ll {letter}^{{-1/2}}$.",
        rf"s_a - s_i \sim \mathcal{{N}}({c},\, 2 {letter} {c}^2),\qquad "
        rf"P(s_a < s_i) = {tail} = {_tail(1, alpha)}",
    )
    yield (
        f"**Limit.** As ${c} \\to \\infty$ the head copies its value if its key scores highest, "
        f"and the "
        "probability of that does not depend on the scale any more.",
        rf"P = \int \varphi(z)\, \Phi(z + {letter}^{{-1/2}})^{{n-1}}\, dz "
        rf"{_nearly_one(hardmax_limit(n, alpha)[0])},\qquad 1 - P \le (n-1)\, {tail} = "
        rf"{_tail(n - 1, alpha)}",
    )


def _nearly_one(chance: float) -> str:
    """Write a probability; one of which only digits would tell that it is not 1, as near it."""
    return equal(chance) if chance < _NEARLY or chance == 1 else f"> {_NEARLY}"


def _tail(times: int, alpha: float) -> str:
    """Write times · Φ(−1/√(2 alpha)), also where a float would be 0."""
    from scipy.special import log_ndtr  # imported where used: it is slow to load

    power = (math.log(times) + float(log_ndtr(-1 / math.sqrt(2 * alpha)))) / math.log(10)
    if power > -300:
        return tex(10**power, 4)
    whole = math.floor(power)
    return rf"{tex(10 ** (power - whole), 3)} \cdot 10^{{{whole}}}"
