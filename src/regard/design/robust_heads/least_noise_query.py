"""The robust query with the least noise at a gap (null steering).

Of all queries that meet the gap, take the one with the least Σ p_i p_j q·(Σ_i + Σ_j)q over the
pairs of the group, or for a single key a the least max_j q·(Σ_a + Σ_j)q. The first is a quadratic
program. The second is a cone program whose multipliers λ_j, Σ λ_j = 1, make it one: for every q,
max_j q·(Σ_a + Σ_j)q ≥ q·Mq with M = Σ λ_j (Σ_a + Σ_j), and both sides agree at the best q. So both
have the same kind of proof: multipliers of a quadratic program
(:mod:`regard.certify.claims.random_keys.noise_bounds`, variance_at_least).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.design.robust_heads.key_group import Group
from regard.design.robust_heads.socp import Program, Solved, factor, widened

__all__ = ["Least", "least_noise"]

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
            widened(group.rows, 1),
            np.full(len(group.rows), gap),
            np.zeros((0, width + 1)),
            np.zeros(0),
            [(entry, widened(factor(matrix / size), 1)) for matrix in sums],
            None if norm is None else (widened(np.eye(width), 1), norm),
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
