"""The tokens of an instance as numbers, and their coordinates in the basis."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from regard.kinds.self_attention.solve.plan import Pattern
from regard.kinds.self_attention.solve.sparse import Array
from regard.kinds.self_attention.spec import SelfAttentionProblem
from regard.language import parse
from regard.problems import token_instance
from regard.solving.key_tables import softmax

__all__ = ["Instance", "instance"]


@dataclass(frozen=True, eq=False)
class Instance:
    """The numbers of an instance.

    Attributes:
        problem: what is asked.
        tokens: (n, d).
        basis: (b, d), rows of length `norm`.
        norm: that length.
        coordinates: (n, b) of the tokens.
        outputs: by row, the output that is wanted (d,).
        attend: by row, the weights that are wanted.
    """

    problem: SelfAttentionProblem
    tokens: Array
    basis: Array
    norm: float
    coordinates: Array
    outputs: dict[int, Array]
    attend: Pattern

    @property
    def names(self) -> list[str]:
        """The names of the basis vectors."""
        return list(self.problem.given.basis.names)

    @property
    def scale(self) -> float:
        """What scores are multiplied by."""
        return self.problem.given.scale

    @property
    def d(self) -> int:
        """How many entries a token has."""
        return self.tokens.shape[1]

    @property
    def tolerance(self) -> float:
        """How far off outputs may be in length, and weights in size."""
        return self.problem.goal.tolerance

    @cached_property
    def _linear(self) -> bool:
        """Whether coordinates stay as they are when the length of the basis changes."""
        given = self.problem.given
        formulas = [*given.tokens, *self.problem.goal.outputs.values()]
        return all(given.basis.norm not in parse(text).names for text in formulas)

    def resized(self, norm: float) -> Instance:
        """Return the instance with basis vectors of another length, which is a parameter."""
        name = self.problem.given.basis.norm
        assert isinstance(name, str)
        if not self._linear:
            return instance(self.problem, {name: norm})
        share = norm / self.norm
        outputs = {row: share * vector for row, vector in self.outputs.items()}
        tokens, basis = share * self.tokens, share * self.basis
        return replace(self, tokens=tokens, basis=basis, norm=norm, outputs=outputs)

    def in_basis(self, vectors: Array) -> Array:
        """Return coordinates in the basis."""
        return _coordinates(vectors, self.basis, self.norm)

    def weights(self, K: Array, Q: Array) -> Array:
        """Return the attention weights (n, n) of matrices that act on columns."""
        return softmax(self.scale * (self.tokens @ Q.T) @ (self.tokens @ K.T).T)

    def errors(self, K: Array, Q: Array, V: Array) -> dict[str, float]:
        """Return the error of each output, as c_2, and of each row of weights, as x_2."""
        weights, values = self.weights(K, Q), self.tokens @ V.T
        errors = {}
        for row, wanted in self.outputs.items():
            errors[f"c_{row + 1}"] = float(np.linalg.norm(weights[row] @ values - wanted))
        for row, target in self.attend.items():
            aim = np.zeros(len(self.tokens))
            aim[list(target)] = list(target.values())
            errors[f"x_{row + 1}"] = float(np.max(np.abs(weights[row] - aim)))
        return errors


def instance(problem: SelfAttentionProblem, parameters: dict[str, float] | None = None) -> Instance:
    """Return the tokens and what is wanted of them, perhaps with other parameters."""
    given, goal = problem.given, problem.goal
    tokens, symbols = token_instance(given, parameters=parameters)
    basis = np.array([np.asarray(symbols[name]) for name in given.basis.names])
    norm = float(np.linalg.norm(basis[0]))
    outputs = {
        given.token("goal.outputs", label): np.asarray(parse(text).evaluate(symbols), float)
        for label, text in goal.outputs.items()
    }
    attend: Pattern = {}
    for label, wanted in goal.attend.items():
        weights = {wanted: 1.0} if isinstance(wanted, str) else wanted
        total = math.fsum(weights.values())
        attend[given.token("goal.attend", label)] = {
            given.token("goal.attend", name): weight / total for name, weight in weights.items()
        }
    return Instance(
        problem,
        tokens,
        basis,
        norm,
        _coordinates(tokens, basis, norm),
        dict(sorted(outputs.items())),
        dict(sorted(attend.items())),
    )


def _coordinates(vectors: Array, basis: Array, norm: float) -> Array:
    """Return coordinates in the basis, without rounding where they are short decimals."""
    found = vectors @ basis.T / norm**2
    rounded = np.round(found, 12)
    return np.asarray(np.where(np.abs(found - rounded) < 1e-13, rounded, found) + 0.0)
