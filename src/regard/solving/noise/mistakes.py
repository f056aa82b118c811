"""What is often got wrong about random keys, each with the number that shows it."""

from __future__ import annotations

import math

import numpy as np

from regard.report import number, vector
from regard.solving.noise.answer import Found
from regard.solving.noise.correlation import correlations
from regard.solving.noise.finite import OneNoise, one_noise, output_law, steered
from regard.solving.noise.setting import Setting, read
from regard.solving.noise.variances import (
    kept_variance,
    limit_variance,
    settled,
    total_variance,
)
from regard.solving.noise.words import subscript

MANY = 1000  # keys
NEAR = 0.1  # of a weight


def mistakes(found: Found) -> tuple[str, ...]:
    """The mistakes that this problem invites."""
    setting = found.setting
    moved = one_noise(setting, setting.queries())
    out: list[str] = []
    if moved is None:
        return tuple(_without_effect(found) + _order_of_limits(found))
    name = _name(setting, moved.key)
    if setting.heads == 1:
        out += _mean_is_not_typical(found, moved, name)
        out += _variance_or_deviation(setting, moved, name)
        out += _forgotten_keys(setting, moved, name)
        out += _doomed(found)
    else:
        out += _queries_differ(found)
        out += _negative(found, moved, name)
        out += _averaging(found, moved, name)
        out += _doomed(found)
    return tuple(out + _order_of_limits(found))


def _name(setting: Setting, row: int) -> str:
    by_row = {place: name for name, place in setting.given.names.items()}
    return subscript(by_row.get(row, str(row + 1)))


def _size(setting: Setting) -> str:
    growth = setting.growth
    return "" if growth is None else f" at {growth.name} = {number(growth.size)}"


def _mean_is_not_typical(found: Found, moved: OneNoise, name: str) -> list[str]:
    near = moved.near(0, NEAR)
    m, _ = moved.logit(0)
    middle = 1 / (1 + math.exp(-m))
    others = np.sort(np.delete(moved.means[0], moved.key))
    pair = OneNoise(0, np.array([[moved.means[0, moved.key], others[-1]]]), moved.line)
    return [
        "“The output is the average, give or take.” Its mean is near the average, samples are "
        f"not: the weight on $v_{{{name}}}$ is within {NEAR} of {number(middle, 3)} in "
        f"{100 * near:.4g} % of samples{_size(found.setting)}, and in "
        f"{100 * pair.near(0, NEAR):.4g} % if there were only the two keys."
    ]


def _variance_or_deviation(setting: Setting, moved: OneNoise, name: str) -> list[str]:
    mean, slope = float(moved.means[0, moved.key]), abs(float(moved.line[0]))
    if mean <= 0:
        return []
    spread = slope / mean
    if abs(spread - 1) < 1e-9 or spread**2 > 4:
        return []
    below = 0.5 * math.erfc(1 / (math.sqrt(2) * spread))
    right, wrong = (math.erf(0.5 / (math.sqrt(2) * s)) for s in (spread, spread**2))
    return [
        f"Reading the variance as a standard deviation. The length of $k_{{{name}}}$ along the "
        f"query has variance {number(spread**2)} and standard deviation {number(spread, 4)} (in "
        f"units of its mean), so it is between 0.5 and 1.5 with probability {right:.4f}, not "
        f"{wrong:.4f}; it is below 0 with probability {below:.4f}."
    ]


def _forgotten_keys(setting: Setting, moved: OneNoise, name: str) -> list[str]:
    scores = moved.means[0]
    rest = [i for i in range(len(scores)) if i not in setting.given.names.values()]
    growth = setting.growth
    if not rest or np.ptp(scores[rest]) > 1e-9 or growth is None:
        return []
    size = min(abs(growth.size), 5.0)
    s = one_noise(setting, setting.queries(growth.sign * size))
    if s is None:
        return []
    at = s.means[0]
    named = [i for i in range(len(at)) if i not in rest]
    all_of_them = float(np.sum(np.exp(at[named])))
    wide = all_of_them + (MANY - len(named)) * math.exp(float(at[rest[0]]))
    own = math.exp(float(at[s.key]))
    return [
        f"Leaving the other keys out of the denominator. With {MANY} keys and {growth.name} = "
        f"{number(size)} the weight on $v_{{{name}}}$, for keys at their means, is "
        f"{own / wide:.4f} and not {own / all_of_them:.4g}: {growth.name} must be large against "
        f"ln n = {math.log(MANY):.3g}."
    ]


def _doomed(found: Found) -> list[str]:
    """One head is not fragile as such: a query that does not see the noise does the same."""
    setting = found.setting
    growth = setting.growth
    queries = setting.queries()
    other = steered(setting, queries)
    if other is None or growth is None or np.array_equal(other, queries):
        return []
    law = output_law(setting, other, np.eye(setting.given.n))
    h = int(np.argmax(np.any(other != queries, axis=1)))
    shape = "a query" if setting.heads == 1 else f"a $q_{h + 1}$"
    return [
        f"“{'A single head' if setting.heads == 1 else 'The noisy head'} cannot do better.” The "
        f"query is fragile, not the head: {shape} with components "
        f"{vector(np.round(np.linalg.lstsq(setting.means.T, other[h], rcond=None)[0], 12))} along "
        "the means wants the same keys, and is blind to the noise. The variance"
        f"{_size(setting)} falls from {number(total_variance(setting))} to {number(settled(law))} "
        "(orthonormal values)."
    ]


def limit_shares(setting: Setting) -> np.ndarray:
    """The weights in the limit if keys are at their means."""
    growth = setting.growth
    directions = setting.queries() if growth is None else growth.directions
    scores = directions @ setting.means.T
    top = np.max(scores, axis=1, keepdims=True)
    first = top - scores <= 1e-9 * np.maximum(1.0, np.abs(top))
    return np.asarray(np.mean(first / np.sum(first, axis=1, keepdims=True), axis=0))


def _queries_differ(found: Found) -> list[str]:
    shared, tilted = correlations()
    why = (
        r"Here they are independent because $q_h^\top \Sigma_i q_g = 0$ for every key $i$"
        if found.independent
        else r"Here they are not: $q_h^\top \Sigma_i q_g$ is not 0 for every key $i$"
    )
    return [
        f"“The heads are independent because their queries differ.” {why}. With "
        r"$\Sigma_a = \tfrac{1}{4} (\mu_a + \mu_b)(\mu_a + \mu_b)^\top$ and the different queries "
        rf"$3 \mu_a$ and $3 \mu_b$ the weights on $v_a$ have correlation {shared:.5f}; with noise "
        "of standard deviation 0.3 in all directions and queries (3, 0, 0) and (2, 3, 0) those on "
        f"$v_1$ and $v_2$ have {tilted:.4f}."
    ]


def _negative(found: Found, moved: OneNoise, name: str) -> list[str]:
    low, high = moved.allowed()
    left_out = 0.5 * (math.erfc(-low / math.sqrt(2)) + math.erfc(high / math.sqrt(2)))
    if math.isinf(low):
        left_out = 0.5 * math.erfc(high / math.sqrt(2))
    elif math.isinf(high):
        left_out = 0.5 * math.erfc(-low / math.sqrt(2))
    whole, rest = limit_variance(found.setting), limit_variance(found.setting, ignore_negative=True)
    if whole is None or rest is None:
        return []
    return [
        f"Forgetting that a normal length can be negative. The score of $k_{{{name}}}$ is below 0 "
        f"with probability {left_out:.6f}, and then the head averages all other values instead. In "
        f"the limit all of the variance comes from there: {number(whole)} with these cases and "
        f"{number(rest)} without (orthonormal values)."
    ]


def _averaging(found: Found, moved: OneNoise, name: str) -> list[str]:
    setting = found.setting
    growth = setting.growth
    if growth is None:
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
            f". It falls slowly: the variance of the weight{_size(setting)} is {exact:.6f}, with "
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


def _without_effect(found: Found) -> list[str]:
    """A key that varies a lot, and no head looks along it."""
    setting = found.setting
    q = setting.queries()
    if np.any(np.einsum("hd,nde,he->hn", q, setting.covariances, q) > 1e-12):
        return []
    large = np.einsum("nii->n", setting.covariances)
    key = int(np.argmax(large))
    if large[key] <= 0:
        return []
    name = _name(setting, key)
    own = setting.means[key]
    shares = limit_shares(setting)
    hit = int(np.argmax(shares))
    out = [
        f"“Noise in a key makes the output noisy.” $k_{{{name}}}$ varies along a direction that is "
        f"at right angles to the query: its score is exactly {number(float(np.max(q @ own)))} in "
        f"every sample, and the variance is {number(total_variance(setting))}."
    ]
    moved = setting.covariances.copy()
    along = setting.means[hit]
    moved[hit] = float(large[key]) * np.outer(along, along)
    law = output_law(
        Setting(
            setting.given,
            type(setting.instance)(setting.means, setting.values, moved, {}),
            setting.numbers,
            setting.late,
            setting.growth,
        ),
        q,
        np.eye(setting.given.n),
    )
    out.append(
        "Not asking which key it is. The same noise along the mean of "
        f"$k_{{{_name(setting, hit)}}}$, which the query looks at, gives the variance "
        f"{number(float(law.variance))}{_size(setting)} (orthonormal values)."
    )
    return out


def _order_of_limits(found: Found) -> list[str]:
    """Small noise is small against the size of the query, or not at all."""
    setting = found.setting
    growth = setting.growth
    actual = read(setting.given, limits=False)
    small = np.abs(actual.covariances - setting.covariances)
    if growth is None or setting.heads > 1 or not np.any(small) or setting.late:
        return []
    if one_noise(setting, setting.queries()) is not None:
        return []
    far = growth.sign * 3000.0 / max(1.0, float(np.max(np.abs(growth.directions))))
    sizes = [growth.size, far]
    before, after = (total_variance(actual, size) for size in sizes)
    return [
        f"Growing {growth.name} without looking at the small noise. With the noise of the instance "
        f"the variance is {number(before, 3)} at {growth.name} = {number(sizes[0])} and "
        f"{number(after, 3)} at {growth.name} = {number(sizes[1], 4)}: the noise must be small "
        f"against 1/{growth.name}²."
    ]
