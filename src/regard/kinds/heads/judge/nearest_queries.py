"""The queries that come nearest to a goal, by descents on its own error from many starts.

What is found is right or it is not; that nothing is found proves nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from regard.checking.sampling import generator, softmax
from regard.kinds.heads.instance import has_noise, noisy_keys
from regard.kinds.heads.reading.goal import Goal
from regard.problems.instances import Float64, KeyInstance

SAMPLES = 256  # of the noise, the same ones all along
MOST_NUMBERS = 4_000_000  # in the samples of all keys
QUICK = 2
RANDOM = 12  # starts beside those that have a reason
SHARPNESS = 4  # the power mean that stands for the largest square of a weight's error
REFINED = 61


def nearest_queries(goal: Goal, instance: KeyInstance, *, quick: bool = False) -> Float64:
    """Return the queries (heads, d) with the least error found; the first that is right.

    Args:
        goal: the goal.
        instance: keys and values.
        quick: whether to look at the first few starts only.
    """
    best, least = np.zeros((len(goal.problem.query_names), instance.keys.shape[1])), np.inf
    descent = None if quick else _Descent(goal, instance)
    for start in itertools.islice(_starts(goal, instance), QUICK if quick else None):
        for queries in (start,) if descent is None else (start, descent.from_(start)):
            many = _lengths(instance)[:, None, None] * queries
            errors = goal.errors(instance, many)
            at = int(np.argmin(np.where(np.isnan(errors), np.inf, errors)))
            if errors[at] < least:
                best, least = many[at], float(errors[at])
            if least <= goal.tolerance:
                return np.asarray(best)
    return np.asarray(best)


def _lengths(instance: KeyInstance) -> Float64:
    if has_noise(instance):
        return np.concatenate([[1.0], np.geomspace(0.5, 2.0, 7)])
    return np.concatenate([[1.0], np.geomspace(0.1, 100.0, REFINED)])


def _starts(goal: Goal, instance: KeyInstance) -> Iterator[Float64]:
    """All heads alike, each head with a key of its own, and random ones."""
    n, heads = len(instance.keys), len(goal.problem.query_names)
    wanted, rng = goal.wanted(n), generator(0)
    if goal.of_heads:
        own = [one.wanted(n) for one in goal.of_heads]
        yield np.array([nearest_in_divergence(goal, instance, one) for one in own])
    yield np.tile(nearest_in_divergence(goal, instance, wanted), (heads, 1))
    alone = {
        int(i): nearest_in_divergence(goal, instance, np.eye(n)[i]) for i in np.flatnonzero(wanted)
    }
    counts = np.floor(heads * wanted + 1e-9).astype(int)
    rows = np.repeat(np.arange(n), counts)
    named = np.array(list(alone))
    for _ in range(3 if heads > 1 else 1):
        filled = np.append(rows, rng.choice(named, heads - len(rows), p=wanted[named]))
        yield np.array([alone[int(i)] for i in filled])
    if n <= RANDOM and not has_noise(instance):
        for row in range(n):
            yield np.tile(nearest_in_divergence(goal, instance, np.eye(n)[row]), (heads, 1))
    size = 1 / max(float(np.std(goal.problem.given.scale * instance.keys)), 1e-300)
    for place in range(RANDOM // 3 if has_noise(instance) else RANDOM):
        shape = (heads, instance.keys.shape[1])
        yield size * (0.3, 1.0, 5.0)[place % 3] * rng.standard_normal(shape)


def nearest_in_divergence(goal: Goal, instance: KeyInstance, wanted: Float64) -> Float64:
    """Return the query whose weights have the least divergence from those wanted."""
    from scipy.optimize import minimize

    keys = goal.problem.given.scale * instance.keys
    # In units of their spread, so that one number of steps serves short and long keys.
    unit = max(float(np.max(np.abs(keys - np.mean(keys, axis=0)))), 1e-300)

    def divergence(q: Float64) -> tuple[float, Float64]:
        scores = keys @ q / unit
        top = float(np.max(scores))
        powers = np.exp(scores - top)
        total = float(np.sum(powers))
        gradient = (powers / total - wanted) @ keys / unit
        return top + float(np.log(total)) - float(wanted @ scores), gradient

    start = (wanted - 1 / len(wanted)) @ keys / unit
    found = minimize(divergence, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000})
    return np.asarray(found.x, float) / unit


class _Descent:
    """The logarithm of the mean square error as a function of the queries, with its gradient."""

    def __init__(self, goal: Goal, instance: KeyInstance) -> None:
        n, d = instance.keys.shape
        keys = instance.keys[None]
        if has_noise(instance):
            count = max(8, min(SAMPLES, MOST_NUMBERS // (n * d)) // 2)
            normal = generator(1).standard_normal((count, n, d))
            keys = noisy_keys(instance, np.concatenate([normal, -normal]))
        self.keys, self.wanted = goal.problem.given.scale * keys, goal.wanted(n)
        self.shape = (len(goal.problem.query_names), d)
        self.values = None if goal.each_weight else goal.counted_values(instance)

    def from_(self, start: Float64) -> Float64:
        """Return where a descent from these queries ends."""
        from scipy.optimize import minimize

        options = {"maxiter": 400}
        found = minimize(self, start.ravel(), jac=True, method="L-BFGS-B", options=options)
        return np.asarray(found.x.reshape(self.shape))

    def __call__(self, flat: Float64) -> tuple[float, Float64]:
        queries = flat.reshape(self.shape)
        heads, count = len(queries), len(self.keys)
        scores = np.swapaxes(self.keys @ queries.T, 1, 2)  # (samples, heads, n)
        if not np.all(np.abs(scores) < 1e12):
            return 1e3, np.zeros_like(flat)
        weights = softmax(scores)
        off = np.mean(weights, axis=1) - self.wanted
        if self.values is None:
            squares = np.mean(off**2, axis=0) + 1e-40
            power = np.sum((squares / np.max(squares)) ** SHARPNESS) ** (1 / SHARPNESS)
            total = float(np.max(squares) * power)
            slope = (squares / total) ** (SHARPNESS - 1) * 2 * off / count
        else:
            outputs = off @ self.values
            total = float(np.mean(np.sum(outputs**2, axis=1))) + 1e-40
            slope = 2 * outputs @ self.values.T / count
        pulled = weights * (slope[:, None] - np.sum(weights * slope[:, None], axis=2)[..., None])
        gradient = np.einsum("shn,snd->hd", pulled, self.keys) / (heads * total)
        return float(np.log(total)), gradient.ravel()
