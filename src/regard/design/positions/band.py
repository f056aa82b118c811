"""Look T ± B/2 steps back: by zeroing the blocks that turn too fast, or by the best weights.

With block i equal to w_i times the rotation by ω_i T the score is f(δ) = Σ w_i cos ω_i (δ − T),
δ = t − τ. The gap is the lowest f on the window |δ − T| ≤ B/2 minus the highest outside, over all
whole shifts |δ| < n, with Σ |w_i| = 1.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from regard.analysis.positions.band_program import Program, cosines, solve
from regard.certify import Certificate, Claim
from regard.core.kernels.threads import one_blas_thread
from regard.design.positions.reasons import NoBand
from regard.design.positions.result import (
    Array,
    PositionalDesign,
    factors,
    matrix,
    read_positions,
    turned,
)
from regard.design.reasons import refused
from regard.errors import ParameterError
from regard.language.bounds import upper_bound
from regard.report import number
from regard.shapes import boolean, choice, real

__all__ = ["band"]

FUNCTION = "design.band"
UNIT = 2.0**-52
DROPPED = 1e-12  # weights of this share of the largest are rounding
PROVED = 1e-7  # a gap as close as this to what the dual allows is called the largest


def band(
    T: int,
    B: float,
    d_model: int,
    *,
    n: int,
    method: str = "zero",
    signed: bool = False,
    phase: float = math.pi / 2,
    ripple: float | None = None,
    transition: float = 0,
    scale: float = 1.0,
    base: float = 10000.0,
) -> PositionalDesign:
    """Design a head whose scores are highest where T − B/2 ≤ t − τ ≤ T + B/2.

    Args:
        T: the middle of the window in steps back, |T| < n; negative: ahead.
        B: its width, ≥ 0.
        d_model: width of the positions, even.
        n: number of positions: shifts t − τ from −(n − 1) to n − 1 count.
        method: "zero" keeps the blocks with ω_i B/2 ≤ phase, with equal weights, and zeroes the
            others, which turn too far within the window. "optimal" takes the weights with the
            largest gap, and proves that there are none better.
        signed: for "optimal", allow weights below 0.
        phase: for "zero", how far a block may turn from the middle of the window to its edge.
            π/2: every cosine kept is ≥ 0 on the window. π/4 and π/3 leave it at 71 % and 50 % of
            its height at the edge, π lets it fall all the way.
        ripple: for "optimal", by how much the scores of the window may differ; None: by any. Below
            about 1e-7 rounding keeps the weights from what is possible; `.how` says by how much.
        transition: for "optimal" and the gap, how many steps past either edge count neither as
            window nor as outside.
        scale: multiplies the scores.
        base: of the frequencies ω_i = base^(−2i/d_model).

    Returns:
        The design; Σ |w_i| = 1 (with a ripple, at most 1). `.missed` names a shift outside the
        window that scores as high as the window's lowest: then zeroing has missed the goal.

    Raises:
        InfeasibleDesign: no weights lift the window above all else, by a proof.

    Example:
        >>> import regard
        >>> regard.design.band(0, 8, 16, n=41).gap.__round__(4)
        0.0514
        >>> regard.design.band(0, 8, 16, n=41, method="optimal").gap.__round__(4)
        0.1915
    """
    T, d_model, n, scale, base = read_positions(FUNCTION, T, d_model, n, scale, base)
    method = choice(FUNCTION, "method", method, ("zero", "optimal"))
    signed = boolean(FUNCTION, "signed", signed)
    B, transition = _at_least_0("B", B), _at_least_0("transition", transition)
    phase = real(FUNCTION, "phase", phase, positive=True)
    ripple = None if ripple is None else _at_least_0("ripple", ripple)
    if method == "zero" and (signed or ripple is not None):
        name = "signed" if signed else "ripple"
        raise ParameterError(
            f"{FUNCTION}: {name} needs method='optimal': zeroing leaves nothing to choose."
        )
    # In fractions: a rounded B/2 + transition could move a shift from one side to the other.
    inner = math.floor(Fraction(B) / 2)
    outer = math.floor(Fraction(B) / 2 + Fraction(transition)) + 1
    count = n + abs(T)  # shift T ∓ v exists for every distance v below it
    if outer >= count:
        raise ParameterError(
            f"{FUNCTION}: B and transition must leave shifts outside: |t − τ| < n = {n}, and T ± "
            f"(B/2 + transition) covers all of them. Take a larger n, or less of these. "
            f"Got T = {T}, B = {number(B)}, transition = {number(transition)}."
        )
    task = _Task(T, B, n, transition, base, scale, d_model, inner, outer)
    with one_blas_thread():
        table = cosines(d_model, base, count)
        if method == "zero":
            return _zeroed(task, table, phase)
        return _best(task, table, signed, ripple)


class _Task(NamedTuple):
    """The window in numbers: distances |t − τ − T| up to inner are in it, from outer on outside."""

    T: int
    B: float
    n: int
    transition: float
    base: float
    scale: float
    d_model: int
    inner: int
    outer: int

    def shift(self, distance: int) -> int:
        """A shift t − τ at this distance from T that is in range, the farther back if both are."""
        back = self.T + distance
        return back if back < self.n else self.T - distance

    def fields(self) -> dict[str, Any]:
        """What all claims about the window say."""
        names = ("T", "B", "n", "transition", "base")
        return {name: getattr(self, name) for name in names}


def _at_least_0(name: str, value: object) -> float:
    found = real(FUNCTION, name, value)
    if found < 0:
        raise ParameterError(f"{FUNCTION}: {name} must be at least 0. Got {found:g}.")
    return found


def _zeroed(task: _Task, table: Array, phase: float) -> PositionalDesign:
    m = task.d_model // 2
    with np.errstate(over="ignore"):  # of a base near 0: too fast in any case
        turn = np.float64(task.base) ** (-np.arange(m) / m) * (task.B / 2)
    if not (turn <= phase).any():
        raise ParameterError(
            f"{FUNCTION}: no block is slow enough: within B/2 the slowest turns by "
            f"{number(float(np.min(turn)))}, more than phase = {number(phase)}. "
            f"Take a larger phase or base, or method='optimal'."
        )
    weights = np.where(turn <= phase, 1.0, 0.0)
    how = f"ω_i B/2 ≤ {number(phase)}"
    return _design(task, table, weights / np.sum(weights), None, (), how)


def _best(task: _Task, table: Array, signed: bool, ripple: float | None) -> PositionalDesign:
    found = solve(table, task.inner, task.outer, signed=signed, ripple=ripple)
    optimal = _optimal(task, found, signed, ripple)
    bound = optimal.fields["bound"]
    weights = _clean(table[: task.inner + 1], found.weights, ripple)
    design = _design(task, table, weights, ripple, (optimal,), "the largest gap, proved")
    if design.missed is None:
        short = bound - design.gap
        if short > PROVED:
            return replace(design, how=f"within {upper_bound(short)} of the largest gap, proved")
        return design
    if ripple is not None and bound > PROVED:
        raise ParameterError(
            f"{FUNCTION}: ripple must be larger: weights that are rounded to float64 cannot hold "
            f"T ± B/2 that flat above all other shifts. 1e-7 is enough. Got ripple = {ripple:g}."
        )
    if signed or ripple is not None:  # weights that need not sum to 1 are 0 now: look for others
        found = solve(table, task.inner, task.outer, signed=False, ripple=None)
        weights = _clean(table[: task.inner + 1], found.weights, None)
    best = _design(task, table, weights, None, (), "the largest gap of weights ≥ 0")
    reason = NoBand(bound, ripple, best.missed)
    raise refused(reason, Certificate({}, (optimal,), task.scale), best)


def _clean(window: Array, weights: Array, ripple: float | None) -> Array:
    """Drop what is rounding, and make up for it: Σ |w_i| is 1, or at most 1 and f within ripple."""
    weights = np.where(np.abs(weights) > DROPPED * np.max(np.abs(weights)), weights, 0.0)
    total = float(np.sum(np.abs(weights)))
    if ripple is None:
        return weights / total if total > 0 else weights
    weights = weights / max(1.0, total)
    f = window @ weights
    varies = float(np.max(f) - np.min(f)) + _rounding(len(weights)) * (len(window) > 1)
    return weights * min(1.0, ripple / varies) if varies > 0 else weights


def _rounding(m: int) -> float:
    """How far a difference of two values of f may be off, for Σ |w_i| ≤ 1.

    Each is a sum of m products of numbers within 1 ulp, and each entry of A within 2.
    """
    return (3 * m + 20) * UNIT


def _design(
    task: _Task,
    table: Array,
    weights: Array,
    ripple: float | None,
    more: tuple[Claim, ...],
    how: str,
) -> PositionalDesign:
    f = table @ weights
    nearest = task.outer + int(np.argmax(f[task.outer :]))
    gap = float(np.min(f[: task.inner + 1]) - f[nearest]) - _rounding(len(weights))
    kernel = turned(weights, task.T, task.base)
    A = matrix(kernel)
    kept = np.flatnonzero(weights).tolist()
    W_Q, W_K = factors(A, kept, 2 * len(kept))
    rival = task.shift(nearest)
    claim = Claim("band_gap", {**task.fields(), "ripple": ripple, "bound": gap}, {"A": A})
    return PositionalDesign(
        A=A,
        W_Q=W_Q,
        W_K=W_K,
        kernel=kernel,
        kept=tuple(kept),
        gap=gap,
        scale=task.scale,
        certificate=Certificate({}, (claim, *more), task.scale),
        T=task.T,
        n=task.n,
        rival=rival,
        missed=None if gap > 0 else rival,
        B=task.B,
        how=how,
    )


def _optimal(task: _Task, found: Program, signed: bool, ripple: float | None) -> Claim:
    """The claim that no weights have a larger gap; `band_program` has the proof."""

    def listed(by_distance: dict[int, float]) -> dict[str, list[Any]]:
        shifts = [task.shift(distance) for distance in by_distance]
        return {"shifts": shifts, "weights": list(by_distance.values())}

    names = ("inside", "outside") if ripple is None else ("inside", "outside", "held")
    witness = {name: listed(getattr(found, name)) for name in names}
    size = 1 + sum(found.inside.values()) + sum(found.held.values())
    terms = len(found.inside) + len(found.held) + len(found.outside)
    slack = 4 * (terms + 8) * UNIT * size * (1 + (ripple or 0.0))
    fields = {
        **task.fields(),
        "d_model": task.d_model,
        "signed": signed,
        "ripple": ripple,
        "bound": found.bound + slack,
    }
    return Claim("band_optimal", fields, witness)
