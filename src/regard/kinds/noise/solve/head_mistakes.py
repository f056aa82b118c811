"""What is often got wrong about several heads over random keys, in numbers."""

from __future__ import annotations

import math

import numpy as np

from regard.kinds.noise.solve.answer import Found
from regard.kinds.noise.solve.correlation import correlations
from regard.kinds.noise.solve.finite import OneNoise, one_noise
from regard.kinds.noise.solve.setting import Setting
from regard.kinds.noise.solve.variances import kept_variance, limit_variance, total_variance
from regard.kinds.noise.solve.words import subscript
from regard.report import number


def name_of(setting: Setting, row: int) -> str:
    """What the key in a row is called in LaTeX."""
    by_row = {place: name for name, place in setting.given.names.items()}
    return subscript(by_row.get(row, str(row + 1)))


def at_size(setting: Setting) -> str:
    """For which size of the query numbers are given."""
    growth = setting.growth
    return "" if growth is None else f" at {growth.name} = {number(growth.size)}"


def queries_differ(found: Found) -> list[str]:
    """Queries that differ do not make heads independent; equal ones do not average noise."""
    setting = found.setting
    queries = setting.queries()
    if np.all(queries == queries[0]):
        one = total_variance(setting)
        return [
            f"“Averaging {setting.heads} heads averages the noise away.” All heads have the same "
            "query, see the same keys and put out the same: the variance"
            f"{at_size(setting)} is {number(one)}, that of a single head (orthonormal values)."
        ]
    if len(np.unique(queries, axis=0)) < len(queries):
        return []
    shared, tilted = correlations()
    why = (
        r"Here they are independent because $q_h^\top \Sigma_i q_g = 0$ for every key $i$"
        if found.independent
        else r"Here they are not: $q_h^\top \Sigma_i q_g \ne 0$ for some key $i$"
    )
    return [
        f"“The heads are independent because their queries differ.” {why}. With "
        r"$\Sigma_a = \tfrac{1}{4} (\mu_a + \mu_b)(\mu_a + \mu_b)^\top$ and the different queries "
        rf"$3 \mu_a$ and $3 \mu_b$ the weights on $v_a$ have correlation {shared:.5f}; with noise "
        "of standard deviation 0.3 in all directions and queries (3, 0, 0) and (2, 3, 0) those on "
        f"$v_1$ and $v_2$ have {tilted:.4f}."
    ]


def negative(found: Found, moved: OneNoise, name: str) -> list[str]:
    """A normal length may be below 0."""
    seen = moved.line != 0
    if np.any(moved.means[seen, moved.key] <= 0):  # then its score is as often below 0 as not
        return []
    low, high = moved.allowed()
    left_out = 0.5 * (math.erfc(-low / math.sqrt(2)) + math.erfc(high / math.sqrt(2)))
    if math.isinf(low):
        left_out = 0.5 * math.erfc(high / math.sqrt(2))
    elif math.isinf(high):
        left_out = 0.5 * math.erfc(-low / math.sqrt(2))
    whole, rest = limit_variance(found.setting), limit_variance(found.setting, ignore_negative=True)
    if whole is None or rest is None or rest >= whole:
        return []
    share = "all" if rest <= 1e-12 * whole else "much"
    return [
        f"Forgetting that a normal length can be negative. The score of $k_{{{name}}}$ is below 0 "
        f"with probability {left_out:.6f}, and then the head averages all other values instead. In "
        f"the limit {share} of the variance comes from there: {number(whole)} with these cases and "
        f"{number(rest)} without (orthonormal values)."
    ]


def averaging(found: Found, moved: OneNoise, name: str) -> list[str]:
    """Where one head of several is noisy, the scale helps more than the average."""
    setting = found.setting
    growth = setting.growth
    if growth is None or np.count_nonzero(moved.line) != 1:
        return []
    h = int(np.argmax(np.abs(moved.line)))
    spreads = []
    for size in (1.0, 10.0, 50.0):
        law = one_noise(setting, setting.queries(growth.sign * size))
        if law is None:
            return []
        mixing = np.zeros((setting.heads, setting.given.n, 1))
        mixing[h, moved.key] = 1.0
        spreads.append((size, math.sqrt(float(law.moments(mixing, *law.allowed())[1][0, 0]))))
    text = ", ".join(f"{s:.3f} at {growth.name} = {number(c)}" for c, s in spreads)
    kept = kept_variance(setting)
    out = (
        f"“Averaging is what reduces the variance.” Averaging {setting.heads} heads only divides "
        f"the variance of one noisy head by {setting.heads**2}. What helps is the scale: if "
        f"nothing is negative, the head stays with $v_{{{name}}}$, and the standard deviation of "
        f"that weight is {text}"
    )
    leading = _leading(setting, moved, h)
    if kept is not None and leading is not None:
        exact, term = leading
        out += (
            f". It falls slowly: the variance of the weight{at_size(setting)} is {exact:.6f}, with "
            f"leading term {term:.6f}, proportional to 1/{growth.name}"
        )
    return [out + "."]


def _leading(setting: Setting, moved: OneNoise, h: int) -> tuple[float, float] | None:
    """Var of the weight given a score ≥ 0, exactly and to leading order.

    With m = n - 1 others at score 0, 1 - α is m/(e^s + m), and the density of s at 0 times
    ∫ (m/(e^s + m))² ds = ln n - 1 + 1/n over s > 0 is what is left of the variance.
    """
    others = np.delete(moved.means[h], moved.key)
    mean, slope = float(moved.means[h, moved.key]), float(moved.line[h])
    if np.max(np.abs(others)) > 1e-9 or slope <= 0 or mean <= 0:
        return None
    n = setting.given.n
    mixing = np.zeros((setting.heads, n, 1))
    mixing[h, moved.key] = 1.0
    exact = float(moved.moments(mixing, *moved.allowed())[1][0, 0])
    z = mean / slope
    density = math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) / slope
    kept = 0.5 * math.erfc(-z / math.sqrt(2))
    return exact, density * (math.log(n) - 1 + 1 / n) / kept
