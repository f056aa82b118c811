"""Numbers of a worked example: as they are written, in fractions or as formulas with roots."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from regard.errors import FormulaError
from regard.language import Formula, parse
from regard.problems.fields import _exact, _rectangle

ROOT = "1/sqrt(d_k)"  # a scale that is no rational number
MOST = 64  # rows and columns
_RATIONAL = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?(/[0-9]{1,40})?")
_CALLS = frozenset({"sqrt", "exp", "log", "sin", "cos"})
_OPERATIONS = frozenset({"number", "+", "-", "*", "·", "/", "^", "neg", "call", "constant", "name"})


def fraction(number: int | float | str) -> Fraction:
    """Return the number that is written: 0.1 and "1/10" are one tenth.

    >>> fraction(0.1), fraction("-1.5/3")
    (Fraction(1, 10), Fraction(-1, 2))
    """
    above, _, below = str(number).partition("/")
    if below and not Fraction(below):
        raise ValueError(f"{number} divides by 0")
    return Fraction(above) / Fraction(below or "1")


def is_rational(number: int | float | str) -> bool:
    """Whether a number is written without a formula: 3, -0.25 or "1/3"."""
    return not isinstance(number, str) or bool(_RATIONAL.fullmatch(number))


def constant(text: str, *names: str) -> Formula:
    """Return a formula for one number, such as "sqrt(2)/2"; ValueError where it is none."""
    no_number = ValueError(f'{text[:60]!r} is no number: write 3, -0.25, "1/3" or "sqrt(2)/2"')
    try:
        formula = parse(text)
    except FormulaError:
        raise no_number from None
    calls = {node.value for node in formula.tree if node.op == "call"}
    others = {node.value for node in formula.tree if node.op == "constant"}
    arithmetic = {node.op for node in formula.tree} <= _OPERATIONS
    plain = len(formula.tree) == 1 and not formula.names  # 1e3, or a word
    if plain and others != {"pi"}:
        raise no_number
    if not arithmetic or not calls <= _CALLS or not others <= {"pi"} or formula.names - {*names}:
        raise no_number
    return formula


def value(number: int | float | str, **names: float) -> float:
    """Return a number as a float64."""
    if is_rational(number):
        return float(fraction(number))
    return float(constant(str(number), *names).evaluate(dict(names)))


def _scalar(written: Any) -> Any:
    """Read 3, -0.25, "1/3", or a formula such as "sqrt(2)/2"."""
    if not isinstance(written, str) or _RATIONAL.fullmatch(written.strip()):
        return _exact(written)
    text = written.strip()
    if len(text) > 200:
        raise ValueError("must be at most 200 characters")
    constant(text)
    if not abs(value(text)) < 1e15:
        raise ValueError(f"{text[:60]!r} is not finite, or too large")
    return text


def _scale(written: Any) -> Any:
    if isinstance(written, str) and not _RATIONAL.fullmatch(written.strip()):
        constant(written.strip(), "d_k")
        if not abs(value(written.strip(), d_k=2.0)) < 1e15:
            raise ValueError(f"{written[:60]!r} is not finite, or too large")
        return written.strip()
    return _scalar(written)


def _masked(written: Any) -> Any:
    if isinstance(written, str) and written.strip() in ("-inf", "-infinity"):
        return "-inf"
    if isinstance(written, float) and written == float("-inf"):
        return "-inf"
    return _scalar(written)


Scalar = Annotated[int | float | str, BeforeValidator(_scalar)]
Scale = Annotated[int | float | str, BeforeValidator(_scale)]
Masked = Annotated[int | float | str, BeforeValidator(_masked)]
Vector = Annotated[list[Scalar], Field(min_length=1, max_length=MOST * MOST)]
Matrix = Annotated[list[list[Scalar]], Field(max_length=4096), AfterValidator(_rectangle)]
MaskRows = Annotated[list[list[Masked]], Field(max_length=MOST), AfterValidator(_rectangle)]
