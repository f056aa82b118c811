"""Numbers, vectors and matrices of a worked example in LaTeX and in text, cut where too long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from regard.analysis.exact_trace.notation import LATEX, TEXT, Style, is_long, number
from regard.analysis.exact_trace.pipeline import Traced, in_digits
from regard.kinds.compute.spec import ComputeGiven, Quantity
from regard.kinds.compute.spec.names import SYMBOLS

MOST = 10  # rows and columns of a matrix that is written out
EXACT = 8  # digits of a number beside one that is printed
DIGITS = 4  # of a number on the way; those that are asked for have as many as asked


def written(value: Traced, digits: int = DIGITS, style: Style = LATEX) -> str:
    """Write a number: a rational exactly, any other in so many digits."""
    if isinstance(value, Fraction) and not is_long(value):
        return number(value, style)
    text = in_digits(value, digits)
    if not style.latex or "e" not in text:
        return text
    mantissa, _, power = text.partition("e")
    return rf"{mantissa} \times 10^{{{int(power)}}}"


def cut(shown: Sequence[str], dots: str) -> list[str]:
    """Return all parts, or the first ones, dots and the last."""
    return [*shown[: MOST - 2], dots, shown[-1]] if len(shown) > MOST else list(shown)


def vector(values: Sequence[Traced], digits: int = DIGITS, style: Style = LATEX) -> str:
    """Write the numbers of a row; of a long one the first and the last entries."""
    return f"({', '.join(cut([written(v, digits, style) for v in values], style.dots))})"


def rounded(values: Sequence[Traced]) -> str:
    """Write a vector with four decimals, and what they cannot show with two digits."""

    def short(value: Traced) -> str:
        near = float(value)
        if isinstance(value, Fraction) and value.denominator <= 12:
            return number(value, TEXT)
        return in_digits(value, 2) if 0 < abs(near) < 5e-5 else f"{near:.4f}"

    return f"({', '.join(map(short, values[:MOST]))}{', …' if len(values) > MOST else ''})"


def matrix(rows: Any, digits: int = DIGITS) -> str:
    """Write a matrix; one that is too large by its size."""
    if len(rows) > MOST or len(rows[0]) > MOST:
        return rf"\left[ {len(rows)} \times {len(rows[0])} \right]"
    lines = r" \\ ".join(" & ".join(written(value, digits) for value in row) for row in rows)
    return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"


def fitting(columns: int) -> int:
    """Return in how many digits a row of numbers fits beside a question, or on a phone."""
    return {1: EXACT, 2: 6, 3: 5}.get(columns, 4)


def equals(values: Iterable[Traced]) -> str:
    """= for fractions, and ≈ where there is a decimal among them."""
    return "=" if all(isinstance(value, Fraction) for value in values) else r"\approx"


def title(name: str, given: ComputeGiven) -> str:
    """Return what a quantity is called, as a title."""
    letters, part = Quantity(name).symbol, Quantity(name).part
    if letters == "C":
        noun = "output" if given.heads == 1 else "outputs of the heads"
    else:
        noun = SYMBOLS[letters] + (f" of head {part}" if part and given.heads > 1 else "")
    return noun[:1].upper() + noun[1:]


def symbol(name: str, row: int | None = None) -> str:
    """Write the name of a quantity in LaTeX: A^{(2)} of head 2, q_{3} of a row."""
    letters, part = Quantity(name).symbol, Quantity(name).part
    known = {"LSE": r"\mathrm{lse}", "QR": "Q'", "KR": "K'", "XP": r"\tilde X"}
    known |= {"QF": r"\phi(Q)", "KF": r"\phi(K)", "KV": r"\phi(K)^\top V"}
    known |= {"RM": r"\mathrm{max}", "RS": r"\ell", "RU": "U"}
    text = known.get(letters, letters)
    if row is not None:
        rows = {"QR": "q'", "KR": "k'", "XP": r"\tilde x", "LSE": r"\mathrm{lse}", "RU": "u"}
        rows |= {"QF": r"\phi(q)", "KF": r"\phi(k)", "RM": r"\mathrm{max}", "RS": r"\ell"}
        text = rows.get(letters, letters.lower())
    text += f"^{{({part})}}" if part else ""
    return text if row is None else f"{text}_{{{row}}}"
