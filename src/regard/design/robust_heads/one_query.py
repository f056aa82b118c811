"""One robust query: least noise at a gap, or the widest gap that survives the noise.

Least noise (null steering). Of all queries that meet the gap, take the one with the least Σ p_i
p_j q·(Σ_i + Σ_j)q over the pairs of the group, or for a single key a the least max_j q·(Σ_a +
Σ_j)q. The first is a quadratic program. The second is a cone program whose multipliers λ_j,
Σ λ_j = 1, make it one: for every q, max_j q·(Σ_a + Σ_j)q ≥ q·Mq with M = Σ λ_j (Σ_a + Σ_j), and
both sides agree at the best q. So both have the same kind of proof: multipliers of a quadratic
program (:mod:`regard.certify.claims.noise_bounds`, variance_at_least).

Widest gap. The difference of scores of i in S and j outside stays above

    (μ_i − μ_j)·q − z ‖(Σ_i + Σ_j)^{1/2} q‖

with probability Φ(z). The least of these is concave in q and grows in proportion to q, and is
maximised over ‖q‖ ≤ norm; its multipliers prove that no query does better (gap_at_most).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.design.robust_heads.key_group import Group
from regard.design.robust_heads.socp import Program, Solved, factor

__all__ = [
    "Least",
    "Obstruction",
    "Widest",
    "least_noise",
    "too_short",
    "unreachable",
    "widest_gap",
]

Array = NDArray[np.float64]

RIDGE = 1e-12  # of the largest noise: among equally quiet queries the shortest is taken
SILENT = 1e-15  # of the largest noise: a variance below this is rounding
ACTIVE = 1e-7  # of the largest multiplier: constraints that hold with equality


@dataclass(frozen=True)
class Least:
    """A query with the least noise for its gap, and the multipliers that prove it.

    Attributes:
        query: (d,), times the unit of the keys, as are all queries here.
        mixture: what each pair counts in the quadratic form; sums to 1 for a single key.
        witness: (d,), where the quadratic form is bounded from; the query or close to it.
        rows: multipliers of the gap, one per other key. ties: of the differences in the group.
        ridge: multiplier of the length of the query.
    """

    query: Array
    mixture: Array
    witness: Array
    rows: Array
    ties: Array
    ridge: float


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


def least_noise(group: Group, gap: float, norm: float | None = None) -> Least | None:
    """The quietest query with that gap (and length), or None: there is none, or none was found."""
    if len(group.chosen) > 1:
        weights = group.pair_weights
        assert weights is not None
        return _weighted(group, weights, gap, norm)
    if not len(group.others):
        nothing = np.zeros(0)
        still = np.zeros(group.keys.means.shape[1])
        return Least(still, nothing, still, nothing, nothing, 0.0)
    query, mixture = _quietest(group, gap, norm)
    if query is None or mixture is None:
        return None
    proof = _weighted(group, mixture, gap, norm)
    if proof is None:
        return None
    return Least(query, mixture, proof.query, proof.rows, proof.ties, proof.ridge)


def _quietest(group: Group, gap: float, norm: float | None) -> tuple[Array | None, Array | None]:
    """For a single key: the query with the least largest variance, and the pairs' multipliers."""
    width = group.keys.means.shape[1]
    kinds = group.keys.classes[group.others]
    kept, members = np.unique(kinds, return_inverse=True)
    alone = group.keys.noise[group.chosen[0]]
    sums = [alone + group.keys.noise[group.others[np.argmax(kinds == kind)]] for kind in kept]
    size = float(max(np.max(np.abs(matrix)) for matrix in sums))
    evenly = np.full(len(group.others), 1 / len(group.others))
    if size > 0:
        # Variables: the query, and the largest standard deviation in units of √size.
        entry = np.eye(width + 1)[-1]
        program = Program(
            np.diag([2 * RIDGE] * width + [0.0]),
            entry,
            _widened(group.rows, 1),
            np.full(len(group.rows), gap),
            np.zeros((0, width + 1)),
            np.zeros(0),
            [(entry, _widened(factor(matrix / size), 1)) for matrix in sums],
            None if norm is None else (_widened(np.eye(width), 1), norm),
        )
        solved = program.solve()
        if solved.status != "solved":
            return None, None
        query = solved.x[:-1]
        if np.max(group.variances(query)) > SILENT * size * float(query @ query):
            counts = np.bincount(members, minlength=len(kept))
            strength = np.array([max(lam, 0.0) for lam, _ in solved.cones[: len(kept)]]) / counts
            return query, strength[members] / np.sum(strength[members])
    # Without noise every mixture of it is the least, and the shortest query is taken.
    found = _weighted(group, evenly, gap, norm)
    return (None, None) if found is None else (found.query, evenly)


def _weighted(group: Group, mixture: Array, gap: float, norm: float | None) -> Least | None:
    """The query with the least Σ mixture · variance over the pairs."""
    matrix = group.mixed(mixture)
    width = len(matrix)
    size = float(np.max(np.abs(matrix))) or 1.0
    form = matrix / size + (RIDGE if np.any(matrix) else 1.0) * np.eye(width)
    ties, wanted = group.ties
    program = Program(
        2 * form,
        np.zeros(width),
        group.rows,
        np.full(len(group.rows), gap),
        ties,
        wanted,
        radius=None if norm is None else (np.eye(width), norm),
    )
    solved = program.solve()
    if solved.status != "solved":
        return None
    query, rows, fixed = solved.x, np.maximum(solved.rows, 0.0), solved.ties
    ridge = 0.0
    if norm is not None:
        length = float(np.linalg.norm(query))
        pull = float(np.linalg.norm(solved.cones[0][1]))
        ridge = pull / (2 * length) if length > 0 else 0.0
    if ridge <= 1e-9:
        query, rows, fixed = _polished(form, group, gap, solved)
        ridge = 0.0
    return Least(query, mixture, query, rows * size, fixed * size, ridge * size)


def _polished(form: Array, group: Group, gap: float, solved: Solved) -> tuple[Array, Array, Array]:
    """Solve the equations of the constraints that are met with equality, to the last digits."""
    ties, wanted = group.ties
    rows = np.maximum(solved.rows, 0.0)
    active = np.flatnonzero(rows > ACTIVE * max(float(np.max(rows, initial=0.0)), 1e-300))
    edges = np.vstack([group.rows[active], ties])
    levels = np.concatenate([np.full(len(active), gap), wanted])
    width = len(form)
    system = np.block([[2 * form, -edges.T], [edges, np.zeros((len(edges), len(edges)))]])
    answer = np.linalg.lstsq(system, np.concatenate([np.zeros(width), levels]), rcond=1e-17)[0]
    query, multipliers = answer[:width], answer[width:]
    least = float(np.min(multipliers[: len(active)], initial=0.0))
    short = float(np.min(group.rows @ query - gap, initial=0.0))
    before = float(np.min(group.rows @ solved.x - gap, initial=0.0))
    value, known = float(query @ form @ query), float(solved.x @ form @ solved.x)
    if least < 0 or short < min(4 * before, -1e-13 * gap) or value > known * (1 + 1e-6) + 1e-300:
        return solved.x, rows, solved.ties
    full = np.zeros(len(rows))
    full[active] = multipliers[: len(active)]
    return query, full, multipliers[len(active) :]


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
        (np.eye(count)[width + place], _widened(part, count - width))
        for place, part in enumerate(factors)
    ]
    ties, wanted = group.ties
    identity = _widened(np.eye(width), count - width)
    if gap is None:
        assert norm is not None
        rows[:, -1] = -1.0
        levels, goal, radius = np.zeros(len(rows)), -last, (identity, norm)
    else:
        cones.append((last, identity))
        levels, goal, radius = np.full(len(rows), gap), last, None
    still = np.zeros((count, count))
    program = Program(
        still, goal, rows, levels, _widened(ties, count - width), wanted, cones, radius
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


def _widened(matrix: Array, extra: int) -> Array:
    """A matrix with columns of zeros for the variables that are not the query."""
    return np.hstack([matrix, np.zeros((len(matrix), extra))])
