"""What a cell found, as columns of a table: numbers, words, true or false."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from regard.errors import ParameterError

__all__ = ["Row", "columns_of", "scalar"]

Row = dict[str, Any]
LONGEST = 500  # characters of a word in a table
_WIDEST = 2**63  # whole numbers beyond this are written in powers of ten


def columns_of(result: Any) -> Row:
    """Return the scalars of a result.

    A mapping gives its entries, a dataclass its fields (arrays without axes count as numbers, other
    arrays are left out), anything else one column `result`.

    >>> columns_of({"leak": np.float32(0.25), "weights": np.ones(3), "right": True})
    {'leak': 0.25, 'right': True}
    """
    if isinstance(result, Mapping):
        pairs = {str(name): value for name, value in result.items()}
    elif dataclasses.is_dataclass(result) and not isinstance(result, type):
        pairs = {f.name: getattr(result, f.name) for f in dataclasses.fields(result)}
    elif hasattr(result, "_asdict"):
        pairs = result._asdict()
    else:
        found = scalar(result)
        if found is None and result is not None:
            raise ParameterError(
                "sweep: a cell must return numbers, words, True or False: one of them, a mapping "
                f"or a dataclass of them. Got {type(result).__name__}."
            )
        return {"result": found}
    return {name: scalar(x) for name, x in pairs.items() if x is None or scalar(x) is not None}


def scalar(value: Any) -> Any:
    """Return a value as JSON has it, or None where it is none of one cell's."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.item() if value.ndim == 0 else None
    if isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < _WIDEST else f"{Decimal(value):.6e}"
    if isinstance(value, Decimal | Fraction):
        return float(value)
    if isinstance(value, str):
        # Half of a pair of UTF-16, as in names of files that are not UTF-8, fits no file.
        value = value.encode("utf-8", "backslashreplace").decode()
        return value if len(value) <= LONGEST else value[: LONGEST - 1] + "…"
    return None
