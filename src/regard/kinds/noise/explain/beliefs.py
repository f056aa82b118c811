"""What is often believed about random keys and is not so, each with the number that shows it.

Wrong answers are in `regard.kinds.noise.misconceptions`; here are wrong reasons for right ones.
"""

from __future__ import annotations

import math

import numpy as np

from regard.analysis.noise.one_noise import OneNoise
from regard.kinds.noise.instance import Growth, Setting, read
from regard.kinds.noise.solve.findings import OutputFound
from regard.kinds.noise.solve.finite_queries import TOLERANCE, settled, weight_variance
from regard.kinds.noise.solve.head_correlation import correlations
from regard.kinds.noise.solve.null_steering import components, steered
from regard.report import number, vector
from regard.solving.key_tables import symbol

MANY = 1000  # keys


def beliefs(found: OutputFound) -> tuple[str, ...]:
    """The beliefs that this problem invites."""
    setting, growth = found.setting, found.setting.growth
    moved = setting.one_noise(setting.queries())
    said = []
    if moved is not None and setting.heads > 1:
        said.append(_queries_differ(found))
    if growth is None:
        return tuple(filter(None, said))
    if moved is None:
        said = [_order_of_limits(setting, growth)] if setting.heads == 1 else []
        return tuple(filter(None, said))
    if setting.heads > 1:
        said.append(_averaging(setting, growth, moved))
    else:
        said.append(_forgotten_keys(setting, growth))
    return tuple(filter(None, [*said, _doomed(setting, growth)]))


def _queries_differ(found: OutputFound) -> str:
    """Queries that differ do not make heads independent; equal ones do not average noise."""
    setting = found.setting
    queries = setting.queries()
    distinct = len(np.unique(queries, axis=0))
    if distinct == 1:
        return (
            f"“Averaging {setting.heads} heads averages the noise away.” All heads have the same "
            "query, see the same keys and put out the same: the variance is that of a single head, "
            f"{number(weight_variance(setting) or 0.0)} here (orthonormal values)."
        )
    if distinct < len(queries):
        return ""
    shared, tilted = correlations()
    why = (
        r"Here they are independent because $q_h^\top \Sigma_i q_g = 0$ for every key $i$"
        if found.independent
        else r"Here they are not: $q_h^\top \Sigma_i q_g \ne 0$ for some key $i$"
    )
    return (
        f"“The heads are independent because their queries differ.” {why}. With "
        r"$\Sigma_a = \tfrac{1}{4} (\mu_a + \mu_b)(\mu_a + \mu_b)^\top$ and the different queries "
        rf"$3 \mu_a$ and $3 \mu_b$ the weights on $v_a$ have correlation {shared:.5f}; with noise "
        "of standard deviation 0.3 in all directions and queries (3, 0, 0) and (2, 3, 0) those on "
        f"$v_1$ and $v_2$ have {tilted:.4f}."
    )


def _averaging(setting: Setting, growth: Growth, moved: OneNoise) -> str:
    """Where one head of several is noisy, the scale helps more than the average."""
    if np.count_nonzero(moved.line) != 1:
        return ""
    h = int(np.argmax(np.abs(moved.line)))
    spreads = []
    for size in (1.0, 10.0, 50.0):
        law = setting.one_noise(setting.queries(growth.sign * size))
        if law is None:
            return ""
        spread = math.sqrt(_kept_weight_variance(law, h))
        spreads.append(f"{spread:.3f} at {growth.name} = {number(size)}")
    said = (
        f"“Averaging is what reduces the variance.” Averaging {setting.heads} heads only divides "
        f"the variance of one noisy head by {setting.heads**2}. What helps is the scale: if "
        f"nothing is negative, the head stays with ${symbol(f'v_{setting.label(moved.key)}')}$, "
        f"and the standard deviation of that weight is {', '.join(spreads)}"
    )
    leading = _leading_term(moved, h)
    if leading is not None:
        said += (
            f". It falls slowly: the variance of the weight at {growth.name} = "
            f"{number(growth.size)} is {_kept_weight_variance(moved, h):.6f}, with leading term "
            f"{leading:.6f}, proportional to 1/{growth.name}"
        )
    return f"{said}."


def _kept_weight_variance(moved: OneNoise, h: int) -> float:
    """The variance of the weight of the key in a head, given that no score is negative."""
    mixing = np.zeros((*moved.means.shape, 1))
    mixing[h, moved.key] = 1.0
    return float(moved.moments(mixing, *moved.above(0.0))[1][0, 0])


def _leading_term(moved: OneNoise, h: int) -> float | None:
    """That variance to leading order in the size of the query, where all others score 0.

    With n - 1 others at score 0, 1 - α is (n - 1)/(e^s + n - 1), and the density of s at 0 times
    the integral of its square over s > 0, ln n - 1 + 1/n, is what is left of the variance.
    """
    others = np.delete(moved.means[h], moved.key)
    mean, slope = float(moved.means[h, moved.key]), float(moved.line[h])
    if np.max(np.abs(others)) > 1e-9 or slope <= 0 or mean <= 0:
        return None
    n, z = len(others) + 1, mean / slope
    density = math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) / slope
    kept = 0.5 * math.erfc(-z / math.sqrt(2))
    return density * (math.log(n) - 1 + 1 / n) / kept


def _forgotten_keys(setting: Setting, growth: Growth) -> str:
    """How small the weight of the key that varies is among many keys."""
    size = min(abs(growth.size), 5.0)
    moved = setting.one_noise(setting.queries(growth.sign * size))
    names = set(setting.given.names.values())
    rest = [i for i in range(setting.given.n) if i not in names]
    if moved is None or not rest:
        return ""
    scores = moved.means[0]
    top = float(scores[moved.key])
    if np.ptp(scores[rest]) > 1e-9 or top < np.max(scores) - 1e-9:
        return ""  # a larger query makes its weight smaller still
    few = float(np.sum(np.exp(np.delete(scores, rest))))
    many = few + (MANY - len(names)) * math.exp(float(scores[rest[0]]))
    return (
        f"Leaving the other keys out of the denominator. With {MANY} keys and {growth.name} = "
        f"{number(size)} the weight on ${symbol(f'v_{setting.label(moved.key)}')}$, for keys at "
        f"their means, is {math.exp(top) / many:.4f} and not {math.exp(top) / few:.4g}: "
        f"{growth.name} must be large against ln n = {math.log(MANY):.3g}."
    )


def _doomed(setting: Setting, growth: Growth) -> str:
    """One head is not fragile as such: a query that does not see the noise does the same."""
    queries = setting.queries()
    other = steered(setting, queries)
    if other is None or np.array_equal(other, queries):
        return ""
    law = setting.output_law(other, np.eye(setting.given.n), TOLERANCE)
    changed = np.any(other != queries, axis=1)
    listed = " and ".join(dict.fromkeys(map(vector, components(setting, other[changed]))))
    several = np.count_nonzero(changed) > 1
    query, are = ("queries", "are") if several else ("a query", "is")
    return (
        f"“A noisy head cannot do better.” The query is fragile, not the head: {query} with "
        f"components {listed} along the means {'want' if several else 'wants'} the same keys, and "
        f"{are} blind to the noise. The variance at {growth.name} = {number(growth.size)} falls "
        f"from {number(weight_variance(setting) or 0.0)} to {number(settled(law))} (orthonormal "
        "values)."
    )


def _order_of_limits(setting: Setting, growth: Growth) -> str:
    """Small noise is small against the size of the query, or not at all."""
    actual = read(setting.given, limits=False)
    if not np.any(actual.covariances != setting.covariances) or setting.late:
        return ""
    far = growth.sign * 3000.0 / max(1.0, float(np.max(np.abs(setting.directions))))
    before, after = (weight_variance(actual, size) or 0.0 for size in (growth.size, far))
    if after <= 1.5 * (weight_variance(setting, far) or 0.0):
        return ""  # what varies is the noise that stays
    return (
        f"Growing {growth.name} without looking at the small noise. With the noise of the instance "
        f"the variance is {number(before, 3)} at {growth.name} = {number(growth.size)} and "
        f"{number(after, 3)} at {growth.name} = {number(far, 4)}: the noise must be small against "
        f"1/{growth.name}²."
    )
