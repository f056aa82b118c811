"""What the parts of a report accept; a message begins with the block and the field."""

from __future__ import annotations

import reprlib
from numbers import Real
from typing import Any

from regard.errors import FormulaError, ParameterError
from regard.language import notation
from regard.report.characters import plain


def sequence(where: str, given: Any) -> tuple[Any, ...]:
    """Return a list or tuple as a tuple."""
    if not isinstance(given, list | tuple):
        raise ParameterError(f"{where} must be a tuple or a list. Got {type(given).__name__}.")
    return tuple(given)


def strings(where: str, given: Any) -> tuple[str, ...]:
    """Return a list or tuple of strings as a tuple."""
    cells = sequence(where, given)
    for i, cell in enumerate(cells):
        string(f"{where}[{i}]", cell)
    return cells


def pairs(where: str, given: Any, what: str) -> tuple[tuple[str, str], ...]:
    """Return a list or tuple of pairs of strings as tuples; `what` says what a pair is."""
    found = tuple(strings(f"{where}[{i}]", pair) for i, pair in enumerate(sequence(where, given)))
    for i, pair in enumerate(found):
        if len(pair) != 2:
            raise ParameterError(f"{where}[{i}] must be {what}. Got {len(pair)} strings.")
    return tuple((first, second) for first, second in found)


def string(where: str, given: Any) -> None:
    """Accept a string."""
    if not isinstance(given, str):
        fix = " Try regard.report.number." if isinstance(given, int | float) else ""
        raise ParameterError(f"{where} must be a string. Got {type(given).__name__}.{fix}")


def words(where: str, given: Any) -> None:
    """Accept a string that shows something."""
    string(where, given)
    if not plain(given):
        raise ParameterError(f"{where} must not be empty.")


def formula(where: str, given: Any) -> None:
    """Accept a formula of the LaTeX subset."""
    string(where, given)
    try:
        notation.check(given)
    except FormulaError as error:
        raise ParameterError(f"{where} must be a formula of the notation. {error}") from None


def numbers(where: str, given: Any, largest: float) -> tuple[float, ...]:
    """Return a list or tuple of numbers that can be drawn."""
    values = sequence(where, given)
    for i, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, Real):
            raise ParameterError(f"{where}[{i}] must be a number. Got {type(value).__name__}.")
        # Whole numbers may be too large for a float.
        if not abs(value if isinstance(value, int) else float(value)) <= largest:
            raise ParameterError(
                f"{where}[{i}] must be finite and at most {largest:g} in size. "
                f"Got {reprlib.repr(value)}."
            )
    return tuple(float(value) for value in values)


def one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    """Raise ParameterError unless a value is one of those known; "" stands for none."""
    if value not in known:
        listed = ", ".join(repr(one) for one in known)
        raise ParameterError(f"{name} must be one of {listed}. Got {value!r}.")
