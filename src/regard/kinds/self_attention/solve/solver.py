"""Choose K, Q and V: outer products of basis vectors where they do it, numbers otherwise."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

import regard.design
from regard.certify import Certificate, Claim
from regard.certify.objects import told_apart
from regard.core.kernels.threads import one_blas_thread
from regard.design.heads import claims as head_claims
from regard.design.results import HeadDesign
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.self_attention.solve import head as heads
from regard.kinds.self_attention.solve import text as text
from regard.kinds.self_attention.solve.contradiction import (
    Contradiction,
    contradiction,
    contradiction_steps,
)
from regard.kinds.self_attention.solve.plan import Plan, RankOne, plan, rank_one
from regard.kinds.self_attention.solve.sparse import Array
from regard.kinds.self_attention.spec import SelfAttentionProblem
from regard.solving.finding import Status, excluding, within
from regard.solving.latex_numbers import tex
from regard.solving.solution import Solution, solved

__all__ = ["solve"]


def solve(problem: SelfAttentionProblem) -> Solution:
    """Return matrices that do what is asked, or the proof that none do."""
    with one_blas_thread():
        at = heads.Scene(problem)
        against = contradiction(at.tokens, at.attend, at.outputs, problem.goal.tolerance)
        if against is not None:
            return _contradicted(problem, at, against)
        made = _made(problem, at)
        design: HeadDesign | None = None
        best: HeadDesign | None = None
        try:
            # Weights that differ need no search for a small d_k, which would take long.
            if made is None or not np.any(made.plan.mixed):
                design = _designed(problem, at)
        except InfeasibleDesign as error:
            if made is None:
                return _impossible(problem, error)
        except UndecidedDesign as error:
            best = error.best
        if made is not None:
            return _from_formulas(problem, made, design)
        if design is not None:
            return _from_numbers(problem, at, design)
        return _undecided(problem, best)


class Made:
    """A head of outer products, at the size that the tolerance needs."""

    def __init__(self, problem: SelfAttentionProblem, at: heads.Scene, one: Plan) -> None:
        self.problem, self.at, self.plan = problem, at, one
        self.tolerance = problem.goal.tolerance
        norm = problem.given.basis.norm
        square, fourth = heads.divisor(norm, 2), heads.divisor(norm, 4)
        self.least_C = heads.least(self.error, self.tolerance)
        self.C = self._readable_C()
        mixed = one.mixed / at.scale
        self.K_text = f"I({at.d})"
        terms = [(self.C * one.Q, square), (mixed, fourth)]
        if self.C != 1 and not np.any(mixed):
            inside = heads.formula([(one.Q, "1")], at.names, at.d)
            self.Q_text = None if inside is None else f"{_times(self.C)} ({inside})"
            if self.Q_text is not None and square != "1":
                self.Q_text += f" / {square}"
        else:
            self.Q_text = heads.formula(terms, at.names, at.d)
        self.V_text: str | None = f"I({at.d})"
        if at.outputs:
            self.V_text = heads.formula([(one.V, square)], at.names, at.d)
        self.K = np.eye(at.d)
        self.Q, self.V = self._matrices(at, self.C)

    def _matrices(self, at: heads.Scene, C: float) -> tuple[Array, Array]:
        V = heads.outer(at, self.plan.V) if at.outputs else np.eye(at.d)
        return heads.queries(at, self.plan, C), V

    def errors(self, at: heads.Scene | None = None, C: float | None = None) -> dict[str, float]:
        """Return the error of each thing asked for."""
        at = self.at if at is None else at
        Q, V = self._matrices(at, self.C if C is None else C)
        return heads.row_errors(at, np.eye(at.d), Q, V)

    def error(self, C: float) -> float:
        """Return the largest error for blocks of this size."""
        return max(self.errors(C=C).values())

    def _readable_C(self) -> float:
        """1 if that is enough, else a number of three digits that is."""
        if self.error(1.0) <= self.tolerance or self.least_C is None:
            return 1.0
        step = 10.0 ** (math.floor(math.log10(self.least_C)) - 2)
        C = math.ceil(self.least_C / step) * step
        while self.error(C) > self.tolerance:
            C += step
        return float(f"{C:.4g}")

    @cached_property
    def least_norm(self) -> float | None:
        """The length of the basis vectors from which on C = 1 is enough, if it is a parameter."""
        if not isinstance(self.problem.given.basis.norm, str):
            return None

        def error(size: float) -> float:
            return max(self.errors(self.at.resized(self.problem, size), C=1.0).values())

        # Below this length scores are small, and short vectors may be near each other anyhow.
        soft = 1 / math.sqrt(abs(self.at.scale) or 1.0)
        return heads.least(error, self.tolerance, start=max(self.at.norm, soft))

    def claims(self) -> tuple[list[Claim], float]:
        """Return what is claimed of the matrices, and the error it claims."""
        at = self.at
        attend = {
            row: (np.array(list(weights), dtype=np.intp), np.array(list(weights.values())))
            for row, weights in at.attend.items()
        }
        return head_claims.close(
            at.tokens,
            np.ascontiguousarray(self.Q.T),
            self.K,
            np.ascontiguousarray(self.K.T @ self.Q),
            np.ascontiguousarray(self.V.T),
            at.scale,
            attend,
            at.outputs,
            False,
        )


def _times(C: float) -> str:
    return f"{C:.12g}"


def _made(problem: SelfAttentionProblem, at: heads.Scene) -> Made | None:
    """Return the head of outer products, if there is one that meets the tolerance."""
    outside = [at.tokens, *(vector[None, :] for vector in at.outputs.values())]
    for rows in outside:  # vectors outside of the span of the basis have no coordinates
        if np.max(np.abs(at.in_basis(rows) @ at.basis - rows)) > 1e-9 * at.norm:
            return None
    wanted = {row: at.in_basis(vector) for row, vector in at.outputs.items()}
    one = plan(at.coordinates, wanted, at.attend)
    if one is None:
        return None
    made = Made(problem, at, one)
    if made.Q_text is None or made.V_text is None or made.error(made.C) > made.tolerance:
        return None
    return made if made.claims()[1] <= made.tolerance else None


def _designed(problem: SelfAttentionProblem, at: heads.Scene) -> HeadDesign:
    return regard.design.self_attention(
        at.tokens,
        attend=at.attend or None,
        outputs=at.outputs or None,
        tolerance=problem.goal.tolerance,
        scale=at.scale,
    )


def _from_formulas(
    problem: SelfAttentionProblem, made: Made, design: HeadDesign | None
) -> Solution:
    claims, _ = made.claims()
    own = sum("A" not in claim.witness for claim in claims)
    arrays = {"tokens": made.at.tokens}
    if design is not None:
        claims += design.certificate.claims
    # Each head is claimed of W_Q and W_K and of their product; K, Q and V are the former.
    claims = [claim for claim in claims if "A" not in claim.witness]
    small: RankOne | None = rank_one(made.at.coordinates, made.plan.pattern)
    answer: dict[str, Any] = {"K": made.K_text, "Q": made.Q_text, "V": made.V_text}
    return solved(
        problem,
        Status.PROVED,
        text.headline(made),
        answer,
        told_apart(arrays, claims, made.at.scale),
        text.steps(made, design, small),
        text.details(made, design, small),
        text.mistakes(made),
        reaches=tuple(range(own)),
    )


def _from_numbers(problem: SelfAttentionProblem, at: heads.Scene, design: HeadDesign) -> Solution:
    answer: dict[str, Any] = {
        "W_K": design.W_K.tolist(),
        "W_Q": design.W_Q.tolist(),
        "W_V": design.W_V.tolist(),
    }
    return solved(
        problem,
        Status.PROVED,
        text.number_headline(design),
        answer,
        design.certificate,
        text.number_steps(at, design),
        text.number_details(design),
        reaches=within(
            design.certificate, ("pattern_close", "outputs_close"), problem.goal.tolerance
        ),
    )


def _impossible(problem: SelfAttentionProblem, error: InfeasibleDesign) -> Solution:
    return solved(
        problem,
        Status.IMPOSSIBLE,
        r"\text{no} \; K, Q, V",
        {"possible": False},
        error.certificate,
        text.impossible_steps(error),
        text.number_details(error.best),
        reaches=excluding(error.certificate),
    )


def _contradicted(
    problem: SelfAttentionProblem, at: heads.Scene, against: Contradiction
) -> Solution:
    return solved(
        problem,
        Status.IMPOSSIBLE,
        r"\text{no} \; K, Q, V \; \text{with} \; \max_{j,k} \lVert V x_j - V x_k \rVert \le "
        + tex(against.spread),
        {"possible": False},
        Certificate({"tokens": at.tokens}, (against.claim,), at.scale),
        contradiction_steps(against, problem.goal.tolerance),
        reaches=(0,),
        assumes=(against.assumes,),
    )


def _undecided(problem: SelfAttentionProblem, best: HeadDesign | None) -> Solution:
    steps = (("Neither a head nor a proof that there is none was found.", ""),)
    details = () if best is None else text.number_details(best)
    empty = Certificate({}, ())
    return solved(problem, Status.UNDECIDED, r"\text{not known}", {}, empty, steps, details)
