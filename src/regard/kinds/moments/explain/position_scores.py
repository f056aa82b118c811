"""Tell the mean and variance of a score with positions: why, in every reading, and the kernel."""

from __future__ import annotations

import math

from regard.analysis import interference
from regard.analysis.positions.interference import READINGS
from regard.kinds.moments.explain.dot_product import with_number
from regard.kinds.moments.instance.closed_forms import reading_formulas
from regard.kinds.moments.solve.scores import PositionMoments
from regard.language.polynomials import exact, factored
from regard.report import Block, Facts, Plot, Series, Table, number
from regard.report.numbers import short
from regard.solving.finding import Explanation, Steps
from regard.solving.latex_numbers import formula

SHIFTS = (0, 1, 5, 20, 100)
LENGTHS = (50, 1000, 100_000)
NAMES = {
    "hint": "the hint's",
    "sphere": "unit sphere",
    "gaussian": "unit variance",
    "literal": "even entries only",
}
_PHASES = "the phases of positions are uniform, and independent of each other and of the content;"


def explain(found: PositionMoments, headline: str, find: list[str]) -> Explanation:
    """Return why the formulas hold, with the other readings and exact laws of times."""
    reading = READINGS[found.given.reading].replace("·", " · ")
    details = (
        _readings(found),
        *_sums(found),
        _given_shift(found),
        _uniform(found),
        _kernel(found),
    )
    steps = _steps(found, find, reading)
    return Explanation(headline, steps, details, (_belief(found),), (_PHASES, f"{reading}."))


def _steps(found: PositionMoments, find: list[str], reading: str) -> Steps:
    formulas = found.formulas
    d = formula(formulas.size)
    content, cross, place = (
        formula(factored(formulas.names[name], formulas.size)) for name in ("V_k", "V_c", "V_p")
    )
    literal = found.given.reading == "literal"
    half = rf"\frac{{{d}}}{{2}}" if literal else d
    both = d if literal else rf"2 {d}"
    element = rf"\frac{{1}}{{{d}}}" if found.given.reading == "sphere" else "1"
    per = "two per even entry" if literal else "two per entry"
    gaussian = found.given.reading == "gaussian"
    scaled = (
        "**Scale.** Dividing by $s$ divides the variance by $s^2$.",
        rf"\frac{{\mathrm{{Var}}}}{{s^2}} = {formula(exact(formulas.wanted))} \quad\implies\quad "
        rf"s = {formula(formulas.s_text)}",
    )
    return (
        (
            "**Three sums.** Multiplied out, the score has three sums.",
            r"(k + e_\tau)^\top (q + e_t) = "
            r"k^\top q + (k^\top e_t + e_\tau^\top q) + e_\tau^\top e_t",
        ),
        (
            f"**Content.** The content matches: {reading}.",
            rf"E\,k^\top q = {d},\quad \mathrm{{Var}}(k^\top q) = {content}"
            if gaussian
            else r"k^\top q = \|k\|^2 = 1",
        ),
        (
            "**Cross terms.** A sine or cosine of a uniform angle has mean 0 and mean square one "
            "half. In a cross "
            "term it meets an independent entry of the content.",
            rf"\mathrm{{Var}}(k_j \sin\theta) = E\,k_j^2\; E \sin^2\theta = "
            rf"{element} \cdot \frac{{1}}{{2}},\quad \text{{{per}: }} "
            rf"\mathrm{{Var}} = {both} \cdot {element} \cdot \frac{{1}}{{2}} = {cross}",
        ),
        (
            "**Positions.** Two positions meet in products of two independent sines or cosines.",
            rf"\mathrm{{Var}}(\sin\theta \sin\theta') = \frac{{1}}{{4}},\quad "
            rf"\mathrm{{Var}}(e_\tau^\top e_t) = {half} \cdot \frac{{1}}{{4}} = {place}",
        ),
        (
            "**Sum.** Each of these products has mean 0, and any two of them are uncorrelated, "
            "also the "
            "sine and the cosine of one angle, so means and variances add up.",
            rf"E = {formula(formulas.mean_text)},\quad "
            rf"\mathrm{{Var}} = {formula(formulas.variance_text)}",
        ),
        *((scaled,) if "s" in find else ()),
    )


def _readings(found: PositionMoments) -> Table:
    d, size = found.now.d_model, found.formulas.size
    rows = []
    for reading, words in READINGS.items():
        one = interference(d, content=reading, base=found.given.base)
        written = reading_formulas(size, reading)
        rows.append(
            (
                NAMES[reading] + " (asked for)" * (reading == found.given.reading),
                words,
                with_number(written.mean_text, one.mean),
                with_number(written.variance_text, one.variance),
            )
        )
    caption = f"how |k| = 1 and unit variances may go together, at {size} = {d}"
    return Table(("reading", "content", "mean", "variance"), tuple(rows), caption)


def _sums(found: PositionMoments) -> tuple[Block, ...]:
    now, wanted = found.now, found.formulas.wanted
    terms = Table(
        ("sum", "products", "mean", "variance"),
        tuple((t.name, str(t.count), number(t.mean), number(t.variance)) for t in now.terms),
        f"the three sums at {found.formulas.size} = {now.d_model}",
    )
    s = with_number(found.formulas.s_text, math.sqrt(now.variance / wanted))
    facts = (("standard deviation", number(now.scale)), (f"s for variance {short(wanted, 4)}", s))
    return terms, Facts(facts)


def _given_shift(found: PositionMoments) -> Table:
    d, base = found.now.d_model, found.given.base
    rows = []
    for delta in SHIFTS:
        sphere = interference(d, content="sphere", delta=delta, base=base)
        normal = interference(d, content="gaussian", delta=delta, base=base)
        numbers = (sphere.terms[2].mean, sphere.mean, sphere.variance, normal.mean, normal.variance)
        rows.append((str(delta), *(number(x, 9) for x in numbers)))
    columns = ("t − τ", "e_τ · e_t", "mean, sphere", "variance", "mean, unit variance", "variance")
    caption = (
        "with a known shift nothing positional is random: e_τ · e_t is the sum of "
        f"cos ω_i (t − τ), {found.formulas.size} = {d}"
    )
    return Table(columns, tuple(rows), caption)


def _uniform(found: PositionMoments) -> Table:
    base, size, d = found.given.base, found.formulas.size, found.now.d_model
    rows = []
    for width in dict.fromkeys((max(2, d // 4 * 2), d)):
        for n in LENGTHS:
            part = interference(width, content="hint", times="uniform", n=n, base=base).terms[2]
            numbers = (number(part.mean, 4), number(part.variance, 4), number(width / 4))
            rows.append((str(width), str(n), *numbers))
    columns = (size, "n", "mean of e_τ · e_t", "its variance", "with uniform phases (mean 0)")
    return Table(columns, tuple(rows), "times uniform on 0, …, n − 1 instead of uniform phases")


def _kernel(found: PositionMoments) -> Plot:
    d, base, shifts = found.now.d_model, found.given.base, range(65)
    y = tuple(interference(d, content="sphere", delta=s, base=base).terms[2].mean for s in shifts)
    return Plot(
        "lines",
        f"what positions add to the score at a known shift, {found.formulas.size} = {d}",
        "t − τ",
        "e_τ · e_t",
        (Series("e_τ · e_t", tuple(map(float, shifts)), y),),
    )


def _belief(found: PositionMoments) -> str:
    """Tell what phases are in a text, with numbers of half the width."""
    base, width = found.given.base, max(2, found.now.d_model // 4 * 2)
    uniform = interference(width, content="hint", times="uniform", n=LENGTHS[0], base=base).terms[2]
    return (
        "Believing that phases are uniform. Slow frequencies do not turn once in a text: for times "
        f"uniform below n = {LENGTHS[0]} and {found.formulas.size} = {width}, the mean of e_τ · "
        f"e_t is {short(uniform.mean)} and not 0, its variance {number(uniform.variance, 3)} "
        f"and not {short(width / 4)}. Uniform phases would take n ≫ 2π · {short(base)} = "
        f"{short(2 * math.pi * base)}."
    )
