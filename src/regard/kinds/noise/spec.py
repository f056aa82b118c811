"""What the output looks like when keys are random."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from regard.errors import FormulaError
from regard.language import parse
from regard.problems.fields import Formula, Part
from regard.problems.head import Problem
from regard.problems.instances import Float64
from regard.problems.keys import Keys
from regard.problems.laws import Fixed, Gaussian

Wanted = Literal["atoms", "mean", "variance", "independent"]

MOST_NUMBERS = 300_000  # in all covariances together: 64 keys with 64 entries


class NoiseGiven(Keys):
    """Random keys, and the queries that are used on them; the outputs of heads are averaged.

    Attributes:
        queries: formulas in mu_a, … and the parameters, one per head.
        ignore_negative: whether cases may be left out in which a score q_h'k_i that varies is
            negative. The law asked for is then the one given that none is.
    """

    queries: Annotated[list[Formula], Field(min_length=1, max_length=8)]
    ignore_negative: bool = False

    @model_validator(mode="after")
    def _random_and_declared(self) -> NoiseGiven:
        if not isinstance(self.keys, Gaussian):
            raise ValueError('keys: must have the law "gaussian" here')
        if any(name.startswith("vbar") for name in self.parameters):
            raise ValueError("parameters: vbar is the mean of the values, so call it otherwise")
        width = _width(self)
        if self.n * width**2 > MOST_NUMBERS:
            raise ValueError(
                f"n = {self.n} covariances of {width} x {width} numbers are too many: "
                f"together they may have {MOST_NUMBERS}"
            )
        known = set(self.parameters) | {f"mu_{name}" for name in self.names}
        for i, text in enumerate(self.queries):
            unknown = sorted(parse(text).names - known)
            if unknown:
                raise ValueError(
                    f"queries[{i}]: {unknown[0]} is not declared. "
                    f"Declared are {', '.join(sorted(known)) or 'no names'}"
                )
            _is_a_vector(i, text, self, width)
        if sum(math.isinf(limit.target) for limit in self.read_limits) > 1:
            raise ValueError("limits: only one parameter may grow without bound")
        return self


def _width(given: Keys) -> int:
    mean = given.keys.mean if isinstance(given.keys, Gaussian) else None
    if isinstance(mean, Fixed):
        return len(mean.rows[0])
    return given.n if given.d is None else given.d


def _is_a_vector(i: int, text: str, given: Keys, width: int) -> None:
    """Raise ValueError unless the query is a vector, also where small parameters are gone."""
    numbers: dict[str, float | Float64] = dict(given.parameters)
    for limit in given.read_limits:
        if math.isfinite(limit.target):
            numbers[limit.name] = limit.target
    for place, name in enumerate(given.names):
        numbers[f"mu_{name}"] = np.cos(1.0 + place + np.arange(width))  # any vectors would do
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(parse(text).evaluate(numbers))
    except FormulaError as error:
        raise ValueError(f"queries[{i}]: {error.reason}") from None
    if found.shape != (width,):
        raise ValueError(f"queries[{i}]: must be a vector such as C mu_a, and is not")
    if not np.all(np.isfinite(found)):
        raise ValueError(f"queries[{i}]: is not finite in the limits given")


class NoiseGoal(Part):
    """What is asked for.

    Attributes:
        find: "atoms": the vectors that the output comes near to, with their probabilities, in the
            limits given. "mean" and "variance" (the trace of the covariance). "independent":
            whether the heads' outputs are.
    """

    find: Annotated[list[Wanted], Field(min_length=1)]


class NoiseProblem(Problem):
    """The law of the output."""

    kind: Literal["noise"]
    given: NoiseGiven
    goal: NoiseGoal


def value_symbols(given: Keys, values: Float64) -> dict[str, Float64]:
    """Return what an answer may call the values (n, d_v).

    v_a is the value of the key named a, and v_1 … v_n are those of all keys, counted from 1.
    vbar is the mean of all values, vbar_not_a that of all but v_a, and vbar_rest that of the
    keys without a name; the last two are there if there are such keys.
    """
    symbols = {f"v_{row + 1}": value for row, value in enumerate(values)}
    symbols |= {f"v_{name}": values[row] for name, row in given.names.items()}
    symbols["vbar"] = np.mean(values, axis=0)
    for name, row in given.names.items():
        symbols[f"vbar_not_{name}"] = np.mean(np.delete(values, row, axis=0), axis=0)
    rest = [row for row in range(len(values)) if row not in given.names.values()]
    if rest:
        symbols["vbar_rest"] = np.mean(values[rest], axis=0)
    return symbols


PROBLEM = NoiseProblem
