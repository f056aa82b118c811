"""A head made of outer products: its formulas, its numbers, and how large C has to be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from regard.analysis.root_finding import crossing
from regard.certify import Claim
from regard.design.heads import claims as head_claims
from regard.errors import FormulaError
from regard.kinds.self_attention.solve.plan import Plan, plan
from regard.kinds.self_attention.solve.sparse import Array
from regard.kinds.self_attention.solve.token_coordinates import Instance
from regard.language import parse
from regard.solving.latex_numbers import ratio

__all__ = ["OuterProducts", "divisor", "least", "outer_products"]

LARGEST = 1e9  # of C
GRID = 120  # sizes that are looked at before the last crossing is found exactly
ROUNDS = 3  # of three decades each


@dataclass(frozen=True, eq=False)
class OuterProducts:
    """A head of outer products, with K = I.

    Attributes:
        at: the instance.
        plan: the matrices in coordinates.
        C: what Q is multiplied by.
        least_C: from which C on the tolerance is met; None if it never is, 0 if it always is.
    """

    at: Instance
    plan: Plan
    C: float
    least_C: float | None

    @property
    def K(self) -> Array:
        """The matrix of the keys."""
        return np.eye(self.at.d)

    @cached_property
    def Q(self) -> Array:
        """The matrix of the queries."""
        return _queries(self.at, self.plan, self.C)

    @cached_property
    def V(self) -> Array:
        """The matrix of the values."""
        return _values(self.at, self.plan)

    @property
    def K_text(self) -> str:
        """K in the formula language."""
        return f"I({self.at.d})"

    @cached_property
    def Q_text(self) -> str | None:
        """Q in the formula language; None if it is too long to be read."""
        at, norm = self.at, self.at.problem.given.basis.norm
        square, mixed = divisor(norm, 2), self.plan.mixed / at.scale
        if self.C == 1 or np.any(mixed):
            return _formula([(self.C * self.plan.Q, square), (mixed, divisor(norm, 4))], at)
        inside = _formula([(self.plan.Q, "1")], at)
        over = "" if square == "1" else f" / {square}"
        return None if inside is None else f"{self.C:.12g} ({inside}){over}"

    @cached_property
    def V_text(self) -> str | None:
        """V in the formula language; None if it is too long to be read."""
        if not self.at.outputs:
            return f"I({self.at.d})"
        return _formula([(self.plan.V, divisor(self.at.problem.given.basis.norm, 2))], self.at)

    @cached_property
    def errors(self) -> dict[str, float]:
        """The error of each thing asked for."""
        return _errors(self.at, self.plan, self.C)

    def errors_at(self, norm: float) -> dict[str, float]:
        """Return the same with basis vectors of another length, which is a parameter."""
        return _errors(self.at.resized(norm), self.plan, self.C)

    @cached_property
    def least_norm(self) -> float | None:
        """The length of the basis vectors from which on C = 1 is enough, if it is a parameter."""
        at = self.at
        if not isinstance(at.problem.given.basis.norm, str):
            return None
        # Below this length scores are small, and short vectors may be near each other anyhow.
        soft = 1 / math.sqrt(abs(at.scale) or 1.0)
        return least(
            lambda norm: _worst(at.resized(norm), self.plan, 1.0),
            at.tolerance,
            start=max(at.norm, soft),
        )

    @cached_property
    def claims(self) -> tuple[tuple[Claim, ...], float]:
        """What is claimed of the matrices, and the error it claims."""
        at = self.at
        attend = {
            row: (np.array(list(weights), dtype=np.intp), np.array(list(weights.values())))
            for row, weights in at.attend.items()
        }
        W_Q, A, W_V = map(np.ascontiguousarray, (self.Q.T, self.K.T @ self.Q, self.V.T))
        head = head_claims.Matrices(W_Q, self.K, A, W_V)
        claims, error = head_claims.close(at.tokens, head, at.scale, attend, at.outputs)
        return tuple(claims), error


def outer_products(at: Instance) -> OuterProducts | None:
    """Return the head of outer products, if there is one that meets the tolerance."""
    outside = [at.tokens, *(vector[None, :] for vector in at.outputs.values())]
    for rows in outside:  # vectors outside of the span of the basis have no coordinates
        if np.max(np.abs(at.in_basis(rows) @ at.basis - rows)) > 1e-9 * at.norm:
            return None
    wanted = {row: at.in_basis(vector) for row, vector in at.outputs.items()}
    one = plan(at.coordinates, wanted, at.attend)
    if one is None:
        return None
    least_C = least(lambda C: _worst(at, one, C), at.tolerance)
    head = OuterProducts(at, one, _readable_C(at, one, least_C), least_C)
    if head.Q_text is None or head.V_text is None or max(head.errors.values()) > at.tolerance:
        return None
    return head if head.claims[1] <= at.tolerance else None


def _readable_C(at: Instance, one: Plan, least_C: float | None) -> float:
    """1 if that is enough, else a number of three digits that is."""
    if least_C is None or _worst(at, one, 1.0) <= at.tolerance:
        return 1.0
    step = 10.0 ** (math.floor(math.log10(least_C)) - 2)
    C = math.ceil(least_C / step) * step
    while _worst(at, one, C) > at.tolerance:
        C += step
    return float(f"{C:.4g}")


def _outer(at: Instance, M: Array) -> Array:
    """Return Σ M_pq u_p u_q' / ν²."""
    return np.asarray(at.basis.T @ M @ at.basis / at.norm**2)


def _queries(at: Instance, one: Plan, C: float) -> Array:
    return _outer(at, C * one.Q + one.mixed / (at.scale * at.norm**2))


def _values(at: Instance, one: Plan) -> Array:
    return _outer(at, one.V) if at.outputs else np.eye(at.d)


def _errors(at: Instance, one: Plan, C: float) -> dict[str, float]:
    return at.errors(np.eye(at.d), _queries(at, one, C), _values(at, one))


def _worst(at: Instance, one: Plan, C: float) -> float:
    return max(_errors(at, one, C).values())


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


def _formula(terms: list[tuple[Array, str]], at: Instance) -> str | None:
    """Return Σ M_pq u_p u_q' over a divisor, for each (M, divisor), in the formula language.

    None if it is too long to be read.
    """
    names, parts = at.names, []
    for M, below in terms:
        text = ""
        for p, q in np.argwhere(M != 0).tolist():
            size = ratio(abs(float(M[p, q])))
            sign = "- " if M[p, q] < 0 else "+ " if text else ""
            term = f"{names[p]} {names[q]}'"
            text += f" {sign}{term if size == '1' else f'{size} {term}'}"
        if text:
            text = text.strip().replace("- ", "-", 1) if text.startswith(" - ") else text.strip()
            parts.append(text if below == "1" else f"({text}) / {below}")
    found = " + ".join(parts) or f"0 I({at.d})"
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
