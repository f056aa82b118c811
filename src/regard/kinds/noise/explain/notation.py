"""Formulas of laws as LaTeX: numbers in a few digits, means of values with a bar."""

from __future__ import annotations

from regard.kinds.noise.instance.formulas import Chance, average, factor
from regard.kinds.noise.solve.findings import LimitFound, OutputFound
from regard.kinds.noise.solve.hardmax_limit import LimitLaw, Outcome
from regard.language import parse
from regard.report.numbers import short
from regard.solving.key_tables import formula_tex, symbol
from regard.solving.latex_numbers import tex

MOST_SHOWN = 4  # values of an output that are written out


def latex(formula: str, digits: int = 4) -> str:
    r"""Return a formula as LaTeX.

    >>> print(latex("(0.333333333333 v_b + vbar_not_a)/2"))
    \frac{0.3333 v_b + \bar{v}_{-a}}{2}
    """
    text = formula_tex(formula, digits).replace(r"\mathrm{vbar}", r"\bar{v}")
    return text.replace(r"\bar{v}_{\mathrm{not},", r"\bar{v}_{-")


def chance_latex(chance: Chance) -> str:
    """A probability as LaTeX, in a few digits where it is no fraction."""
    return latex(chance.formula)


def moments_latex(found: OutputFound) -> str:
    """Mean and variance in one line; only about so much where they were sampled."""
    sign, digits, note = "=", 4, ""
    if isinstance(found, LimitFound):
        sign = "=" if found.law.exact else r"\approx"
        if found.one_instance:
            digits = 4 if found.law.exact else 2
            note = r" \;\text{ for the values of the instance}"
    mean, variance = latex(found.mean), latex(found.variance, digits) + note
    return rf"E\,c {sign} {mean},\quad E\,\|c - E\,c\|^2 {sign} {variance}"


def outcome_latex(law: LimitLaw, names: dict[str, int]) -> str:
    """The values of the output with their probabilities, sampled ones in two digits."""
    shown = law.atoms
    points = [latex(average(shares, names).formula) for _, shares in shown[:MOST_SHOWN]]
    if len(shown) == 1:
        return rf"c \to {points[0]}"
    lines = [
        rf"{point} & \text{{with probability }} "
        + (_with_number(outcome) if law.exact else tex(outcome[0].value, 2))
        for point, outcome in zip(points, shown, strict=False)
    ]
    if len(shown) > MOST_SHOWN:
        lines.append(rf"\ldots & \text{{{len(shown) - MOST_SHOWN} more}}")
    return r"c \to \begin{cases} " + r" \\ ".join(lines) + r" \end{cases}"


def _with_number(outcome: Outcome) -> str:
    chance, shown = outcome[0], chance_latex(outcome[0])
    if chance.symbolic and factor(chance.formula) != chance.formula:
        return rf"{shown} = {short(chance.value, 4)}"
    return shown


def means_named(found: OutputFound, *, whole: bool = False) -> str:
    """Say what the means of several values are that the formulas of a law use."""
    names, texts = found.setting.given.names, [found.mean, found.variance]
    if whole and isinstance(found, LimitFound):
        texts += [average(shares, names).formula for _, shares in found.whole.atoms[:MOST_SHOWN]]
    used = {name for text in texts for name in parse(text).names}
    meaning = {"vbar": "all values", "vbar_rest": "the values without a name"}
    meaning |= {f"vbar_not_{n}": f"all values but ${symbol(f'v_{n}')}$" for n in names}
    said = [f"${latex(n)}$ is the mean of {what}" for n, what in meaning.items() if n in used]
    return f" Here {', '.join(said)}." if said else ""
