"""The numbers of a worked example as an answer has them, and as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.analysis.exact_trace.trace import Trace
from regard.checking import digits
from regard.checking.digits import Decimals
from regard.checking.sampling import softmax
from regard.kinds.compute.spec import MATRICES, ComputeProblem

Float64 = NDArray[np.float64]
Rows = dict[str, Float64]  # by letter: one row per token

FIELDS = {
    "q": "queries", "k": "keys", "v": "values", "z": "scores", "a": "weights", "c": "averages",
}  # fmt: skip
LETTERS = "".join(FIELDS)  # in the order of the computation


@dataclass(frozen=True, eq=False)
class Work:
    """A problem, what comes out, and what an answer says.

    Attributes:
        problem: what is asked.
        found: every number, exactly.
        right: the same in float64, by letter.
        given: what the answer says, by name: all that it computes, also what is not asked for.
        decimals: how many these numbers are written with.
    """

    problem: ComputeProblem
    found: Trace
    right: Rows
    given: Mapping[str, Float64]
    decimals: Mapping[str, Decimals]

    @property
    def scale(self) -> float:
        """What scores are multiplied by."""
        return float(self.found.scale)

    def names(self) -> list[str]:
        """Return what the answer computes, in the order of the computation."""
        return sorted(self.given, key=lambda name: (LETTERS.index(letter(name)), name))

    def wanted(self, name: str) -> Float64:
        """Return what comes out under a name."""
        return pick(self.right, name)

    def fits(self, name: str) -> bool:
        """Whether an answer has as many numbers as it must have."""
        return self.given[name].shape == self.wanted(name).shape

    def apart(self, name: str) -> Float64:
        """Return how far off each number is, where they fit."""
        return np.asarray(np.abs(self.given[name] - self.wanted(name)))

    def allowed(self, name: str) -> Float64:
        """Return how far off each number may be."""
        tolerance = self.problem.goal.tolerance
        return digits.allowed(self.decimals[name], self.wanted(name), tolerance)

    def passes(self, name: str, given: Float64 | None = None) -> bool:
        """Whether an answer is right, or would be with these numbers instead."""
        given = self.given[name] if given is None else given
        if not self.fits(name):
            return False
        return bool(np.all(np.abs(given - self.wanted(name)) <= self.allowed(name)))

    def same(self, name: str, other: Float64) -> bool:
        """Whether an answer has these numbers, to the digits that it is written with."""
        if self.given[name].shape != other.shape:
            return False
        near = digits.alike(self.decimals[name], other, self.problem.goal.tolerance)
        with np.errstate(all="ignore"):
            return bool(np.all(np.abs(self.given[name] - other) <= near))

    def own(self, kind: str, token: int) -> Float64 | None:
        """Return a row that the answer gives, alone or in a matrix; token counts from 0."""
        for name, index in ((f"{kind}_{token + 1}", None), (kind.upper(), token)):
            if name in self.given and self.fits(name):
                return self.given[name] if index is None else self.given[name][index]
        return None


def letter(name: str) -> str:
    """Return q for q_2 and for Q."""
    return name[0].lower()


def pick(rows: Rows, name: str) -> Float64:
    """Return a row, or all of them, by name."""
    whole = rows[letter(name)]
    return whole if name in MATRICES else whole[int(name[2:]) - 1]


def forward(Q: Float64, K: Float64, V: Float64, scale: float) -> Rows:
    """Return all numbers of a head in float64."""
    scores = scale * (Q @ K.T)
    weights = softmax(scores)
    return {"q": Q, "k": K, "v": V, "z": scores, "a": weights, "c": weights @ V}


def followed(work: Work, name: str) -> Float64:
    """Return what follows for a row or matrix from what the answer says before it."""
    kind = letter(name)
    count = work.found.n
    tokens = range(count) if name in MATRICES else [int(name[2:]) - 1]

    def before(one: str, token: int) -> Float64:
        own = work.own(one, token)
        return computed(one, token) if own is None else own

    def computed(one: str, token: int) -> Float64:
        if one in "qkv":
            return np.asarray(work.right[one][token])
        if one == "z":
            keys = np.array([before("k", j) for j in range(count)])
            return np.asarray(work.scale * (keys @ before("q", token)))
        if one == "a":
            return softmax(before("z", token))
        values = np.array([before("v", j) for j in range(count)])
        return np.asarray(before("a", token) @ values)

    with np.errstate(all="ignore"):
        rows = np.array([computed(kind, token) for token in tokens])
    return rows if name in MATRICES else rows[0]
