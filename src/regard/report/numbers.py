"""Numbers as people read them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from regard.errors import ParameterError, ShapeError

# Whole floats below this are certainly meant: float64 holds each of them exactly.
_WHOLE = 1e15
_FEWEST = 3  # digits in which a number may be round or not
_MOST_DIGITS = 17
_ROUND = 2  # decimals of a number below 1 that another must not round onto
_ROUNDING = 1e-9  # nearer than that no reader asks on which side
_LARGE = 100.0  # from here on the digits that are left out tell little

_NUMBER = re.compile(
    r"""([<>≤≥≈]\s*)?                     # a bound
    [-+−±]?(
        \d+(\.\d*)?(e[-+]?\d+)?\s?%?      # 3, 0.25, 1.2e-05, 25 %
        |\d+/\d+                          # 1/3
        |infinity|∞
    )|not\ a\ number""",
    re.VERBOSE,
)
_DECIMAL = re.compile(r"(?<![\w.])(-?\d+\.\d+(?:e[-+]?\d+)?)(?![\w.]\d)")
_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_MISSING = frozenset(["", "-", "–", "—", "…"])


def number(x: SupportsFloat, digits: int = 6) -> str:
    """Format a number, rounded to `digits` significant digits.

    Whole numbers are written out: integers always, floats below 1e15. Very large and very
    small numbers get an exponent. Note that 0.9999999 rounds to 1.

    >>> number(0.999), number(1.2e-5), number(-0.0), number(2.0), number(float("inf"))
    ('0.999', '1.2e-05', '0', '2', 'infinity')
    """
    if digits < 1:
        raise ParameterError(f"number: digits must be at least 1. Got {digits}.")
    if isinstance(x, int | np.integer):
        return str(int(x))
    value = float(x)
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    if value.is_integer() and abs(value) < _WHOLE:
        return str(int(value))
    return f"{value:.{digits}g}"


def short(x: SupportsFloat, digits: int = 3) -> str:
    """Format a number for a sentence, never rounded onto a round one that it does not reach.

    In one digit or two every number is round; those are for what is only about so much.

    >>> short(0.00199999), short(6.90576), short(0.999753), short(1.9996), short(12345.6)
    ('0.002', '6.91', '0.9998', '1.9996', '12346')
    >>> short(0.2927, 2)
    '0.29'
    """
    value = float(x)
    whole = isinstance(x, int | np.integer) or not math.isfinite(value) or value.is_integer()
    if whole or digits < _FEWEST:
        return number(x, digits)
    size = abs(value)
    first = max(digits, math.floor(math.log10(size)) + 1) if size < _WHOLE else digits
    texts = (number(value, more) for more in range(first, _MOST_DIGITS))
    return next(
        (text for text in texts if not rounds_onto(text, value)), number(value, _MOST_DIGITS)
    )


def shortened(words: str) -> str:
    """Return a sentence with its decimals as `short`; those that differ go on doing so.

    >>> shortened("17.9920 on the left and -5.50000 on the right")
    '17.99 on the left and -5.5 on the right'
    >>> shortened("1.23456 on the left and 1.23457 on the right")
    '1.23456 on the left and 1.23457 on the right'
    """
    decimals = set(_DECIMAL.findall(words))
    for digits in (3, 4, 5):
        said = {text: short(float(text), digits) for text in decimals}
        if len(set(said.values())) == len(set(map(float, decimals))):
            parts = (said.get(part, part) for part in _DECIMAL.split(words))
            return "".join(parts)
    return words


def rounds_onto(text: str, value: float) -> bool:
    """Whether a number is written as a round one near it that it does not reach.

    >>> rounds_onto("0.5000", 0.49996), rounds_onto("7.000", 6.9996), rounds_onto("25.59", 25.587)
    (True, True, False)
    """
    written, size = float(text), abs(value)
    if size >= _LARGE or math.isclose(written, value, rel_tol=_ROUNDING):
        return False
    return written == round(value, 0 if size >= 1 else _ROUND)


def share(x: float, digits: int = 3) -> str:
    r"""Write a share as percent, in three digits or in as many as are asked for.

    >>> share(0.49900), share(2e-5), share(0)
    ('49.9\u202f%', '< 0.01\u202f%', '0\u202f%')
    """
    if x == 0 or x >= 1e-4:
        return f"{number(100 * x, digits)}\u202f%"
    return "< 0.01\u202f%"


def seen_apart(
    one: Any, other: Any, digits: int = 4, write: Callable[[Any, int], str] = number
) -> tuple[str, str]:
    """Write two with so many digits, or with as many more as it takes to see that they differ.

    >>> seen_apart(2.0, 1.41421), seen_apart(1.41421, 1.41424), seen_apart(0.5, 0.5)
    (('2', '1.414'), ('1.41421', '1.41424'), ('0.5', '0.5'))
    """
    for more in range(digits, _MOST_DIGITS + 1):
        both = write(one, more), write(other, more)
        if both[0] != both[1]:
            return both
    return write(one, digits), write(other, digits)


def rounded_up(x: float, digits: int = 3) -> str:
    """Format a lower bound so that what is written is still enough.

    >>> rounded_up(6.90576), rounded_up(4.711)
    ('6.91', '4.72')
    """
    return _rounded(x, digits, ROUND_CEILING)


def on_its_side(x: float, least: float, digits: int = 3) -> str:
    """Format a number so that what is written reaches a least number if, and only if, it does.

    >>> on_its_side(4.8822, 4.8822), on_its_side(4.8822, 4.8821), on_its_side(6.9, 6.91)
    ('4.89', '4.89', '6.9')
    """
    text = number(x, digits)
    if (float(text) >= least) == (x >= least):
        return text
    return rounded_up(x, digits) if x >= least else rounded_down(x, digits)


def rounded_down(x: float, digits: int = 3) -> str:
    """Format an upper bound so that what is written is still allowed.

    >>> rounded_down(8.5479), rounded_down(0.0002)
    ('8.54', '0.0002')
    """
    return _rounded(x, digits, ROUND_FLOOR)


def _rounded(x: float, digits: int, way: str) -> str:
    if not math.isfinite(x) or x == 0:
        return number(x, digits)
    exact = Decimal(repr(float(x)))  # as it is written: 0.1 is a tenth here
    unit = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return number(float(exact.quantize(unit, rounding=way) if unit else exact), digits)


def spelled(count: int) -> str:
    """Return a small number as a word.

    >>> spelled(7), spelled(64)
    ('seven', '64')
    """
    return _WORDS[count] if 0 <= count < len(_WORDS) else str(count)


def listing(words: Sequence[str]) -> str:
    """Join words: "a", "a and b", "a, b and c".

    >>> listing(["d_model", "n", "T"])
    'd_model, n and T'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def vector(x: ArrayLike, digits: int = 4, most: int = 8) -> str:
    """Format a vector (n,); of more than `most` entries the first most − 1 and the last.

    >>> vector([1.0, -0.0, -2.5]), vector(range(100), most=4)
    ('(1, 0, -2.5)', '(0, 1, 2, …, 99)')
    """
    if most < 2:
        raise ParameterError(f"vector: most must be at least 2. Got {most}.")
    array = np.asarray(x)
    if array.ndim != 1:
        raise ShapeError(f"vector: x must have shape (n,). Got {array.shape}.")
    if len(array) <= most:
        entries = [number(entry, digits) for entry in array.tolist()]
    else:
        entries = [number(entry, digits) for entry in array[: most - 1].tolist()]
        entries += ["…", number(array[-1], digits)]
    return f"({', '.join(entries)})"


def matrix_rows(
    x: ArrayLike, digits: int = 4, *, names: Sequence[str] | None = None
) -> tuple[tuple[str, ...], ...]:
    """Format a matrix (m, n) as the rows of a table, each after its name if there are names.

    >>> matrix_rows([[1.0, 0.5], [0.0, 2.0]], names=["k_0", "k_1"])
    (('k_0', '1', '0.5'), ('k_1', '0', '2'))
    """
    array = np.asarray(x)
    if array.ndim != 2:
        raise ShapeError(f"matrix_rows: x must have shape (m, n). Got {array.shape}.")
    rows = tuple(tuple(number(entry, digits) for entry in row) for row in array.tolist())
    if names is None:
        return rows
    if len(names) != len(rows):
        raise ShapeError(
            f"matrix_rows: names must have one name per row of x ({len(rows)}). Got {len(names)}."
        )
    return tuple((name, *row) for name, row in zip(names, rows, strict=True))


def all_numbers(cells: Iterable[str]) -> bool:
    """Whether cells are numbers, as `number` writes them or close to it, up to missing ones."""
    present = [cell for cell in cells if cell not in _MISSING]
    return bool(present) and all(_NUMBER.fullmatch(cell) for cell in present)
