"""Take one of two values out of their sum or average: a projection, divided by the share."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

import regard.design
from regard.certify import Certificate, Claim, verify
from regard.certify.claims import separating_formulas
from regard.certify.objects import told_apart
from regard.core.kernels.threads import one_blas_thread
from regard.design.results import SeparatorDesign
from regard.errors import InfeasibleDesign
from regard.kinds.separator.solve import numbers as numbers
from regard.kinds.separator.spec import SeparatorProblem
from regard.language import parse
from regard.problems import separator_instance
from regard.report import Block, Facts, Table, number
from regard.solving.finding import Status, excluding
from regard.solving.latex_numbers import column, factor, ratio, tex
from regard.solving.solution import Solution, solved

__all__ = ["solve"]

Array = NDArray[np.float64]


def solve(problem: SeparatorProblem) -> Solution:
    """Return the matrix as a formula in the bases, or the vector that both subspaces hold."""
    with one_blas_thread():
        task = _Task(problem)
        try:
            design = regard.design.separator(task.kept, task.dropped, share=task.share)
        except InfeasibleDesign as error:
            return _impossible(task, error)
        return _solved(task, design)


class _Task:
    """What is given, with the subspace that is wanted first, whatever its name."""

    def __init__(self, problem: SeparatorProblem) -> None:
        self.problem = problem
        given = problem.given
        S, T = separator_instance(given)
        self.keep, self.drop = ("S", "T") if problem.goal.recover == "S" else ("T", "S")
        self.kept, self.dropped = (S, T) if self.keep == "S" else (T, S)
        self.share, self.side = given.share, problem.goal.side
        law = given.S.law if self.keep == "S" else given.T.law
        self.law = law
        self.orthogonal = given.orthogonal
        gram = self.kept.T @ self.kept
        # Drawn vectors are orthonormal only if the law says so; fixed ones if they are.
        self.orthonormal = law == "orthonormal" or (
            law == "fixed" and bool(np.max(np.abs(gram - np.eye(len(gram)))) <= 1e-12)
        )
        self.letter = self.keep.lower()

    @property
    def formula(self) -> str:
        """M in the formula language."""
        S, T = self.keep, self.drop
        factor_ = ratio(1 / self.share)
        times = "" if factor_ == "1" else f"{factor_} "
        if self.orthogonal:
            body = f"{S} {S}'" if self.orthonormal else f"{S} ({S}' {S})^-1 {S}'"
            return times + body
        # S (S' N S)^-1 S' N, with N = I − T (T' T)^-1 T', which takes T to 0 and keeps S.
        away = f"{S}' {T} ({T}' {T})^-1 {T}'"
        left = f"({S}' {S} - {away} {S})^-1"
        if self.side == "c M":
            away = f"{T} ({T}' {T})^-1 {T}' {S}"
            return f"{times}({S} - {away}) {left} {S}'"
        return f"{times}{S} {left} ({S}' - {away})"

    @property
    def latex(self) -> str:
        """M for people."""
        S, T = self.keep, self.drop
        times = factor(1 / self.share)
        if self.orthogonal and self.orthonormal:
            return f"{times}{S} {S}^\\top"
        if self.orthogonal:
            return rf"{times}{S} ({S}^\top {S})^{{-1}} {S}^\top"
        found = rf"[{S} \; 0] \, [{S} \; {T}]^{{+}}"
        return times + (rf"({found})^\top" if self.side == "c M" else found)

    @property
    def asked(self) -> str:
        """What M has to do."""
        letter = self.letter
        return f"M c = v_{letter}" if self.side == "M c" else rf"c^\top M = v_{letter}^\top"

    @property
    def mix(self) -> str:
        """What c is."""
        times = factor(self.share)
        return f"c = {times}(v_s + v_t)" if times else "c = v_s + v_t"


def _solved(task: _Task, design: SeparatorDesign) -> Solution:
    M = design.M if task.side == "M c" else design.M.T
    answer: dict[str, Any] = {"M": task.formula, "side": task.side}
    headline = rf"M = {task.latex}, \qquad {task.asked}"
    certificate, reaches = _certificate(task, design)
    drawn = "fixed" not in (task.problem.given.S.law, task.problem.given.T.law)
    return solved(
        task.problem,
        Status.PROVED if reaches else Status.ARGUED,
        headline,
        answer,
        certificate,
        _steps(task, design),
        _details(task, design, M),
        numbers.mistakes(
            task.kept, task.dropped, task.share, design.M, task.letter, task.orthonormal
        ),
        reaches=reaches or (0,),
        assumes=("the two subspaces have no vector but 0 in common.",) if drawn else (),
        instances=0 if reaches else 1,
    )


def _certificate(task: _Task, design: SeparatorDesign) -> tuple[Certificate, tuple[int, ...]]:
    """Claim what the formula does to the bases, and (of drawn bases) to all of their kind.

    Returns:
        The certificate, and which claims are the goal; none where only the instance is claimed.
    """
    symbols = {task.keep: task.kept, task.drop: task.dropped}
    M = np.asarray(parse(task.formula).evaluate(symbols), float)
    M = np.ascontiguousarray(M if task.side == "M c" else M.T)
    kept, dropped = M @ task.kept - task.kept / task.share, M @ task.dropped
    off = float(np.max(np.linalg.norm(np.hstack([kept, dropped]), axis=0)))
    size = float(np.max(np.abs(M))) * float(np.max(np.abs([*task.kept.flat, *task.dropped.flat])))
    fields = {"share": task.share, "bound": off * (1 + 1e-9) + 1e-15 * (1 + size) * len(M)}
    claims = [Claim("separates", fields, {"M": M}), *design.certificate.claims]
    given = task.problem.given
    if given.S.law == given.T.law == "fixed":
        return told_apart(design.certificate.arrays, claims, 1.0), (0,)
    # Bases that are drawn stand for all of their law, so the formula is shown for all.
    general = separating_formulas.claim(
        task.formula if task.side == "M c" else f"({task.formula})'",
        str(Fraction(repr(task.share))),
        keep=task.keep,
        drop=task.drop,
        orthogonal=task.orthogonal,
        orthonormal=task.law == "orthonormal",
    )
    shown = verify(Certificate({}, (general,))).holds
    claims += [general] if shown else []
    reaches = (0, len(claims) - 1) if shown else ()
    return told_apart(design.certificate.arrays, claims, 1.0), reaches


def _steps(task: _Task, design: SeparatorDesign) -> tuple[tuple[str, str], ...]:
    S, T, s = task.keep, task.drop, task.letter
    t = T.lower()
    steps = [
        (
            f"Write the values in the bases: the columns of ${S}$ and ${T}$ are the basis vectors.",
            rf"v_{s} = {S} x, \qquad v_{t} = {T} y, \qquad {task.mix}",
        )
    ]
    if task.orthogonal:
        steps += [
            (
                f"Every column of ${S}$ is at right angles to every column of ${T}$, so "
                f"${S}^\\top$ takes $v_{t}$ to zero.",
                rf"{S}^\top {T} = 0, \qquad {S}^\top c = {factor(task.share)}{S}^\top {S} x",
            ),
            (
                f"Solve for the coordinates $x$. The basis vectors may have any angles with each "
                f"other, as long as they are independent: then ${S}^\\top {S}$ is invertible. For "
                "an orthonormal basis it is the identity.",
                rf"x = {factor(1 / task.share)}({S}^\top {S})^{{-1}} {S}^\top c",
            ),
            (
                f"Coordinates are not the value: multiply by ${S}$ once more.",
                rf"v_{s} = {S} x = {task.latex} c",
            ),
        ]
        if task.side == "c M":
            steps.append(
                (
                    "The matrix is symmetric, so it may stand on either side.",
                    rf"c^\top M = (M^\top c)^\top = (M c)^\top = v_{s}^\top",
                )
            )
    else:
        steps += [
            (
                "The subspaces are not at right angles, but they share only the zero vector. So "
                "the basis vectors of both together are independent, and the coordinates of $c$ in "
                "them are unique.",
                rf"[{S} \; {T}]^{{+}} c = {factor(task.share)}"
                r"\begin{bmatrix} x \\ y \end{bmatrix}",
            ),
            (
                f"Keep the first of them, multiply by ${S}$, and divide by the share.",
                rf"v_{s} = {factor(1 / task.share)}[{S} \; 0] \, [{S} \; {T}]^{{+}} c",
            ),
            (
                f"Without a pseudo-inverse: with $N = I - {T} ({T}^\\top {T})^{{-1}} {T}^\\top$, "
                f"which takes ${T}$ to zero, it is the same matrix.",
                rf"[{S} \; 0] \, [{S} \; {T}]^{{+}} = "
                rf"{S} ({S}^\top N {S})^{{-1}} {S}^\top N",
            ),
        ]
        if task.side == "c M":
            steps.append(
                ("It stands on the right of a row here, so it is transposed.", rf"{task.asked}")
            )
    steps.append(
        (
            "Its norm says how much errors in $c$ are magnified. With $\\theta$ the smallest angle "
            "between the subspaces, no matrix that does this has a smaller one.",
            rf"\lVert M \rVert = \frac{{{factor(1 / task.share) or '1'}}}{{\sin \theta}} = "
            rf"{tex(design.norm)}, \qquad \theta = {tex(math.degrees(design.angle))} \; "
            r"\text{degrees}",
        )
    )
    steps.append(
        (
            f"Other matrices do it too: what $M$ does outside of the span of ${S}$ and ${T}$ does "
            "not matter.",
            "",
        )
    )
    return tuple(steps)


def _details(task: _Task, design: SeparatorDesign, M: Array) -> tuple[Block, ...]:
    blocks: list[Block] = [
        Facts(
            (
                ("norm of M", number(design.norm)),
                ("angle between the subspaces", f"{number(math.degrees(design.angle))}°"),
                ("rank of M", str(task.kept.shape[1])),
            )
        )
    ]
    few = M[:8, :8]
    more = " (its first rows and columns)" if few.size < M.size else ""
    rows = tuple(tuple(number(float(v), 5) for v in _clean(row)) for row in few)
    blocks.append(Table(("",) * few.shape[1], rows, f"M for this instance{more}"))
    blocks += numbers.examples(task.kept, task.dropped, task.share, design.M, task.keep, task.drop)
    return tuple(blocks)


def _clean(row: Array) -> Array:
    """Take off what is rounding, so that a zero reads as one."""
    return np.asarray(np.where(np.abs(row) < 1e-12, 0.0, row))


def _impossible(task: _Task, error: InfeasibleDesign) -> Solution:
    S, T = task.keep, task.drop
    claim = error.certificate.claims[0]
    x = np.array([_fraction(v) for v in claim.witness["x"]])
    common = task.kept @ x
    radius = claim.fields["radius"]
    which = "There is none" if radius is None else f"There is none of norm up to {number(radius)}"
    answer: dict[str, Any] = {"possible": False}
    steps = (
        (
            f"The two subspaces have a direction in common: a vector that is a combination of the "
            f"columns of ${S}$ and also of the columns of ${T}$.",
            rf"{S} x = {T} y = {column(common)} \ne 0",
        ),
        (
            f"If that vector is $v_{task.letter}$ and the other value is zero, $M$ must take "
            f"{task.share:g} times it to the vector itself.",
            rf"M \cdot {factor(task.share)}{S} x = {S} x",
        ),
        (
            f"If it is the other value and $v_{task.letter}$ is zero, $M$ must take the same "
            "vector to zero. It cannot do both.",
            rf"M \cdot {factor(task.share)}{T} y = 0",
        ),
        (
            f"{which}. What is left outside of the common directions can still be taken apart; the "
            "best matrix misses by",
            tex(float(error.best.certificate.claims[0].fields["bound"])),
        ),
    )
    return solved(
        task.problem,
        Status.IMPOSSIBLE,
        rf"\text{{no}} \; M: \quad {S} x = {T} y = {column(common)} \ne 0",
        answer,
        error.certificate,
        steps,
        reaches=excluding(error.certificate, "no_separator"),
    )


def _fraction(value: Any) -> float:
    return float(Fraction(value)) if isinstance(value, str) else float(value)
