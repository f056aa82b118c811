"""What the arguments of a question are made of: strict, finite and limited in size.

What one argument can be told to be is said here, and so in the OpenAPI description. What rests on
two of them (rows of one length, as many weights as keys) is refused by the function that is asked.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

MOST_ROWS = 64
MOST_COLUMNS = 64
LARGEST = 1e9


class Arguments(BaseModel):
    """Base class of the arguments of a question: no field may be unknown, no type is guessed."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


def _integral_float_as_int(value: Any) -> Any:
    """JSON does not tell 3.0 from 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Stands last in Annotated[int, Field(ge=…, le=…), Whole], or the bounds would miss in the schema.
Whole = BeforeValidator(_integral_float_as_int)

Real = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]
Vector = Annotated[list[Real], Field(min_length=1, max_length=MOST_ROWS)]
Row = Annotated[list[Real], Field(min_length=1, max_length=MOST_COLUMNS)]
Matrix = Annotated[list[Row], Field(min_length=1, max_length=MOST_ROWS)]
# A number as it is written, so that 0.1 stays one tenth: "1/3", "-0.25", "2e-3".
Written = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[-+0-9./eE ]+$")]
WrittenRow = Annotated[list[Real | Written], Field(min_length=1, max_length=12)]
WrittenMatrix = Annotated[list[WrittenRow], Field(min_length=1, max_length=12)]
