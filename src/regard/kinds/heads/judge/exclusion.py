"""Proofs that no queries reach a goal, up to rounding and with a margin for it.

Where each weight has to be within ε:

- no head gives key j more than 1/(1 + e^H(l)) if the average of the other keys with the weights l
  is the key itself (H: entropy), and so no average of heads does;
- for one head, scores have to lie between linear bounds, ln((p_i + ε)/(p_j − ε)), and a linear
  program says whether any do. Under noise the bounds hold with a probability, and leave room for a
  multiple of the standard deviation;
- in up to three dimensions of all queries together, boxes are divided until each is excluded.

An output within ε needs weights within ε/σ, where σ is how little an output moves at the least.
"""

from __future__ import annotations

import numpy as np

from regard.kinds.heads.instance import has_noise
from regard.kinds.heads.judge.box_exclusion import all_boxes_excluded
from regard.kinds.heads.judge.nearest_queries import nearest_in_divergence
from regard.kinds.heads.reading.goal import Goal
from regard.language.bounds import upper_bound
from regard.problems.instances import Float64, KeyInstance

MARGIN = 1e-6  # by which a proof has to hold, for rounding
MOST_KEYS = 40  # for linear programs
CHANCES = (2.2, 2.6, 3.2, 4.5)  # how many times the tolerance, in the bound of Chebyshev
SMOOTH = 2e-3


def excluded(goal: Goal, instance: KeyInstance) -> str | None:
    """Return why no queries reach the goal, or None where that is not proved."""
    allowed = _of_weights(goal, instance)
    if has_noise(instance):
        one = len(goal.problem.query_names) == 1 and len(instance.keys) <= MOST_KEYS
        if one and np.isfinite(allowed) and _noise_excludes(goal, instance, allowed):
            return "what is long enough to leave out the other keys is too long for the noise"
        return None
    if np.isfinite(allowed):
        found = _too_low_a_ceiling(goal, instance, allowed)
        if found is not None:
            return found
        one = len(goal.problem.query_names) == 1 and len(instance.keys) <= MOST_KEYS
        if one and _linear_bounds_exclude(goal, instance, allowed):
            return "no scores are within the bounds that the weights set for them"
    if all_boxes_excluded(goal, instance):
        return "every box of queries was excluded"
    return None


def _of_weights(goal: Goal, instance: KeyInstance) -> float:
    """Return how far off each weight may be at the most where the goal is reached."""
    if goal.each_weight:
        return goal.tolerance
    values = goal.counted_values(instance)
    n = len(values)
    across = np.linalg.svd(np.eye(n) - 1 / n)[0][:, : n - 1]  # weights are off by 0 in all
    sizes = np.linalg.svd(values.T @ across, compute_uv=False)
    least = float(sizes[-1]) if len(sizes) == n - 1 else 0.0
    return goal.tolerance / least if least > 1e-9 * max(1.0, float(sizes[0])) else np.inf


def _too_low_a_ceiling(goal: Goal, instance: KeyInstance, allowed: float) -> str | None:
    """Some wanted key cannot have as much, in any head."""
    keys = goal.problem.given.scale * instance.keys
    wanted = goal.wanted(len(keys))
    for j in np.flatnonzero(wanted > allowed):
        ceiling = _ceiling(goal, instance, keys, int(j))
        if ceiling is not None and wanted[j] - allowed > ceiling + MARGIN:
            key = goal.problem.given.label(int(j))
            return f"no query gives key {key} more than {upper_bound(ceiling, 4)}"
    return None


def _ceiling(goal: Goal, instance: KeyInstance, keys: Float64, j: int) -> float | None:
    others = np.delete(np.arange(len(keys)), j)
    query = nearest_in_divergence(goal, instance, np.eye(len(keys))[j])
    scores = keys[others] @ query
    powers = np.exp(scores - np.max(scores))
    weights = powers / np.sum(powers)
    # The nearest weights whose average is key j exactly: a witness, however good the descent was.
    matrix = np.vstack([keys[others].T, np.ones(len(others))])
    residual = np.append(keys[j], 1.0) - matrix @ weights
    weights = weights + np.linalg.pinv(matrix) @ residual
    size = max(1.0, float(np.max(np.abs(keys))))
    if np.max(np.abs(matrix @ weights - np.append(keys[j], 1.0))) > 1e-11 * size:
        return None
    if np.min(weights) < 0:
        return None
    positive = weights[weights > 0]
    entropy = -float(positive @ np.log(positive))
    return 1 / (1 + float(np.exp(entropy)))


def _bounds(wanted: Float64, allowed: float) -> tuple[Float64, Float64, Float64]:
    """Return rows i, rows j and what s_i − s_j may be at most."""
    pairs = [(i, j) for j in np.flatnonzero(wanted > allowed) for i in range(len(wanted)) if i != j]
    i, j = np.array(pairs, int).reshape(-1, 2).T
    return i, j, np.log((wanted[i] + allowed) / (wanted[j] - allowed))


def _linear_bounds_exclude(goal: Goal, instance: KeyInstance, allowed: float) -> bool:
    from scipy.optimize import linprog

    keys = goal.problem.given.scale * instance.keys
    i, j, most = _bounds(goal.wanted(len(keys)), allowed)
    if not len(i):
        return False
    steps = keys[i] - keys[j]
    steps = steps / max(float(np.max(np.abs(steps))), 1e-300)
    # The largest t with (k_i − k_j)·q + t ≤ most.
    cost = np.append(np.zeros(keys.shape[1]), -1.0)
    sides = np.hstack([steps, np.ones((len(steps), 1))])
    free = [(None, None)] * keys.shape[1]
    found = linprog(cost, A_ub=sides, b_ub=most, bounds=[*free, (None, 1.0)])
    return bool(found.status == 0 and found.x[-1] < -MARGIN)


def _noise_excludes(goal: Goal, instance: KeyInstance, allowed: float) -> bool:
    return any(_excludes_with(goal, instance, allowed, times) for times in CHANCES)


def _excludes_with(goal: Goal, instance: KeyInstance, allowed: float, times: float) -> bool:
    """Whether no query meets the bounds that two weights need nearly always.

    By Chebyshev two weights are both within times·ε but for 2/times² of all samples, and but for
    1/times² where ε is of all weights together. Then s_i − s_j, which is normal, is at most b so
    often, and its mean plus z standard deviations is at most b. That is convex in the query: a
    smooth stand-in is minimised, and its slope bounds what is missed.
    """
    from scipy.optimize import minimize
    from scipy.special import ndtri

    assert instance.covariances is not None
    scale = goal.problem.given.scale
    wanted = goal.wanted(len(instance.keys))
    i, j, most = _bounds(wanted, times * allowed)
    z = float(ndtri(1 - (2 if goal.each_weight else 1) / times**2))
    both = wanted[i] > times * allowed  # pairs of keys that are both wanted bound the length
    if z <= 0 or not np.any(both):
        return False
    steps = scale * (instance.keys[i] - instance.keys[j])
    noises = scale**2 * (instance.covariances[i] + instance.covariances[j])
    least = np.linalg.eigvalsh(noises[both])[:, 0]
    # Twice z·sd is at most the sum of both bounds.
    most_of = {(a, b): m for a, b, m in zip(i, j, most, strict=True)}
    spans = np.array([most_of[a, b] + most_of[b, a] for a, b in zip(i[both], j[both], strict=True)])
    if np.max(least) <= 1e-12 * np.max(noises):
        return False
    reach = float(np.min(spans / (2 * z * np.sqrt(np.maximum(least, 1e-300)))))

    def excess(q: Float64) -> tuple[float, Float64]:
        turned = noises @ q
        spread = np.sqrt(turned @ q + 1e-18)
        over = (steps @ q + z * spread - most) / SMOOTH
        top = float(np.max(over))
        powers = np.exp(over - top)
        shares = powers / np.sum(powers)
        slope = shares @ steps + z * (shares / spread) @ turned
        return SMOOTH * (top + float(np.log(np.sum(powers)))), slope

    found = minimize(
        excess, np.zeros(steps.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-9}
    )
    value, slope = excess(found.x)
    missed = float(np.linalg.norm(slope)) * (reach + float(np.linalg.norm(found.x)))
    return value - missed - SMOOTH * float(np.log(len(steps))) > MARGIN
