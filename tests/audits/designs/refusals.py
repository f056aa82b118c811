"""Goals that a design may refuse, and searches that share nothing with the design.

A goal is drawn where refusals are delicate: keys on a line, dependent tokens, soft weights, single
targets, values, tolerances from tiny to large. What no design could be found for is searched again
here: on grids, by descents, and by convex programs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from audits.designs import convex_search

Array = NDArray[np.float64]

FAR = 60.0  # scores beyond this leave nothing to the lower keys


@dataclass(frozen=True)
class Goal:
    """One call: keys with a target (and values), or tokens with rows that are to attend."""

    keys: Array
    target: dict[int, float] | None
    values: Array | None
    attend: dict[int, dict[int, float]] | None
    tolerance: float

    def call(self, design: Any) -> Any:
        """Hand the goal to regard."""
        if self.attend is not None:
            return design.self_attention(self.keys, attend=self.attend, tolerance=self.tolerance)
        return design.query(self.keys, self.target, tolerance=self.tolerance, values=self.values)


def draw(rng: np.random.Generator) -> Goal:
    """Draw a goal of one of the kinds that refusals were wrong for, or a generic one."""
    tolerance = float(10 ** rng.uniform(-8, -0.5)) if rng.random() < 0.6 else rng.uniform(0.05, 0.4)
    kind = rng.integers(6)
    if kind >= 4:  # a head
        n, rank = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        d = rank + int(rng.integers(0, 2))
        tokens = _numbers(rng, n, rank) @ _numbers(rng, rank, d)
        rows = rng.choice(n, size=int(rng.integers(1, n + 1)), replace=False)
        hard = kind == 5
        attend = {
            int(i): _weights(rng, n, 1 if hard else int(rng.integers(1, n + 1))) for i in rows
        }
        return Goal(tokens, None, None, attend, tolerance)
    n = int(rng.integers(3, 8))
    d = (1, 1, 2, int(rng.integers(1, 5)))[kind]
    keys = _numbers(rng, n, d)
    if kind == 0 and d == 1:  # on a line that is no axis
        keys = keys @ _numbers(rng, 1, int(rng.integers(1, 4)))
    if rng.random() < 0.2:
        keys[rng.integers(n)] = keys[rng.integers(n)]
    values = _numbers(rng, n, int(rng.integers(1, 4))) if rng.random() < 0.4 else None
    return Goal(keys, _weights(rng, n, int(rng.integers(1, n + 1))), values, None, tolerance)


def rounded(rng: np.random.Generator, kind: str) -> Goal:
    """Draw keys or tokens that are dependent up to rounding only, as products of normal numbers."""
    n = int(rng.integers(3, 8 if kind == "line" else 6))
    rank = 1 if kind == "line" else int(rng.integers(1, 3))
    d = rank + int(rng.integers(1, 3))
    keys = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))
    counts = [1] * n if kind == "hard" else rng.integers(2, n + 1, n).tolist()
    rows = {i: _weights(rng, n, count) for i, count in enumerate(counts)}
    if kind == "line":
        return Goal(keys, rows[0], None, None, 1e-3)
    return Goal(keys, None, None, rows, 1e-3)


def _numbers(rng: np.random.Generator, rows: int, columns: int) -> Array:
    if rng.random() < 0.5:
        return rng.integers(-3, 4, (rows, columns)).astype(float)
    return rng.standard_normal((rows, columns)) * 10 ** rng.uniform(-1, 1)


def _weights(rng: np.random.Generator, n: int, count: int) -> dict[int, float]:
    chosen = rng.choice(n, size=count, replace=False)
    if rng.random() < 0.5:
        return {int(i): 1 / count for i in chosen}
    weights = rng.dirichlet(np.ones(count))
    return {int(i): float(w) for i, w in zip(chosen, weights / weights.sum(), strict=True)}


def smallest_error(
    goal: Goal, rng: np.random.Generator, starts: int, levels: Sequence[float], rounds: int
) -> float:
    """The smallest error that a search finds, in the measure of the goal.

    Args:
        goal: what is wanted.
        rng: for the starts.
        starts: how many descents begin anywhere, beside two from the grid.
        levels: the errors that convex programs try to reach.
        rounds: how often a program is solved again where it is not convex as it stands.
    """
    features, tables = _linear(goal)
    size = features.shape[-1]
    grid = _grid(features, size)
    errors = _errors(features, tables, goal.values, grid)
    begin = [grid[i] for i in np.argsort(errors)[:2]]
    spread = float(np.max(np.ptp(features, axis=1))) or 1.0
    begin += [
        rng.standard_normal(size) * 10 ** rng.uniform(-1, 1.8) / spread for _ in range(starts)
    ]
    tried = list(begin)
    for vector in begin:
        for power in (8.0, 64.0):
            smooth = _smooth(features, tables, goal.values, power)
            found = minimize(smooth, vector, jac=True, method="L-BFGS-B", options={"maxiter": 200})
            vector = found.x
        far = vector * (FAR / max(float(np.max(np.abs(features @ vector))), 1e-300))
        tried += [vector, far, 10 * far]
    errors = _errors(features, tables, goal.values, np.array(tried))
    for level in levels:
        wanted = convex_search.conditions(tables, goal.values, level)
        start = tried[int(np.argmin(errors))]
        tried += convex_search.vectors(features, wanted, start, rounds)
    errors = _errors(features, tables, goal.values, np.array(tried))
    best = tried[int(np.argmin(errors))]
    if size <= 2:
        best = _polished(lambda v: float(_errors(features, tables, goal.values, v[None])[0]), best)
    last = _errors(features, tables, goal.values, best[None])[0]
    return float(min(np.min(errors), last))


def convex_error(goal: Goal) -> float:
    """The error of what convex programs alone find, from scores of 0."""
    features, tables = _linear(goal)
    wanted = convex_search.conditions(tables, goal.values, goal.tolerance)
    tried = list(convex_search.vectors(features, wanted, np.zeros(features.shape[-1]), 4))
    return float(np.min(_errors(features, tables, goal.values, np.array(tried)))) if tried else 1.0


def _polished(error: Callable[[Array], float], vector: Array) -> Array:
    options = {"maxiter": 400, "xatol": 1e-13, "fatol": 1e-15}
    return np.asarray(minimize(error, vector, method="Nelder-Mead", options=options).x)


def _linear(goal: Goal) -> tuple[Array, Array]:
    """Features (rows, n, p) whose products with p numbers are the scores; wanted weights."""
    n = len(goal.keys)
    wanted = [goal.target] if goal.attend is None else list(goal.attend.values())
    tables = np.zeros((len(wanted), n))
    for table, weights in zip(tables, wanted, strict=True):
        assert weights is not None
        table[list(weights)] = list(weights.values())
    if goal.attend is None:
        features = goal.keys[None]
    else:
        rows = goal.keys[list(goal.attend)]
        features = np.einsum("mc,nd->mndc", rows, goal.keys).reshape(len(rows), n, -1)
    features = features - features.mean(axis=1, keepdims=True)
    flat = features.reshape(-1, features.shape[-1])
    _, sizes, right = np.linalg.svd(flat, full_matrices=False)
    kept = sizes > 1e-12 * max(sizes[0], 1e-300)
    kept[0] = True
    return features @ right[kept].T, tables


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def _errors(features: Array, tables: Array, values: Array | None, vectors: Array) -> Array:
    """The error of each of several vectors (count, p)."""
    missed = _softmax(np.einsum("mnp,cp->cmn", features, vectors)) - tables
    if values is None:
        return np.asarray(np.max(np.abs(missed), axis=(1, 2)))
    return np.asarray(np.max(np.linalg.norm(missed @ values, axis=-1), axis=1))


def _smooth(
    features: Array, tables: Array, values: Array | None, power: float
) -> Callable[..., Any]:
    """The error with a smooth largest entry, and its gradient."""

    def value(vector: Array) -> tuple[float, Array]:
        weights = _softmax(features @ vector)
        missed = weights - tables
        if values is None:
            size = float(np.max(np.abs(missed))) or 1.0
            shares = np.abs(missed) / size
            total = float(np.sum(shares**power))
            found = size * total ** (1 / power)
            slope = total ** (1 / power - 1) * shares ** (power - 1) * np.sign(missed)
        else:
            moved = missed @ values
            found, slope = float(np.sum(moved * moved)), 2 * moved @ values.T
        pull = weights * (slope - np.sum(weights * slope, axis=1, keepdims=True))
        return found, np.einsum("mn,mnp->p", pull, features)

    return value


def _grid(features: Array, size: int) -> Array:
    """A dense grid in one or two dimensions, fine near 0 and reaching far."""
    spread = float(np.max(np.ptp(features, axis=1))) or 1.0
    sizes = np.concatenate([[0.0], np.geomspace(0.01, 300, 200)]) / spread
    if size == 1:
        return np.concatenate([sizes, -sizes])[:, None]
    if size == 2:
        angles = np.linspace(0, 2 * np.pi, 90, endpoint=False)
        around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        return np.asarray((sizes[::3, None, None] * around).reshape(-1, 2))
    return np.zeros((1, size))
