"""Numbers and small arrays as LaTeX, for headlines and steps; and whether LaTeX can be typeset."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from regard.errors import FormulaError
from regard.language import notation, parse, writing
from regard.language.bounds import lower_bound, upper_bound
from regard.language.writing import ratio as ratio
from regard.report.numbers import number, rounded_up, short

__all__ = [
    "angle",
    "column",
    "equal",
    "factor",
    "formula",
    "percent",
    "ratio",
    "root",
    "tex",
    "typeset",
]


DIGITS = 4  # of a number in a formula
_ROUNDING = 1e-12  # of floats: 0.1 + 0.2 is 0.3
_ABOUT = r"\approx"


def tex(x: float, digits: int = DIGITS) -> str:
    r"""Write a number: powers of ten as such.

    >>> tex(0.25), tex(1.2e-05), tex(float("inf")), tex(6.90576)
    ('0.25', '1.2 \\cdot 10^{-5}', '\\infty', '6.906')
    """
    return _tex(short(x, digits))


def equal(x: float, digits: int = DIGITS) -> str:
    r"""Write that something equals a number, or about, if it does not fit into so many digits.

    >>> equal(0.25), equal(6.90576), equal(0.1 + 0.2)
    ('= 0.25', '\\approx 6.906', '= 0.3')
    """
    text = short(x, digits)
    same = math.isinf(x) or math.isclose(float(text), x, rel_tol=_ROUNDING, abs_tol=0)
    return f"{'=' if same else _ABOUT} {_tex(text)}"


def tex_upper_bound(bound: float, digits: int = DIGITS) -> str:
    """Write an upper bound, rounded up."""
    return _tex(upper_bound(bound, digits))


def tex_lower_bound(bound: float, digits: int = DIGITS) -> str:
    """Write a lower bound, rounded down."""
    return _tex(lower_bound(bound, digits))


def tex_enough(least: float, digits: int = DIGITS) -> str:
    """Write what something has to be at least, rounded up: what is written is enough."""
    return _tex(rounded_up(least, digits))


def _tex(written: str) -> str:
    mantissa, _, exponent = written.replace("infinity", r"\infty").partition("e")
    times = "" if mantissa == "1" else f"{mantissa} \\cdot "
    return f"{times}10^{{{int(exponent)}}}" if exponent else mantissa


def percent(x: float, digits: int = 3) -> str:
    """Write a share in percent, for sentences.

    >>> percent(0.0368733)
    '3.69 %'
    """
    return f"{number(100 * x, digits)} %"


def factor(x: float) -> str:
    r"""Write a number as a factor in LaTeX, with nothing for 1.

    >>> factor(2.0), factor(1.0), factor(2 / 3)
    ('2 ', '', '\\frac{2}{3} ')
    """
    text = ratio(x)
    if text == "1":
        return ""
    above, _, below = text.partition("/")
    return f"\\frac{{{above}}}{{{below}}} " if below else f"{tex(x)} "


def root(square: float) -> str:
    r"""Write the square root of a number, also as a factor: nothing for 1.

    >>> root(10.0), root(4.0), root(0.4)
    ('\\sqrt{10}', '2', '\\sqrt{2/5}')
    """
    whole = math.isqrt(round(square)) if square >= 0.5 else 0
    if whole and whole * whole == round(square, 9):
        return str(whole)
    return f"\\sqrt{{{ratio(float(Fraction(square).limit_denominator(1000)))}}}"


def angle(x: float) -> str:
    r"""Write an angle: as a share of pi if it is a simple one.

    >>> angle(math.pi / 2), angle(0.9)
    ('\\pi/2', '0.9')
    """
    plain = writing.angle(x)
    return plain.replace("pi", r"\pi") if "pi" in plain else tex(x)


def formula(text: object) -> str:
    r"""Write a formula of the formula language.

    >>> formula("sqrt(D)/2")
    '\\frac{\\sqrt{D}}{2}'
    """
    return parse(str(text)).to_latex()


def column(x: ArrayLike, digits: int = DIGITS) -> str:
    r"""Write a vector as a tuple in LaTeX.

    >>> column([1.0, 0.5])
    '(1, 0.5)'
    """
    values = np.asarray(x, float)
    shown = [tex(float(v), digits) for v in values[:8]]
    shown += [r"\ldots"] * (len(values) > 8)
    return f"({', '.join(shown)})"


def typeset(latex: str) -> bool:
    r"""Whether a formula can be shown: it is not too long, and holds nothing unknown.

    >>> typeset(r"\frac{1}{2}"), typeset(r"\frac{1}")
    (True, False)
    """
    try:
        notation.check(latex)
    except FormulaError:
        return False
    return True
