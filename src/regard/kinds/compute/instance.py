"""The numbers of a worked example: exactly, and in float64."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regard.analysis.exact_trace.numbers import Exact
from regard.analysis.exact_trace.trace import Trace, trace
from regard.checking.sampling import softmax
from regard.kinds.compute.spec import INPUTS, ROOT, ComputeGiven, fraction, fractions, quantity

Float64 = NDArray[np.float64]
Rows = dict[str, Float64]  # by letter: one row per token

FIELDS = {
    "q": "queries", "k": "keys", "v": "values", "z": "scores", "a": "weights", "c": "averages",
}  # fmt: skip
LETTERS = "".join(FIELDS)  # in the order of the computation


@dataclass(frozen=True, eq=False)
class Example:
    """Tokens and matrices, and what comes out of them.

    Attributes:
        given: the numbers of the problem.
    """

    given: ComputeGiven

    @cached_property
    def found(self) -> Trace:
        """Every number exactly."""
        scale = ROOT if self.given.scale == ROOT else fraction(self.given.scale)
        inputs = (fractions(getattr(self.given, name)).tolist() for name in INPUTS)
        return trace(*inputs, scale=scale)

    @cached_property
    def right(self) -> Rows:
        """Every number in float64."""
        return {letter: self.found.floats(field) for letter, field in FIELDS.items()}

    @cached_property
    def inputs(self) -> Rows:
        """Tokens and matrices in float64, by their names."""
        return {name: fractions(getattr(self.given, name)).astype(float) for name in INPUTS}

    @property
    def scale(self) -> float:
        """What scores are multiplied by."""
        return float(self.found.scale)


def pick(rows: Rows, name: str) -> Float64:
    """Return a row, or all of them, by name."""
    letter, token = quantity(name)
    return rows[letter] if token is None else rows[letter][token - 1]


def forward(Q: Float64, K: Float64, V: Float64, scale: float) -> Rows:
    """Return all numbers of a head in float64."""
    scores = scale * (Q @ K.T)
    weights = softmax(scores)
    return {"q": Q, "k": K, "v": V, "z": scores, "a": weights, "c": weights @ V}


def exact_row(found: Trace, letter: str, token: int) -> tuple[Exact, ...]:
    """Return the numbers of one token, counted from 1."""
    return tuple(getattr(found, FIELDS[letter])[token - 1])
