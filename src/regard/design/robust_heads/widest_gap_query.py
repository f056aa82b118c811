"""The robust query with the widest gap that survives the noise, and why some gaps are out of reach.

The difference of scores of i in S and j outside stays above

    (μ_i − μ_j)·q − z ‖(Σ_i + Σ_j)^{1/2} q‖

with probability Φ(z). The least of these is concave in q and grows in proportion to q, and is
maximised over ‖q‖ ≤ norm; its multipliers prove that no query does better
(:mod:`regard.certify.claims.random_keys.noise_bounds`, gap_at_most).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.design.robust_heads.key_group import Group
from regard.design.robust_heads.socp import Program, factor, widened

__all__ = ["Obstruction", "Widest", "too_short", "unreachable", "widest_gap"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Obstruction:
    """Multipliers that bound the gap of every query of some length.

    Attributes:
        pairs: (i, j), i in the group and j outside. shares: their multipliers, ≥ 0, sum 1.
        ties: multipliers of the differences in the group.
        directions: (pairs, d), for each pair an x with x·(Σ_i + Σ_j)x ≤ 1; None without noise.
        deviations: how many standard deviations are taken off the gap.
    """

    pairs: list[tuple[int, int]]
    shares: Array
    ties: Array
    directions: Array | None
    deviations: float


@dataclass(frozen=True)
class Widest:
    """A query, and why no other of its length has a wider gap."""

    query: Array
    proof: Obstruction


def widest_gap(
    group: Group, deviations: float, *, norm: float | None = None, gap: float | None = None
) -> Widest | None:
    """The widest gap within a length, or the shortest query with a gap; one of the two is given.

    None: there is none, or none was found.
    """
    width = group.keys.means.shape[1]
    pairs = [(i, int(j)) for i in group.chosen for j in group.others]
    kinds = [
        tuple(sorted((int(group.keys.classes[i]), int(group.keys.classes[j])))) for i, j in pairs
    ]
    kept = sorted(set(kinds)) if deviations > 0 else []
    sums = [np.sum(group.keys.noise[list(pairs[kinds.index(kind)])], axis=0) for kind in kept]
    size = float(max((np.max(np.abs(matrix)) for matrix in sums), default=0.0)) or 1.0
    factors = [factor(matrix / size) for matrix in sums]
    # Variables: the query, a standard deviation per kind of pair in units of √size, and last the
    # gap (to be widened) or the length (to be shortened).
    count = width + len(kept) + 1
    last = np.eye(count)[-1]
    rows = np.zeros((len(pairs), count))
    rows[:, :width] = [group.keys.scored[i] - group.keys.scored[j] for i, j in pairs]
    for row, kind in enumerate(kinds):
        if kept:
            rows[row, width + kept.index(kind)] = -deviations * np.sqrt(size)
    cones = [
        (np.eye(count)[width + place], widened(part, count - width))
        for place, part in enumerate(factors)
    ]
    ties, wanted = group.ties
    identity = widened(np.eye(width), count - width)
    if gap is None:
        assert norm is not None
        rows[:, -1] = -1.0
        levels, goal, radius = np.zeros(len(rows)), -last, (identity, norm)
    else:
        cones.append((last, identity))
        levels, goal, radius = np.full(len(rows), gap), last, None
    still = np.zeros((count, count))
    program = Program(
        still, goal, rows, levels, widened(ties, count - width), wanted, cones, radius
    )
    solved = program.solve()
    if solved.status != "solved":
        return None
    shares = np.maximum(solved.rows, 0.0)
    total = float(np.sum(shares))
    if total <= 0:
        return None
    directions = None
    if kept:
        sides = []
        for part, (strength, along) in zip(factors, solved.cones, strict=False):
            inverse = part.T / np.maximum(np.sum(part * part, axis=1), 1e-300)
            x = inverse @ (along / max(strength, 1e-300)) / np.sqrt(size)
            sides.append(x)
        directions = np.array([sides[kept.index(kind)] for kind in kinds])
    proof = Obstruction(pairs, shares / total, solved.ties / total, directions, deviations)
    return Widest(solved.x[:width], proof)


def unreachable(group: Group, gap: float) -> Obstruction | None:
    """Multipliers that leave nothing of any query.

    Σ y (μ_i − μ_j) + Σ t (μ_c − μ_k) = 0 with gap Σ y + Σ t ln p_c/p_k > 0: such y ≥ 0 and t exist
    exactly if no query has that gap, and then the least squares below come out as 0.
    """
    from scipy.optimize import nnls  # slow to load

    ties, wanted = group.ties
    edges = np.vstack([group.rows, ties, -ties]).T
    levels = np.concatenate([np.full(len(group.rows), gap), wanted, -wanted])
    system = np.vstack([edges, levels])
    goal = np.zeros(len(system))
    goal[-1] = 1.0
    answer, _ = nnls(system, goal, maxiter=50 * system.shape[1])
    rows = answer[: len(group.rows)]
    fixed = answer[len(rows) : len(rows) + len(ties)] - answer[len(rows) + len(ties) :]
    total = float(np.sum(rows))
    if total <= 0:
        if not len(rows) or not np.any(fixed):
            return None
        # The group contradicts itself; any row will do, if it counts little enough.
        rows = np.zeros(len(rows))
        rows[0] = total = 1e-9 * float(np.max(np.abs(fixed)))
    pairs = [(group.lowest, int(j)) for j in group.others]
    return Obstruction(pairs, rows / total, fixed / total, None, 0.0)


def too_short(group: Group, norm: float) -> Obstruction | None:
    """Multipliers for a group whose own differences need a query longer than `norm`.

    The shortest such query is s = Σ t_k (μ_c − μ_k), with Σ t_k ln p_c/p_k = ‖s‖². Any other key's
    row and a large multiple of t leave norm (‖row‖ + multiple ‖s‖) − multiple ‖s‖² for the gap.
    """
    ties, wanted = group.ties
    if not len(ties) or not len(group.others):
        return None
    shortest = np.linalg.lstsq(ties, wanted, rcond=1e-12)[0]
    length = float(np.linalg.norm(shortest))
    if length <= norm * (1 + 1e-9):
        return None
    fixed = np.linalg.lstsq(ties.T, shortest, rcond=1e-12)[0]
    multiple = 2 * norm * float(np.linalg.norm(group.rows[0])) / (length * (length - norm))
    pair = (group.lowest, int(group.others[0]))
    return Obstruction([pair], np.ones(1), fixed * multiple, None, 0.0)
