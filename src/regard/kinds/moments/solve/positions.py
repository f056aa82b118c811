"""Mean and variance of the score of equal contents with positions added to both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from regard.analysis import interference
from regard.analysis.positions.interference import READINGS, Interference
from regard.certify import Certificate
from regard.certify.claims import position_moments as claims
from regard.kinds.moments.solve.formulas import Polynomial, exact, factored, root
from regard.kinds.moments.spec import MomentsGoal, PositionsScoreGiven
from regard.language import parse
from regard.report import Block, Facts, Plot, Series, Table, number

SHIFTS = (0, 1, 5, 20, 100)
LENGTHS = (50, 1000, 100_000)
NAMES = {
    "hint": "the hint's",
    "sphere": "unit sphere",
    "gaussian": "unit variance",
    "literal": "even entries only",
}


@dataclass(frozen=True, eq=False)
class Score:
    """Formulas for the score in one reading, each a + b d."""

    given: PositionsScoreGiven
    goal: MomentsGoal
    now: Interference
    mean: Polynomial
    variance: Polynomial
    parts: tuple[Polynomial, ...]  # the variances of k·q, of the cross terms and of e·e

    @property
    def size(self) -> str:
        """The name of d_model."""
        return self.given.dimension

    @property
    def mean_text(self) -> str:
        """The mean as a formula."""
        return factored(self.mean, self.size)

    @property
    def variance_text(self) -> str:
        """The variance as a formula."""
        return factored(self.variance, self.size)

    @property
    def s_text(self) -> str:
        """What to divide by, as a formula."""
        return root(self.variance * Polynomial.number(1 / exact(self.goal.variance)), self.size)


def _line(values: dict[int, float], size: str) -> Polynomial:
    """The formula a + b d that these numbers are, found from two and tried on the others."""
    (d, y), (e, z), *others = ((Fraction(d), Fraction(y)) for d, y in values.items())
    slope = (z - y) / (e - d)
    start = y - slope * d
    if any(start + slope * f != x for f, x in others):
        raise AssertionError("the moments are no multiple of d_model plus a constant")
    D = Polynomial.symbol(size)
    return Polynomial.number(start) + Polynomial.number(slope) * D


def reading_formulas(
    reading: str, size: str
) -> tuple[Polynomial, Polynomial, tuple[Polynomial, ...]]:
    """Mean, variance and the variances of the three sums, for uniform phases."""
    found = {d: interference(d, content=reading) for d in (16, 32, 64, 8)}
    mean = _line({d: one.mean for d, one in found.items()}, size)
    variance = _line({d: one.variance for d, one in found.items()}, size)
    parts = tuple(
        _line({d: one.terms[k].variance for d, one in found.items()}, size) for k in range(3)
    )
    return mean, variance, parts


def score(given: PositionsScoreGiven, goal: MomentsGoal) -> Score:
    """Work out the formulas."""
    d = int(given.parameters[given.dimension])
    now = interference(d, content=given.reading, base=given.base)
    mean, variance, parts = reading_formulas(given.reading, given.dimension)
    return Score(given, goal, now, mean, variance, parts)


def certificate(found: Score) -> Certificate:
    """The claim about the formulas, and those of the other readings."""
    own = claims.claim(found.size, found.given.reading, found.mean_text, found.variance_text)
    others = []
    for reading in READINGS:
        if reading != found.given.reading:
            mean, variance, _ = reading_formulas(reading, found.size)
            texts = (factored(mean, found.size), factored(variance, found.size))
            others.append(claims.claim(found.size, reading, *texts))
    return Certificate({}, (own, *others))


def steps(found: Score, find: list[str]) -> tuple[tuple[str, str], ...]:
    """Why the formulas hold."""
    d = parse(found.size).to_latex()
    content, cross, place = (parse(factored(p, found.size)).to_latex() for p in found.parts)
    literal = found.given.reading == "literal"
    half = rf"\frac{{{d}}}{{2}}" if literal else d
    both = d if literal else rf"2 {d}"
    element = rf"\frac{{1}}{{{d}}}" if found.given.reading == "sphere" else "1"
    per = "two per even entry" if literal else "two per entry"
    gaussian = found.given.reading == "gaussian"
    out = [
        (
            "Multiplied out, the score has three sums.",
            r"(k + e_\tau)^\top (q + e_t) = "
            r"k^\top q + (k^\top e_t + e_\tau^\top q) + e_\tau^\top e_t",
        ),
        (
            "The content matches: " + READINGS[found.given.reading].replace("·", " · ") + ".",
            rf"E\,k^\top q = {d},\quad \mathrm{{Var}}(k^\top q) = {content}"
            if gaussian
            else r"k^\top q = \|k\|^2 = 1",
        ),
        (
            "A sine or cosine of a uniform angle has mean 0 and mean square one half. In a cross "
            "term it meets an independent entry of the content.",
            rf"\mathrm{{Var}}(k_j \sin\theta) = E\,k_j^2\; E \sin^2\theta = "
            rf"{element} \cdot \frac{{1}}{{2}},\quad \text{{{per}: }} "
            rf"\mathrm{{Var}} = {both} \cdot {element} \cdot \frac{{1}}{{2}} = {cross}",
        ),
        (
            "Two positions meet in products of two independent sines or cosines.",
            rf"\mathrm{{Var}}(\sin\theta \sin\theta') = \frac{{1}}{{4}},\quad "
            rf"\mathrm{{Var}}(e_\tau^\top e_t) = {half} \cdot \frac{{1}}{{4}} = {place}",
        ),
        (
            "Each of these products has mean 0, and any two of them are uncorrelated, also the "
            "sine and the cosine of one angle, so means and variances add up.",
            rf"E = {parse(found.mean_text).to_latex()},\quad "
            rf"\mathrm{{Var}} = {parse(found.variance_text).to_latex()}",
        ),
    ]
    if "s" in find:
        goal = parse(str(exact(found.goal.variance))).to_latex()
        out.append(
            (
                "Dividing by $s$ divides the variance by $s^2$.",
                rf"\frac{{\mathrm{{Var}}}}{{s^2}} = {goal} \quad\implies\quad "
                rf"s = {parse(found.s_text).to_latex()}",
            )
        )
    return tuple(out)


def details(found: Score) -> tuple[Block, ...]:
    """All readings, exact laws of times, and the kernel."""
    d, base = found.now.d_model, found.given.base
    rows = []
    for reading, words in READINGS.items():
        mean, variance, _ = reading_formulas(reading, found.size)
        one = interference(d, content=reading, base=base)
        chosen = " (asked for)" if reading == found.given.reading else ""
        rows.append(
            (
                NAMES[reading] + chosen,
                words,
                _with_number(factored(mean, found.size), one.mean),
                _with_number(factored(variance, found.size), one.variance),
            )
        )
    readings = Table(
        ("reading", "content", "mean", "variance"),
        tuple(rows),
        f"how |k| = 1 and unit variances may go together, at {found.size} = {d}",
    )
    terms = Table(
        ("sum", "products", "mean", "variance"),
        tuple((t.name, str(t.count), number(t.mean), number(t.variance)) for t in found.now.terms),
        f"the three sums at {found.size} = {d}",
    )
    facts = Facts(
        (
            ("standard deviation", number(found.now.scale)),
            (
                f"s for variance {number(found.goal.variance)}",
                _with_number(found.s_text, math.sqrt(found.now.variance / found.goal.variance)),
            ),
        )
    )
    return (readings, terms, facts, _given_shift(found), _uniform(found), _kernel(found))


def _with_number(text: str, x: float) -> str:
    return text if text == number(x) else f"{text} = {number(x)}"


def _given_shift(found: Score) -> Table:
    d, base = found.now.d_model, found.given.base
    rows = []
    for delta in SHIFTS:
        sphere = interference(d, content="sphere", delta=delta, base=base)
        normal = interference(d, content="gaussian", delta=delta, base=base)
        rows.append(
            (
                str(delta),
                number(sphere.terms[2].mean, 9),
                number(sphere.mean, 9),
                number(sphere.variance, 9),
                number(normal.mean, 9),
                number(normal.variance, 9),
            )
        )
    columns = ("t − τ", "e_τ · e_t", "mean, sphere", "variance", "mean, unit variance", "variance")
    caption = (
        "with a known shift nothing positional is random: e_τ · e_t is the sum of "
        f"cos ω_i (t − τ), {found.size} = {d}"
    )
    return Table(columns, tuple(rows), caption)


def _uniform(found: Score) -> Table:
    base = found.given.base
    d = found.now.d_model
    rows = []
    for width in dict.fromkeys((max(2, d // 4 * 2), d)):
        for n in LENGTHS:
            part = interference(width, content="hint", times="uniform", n=n, base=base).terms[2]
            numbers = (number(part.mean, 4), number(part.variance, 4), number(width / 4))
            rows.append((str(width), str(n), *numbers))
    columns = (found.size, "n", "mean of e_τ · e_t", "its variance", "with uniform phases (mean 0)")
    return Table(columns, tuple(rows), "times uniform on 0, …, n − 1 instead of uniform phases")


def _kernel(found: Score) -> Plot:
    d = found.now.d_model
    shifts = list(range(0, 65))
    y = [
        interference(d, content="sphere", delta=s, base=found.given.base).terms[2].mean
        for s in shifts
    ]
    return Plot(
        "lines",
        f"what positions add to the score at a known shift, {found.size} = {d}",
        "t − τ",
        "e_τ · e_t",
        (Series("e_τ · e_t", tuple(float(s) for s in shifts), tuple(y)),),
    )


def mistakes(found: Score) -> tuple[str, ...]:
    """What is often got wrong, with numbers of the instance."""
    d, base = found.now.d_model, found.given.base
    numbers = {r: interference(d, content=r, base=base) for r in READINGS}
    width = max(2, d // 4 * 2)
    uniform = interference(width, content="hint", times="uniform", n=LENGTHS[0], base=base).terms[2]
    spread = {reading: number(one.variance) for reading, one in numbers.items()}
    cross, place = found.now.terms[1].variance, found.now.terms[2].variance
    return (
        "Mixing readings. |k| = 1 and entries of variance 1 contradict each other: the variance is "
        f"{spread['hint']} as the hint has it, {spread['sphere']} for |k| = 1, "
        f"{spread['gaussian']} (with mean {number(numbers['gaussian'].mean)}) for entries of "
        f"variance 1, and {spread['literal']} if positions are added to even entries only, all at "
        f"{found.size} = {d}.",
        f"Forgetting the cross terms: they have the variance {number(cross)}, the positions alone "
        f"only {number(place)}.",
        "Believing that phases are uniform. Slow frequencies do not turn once in a text: for times "
        f"uniform below n = {LENGTHS[0]} and {found.size} = {width}, the mean of e_τ · e_t is "
        f"{number(uniform.mean, 4)} and not 0, its variance {number(uniform.variance, 3)} and not "
        f"{number(width / 4)}. Uniform phases would take n ≫ 2π · {number(base)} = "
        f"{number(2 * math.pi * base, 6)}.",
    )
