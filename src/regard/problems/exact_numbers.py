"""Numbers as problems write them: in decimals, in fractions, or as formulas with roots."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BeforeValidator

from regard.errors import FormulaError
from regard.language import Formula, parse
from regard.problems.fields import _exact

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
    others_known = f", or a formula in {' and '.join(names)}" if names else ""
    no_number = ValueError(
        f'{text[:60]!r} is no number: write 3, -0.25, "1/3" or "sqrt(2)/2"{others_known}'
    )
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


def scalar(written: Any) -> Any:
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


Scalar = Annotated[int | float | str, BeforeValidator(scalar)]
