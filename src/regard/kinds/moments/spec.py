"""Closed forms for the mean and the variance of a score."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from regard.errors import FormulaError
from regard.language import parse
from regard.problems.fields import Formula, Name, Number, Part, Positive
from regard.problems.head import Problem

Wanted = Literal["mean", "variance", "s"]
SMALLEST, LARGEST = 1e-30, 1e30  # means and variances that are not 0


class Entries(Part):
    """Independent entries with this mean and variance: formulas in the parameters."""

    mean: Formula
    variance: Formula


class DotProductGiven(Part):
    """The score q'k of independent random vectors.

    Attributes:
        of: "q' k".
        dimension: the name of the number of entries.
        q: the law of the entries of q.
        k: the law of those of k; left out where k is q.
        same: True where k is q itself; then its entries are normal.
        parameters: symbols with a number each, for the instance.
        assume: symbols that have this value from the start, such as mu = 0.
    """

    of: Literal["q' k"]
    dimension: Name = "D"
    q: Entries
    k: Entries | None = None
    same: bool = False
    parameters: dict[Name, Number]
    assume: dict[Name, Number] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _declared(self) -> DotProductGiven:
        if self.same and self.k not in (None, self.q):
            raise ValueError("k: is q itself where same = true, so leave it out")
        if not self.same and self.k is None:
            raise ValueError("k: is missing")
        size = self.parameters.get(self.dimension)
        if size is None or size != int(size) or not 1 <= size <= 100_000:
            raise ValueError(f"parameters.{self.dimension} must be a whole number from 1 to 100000")
        if self.dimension in self.assume:
            raise ValueError(f"assume: {self.dimension} is the number of entries")
        numbers = {**self.parameters, **self.assume}
        for where, law in (("q", self.q), ("k", self.k)):
            if law is not None:
                _within(f"{where}: mean", _number(f"{where}: mean", law.mean, numbers))
                variance = _number(f"{where}: variance", law.variance, numbers)
                if variance < 0:
                    raise ValueError(f"{where}: variance: is negative for the parameters given")
                _within(f"{where}: variance", variance)
        return self


def _within(where: str, value: float) -> None:
    """Raise ValueError where products of four such numbers would not be float64s."""
    if value and not SMALLEST <= abs(value) <= LARGEST:
        raise ValueError(
            f"{where}: is {value:g} for the parameters given: use 0 or a size between "
            f"{SMALLEST:g} and {LARGEST:g}"
        )


def _number(where: str, text: str, numbers: dict[str, float]) -> float:
    """Return the number that a formula is; ValueError where it is none."""
    formula = parse(text)
    unknown = sorted(formula.names - set(numbers))
    if unknown:
        raise ValueError(f"{where}: {unknown[0]} is not among the parameters")
    try:
        found = np.asarray(formula.evaluate(numbers))
    except FormulaError as error:
        raise ValueError(f"{where}: {error.reason}") from None
    if found.dtype != np.float64 or found.shape != () or not np.isfinite(found):
        raise ValueError(f"{where}: must be a number for the parameters given")
    return float(found)


class PositionsScoreGiven(Part):
    """The score (k + e)'(q + e') of equal contents k = q with positions added to both.

    Attributes:
        of: "(k + e_tau)' (q + e_t)".
        dimension: the name of d_model.
        parameters: its value, for the instance.
        reading: how |k| = 1 and the hint's unit variances go together; see
            `regard.analysis.interference`.
        base: of the positions.
    """

    of: Literal["(k + e_tau)' (q + e_t)"]
    dimension: Name = "d_model"
    parameters: dict[Name, Number]
    reading: Literal["hint", "sphere", "gaussian", "literal"] = "hint"
    base: Annotated[Positive, Field(gt=1)] = 10000.0

    @model_validator(mode="after")
    def _size(self) -> PositionsScoreGiven:
        size = self.parameters.get(self.dimension)
        if size is None or size != int(size) or size % 2 or not 2 <= size <= 4096:
            raise ValueError(f"parameters.{self.dimension} must be an even number from 2 to 4096")
        return self


class MomentsGoal(Part):
    """What is asked for.

    Attributes:
        find: "mean", "variance", and "s": what to divide the score by so that its variance is
            `variance`.
        variance: the variance wanted after dividing by s.
    """

    find: Annotated[list[Wanted], Field(min_length=1)]
    variance: Annotated[Positive, Field(ge=SMALLEST, le=LARGEST)] = 1.0


class MomentsProblem(Problem):
    """Formulas in the problem's symbols."""

    kind: Literal["moments"]
    given: Annotated[DotProductGiven | PositionsScoreGiven, Field(discriminator="of")]
    goal: MomentsGoal


PROBLEM = MomentsProblem
