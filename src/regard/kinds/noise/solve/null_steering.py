"""Queries that want the same keys and do not see the noise: null steering."""

from __future__ import annotations

import math

import numpy as np

from regard.analysis import OutputLaw
from regard.kinds.noise.instance import Setting
from regard.kinds.noise.solve.hardmax_limit import limit_law
from regard.problems.instances import Float64


def steered(setting: Setting, queries: Float64, *, every: bool = False) -> Float64 | None:
    """Queries with the same targets that do not see the noise, or None if there are none.

    For a head whose highest mean scores belong to the keys S, with a gap g to the others: the
    shortest q with q·μ_i equal on S, lower by g elsewhere, and Σ_i q = 0 for every key that
    varies. Heads that see no noise stay as they are.

    Args:
        setting: the problem.
        queries: (H, d).
        every: do the same to all heads, and only ask for the gap: then noise may come in.
    """
    found = queries.copy()
    for h, q in enumerate(queries):
        seen = np.einsum("d,nde,e->n", q, setting.covariances, q)
        if not every and np.max(seen) <= 1e-12 * float(q @ q):
            continue
        scores = setting.means @ q
        top = float(np.max(scores))
        targets = top - scores <= 1e-9 * max(1.0, abs(top))
        if np.all(targets):
            return None
        gap = top - float(np.max(scores[~targets]))
        wanted = np.where(targets, 0.0, -gap)
        if every:
            found[h] = np.linalg.lstsq(setting.means, wanted, rcond=None)[0]
            continue
        noise = setting.covariances[np.any(setting.covariances != 0, axis=(1, 2))]
        flat = noise.reshape(-1, q.size)
        rows = np.hstack([setting.means, -np.ones((len(scores), 1))])
        rows = np.vstack([rows, np.hstack([flat, np.zeros((len(flat), 1))])])
        wanted = np.concatenate([wanted, np.zeros(len(flat))])
        solved = np.linalg.lstsq(rows, wanted, rcond=None)[0]
        if np.max(np.abs(rows @ solved - wanted)) > 1e-9 * gap:
            return None
        found[h] = solved[:-1]
    return found


def components(setting: Setting, queries: Float64) -> Float64:
    """The components (H, n) of queries along the means, rounded."""
    parts = np.linalg.lstsq(setting.means.T, queries.T, rcond=None)[0].T
    return np.asarray(np.round(parts, 12))


def noise_free(setting: Setting) -> Float64 | None:
    """What each value (n,) has of the output in the limit if no key varies."""
    if setting.growth is None:
        return None
    law = limit_law(setting.without_noise(), ignore_negative=False)
    return None if law is None else law.atoms[0][1]


def rms_error(law: OutputLaw, target: Float64) -> float:
    """The root of E ‖c - target‖²."""
    return math.sqrt(max(0.0, float(law.variance)) + float(np.sum((law.mean - target) ** 2)))
