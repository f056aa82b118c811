"""Read the numbers of a trace exactly, and word what is wrong with them."""

from __future__ import annotations

import math
import numbers
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from regard.analysis.exact_trace.numbers import Surd
from regard.errors import ParameterError, ShapeError
from regard.shapes import integer

__all__ = ["Matrix", "float_note", "read_digits", "read_matrix", "read_rows", "read_scale"]

Matrix = tuple[tuple[Fraction, ...], ...]

LARGEST = 64  # rows and columns of a matrix
DIGITS = 400  # of a numerator, and of the common denominator of a matrix: any float64 fits
BITS = math.ceil(DIGITS * math.log2(10))
MOST_DIGITS = 10_000  # of a decimal
LONGEST = 2 * DIGITS + 16  # characters of a number
_DECIMAL = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?"
_NUMBER = re.compile(rf"({_DECIMAL})(?:\s*/\s*({_DECIMAL}))?", re.ASCII)
_ROOT = re.compile(r"1/(sqrt\(d_?k\)|√d_?k|√\(d_?k\))", re.IGNORECASE)
RULE = "a whole number, a fraction, a decimal or a string such as '1/3' or '0.25'"


def float_note(floats: dict[str, float]) -> str:
    """Say which arguments hold floats that are not the decimals they print as."""
    if not floats:
        return ""
    example = next(iter(floats.values()))
    verb = "hold" if len(floats) > 1 else "holds"
    return (
        f"{' and '.join(floats)} {verb} floats. Each is taken as the exact binary number it is: "
        f"{example!r} is {f'{Decimal(example):.25g}'.rstrip('0')}…, which is not the decimal. "
        f"The string {str(example)!r} is."
    )


def read_matrix(
    function: str, name: str, given: object, rule: str, floats: dict[str, float]
) -> Matrix:
    """Return a matrix of whole numbers, fractions or decimals as it is, exactly.

    Args:
        function: what is named in a message.
        name: of the argument.
        given: nested lists, or an array.
        rule: its axes, such as "(n, d_model)".
        floats: is given an entry {name: example} if there are floats that print as another number.
    """
    rows = _listed(function, name, given, rule)
    if any(isinstance(row, str | bytes) or not isinstance(row, list | tuple) for row in rows):
        raise ShapeError(
            f"{function}: {name} must have shape {rule}, a row of numbers in each row."
        )
    widths = sorted({len(row) for row in rows})
    if len(widths) > 1:
        raise ShapeError(
            f"{function}: {name} has rows of different lengths "
            f"({', '.join(str(width) for width in widths)}). Need {rule}."
        )
    _counted(function, name, widths[0], "columns", rule)
    matrix = tuple(
        tuple(
            _read_number(function, f"{name} (row {i}, column {j})", entry, name, floats)
            for j, entry in enumerate(row, 1)
        )
        for i, row in enumerate(rows, 1)
    )
    if math.lcm(*(entry.denominator for row in matrix for entry in row)).bit_length() > BITS:
        raise ParameterError(
            f"{function}: the entries of {name} have a common denominator of more than {DIGITS} "
            f"digits, too many to write a trace with."
        )
    return matrix


def read_digits(function: str, digits: object) -> int:
    """Return a number of digits, or say what it must be."""
    count = integer(function, "digits", digits, minimum=1)
    if count > MOST_DIGITS:
        raise ParameterError(f"{function}: digits must be at most {MOST_DIGITS}. Got {count}.")
    return count


def read_rows(
    function: str,
    name: str,
    given: object,
    axes: tuple[str, str],
    after: tuple[str, Matrix],
    floats: dict[str, float],
) -> Matrix:
    """A matrix that is multiplied from the left by another, which has a column per row of it."""
    (rows, columns), (before, left) = axes, after
    matrix = read_matrix(function, name, given, f"({rows}, {columns})", floats)
    wanted = len(left[0])
    if len(matrix) != wanted:
        other = " Its transpose would fit." if len(matrix[0]) == wanted else ""
        raise ShapeError(
            f"{function}: {name} does not match {before} in {rows} ({len(matrix)} vs {wanted}). "
            f"Need {name} ({rows}, {columns}), one row per column of {before}. "
            f"Got {name} ({len(matrix)}, {len(matrix[0])}).{other}"
        )
    return matrix


def read_scale(function: str, given: object, d_k: int, floats: dict[str, float]) -> Fraction | Surd:
    """Return what scores are multiplied by: a rational, or 1/√d_k."""
    root = isinstance(given, str) and _ROOT.fullmatch(re.sub(r"\s|\*", "", given))
    if given is None or root:
        side = math.isqrt(d_k)
        return Fraction(1, side) if side * side == d_k else Surd(Fraction(1), d_k)
    if isinstance(given, str) and not _NUMBER.fullmatch(given.strip()):
        raise ParameterError(
            f"{function}: scale must be {RULE}, or '1/sqrt(d_k)'. Got {_short(given)}."
        )
    return _read_number(function, "scale", given, "scale", floats)


def _listed(function: str, name: str, given: object, rule: str) -> list[Any] | tuple[Any, ...]:
    """A matrix as nested lists."""
    if isinstance(given, list | tuple):
        _counted(function, name, len(given), "rows", rule)
        # Rows may be arrays of their own.
        return [r.tolist() if isinstance(r, np.ndarray) and r.ndim == 1 else r for r in given]
    if getattr(given, "requires_grad", False):
        raise ParameterError(f"{function}: {name} requires grad. Pass {name}.detach().")
    if isinstance(given, str | bytes) or not hasattr(given, "__array__"):
        raise ParameterError(
            f"{function}: {name} must be a matrix {rule}: rows of numbers, or an array. "
            f"Got {type(given).__name__}."
        )
    array = np.asarray(given)
    if array.ndim != 2:
        raise ShapeError(f"{function}: {name} must have shape {rule}. Got {array.shape}.")
    for count, what in zip(array.shape, ("rows", "columns"), strict=True):
        _counted(function, name, count, what, rule)
    rows: list[Any] = array.tolist()
    return rows


def _counted(function: str, name: str, count: int, what: str, rule: str) -> None:
    if not 1 <= count <= LARGEST:
        raise ShapeError(
            f"{function}: {name} must have shape {rule} with 1 to {LARGEST} {what}, because a "
            f"trace writes every number out. Got {count} {what}."
        )


def _read_number(
    function: str, where: str, given: object, argument: str, floats: dict[str, float]
) -> Fraction:
    """Return one number exactly."""
    value: Fraction | None = None
    # Sizes are looked at before anything is converted: 1e999999999 is quickly written.
    if isinstance(given, bool | np.bool_):
        pass
    elif isinstance(given, numbers.Integral):
        value = Fraction(int(given))
    elif isinstance(given, numbers.Rational):
        value = Fraction(int(given.numerator), int(given.denominator))
    elif isinstance(given, Decimal):
        if given.is_finite():
            _fits(function, where, len(given.as_tuple().digits) <= LONGEST)
            _fits(function, where, not given or abs(given.adjusted()) <= DIGITS)
            value = Fraction(given)
    elif isinstance(given, float | np.floating):
        if np.isfinite(given):
            value = Fraction(*given.as_integer_ratio())
            if value != Fraction(str(given)):
                floats.setdefault(argument, float(given))
    elif isinstance(given, str):
        _fits(function, where, len(given) <= LONGEST)
        value = _from_text(function, where, given.strip())
    if value is None:
        raise ParameterError(f"{function}: {where} must be {RULE}. Got {_short(given)}.")
    _fits(function, where, value.numerator.bit_length() <= BITS)
    _fits(function, where, value.denominator.bit_length() <= BITS)
    return value


def _from_text(function: str, where: str, text: str) -> Fraction | None:
    found = _NUMBER.fullmatch(text)
    if not found:
        return None
    above, below = Decimal(found[1]), Decimal(found[2] or "1")
    for part in (above, below):
        _fits(function, where, not part or abs(part.adjusted()) <= DIGITS)
    if not below:
        raise ParameterError(f"{function}: {where} divides by 0. Got {_short(text)}.")
    return Fraction(above) / Fraction(below)


def _fits(function: str, where: str, fits: bool) -> None:
    if not fits:
        raise ParameterError(
            f"{function}: {where} needs more than {DIGITS} digits, too many to write a trace with."
        )


def _short(given: object) -> str:
    """A value as Python writes it, cut short."""
    text = repr(given) if isinstance(given, str | float | Decimal | bool) else type(given).__name__
    return text if len(text) <= 40 else f"{text[:37]}…"
