"""The linear program for a window: block weights with the largest gap per unit of their sum.

f(v) = Σ w_i cos ω_i v at the distance v = |t − τ − T| from the middle of the window. With h the
lowest of f in the window and k its highest outside,

    maximise h − k    with h ≤ f(v) (≤ h + ρ) inside, f(v) ≤ k outside, Σ |w_i| ≤ 1.

Its dual: p, r ≥ 0 on the window and q ≥ 0 outside with Σ p − Σ r = Σ q = 1; whatever w is, its
gap is at most Σ w_i m_i + ρ Σ r, m_i = Σ_v (p − r − q)_v cos ω_i v, and so at most max |m_i| +
ρ Σ r (for w ≥ 0, max(0, m_i)). At the optimum the two are equal.

Few distances bind, so the program is solved for some of them, and those that it overlooked join
them until none is overlooked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.core.angles import fill, frequencies

__all__ = ["Program", "cosines", "solve"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

FEASIBLE = 1e-10  # the tightest that HiGHS takes
MISSED = 1e-11  # a distance counts as overlooked if it is worse by this
ROUNDS = 100
JOIN = 40  # distances that join in a round, of each kind
START = 24


class Program(NamedTuple):
    """What was found: weights, and the dual as weights by distance.

    Attributes:
        weights: (m,), the block weights.
        inside: p, by distance.
        held: r, by distance.
        outside: q, by distance.
        bound: what the dual proves no gap exceeds, as float64 computes it.
    """

    weights: Array
    inside: dict[int, float]
    held: dict[int, float]
    outside: dict[int, float]
    bound: float


def cosines(d_model: int, base: float, count: int) -> Array:
    """Return cos ω_i v for v = 0..count−1, (count, d_model/2), each within 1 ulp."""
    sines, cosines = np.empty((count, d_model // 2)), np.empty((count, d_model // 2))
    fill(np.arange(float(count)), frequencies(d_model, base, True), sines, cosines)
    return cosines


def solve(table: Array, inner: int, outer: int, *, signed: bool, ripple: float | None) -> Program:
    """Solve the program for a window of the distances 0..inner; those from `outer` on are outside.

    `table` is what `cosines` gives, for all distances. Without signs and ripple the weights sum
    to 1, also if every gap is then negative.
    """
    window, outside = table[: inner + 1], table[outer:]
    inside_rows, outside_rows = _spread(len(window)), _spread(len(outside))
    held_rows = inside_rows
    for _ in range(ROUNDS):
        weights, p, r, q = _solved(
            window[inside_rows], window[held_rows], outside[outside_rows], signed, ripple
        )
        inside_f, outside_f = window @ weights, outside @ weights
        low, high = np.min(inside_f[inside_rows]), np.max(outside_f[outside_rows])
        more_inside = _lowest(inside_f, low - MISSED, inside_rows)
        more_outside = _lowest(-outside_f, -high - MISSED, outside_rows)
        more_held = inside_rows[:0]
        if ripple is not None:
            more_held = _lowest(-inside_f, -(low + ripple) - MISSED, held_rows)
        if not len(more_inside) + len(more_outside) + len(more_held):
            break
        inside_rows = np.concatenate([inside_rows, more_inside])
        held_rows = np.concatenate([held_rows, more_held])
        outside_rows = np.concatenate([outside_rows, more_outside])
    return _program(
        table, signed, ripple, weights, (inside_rows, p), (held_rows, r), (outside_rows + outer, q)
    )


def _spread(count: int) -> Indices:
    """The first and last of count rows and some between, denser near the first."""
    steps = np.concatenate([np.arange(START), np.linspace(0, count - 1, START)])
    return np.unique(np.minimum(np.rint(steps).astype(np.intp), count - 1))


def _lowest(values: Array, below: float, known: Indices) -> Indices:
    """Rows below that level and below their neighbours, the lowest ones, that are not known."""
    padded = np.concatenate([[np.inf], values, [np.inf]])
    dips = (values <= padded[:-2]) & (values <= padded[2:]) & (values < below)
    dips[known] = False
    found = np.flatnonzero(dips)
    return found[np.argsort(values[found], kind="stable")[:JOIN]]


def _solved(
    inside: Array, held: Array, outside: Array, signed: bool, ripple: float | None
) -> tuple[Array, Array, Array, Array]:
    """Weights and p, r, q for these rows. Variables: w (or its two parts), h, k."""
    from scipy.optimize import linprog  # imported where used: it is slow to load

    m = inside.shape[1]
    flip = np.concatenate([np.eye(m), -np.eye(m)], axis=1) if signed else np.eye(m)
    columns = flip.shape[1]
    if ripple is None:
        held = held[:0]
    rows = [
        np.column_stack([-inside @ flip, np.ones(len(inside)), np.zeros(len(inside))]),
        np.column_stack([held @ flip, -np.ones(len(held)), np.zeros(len(held))]),
        np.column_stack([outside @ flip, np.zeros(len(outside)), -np.ones(len(outside))]),
    ]
    total = np.concatenate([np.ones(columns), [0.0, 0.0]])[None, :]
    bounded = signed or ripple is not None
    limits = [np.zeros(len(inside)), np.full(len(held), ripple or 0.0), np.zeros(len(outside))]
    found = linprog(
        np.concatenate([np.zeros(columns), [-1.0, 1.0]]),
        A_ub=np.concatenate([*rows, total] if bounded else rows),
        b_ub=np.concatenate([*limits, [1.0]] if bounded else limits),
        A_eq=None if bounded else total,
        b_eq=None if bounded else [1.0],
        bounds=[(0, None)] * columns + [(None, None)] * 2,
        method="highs-ds",
        options={"primal_feasibility_tolerance": FEASIBLE, "dual_feasibility_tolerance": FEASIBLE},
    )
    assert found.status == 0, found.message  # w = a unit vector is feasible, and f is bounded
    p, r, q = np.split(
        np.maximum(0.0, -found.ineqlin.marginals[: len(inside) + len(held) + len(outside)]),
        [len(inside), len(inside) + len(held)],
    )
    return flip @ found.x[:columns], p, r, q


def _program(
    table: Array,
    signed: bool,
    ripple: float | None,
    weights: Array,
    inside: tuple[Indices, Array],
    held: tuple[Indices, Array],
    outside: tuple[Indices, Array],
) -> Program:
    """Divide the dual as its proof does, and compute what it proves."""
    (v_p, p), (v_r, r), (v_q, q) = inside, held, outside
    v_r = v_r[: len(r)]
    net = np.sum(p) - np.sum(r)
    p, r, q = p / net, r / net, q / np.sum(q)
    moments = p @ table[v_p] - r @ table[v_r] - q @ table[v_q]
    largest = np.max(np.abs(moments)) if signed else np.max(moments)
    by_distance = [
        {int(v): float(x) for v, x in zip(places, share, strict=True) if x > 0}
        for places, share in ((v_p, p), (v_r, r), (v_q, q))
    ]
    bound = max(0.0, float(largest)) + (ripple or 0.0) * float(np.sum(r))
    return Program(weights, by_distance[0], by_distance[1], by_distance[2], bound)
