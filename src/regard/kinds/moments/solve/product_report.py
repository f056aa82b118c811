"""What is shown of the mean and variance of q'k: steps, numbers, mistakes."""

from __future__ import annotations

import math

import numpy as np

from regard.kinds.moments.solve.formulas import Polynomial, exact
from regard.kinds.moments.solve.product import Product
from regard.language import parse
from regard.report import Block, Facts, Plot, Series, Table, number

LONGEST = 512  # entries of the vectors that are simulated
SAMPLES = 5_000


def steps(found: Product, find: list[str]) -> tuple[tuple[str, str], ...]:
    """Why the formulas hold."""
    D = parse(found.size).to_latex()
    (a, v), (b, w) = found.laws
    latex = {name: parse(str(x)).to_latex() for name, x in zip("avbw", (a, v, b, w), strict=True)}
    same = found.given.same
    other = "q" if same else "k"
    out = [
        (
            f"The score is a sum of ${D}$ products, and the mean of a sum is the sum of the means.",
            rf"q^\top {other} = \sum_{{i=1}}^{{{D}}} q_i {other}_i",
        )
    ]
    if found.given.assume:
        values = ", ".join(
            rf"${parse(name).to_latex()} = {number(x)}$" for name, x in found.given.assume.items()
        )
        out.append(
            (
                f"With {values} the entries have these means and variances.",
                rf"E\,q_i = {latex['a']},\quad \mathrm{{Var}}(q_i) = {latex['v']}"
                + (
                    ""
                    if same
                    else rf",\quad E\,k_i = {latex['b']},\quad \mathrm{{Var}}(k_i) = {latex['w']}"
                ),
            )
        )
    if same:
        out.append(
            (
                "Each product is a square, whose mean is the variance plus the squared mean.",
                r"E\,q_i^2 = \mathrm{Var}(q_i) + (E\,q_i)^2 = "
                + _latex(_one(found.mean, found.size)),
            )
        )
    else:
        out.append(
            (
                "Independent factors: the mean of each product is the product of the means.",
                rf"E\,q_i k_i = E\,q_i\; E\,k_i = {_latex(_one(found.mean, found.size))}",
            )
        )
    out.append(
        (
            f"There are ${D}$ of them.",
            rf"E\,q^\top {other} = {parse(found.mean_text).to_latex()}",
        )
    )
    if "variance" in find or "s" in find:
        out += _variance_steps(found, D, other)
    elif not same:
        out.append(
            (
                "How much the entries vary does not matter for the mean, only for the variance.",
                rf"\mathrm{{Var}}(q^\top k) = {parse(found.variance_text).to_latex()}",
            )
        )
    if "s" in find and found.variance.terms:
        goal = parse(str(exact(found.goal.variance))).to_latex()
        out.append(
            (
                "Dividing by $s$ divides the variance by $s^2$, and of the two roots the positive "
                "one is meant.",
                rf"\frac{{{parse(found.variance_text).to_latex()}}}{{s^2}} = {goal}"
                rf"\quad\implies\quad s = {parse(found.s_text).to_latex()}",
            )
        )
    elif "s" in find:
        out.append(
            (
                "Nothing varies, and dividing by a number does not change that: there is no $s$.",
                rf"\frac{{0}}{{s^2}} = 0 \ne {parse(str(exact(found.goal.variance))).to_latex()}",
            )
        )
    return tuple(out)


def _one(total: Polynomial, size: str) -> Polynomial:
    return total.without(size)[0]


def _latex(formula: Polynomial) -> str:
    return parse(str(formula)).to_latex()


def _variance_steps(found: Product, D: str, other: str) -> list[tuple[str, str]]:
    if found.given.same:
        first = (
            "The variance of the square of a normal number takes its fourth moment.",
            r"\mathrm{Var}(q_i^2) = 2\,\mathrm{Var}(q_i)^2 + 4 (E\,q_i)^2\, \mathrm{Var}(q_i) = "
            + _latex(_one(found.variance, found.size)),
        )
    else:
        first = (
            "The variance of a product of independent numbers needs their second moments, "
            r"$E\,x^2 = \mathrm{Var}(x) + (E\,x)^2$.",
            r"\mathrm{Var}(q_i k_i) = E\,q_i^2\; E\,k_i^2 - (E\,q_i\; E\,k_i)^2 = "
            + _latex(_one(found.variance, found.size)),
        )
    return [
        first,
        (
            f"The ${D}$ products are independent, so their variances add up.",
            rf"\mathrm{{Var}}(q^\top {other}) = {parse(found.variance_text).to_latex()}",
        ),
    ]


def details(found: Product) -> tuple[Block, ...]:
    """Numbers for the instance, for other sizes, and from a simulation."""
    size = found.size
    mean, variance = found.at(found.mean_text), found.at(found.variance_text)
    names = ", ".join(f"{name} = {number(x)}" for name, x in found.numbers.items())
    pairs = [
        ("instance", names),
        ("mean of q'k", _with_number(found.mean_text, mean)),
        ("variance of q'k", _with_number(found.variance_text, variance)),
        ("standard deviation", number(math.sqrt(variance), 9)),
    ]
    if found.variance.terms:
        pairs.append(
            (
                f"s for variance {number(found.goal.variance)}",
                _with_number(found.s_text, found.at(found.s_text)),
            )
        )
    blocks: list[Block] = [Facts(tuple(pairs))]
    total = int(found.numbers[size])
    if total <= LONGEST:
        blocks.append(_simulated(found, total, mean, variance))
    if found.variance.terms:
        blocks.append(_by_size(found))
    return tuple(blocks)


def _with_number(text: str, x: float) -> str:
    return text if text == number(x, 9) else f"{text} = {number(x, 9)}"


def _simulated(found: Product, total: int, mean: float, variance: float) -> Table:
    laws = [(found.at(str(m)), found.at(str(v))) for m, v in found.laws]
    (a, v), (b, w) = laws
    rng = np.random.default_rng(0)
    q = a + math.sqrt(v) * rng.standard_normal((SAMPLES, total))
    k = q if found.given.same else b + math.sqrt(w) * rng.standard_normal((SAMPLES, total))
    scores = np.sum(q * k, axis=1)
    spread = float(np.var(scores, ddof=1))
    fourth = float(np.mean((scores - np.mean(scores)) ** 4))
    errors = math.sqrt(spread / SAMPLES), math.sqrt(max(0.0, fourth - spread**2) / SAMPLES)
    rows = (
        ("mean", number(mean), number(float(np.mean(scores)), 4), number(errors[0], 2)),
        ("variance", number(variance), number(spread, 4), number(errors[1], 2)),
    )
    caption = f"against {SAMPLES} samples of normal vectors"
    return Table(("", "formula", "simulated", "standard error"), rows, caption)


def _by_size(found: Product) -> Plot:
    total = int(found.numbers[found.size])
    far = max(total, 8)
    x = tuple(float(d) for d in sorted({max(1, round(far * k / 24)) for k in range(1, 25)}))
    root_of = [math.sqrt(found.at(found.variance_text, **{found.size: d})) for d in x]
    scaled = tuple(
        y / found.at(found.s_text, **{found.size: d}) for d, y in zip(x, root_of, strict=True)
    )
    series = [Series("q'k", x, tuple(root_of)), Series("q'k / s", x, scaled)]
    return Plot(
        "lines",
        f"standard deviation of the score against {found.size}",
        found.size,
        "standard deviation",
        tuple(series),
    )


def mistakes(found: Product, find: list[str]) -> tuple[str, ...]:
    """What is often got wrong, with numbers of the instance."""
    size = found.size
    D = found.numbers[size]
    laws = [(found.at(str(m)), found.at(str(v))) for m, v in found.laws]
    (a, v), (_, w) = laws
    mean, variance = found.at(found.mean_text), found.at(found.variance_text)
    out = []
    if found.given.same and v > 0:
        out.append(
            "Treating q and k as independent although k is q: that would give the mean "
            f"{number(D * a * a)} and the variance {number(D * (v * v + 2 * a * a * v))} instead "
            f"of {number(mean)} and {number(variance)}."
        )
    elif found.given.q == found.given.k and v > 0:
        own_mean, own = D * (a * a + v), D * (2 * v * v + 4 * a * a * v)
        text = (
            "Taking it for the score of a token with itself. If k is q, the products are squares, "
            f"and for normal entries the mean is {number(own_mean)} and the variance {number(own)} "
            f"instead of {number(mean)} and {number(variance)}"
        )
        if variance > 0:
            deviation = math.sqrt(variance)
            text += (
                f"; divided by the standard deviation {number(deviation, 6)}, such a score still "
                f"has mean {number(own_mean / deviation, 6)}"
            )
        out.append(text + ".")
    if "mean" in find and not found.given.same and v > 0:
        out.append(
            "Letting the spread into the mean. For independent q and k only their means count: "
            f"{number(mean)}, whatever the variances are."
        )
    product = D * v * w
    if not found.given.same and abs(product - variance) > 1e-9 * max(product, variance):
        out.append(
            "Multiplying the variances. The variance of a product is the product of the variances "
            f"only for means of 0: that would be {number(product)} here, and it is "
            f"{number(variance)}."
        )
    if ("variance" in find or "s" in find) and 0 < variance < D**2 / 4 and D > 1:
        out.append(
            f"Dividing by {size} instead of its root: the variance would be "
            f"{number(variance / D**2)} for {size} = {number(D)}, so that softmax hardly tells "
            f"scores apart; undivided, the standard deviation is {number(math.sqrt(variance))}."
        )
    if "s" in find and variance > 0 and abs(variance - 1) > 1e-9:
        goal = found.goal.variance
        out.append(
            f"Taking s for the variance: q'k divided by {number(variance / goal)} has variance "
            f"{number(goal**2 / variance)}; a variance is divided by s², so s is its root (and "
            f"{number(-math.sqrt(variance / goal))} would do as well)."
        )
    return tuple(out)
