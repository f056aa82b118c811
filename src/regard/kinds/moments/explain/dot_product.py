"""Tell the mean and variance of q'k: why, in numbers, and from a simulation."""

from __future__ import annotations

import math

from regard.kinds.moments.solve.scores import DotProductMoments
from regard.language.polynomials import Polynomial, exact
from regard.report import Block, Facts, Plot, Series, Table, number
from regard.report.numbers import short
from regard.solving.finding import Explanation, Status, Steps
from regard.solving.latex_numbers import formula

LONGEST = 512  # entries of the vectors that are simulated
SAMPLES = 5_000
_SAME = "k is q, and the entries of q are independent and normal (the variance needs their law)."
_APART = "q and k are independent, and so are the entries of each; their laws may be any."


def explain(found: DotProductMoments, headline: str, find: list[str]) -> Explanation:
    """Return why the formulas hold, with numbers where they could be compared."""
    assumes = (_SAME if found.given.same else _APART,)
    if found.status is Status.UNDECIDED:
        return Explanation(headline, _steps(found, find), assumes=assumes)
    return Explanation(
        headline, _steps(found, find), _details(found), _beliefs(found, find), assumes
    )


def _steps(found: DotProductMoments, find: list[str]) -> Steps:
    given, formulas = found.given, found.formulas
    D, other = formula(formulas.size), "q" if given.same else "k"
    variance = formula(formulas.variance_text)
    steps = [
        (
            f"**Sum.** The score is a sum of ${D}$ products, and the mean of a sum is the sum of "
            f"the means.",
            rf"q^\top {other} = \sum_{{i=1}}^{{{D}}} q_i {other}_i",
        )
    ]
    if given.assume:
        values = ", ".join(
            rf"${formula(name)} = {short(x, 4)}$" for name, x in given.assume.items()
        )
        a, v, b, w = map(formula, found.laws)
        second = "" if given.same else rf",\quad E\,k_i = {b},\quad \mathrm{{Var}}(k_i) = {w}"
        steps.append(
            (
                f"**Entries.** With {values} the entries have these means and variances.",
                rf"E\,q_i = {a},\quad \mathrm{{Var}}(q_i) = {v}{second}",
            )
        )
    one = _per_product(formulas.mean, formulas.size)
    if given.same:
        steps.append(
            (
                "**Squares.** Each product is a square, whose mean is the variance plus the "
                "squared mean.",
                rf"E\,q_i^2 = \mathrm{{Var}}(q_i) + (E\,q_i)^2 = {one}",
            )
        )
    else:
        steps.append(
            (
                "**Means.** Independent factors: the mean of each product is the product of the "
                "means.",
                rf"E\,q_i k_i = E\,q_i\; E\,k_i = {one}",
            )
        )
    total = rf"E\,q^\top {other} = {formula(formulas.mean_text)}"
    steps.append((f"**Sum.** There are ${D}$ of them.", total))
    if "variance" in find or "s" in find:
        steps += _variance_steps(found)
    elif not given.same:
        steps.append(
            (
                "**Spread.** How much the entries vary does not matter for the mean, only for "
                "the variance.",
                rf"\mathrm{{Var}}(q^\top k) = {variance}",
            )
        )
    goal = formula(exact(formulas.wanted))
    if "s" in find and formulas.varies:
        steps.append(
            (
                "**Scale.** Dividing by $s$ divides the variance by $s^2$, and of the two roots "
                "the positive "
                "one is meant.",
                rf"\frac{{{variance}}}{{s^2}} = {goal}"
                rf"\quad\implies\quad s = {formula(formulas.s_text)}",
            )
        )
    elif "s" in find:
        steps.append(
            (
                "Nothing varies, and dividing by a number does not change that: there is no $s$.",
                rf"\frac{{0}}{{s^2}} = 0 \ne {goal}",
            )
        )
    return tuple(steps)


def _per_product(total: Polynomial, size: str) -> str:
    """Write what one product of entries has of a sum over all of them."""
    return formula(total.without(size)[0])


def _variance_steps(found: DotProductMoments) -> Steps:
    formulas, same = found.formulas, found.given.same
    one = _per_product(formulas.variance, formulas.size)
    if same:
        first = (
            "The variance of the square of a normal number takes its fourth moment.",
            r"\mathrm{Var}(q_i^2) = 2\,\mathrm{Var}(q_i)^2 + 4 (E\,q_i)^2\, \mathrm{Var}(q_i) = "
            + one,
        )
    else:
        first = (
            "**Products.** The variance of a product of independent numbers needs their second "
            "moments, "
            r"$E\,x^2 = \mathrm{Var}(x) + (E\,x)^2$.",
            rf"\mathrm{{Var}}(q_i k_i) = E\,q_i^2\; E\,k_i^2 - (E\,q_i\; E\,k_i)^2 = {one}",
        )
    whole = rf"\mathrm{{Var}}(q^\top {'q' if same else 'k'}) = {formula(formulas.variance_text)}"
    D = formula(formulas.size)
    return (
        first,
        (f"**Sum.** The ${D}$ products are independent, so their variances add up.", whole),
    )


def _details(found: DotProductMoments) -> tuple[Block, ...]:
    """Numbers for the instance, for other sizes, and from a simulation."""
    formulas = found.formulas
    mean, variance = found.at(formulas.mean_text), found.at(formulas.variance_text)
    pairs = [
        ("instance", ", ".join(f"{name} = {short(x, 4)}" for name, x in found.numbers.items())),
        ("mean of q'k", with_number(formulas.mean_text, mean, 9)),
        ("variance of q'k", with_number(formulas.variance_text, variance, 9)),
        ("standard deviation", number(math.sqrt(variance), 9)),
    ]
    if formulas.varies:
        s = with_number(formulas.s_text, found.at(formulas.s_text), 9)
        pairs.append((f"s for variance {short(formulas.wanted, 4)}", s))
    return (
        Facts(tuple(pairs)),
        *([_simulated(found)] if found.numbers[formulas.size] <= LONGEST else []),
        *([_by_size(found)] if formulas.varies else []),
    )


def with_number(text: str, x: float, digits: int = 4) -> str:
    """Write a formula with what it comes to, unless it is that number itself."""
    return text if text == number(x, digits) else f"{text} = {short(x, 4)}"


def _simulated(found: DotProductMoments) -> Table:
    sample = found.simulated(SAMPLES)
    formulas = found.at(found.formulas.mean_text), found.at(found.formulas.variance_text)
    simulated = float(sample.mean), float(sample.variance)
    errors = float(sample.mean_error), float(sample.variance_error)
    rows = tuple(
        (name, number(x), number(y, 4), number(error, 2))
        for name, x, y, error in zip(("mean", "variance"), formulas, simulated, errors, strict=True)
    )
    caption = f"against {SAMPLES} samples of normal vectors"
    return Table(("", "formula", "simulated", "standard error"), rows, caption)


def _by_size(found: DotProductMoments) -> Plot:
    size = found.formulas.size
    far = max(int(found.numbers[size]), 8)
    x = tuple(float(d) for d in sorted({max(1, round(far * k / 24)) for k in range(1, 25)}))
    raw = [math.sqrt(found.at(found.formulas.variance_text, **{size: d})) for d in x]
    divisors = [found.at(found.formulas.s_text, **{size: d}) for d in x]
    scaled = tuple(y / s for y, s in zip(raw, divisors, strict=True))
    return Plot(
        "lines",
        f"standard deviation of the score against {size}",
        size,
        "standard deviation",
        (Series("q'k", x, tuple(raw)), Series("q'k / s", x, scaled)),
    )


def _beliefs(found: DotProductMoments, find: list[str]) -> tuple[str, ...]:
    """Tell what else is believed, with numbers of the instance."""
    size = found.formulas.size
    D, variance = found.numbers[size], found.at(found.formulas.variance_text)
    deviation = math.sqrt(variance)
    a, v, _, _ = found.entries
    said = []
    if found.given.q == found.given.k and not found.given.same and v > 0:
        said.append(
            "Believing that dividing by the standard deviation does for a token with itself: there "
            f"the products are squares, and divided by {short(deviation)} such a score still "
            f"has mean {short(D * (a * a + v) / deviation)}."
        )
    if ("variance" in find or "s" in find) and 0 < variance < D**2 / 4 and D > 1:
        said.append(
            f"Dividing by {size} instead of its root: the variance would be "
            f"{short(variance / D**2)} for {size} = {short(D)}, so that softmax hardly tells "
            f"scores apart; undivided, the standard deviation is {short(deviation)}."
        )
    return tuple(said)
