"""A head made of outer products: its formulas, its numbers, and how large C has to be."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

import numpy as np

from regard.analysis.root_finding import crossing
from regard.errors import FormulaError
from regard.kinds.self_attention.solve.plan import Pattern, Plan
from regard.kinds.self_attention.solve.sparse import Array
from regard.kinds.self_attention.spec import SelfAttentionProblem
from regard.language import parse
from regard.problems import token_instance
from regard.solving.latex_numbers import ratio

__all__ = ["Scene", "divisor", "formula", "least", "outer", "queries", "row_errors", "softmax"]

LARGEST = 1e9  # of C
GRID = 120  # sizes that are looked at before the last crossing is found exactly
ROUNDS = 3  # of three decades each


class Scene:
    """The numbers of an instance, and coordinates in the basis.

    Attributes:
        tokens: (n, d).
        basis: (b, d), rows of length `norm`.
        coordinates: (n, b) of the tokens.
        outputs: by row, the output that is wanted (d,).
        attend: by row, the weights that are wanted.
        linear: whether no formula uses the length of the basis vectors.
    """

    def __init__(
        self, problem: SelfAttentionProblem, parameters: dict[str, float] | None = None
    ) -> None:
        given = problem.given
        self.tokens, self.symbols = token_instance(given, parameters=parameters)
        self.names = list(given.basis.names)
        self.basis = np.array([np.asarray(self.symbols[name]) for name in self.names])
        self.norm = float(np.linalg.norm(self.basis[0]))
        self.scale, self.d = given.scale, self.tokens.shape[1]
        self.coordinates = self.in_basis(self.tokens)
        formulas = [*given.tokens, *problem.goal.outputs.values()]
        # Coordinates stay as they are when the length changes, unless a formula speaks of it.
        self.linear = all(given.basis.norm not in parse(text).names for text in formulas)
        self.outputs: dict[int, Array] = {}
        for label, text in problem.goal.outputs.items():
            row = given.token("goal.outputs", label)
            self.outputs[row] = np.asarray(parse(text).evaluate(self.symbols), float)
        self.outputs = dict(sorted(self.outputs.items()))
        self.attend: Pattern = {}
        for label, wanted in problem.goal.attend.items():
            weights = {wanted: 1.0} if isinstance(wanted, str) else wanted
            total = math.fsum(weights.values())
            self.attend[given.token("goal.attend", label)] = {
                given.token("goal.attend", name): weight / total for name, weight in weights.items()
            }
        self.attend = dict(sorted(self.attend.items()))

    def resized(self, problem: SelfAttentionProblem, norm: float) -> Scene:
        """Return the instance with basis vectors of another length, which is a parameter."""
        name = problem.given.basis.norm
        assert isinstance(name, str)
        if not self.linear:
            return Scene(problem, {name: norm})
        found = copy.copy(self)
        share = norm / self.norm
        found.tokens, found.basis, found.norm = share * self.tokens, share * self.basis, norm
        found.outputs = {row: share * vector for row, vector in self.outputs.items()}
        return found

    def in_basis(self, vectors: Array) -> Array:
        """Return coordinates in the basis."""
        found = vectors @ self.basis.T / self.norm**2
        rounded = np.round(found, 12)
        return np.asarray(np.where(np.abs(found - rounded) < 1e-13, rounded, found) + 0.0)


def softmax(scores: Array) -> Array:
    """Return the weights of scores, row by row."""
    powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def outer(at: Scene, M: Array) -> Array:
    """Return Σ M_pq u_p u_q' / ν²."""
    return np.asarray(at.basis.T @ M @ at.basis / at.norm**2)


def queries(at: Scene, one: Plan, C: float) -> Array:
    """Return the matrix Q of a plan."""
    return outer(at, C * one.Q + one.mixed / (at.scale * at.norm**2))


def row_errors(at: Scene, K: Array, Q: Array, V: Array) -> dict[str, float]:
    """Return the error of each output, as c_2, and of each row of weights, as x_2."""
    keys, asked, values = at.tokens @ K.T, at.tokens @ Q.T, at.tokens @ V.T
    weights = softmax(at.scale * asked @ keys.T)
    errors = {}
    for row, wanted in at.outputs.items():
        errors[f"c_{row + 1}"] = float(np.linalg.norm(weights[row] @ values - wanted))
    for row, target in at.attend.items():
        aim = np.zeros(len(at.tokens))
        aim[list(target)] = list(target.values())
        errors[f"x_{row + 1}"] = float(np.max(np.abs(weights[row] - aim)))
    return errors


def least(error: Callable[[float], float], tolerance: float, start: float = 1.0) -> float | None:
    """Return the size from which on the error is within the tolerance.

    The error falls in the end; where it first rises, the last crossing counts. None if the
    tolerance is never met, 0 if it always is.
    """
    high = start
    while error(high) > tolerance or error(2 * high) > tolerance:
        high *= 2
        if high > LARGEST:
            return None
    for _ in range(ROUNDS):
        sizes = np.geomspace(high / 1000, high, GRID)
        above = [i for i, size in enumerate(sizes) if error(float(size)) > tolerance]
        if above:
            low, up = float(sizes[above[-1]]), float(sizes[above[-1] + 1])
            return crossing(lambda size: error(size) - tolerance, low, up)
        high /= 1000
    return 0.0


def formula(terms: list[tuple[Array, str]], names: list[str], d: int) -> str | None:
    """Return Σ M_pq u_p u_q' over a divisor, for each (M, divisor), in the formula language.

    None if it is too long to be read.
    """
    parts = []
    for M, divisor in terms:
        text = ""
        for p, q in np.argwhere(M != 0).tolist():
            size = ratio(abs(float(M[p, q])))
            sign = "- " if M[p, q] < 0 else "+ " if text else ""
            term = f"{names[p]} {names[q]}'"
            text += f" {sign}{term if size == '1' else f'{size} {term}'}"
        if text:
            text = text.strip().replace("- ", "-", 1) if text.startswith(" - ") else text.strip()
            parts.append(text if divisor == "1" else f"({text}) / {divisor}")
    found = " + ".join(parts) or f"0 I({d})"
    try:
        parse(found)
    except FormulaError:
        return None
    return found


def divisor(norm: float | str, power: int) -> str:
    """Return norm^power in the formula language."""
    if isinstance(norm, str):
        return f"{norm}^{power}"
    text = ratio(norm**power)
    return f"({text})" if "/" in text else text
