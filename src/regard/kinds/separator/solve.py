"""Find the matrix that takes one of two values out of their sum or average: a projection."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import regard.design
from regard.certify import Certificate, Claim, verify
from regard.certify.claim_subjects import told_apart
from regard.certify.claims.algebra import separating_formulas
from regard.design.results import SeparatorDesign
from regard.errors import InfeasibleDesign
from regard.kinds.separator.instance import Bases, bases_of
from regard.kinds.separator.spec import SeparatorProblem
from regard.language import parse
from regard.language.writing import ratio
from regard.problems.instances import Float64
from regard.solving.finding import Finding, Status, excluding


@dataclass(frozen=True, eq=False)
class Mix:
    """A value of each subspace, their mix, and what is made of it.

    Attributes:
        value: of the subspace that is wanted, (d,).
        other: of the other subspace.
        c: share times their sum.
        made: M c.
        unscaled: S S' c for the basis S of the wanted subspace.
    """

    value: Float64
    other: Float64
    c: Float64
    made: Float64
    unscaled: Float64

    @property
    def needs_scale(self) -> bool:
        """Whether S S' c is not what is wanted, by more than rounding."""
        return float(np.max(np.abs(self.unscaled - self.made))) > 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class Separable(Finding):
    """A matrix that does it, as a formula in the bases and for the instance.

    Attributes:
        bases: of the instance.
        orthonormal: whether the basis of the value that is wanted is known to be.
        design: the matrix for the instance, its norm, and the angle between the subspaces.
        share: what the sum of the values is multiplied by.
    """

    bases: Bases
    orthonormal: bool
    design: SeparatorDesign
    share: float

    def mix(self, first: int, other: int) -> Mix:
        """Return values with whole coordinates from these on, and what is made of their mix."""
        S, T = self.bases.kept, self.bases.dropped
        value = S @ np.arange(first, first + S.shape[1], dtype=float)
        noise = T @ np.arange(other, other + T.shape[1], dtype=float)
        c = self.share * (value + noise)
        return Mix(value, noise, c, self.design.M @ c, S @ (S.T @ c))

    @property
    def first_basis_vector_made(self) -> Float64:
        """What the matrix makes of the first basis vector of the subspace that is wanted."""
        return np.asarray(self.design.M @ self.bases.kept[:, 0])

    @staticmethod
    def of_skew_basis() -> tuple[Float64, Float64]:
        """Return a value over unit vectors that are not at right angles, and S S' of it."""
        skew = np.array([[1.0, 0.6], [0.0, 0.8]])
        value = skew @ np.array([1.0, 2.0])
        return value, skew @ skew.T @ value


@dataclass(frozen=True, eq=False, kw_only=True)
class Inseparable(Finding):
    """Subspaces with a direction in common.

    Attributes:
        common: a vector of both subspaces, (d,).
        radius: up to which norm there is no such matrix; None: of no norm at all.
        missed: what the best matrix misses by.
    """

    common: Float64
    radius: float | None
    missed: float


def solve(problem: SeparatorProblem) -> Separable | Inseparable:
    """Return the matrix as a formula in the bases, or the vector that both subspaces hold."""
    bases = bases_of(problem)
    try:
        design = regard.design.separator(bases.kept, bases.dropped, share=problem.given.share)
    except InfeasibleDesign as error:
        claim = error.certificate.claims[0]
        return Inseparable(
            Status.IMPOSSIBLE,
            {"possible": False},
            error.certificate,
            excluding(error.certificate, "no_separator"),
            common=bases.kept @ np.array([_number(x) for x in claim.witness["x"]]),
            radius=claim.fields["radius"],
            missed=float(error.best.certificate.claims[0].fields["bound"]),
        )
    gram = bases.kept.T @ bases.kept
    near = bool(np.max(np.abs(gram - np.eye(len(gram)))) <= 1e-12)
    # Drawn vectors are orthonormal only if the law says so; fixed ones if they are.
    law = problem.wanted.law
    orthonormal = law == "orthonormal" or (law == "fixed" and near)
    formula = _formula(problem, orthonormal)
    certificate, reaches = _certificate(problem, formula, design)
    return Separable(
        Status.PROVED if reaches else Status.ARGUED,
        {"M": formula, "side": problem.goal.side},
        certificate,
        reaches or (0,),
        0 if reaches else 1,
        bases=bases,
        orthonormal=orthonormal,
        design=design,
        share=problem.given.share,
    )


def _formula(problem: SeparatorProblem, orthonormal: bool) -> str:
    """Return M in the formula language."""
    S, T = problem.names
    factor = ratio(1 / problem.given.share)
    times = "" if factor == "1" else f"{factor} "
    if problem.given.orthogonal:
        return times + (f"{S} {S}'" if orthonormal else f"{S} ({S}' {S})^-1 {S}'")
    # S (S' N S)^-1 S' N, with N = I − T (T' T)^-1 T', which takes T to 0 and keeps S.
    away = f"{S}' {T} ({T}' {T})^-1 {T}'"
    left = f"({S}' {S} - {away} {S})^-1"
    if problem.on_left:
        return f"{times}{S} {left} ({S}' - {away})"
    return f"{times}({S} - {T} ({T}' {T})^-1 {T}' {S}) {left} {S}'"


def _certificate(
    problem: SeparatorProblem, formula: str, design: SeparatorDesign
) -> tuple[Certificate, tuple[int, ...]]:
    """Claim what the formula does to the bases, and (of drawn bases) to all of their kind.

    Returns:
        The certificate, and which claims are the goal; none where only the instance is claimed.
    """
    given, bases = problem.given, bases_of(problem)
    S, T = bases.kept, bases.dropped
    M = np.asarray(parse(formula).evaluate(bases.symbols), float)
    M = np.ascontiguousarray(M if problem.on_left else M.T)
    off = np.hstack([M @ S - S / given.share, M @ T])
    size = float(np.max(np.abs(M))) * float(np.max(np.abs([*S.flat, *T.flat])))
    largest = float(np.max(np.linalg.norm(off, axis=0)))
    fields = {"share": given.share, "bound": largest * (1 + 1e-9) + 1e-15 * (1 + size) * len(M)}
    claims = [Claim("separates", fields, {"M": M}), *design.certificate.claims]
    reaches: tuple[int, ...] = (0,)
    if not all(given.fixed):
        # Bases that are drawn stand for all of their law, so the formula is shown for all.
        keep, drop = problem.names
        general = separating_formulas.claim(
            formula if problem.on_left else f"({formula})'",
            str(Fraction(repr(given.share))),
            keep=keep,
            drop=drop,
            orthogonal=given.orthogonal,
            orthonormal=problem.wanted.law == "orthonormal",
        )
        shown = verify(Certificate({}, (general,))).holds
        claims += [general] if shown else []
        reaches = (0, len(claims) - 1) if shown else ()
    return told_apart(design.certificate.arrays, claims, 1.0), reaches


def _number(value: Any) -> float:
    return float(Fraction(value)) if isinstance(value, str) else float(value)
