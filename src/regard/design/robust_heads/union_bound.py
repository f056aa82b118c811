"""The direction along which a hard head fails least: the union bound, minimised.

As queries grow long, the head of i in S looks at j outside with probability at most Φ(−x_ij), x_ij
= (μ_i − μ_j)·w / √(w·(Σ_i + Σ_j)w), whatever the length of w. The sum over all pairs bounds the
probability of any failure. It is not convex in w, so the descent begins at several places: the
widest gaps for some numbers of deviations, the Fisher direction of each pair (best for that pair
alone) and of their sum, and the direction from the other keys' mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.design.robust_heads.key_group import Group
from regard.design.robust_heads.widest_gap_query import widest_gap

__all__ = ["least_failure"]

Array = NDArray[np.float64]

RIDGE = 1e-12  # of the largest noise: directions without noise compare by their margins
LEVELS = (0.5, 1.0, 2.0, 4.0)  # deviations of the widest gaps that descents begin at
MOST_FISHER = 8


class _Bound:
    """The logarithm of the union bound over directions that score the group alike."""

    def __init__(self, group: Group) -> None:
        from scipy.linalg import null_space  # slow to load

        scored, noise = group.keys.scored, group.keys.noise
        ties, _ = group.ties
        self.basis = null_space(ties) if len(ties) else np.eye(scored.shape[1])
        pairs = [(i, int(j)) for i in group.chosen for j in group.others]
        self.apart = np.array([scored[i] - scored[j] for i, j in pairs]) @ self.basis
        size = float(np.max(np.abs(noise)))
        self.ridge = RIDGE * (size if size > 0 else 1.0)
        self.noise = self.basis.T @ noise @ self.basis
        self.first = np.array([i for i, _ in pairs])
        self.second = np.array([j for _, j in pairs])

    def __call__(self, w: Array) -> tuple[float, Array]:
        """The logarithm of the bound, and its gradient."""
        from scipy.special import log_ndtr, logsumexp  # slow to load

        if not np.any(w):  # no direction at all: every pair is a coin flip
            return float(np.log(0.5 * len(self.apart))), np.zeros_like(w)
        pulled = self.noise @ w
        each = np.maximum(pulled @ w, 0.0)
        variances = each[self.first] + each[self.second] + self.ridge * float(w @ w)
        deviations = np.sqrt(variances)
        x = self.apart @ w / deviations
        logs = log_ndtr(-x)
        total = float(logsumexp(logs))
        steep = np.exp(-0.5 * x * x - 0.5 * np.log(2 * np.pi) - total)  # φ(x) / bound
        slopes = -steep / deviations
        gradient = slopes @ self.apart
        turn = steep * x / variances
        for index in (self.first, self.second):
            gradient += np.bincount(index, turn, minlength=len(pulled)) @ pulled
        return total, gradient + self.ridge * float(np.sum(turn)) * w

    def starts(self, group: Group) -> list[Array]:
        """Directions to begin at."""
        found = []
        for level in LEVELS:
            wide = widest_gap(group, level, norm=1.0) if group.scales else None
            if wide is not None and np.linalg.norm(wide.query) > 0.5:
                found.append(self.basis.T @ wide.query)
        fisher = []
        for row in range(min(MOST_FISHER, len(self.apart))):
            noise = self.noise[self.first[row]] + self.noise[self.second[row]]
            noise = noise + 1e3 * self.ridge * np.eye(len(noise))
            fisher.append(np.linalg.solve(noise, self.apart[row]))
        found += [*fisher, np.sum(fisher, axis=0), np.mean(self.apart, axis=0)]
        return [w / np.linalg.norm(w) for w in found if np.linalg.norm(w) > 0]


def least_failure(group: Group) -> Array | None:
    """The unit direction with the least union bound found, None if none lifts the group."""
    from scipy.optimize import minimize  # slow to load

    bound = _Bound(group)
    if not bound.basis.shape[1]:
        return None
    best, direction = np.inf, None
    for start in bound.starts(group):
        ended = minimize(bound, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
        for w in (start, ended.x):
            value = bound(w)[0] if np.all(np.isfinite(w)) and np.any(w) else np.inf
            if value < best and np.min(bound.apart @ w) > 0:
                best, direction = value, w
    if direction is None:
        return None
    query = bound.basis @ direction
    return np.asarray(query / np.linalg.norm(query))
