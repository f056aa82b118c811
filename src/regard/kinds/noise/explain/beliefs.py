"""What is often believed about random keys and is not so, each with the number that shows it.

Wrong answers are in `regard.kinds.noise.misconceptions`; here are wrong reasons for right ones.
"""

from __future__ import annotations

import math

import numpy as np

from regard.analysis.noise.one_noise import OneNoise
from regard.kinds.noise.instance import Growth, Setting
from regard.kinds.noise.solve.belief_numbers import (
    blind_queries,
    forgotten_keys,
    noisy_head,
    small_noise,
)
from regard.kinds.noise.solve.findings import OutputFound
from regard.kinds.noise.solve.finite_queries import weight_variance
from regard.kinds.noise.solve.head_correlation import correlations
from regard.report import number, vector
from regard.report.numbers import short
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
            f"{short(weight_variance(setting) or 0.0)} here (orthonormal values)."
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
        rf"$3 \mu_a$ and $3 \mu_b$ the weights on $v_a$ have correlation {shared:.4f}; with noise "
        "of standard deviation 0.3 in all directions and queries (3, 0, 0) and (2, 3, 0) those on "
        f"$v_1$ and $v_2$ have {tilted:.4f}."
    )


def _averaging(setting: Setting, growth: Growth, moved: OneNoise) -> str:
    """Where one head of several is noisy, the scale helps more than the average."""
    noisy = noisy_head(setting, growth, moved)
    if noisy is None:
        return ""
    sizes = ", ".join(f"{x:.3f} at {growth.name} = {short(size, 4)}" for size, x in noisy.spreads)
    said = (
        f"“Averaging is what reduces the variance.” Averaging {setting.heads} heads only divides "
        f"the variance of one noisy head by {setting.heads**2}. What helps is the scale: if "
        f"nothing is negative, the head stays with ${symbol(f'v_{setting.label(moved.key)}')}$, "
        f"and the standard deviation of that weight is {sizes}"
    )
    if noisy.leading is not None:
        said += (
            f". It falls slowly: the variance of the weight at {growth.name} = "
            f"{short(growth.size)} is {noisy.variance:.3g}, with leading term "
            f"{noisy.leading:.3g}, proportional to 1/{growth.name}"
        )
    return f"{said}."


def _forgotten_keys(setting: Setting, growth: Growth) -> str:
    """How small the weight of the key that varies is among many keys."""
    weight = forgotten_keys(setting, growth, MANY)
    if weight is None:
        return ""
    return (
        f"Leaving the other keys out of the denominator. With {MANY} keys and {growth.name} = "
        f"{short(weight.size)} the weight on ${symbol(f'v_{setting.label(weight.key)}')}$, for "
        f"keys at their means, is {weight.among_many:.4f} and not {weight.among_few:.4g}: "
        f"{growth.name} must be large against ln n = {math.log(MANY):.3g}."
    )


def _doomed(setting: Setting, growth: Growth) -> str:
    """One head is not fragile as such: a query that does not see the noise does the same."""
    blind = blind_queries(setting)
    if blind is None:
        return ""
    listed = " and ".join(dict.fromkeys(map(vector, blind.components)))
    several = len(blind.components) > 1
    query, are = ("queries", "are") if several else ("a query", "is")
    return (
        f"“A noisy head cannot do better.” The query is fragile, not the head: {query} with "
        f"components {listed} along the means {'want' if several else 'wants'} the same keys, and "
        f"{are} blind to the noise. The variance at {growth.name} = {short(growth.size)} falls "
        f"from {short(weight_variance(setting) or 0.0)} to {short(blind.variance)} (orthonormal "
        "values)."
    )


def _order_of_limits(setting: Setting, growth: Growth) -> str:
    """Small noise is small against the size of the query, or not at all."""
    kept = small_noise(setting, growth)
    if kept is None:
        return ""
    far, before, after = kept.far, kept.before, kept.after
    return (
        f"Growing {growth.name} without looking at the small noise. With the noise of the instance "
        f"the variance is {number(before, 3)} at {growth.name} = {short(growth.size)} and "
        f"{number(after, 3)} at {growth.name} = {short(far)}: the noise must be small against "
        f"1/{growth.name}²."
    )
