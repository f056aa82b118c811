"""Where keys and values come from: a fixed table, or a law to draw them from."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from regard.problems.fields import Formula, Name, OrdinaryPositive, Part, Rows


class Fixed(Part):
    """These rows, and no others. `[[1, 0], [0, 1]]` alone means the same."""

    law: Literal["fixed"]
    rows: Rows


class Orthonormal(Part):
    """Unit vectors at right angles."""

    law: Literal["orthonormal"]


class Orthogonal(Part):
    """Vectors at right angles, of the lengths given or of any lengths."""

    law: Literal["orthogonal"]
    norms: list[OrdinaryPositive] | None = None


class Arbitrary(Part):
    """Any vectors at all: what is said about them holds for every choice."""

    law: Literal["arbitrary"]


class Gaussian(Part):
    """Independent normal vectors.

    Attributes:
        mean: where the means come from.
        covariance: a formula for all keys, or one per name and one for the `others`.
            In it mu_a is the mean of the key named a.
    """

    law: Literal["gaussian"]
    mean: Plain
    covariance: Formula | dict[Name, Formula]

    @model_validator(mode="after")
    def _every_key_has_one(self) -> Gaussian:
        if isinstance(self.covariance, dict) and "others" not in self.covariance:
            raise ValueError("covariance must also say what that of the `others` is")
        return self


def _rows_alone(given: Any) -> Any:
    return {"law": "fixed", "rows": given} if isinstance(given, list) else given


Plain = Annotated[
    Annotated[Fixed | Orthonormal | Orthogonal | Arbitrary, Field(discriminator="law")],
    BeforeValidator(_rows_alone),
]
Law = Annotated[
    Annotated[Fixed | Orthonormal | Orthogonal | Arbitrary | Gaussian, Field(discriminator="law")],
    BeforeValidator(_rows_alone),
]
Gaussian.model_rebuild()
