"""Numbers of a worked example: as they are written, in fractions or as formulas with roots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from regard.problems.exact_numbers import Scalar, constant, fraction, is_rational, scalar, value
from regard.problems.fields import _rectangle

__all__ = [
    "MOST",
    "ROOT",
    "Columns",
    "MaskRows",
    "Masked",
    "Matrix",
    "Rows",
    "Scalar",
    "Scale",
    "Vector",
    "check_numbers",
    "constant",
    "fraction",
    "hidden",
    "is_rational",
    "value",
    "with_mask_of_scores",
]

ROOT = "1/sqrt(d_k)"  # a scale that is no rational number
MOST = 64  # rows and columns
_LARGEST = 2**53  # whole numbers up to it are float64s, which certificates are made of


def _scale(written: Any) -> Any:
    if isinstance(written, str) and not is_rational(written.strip()):
        if "d" in constant(written.strip(), "d_k", "d").names:
            raise ValueError(f"{written[:60]!r}: the width of a query is called d_k here")
        constant(written.strip(), "d_k")
        if not abs(value(written.strip(), d_k=2.0)) < 1e15:
            raise ValueError(f"{written[:60]!r} is not finite, or too large")
        return written.strip()
    return scalar(written)


def is_hidden(written: Any) -> bool:
    """Whether an entry is minus infinity, as a number or in words."""
    if isinstance(written, str):
        return written.strip().replace("−", "-") in ("-inf", "-infinity", "-oo", "-∞")
    return isinstance(written, float) and written == float("-inf")


def _masked(written: Any) -> Any:
    if isinstance(written, bool):
        return int(written)
    return "-inf" if is_hidden(written) else scalar(written)


def with_mask_of_scores(data: Any) -> Any:
    """Return what is given, with a mask in place of minus infinity among the scores."""
    rows = data.get("scores") if isinstance(data, dict) else None
    if not isinstance(rows, list) or data.get("mask") is not None:
        return data
    rows = _one_row(rows)
    if not all(isinstance(row, list) for row in rows):
        return data
    hidden = [[is_hidden(x) for x in row] for row in rows]
    if not any(map(any, hidden)):
        return data
    pairs = [list(zip(row, gone, strict=True)) for row, gone in zip(rows, hidden, strict=True)]
    kept = [[0 if gone else x for x, gone in row] for row in pairs]
    mask = [["-inf" if gone else 0 for _, gone in row] for row in pairs]
    return {**data, "scores": kept, "mask": mask}


def _one_row(written: Any) -> Any:
    """Read a plain list as one row."""
    flat = isinstance(written, list) and written and not any(isinstance(x, list) for x in written)
    return [written] if flat else written


def _one_column(written: Any) -> Any:
    """Read a plain list as one number for each row."""
    flat = isinstance(written, list) and not any(isinstance(x, list) for x in written)
    return [[x] for x in written] if flat else written


Scale = Annotated[int | float | str, BeforeValidator(_scale)]
Masked = Annotated[int | float | str, BeforeValidator(_masked)]
Vector = Annotated[list[Scalar], Field(min_length=1, max_length=MOST * MOST)]
Matrix = Annotated[list[list[Scalar]], Field(max_length=4096), AfterValidator(_rectangle)]
MaskRows = Annotated[
    list[list[Masked]],
    Field(max_length=MOST),
    BeforeValidator(_one_row),
    AfterValidator(_rectangle),
]
Rows = Annotated[Matrix, BeforeValidator(_one_row)]  # of one query, a plain list will do
Columns = Annotated[Matrix, BeforeValidator(_one_column)]  # of values of one number each


def check_numbers(arrays: Mapping[str, Sequence[Sequence[Any]]]) -> None:
    """Refuse arrays that are too large, or whose numbers no certificate can hold."""
    for name, rows in arrays.items():
        if name != "mask" and max(len(rows), len(rows[0])) > MOST:
            raise ValueError(f"matrix {name} must have at most {MOST} rows and {MOST} columns")
        numbers = [fraction(x) for row in rows for x in row if is_rational(x)]
        below = math.lcm(*(number.denominator for number in numbers))
        largest = max((abs(number) for number in numbers), default=fraction(0))
        if largest * below > _LARGEST or below > _LARGEST:
            raise ValueError(
                f"numbers in {name} have too many digits: over a common denominator their "
                "numerators must be below 2^53"
            )


def hidden(entry: Masked | None, boolean: bool) -> bool:
    """Whether an entry of a mask hides a key."""
    if entry is None:
        return False
    return entry == "-inf" if not boolean else value(entry) == 0
