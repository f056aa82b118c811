"""The kinds of values that problems are made of, each with the sentence for what it refuses."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from regard.language import parse, parse_limit
from regard.shapes.extremes import LARGEST, SMALLEST

MOST_KEYS = 4096  # an orthonormal law builds a square of this size
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
_RATIONAL = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?(/[0-9]{1,40})?")


class Part(BaseModel):
    """A part of a problem: it cannot change, and it has no other keys than those declared."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


def _number(value: Any) -> Any:
    # Pydantic would read True as 1 and "3" as 3.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"must be a number, not {_kind_of(value)}")
    if abs(value) > 1e100:
        raise ValueError("must be at most 1e100 in size")
    return value


def _ordinary(value: Any) -> Any:
    # Beyond these, squares and products of what is given would leave the floats.
    number = _number(_worked_out(value))
    if number and not SMALLEST <= abs(number) <= LARGEST:
        raise ValueError(
            f"must be 0 or between {SMALLEST:g} and {LARGEST:g} in size, not {number:g}: measure "
            "in other units"
        )
    return number


def _worked_out(value: Any) -> Any:
    """Return "1/3" or "sqrt(2)/2" as a float; what is no number is left to be refused."""
    if not isinstance(value, str):
        return value
    from regard.problems.exact_numbers import scalar  # it reads what is declared here
    from regard.problems.exact_numbers import value as as_float

    return as_float(scalar(value))


def _integer(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int):
        shown = value if isinstance(value, float) else _kind_of(value)
        raise ValueError(f"must be a whole number, not {shown}")
    return value


def _formula(text: str) -> str:
    parse(text)
    return text


def _limit(text: str) -> str:
    parse_limit(text)
    return text


def _name(text: str) -> str:
    if not _NAME.fullmatch(text) or len(text) > 40:
        raise ValueError(
            f"{text[:60]!r} is no name: letters and digits, after that parts that begin with _"
        )
    return text


def _exact(value: Any) -> Any:
    if isinstance(value, str):
        if not _RATIONAL.fullmatch(value.strip()):
            raise ValueError(f'{value[:60]!r} is no number: write 3, -0.25 or "1/3"')
        divisor = value.partition("/")[2]
        if divisor and not divisor.strip(" 0"):
            raise ValueError(f"{value[:60]!r} divides by 0")
        return value.strip()
    return _number(value)


def _share(value: Any) -> Any:
    """Return a number; "1/3" is one."""
    return float(Fraction(_exact(value))) if isinstance(value, str) else _number(value)


def _rectangle(rows: list[list[Any]]) -> list[list[Any]]:
    widths = {len(row) for row in rows}
    if not rows or 0 in widths:
        raise ValueError("must have at least one row and one column")
    if len(widths) > 1:
        odd = next(i for i, row in enumerate(rows) if len(row) != len(rows[0]))
        raise ValueError(
            f"row {odd + 1} has {_numbers(len(rows[odd]))} and row 1 has {len(rows[0])}: "
            "every row must be as long as the first"
        )
    return rows


def _numbers(count: int) -> str:
    return "1 number" if count == 1 else f"{count} numbers"


def _kind_of(value: Any) -> str:
    words = {bool: "true or false", str: "text", list: "a list", dict: "a table"}
    return words.get(type(value), type(value).__name__)


Number = Annotated[float, BeforeValidator(_number)]
Positive = Annotated[float, BeforeValidator(_number), Field(gt=0)]
Ordinary = Annotated[float, BeforeValidator(_ordinary)]
OrdinaryPositive = Annotated[float, BeforeValidator(_ordinary), Field(gt=0)]
Weight = Annotated[float, BeforeValidator(_share), Field(gt=0, le=1)]
Share = Annotated[float, BeforeValidator(_number), Field(gt=0, lt=1)]
Integer = Annotated[int, BeforeValidator(_integer)]
Count = Annotated[int, BeforeValidator(_integer), Field(ge=1, le=MOST_KEYS)]
Name = Annotated[str, Field(max_length=200), AfterValidator(_name)]
Formula = Annotated[str, Field(max_length=2000), AfterValidator(_formula)]
LimitText = Annotated[str, Field(max_length=200), AfterValidator(_limit)]
Exact = Annotated[int | float | str, BeforeValidator(_exact)]
Row = Annotated[list[Ordinary], Field(max_length=MOST_KEYS)]
Rows = Annotated[list[Row], Field(max_length=MOST_KEYS), AfterValidator(_rectangle)]
ExactRows = Annotated[list[list[Exact]], Field(max_length=64), AfterValidator(_rectangle)]
