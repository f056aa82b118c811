"""What is often got wrong about random keys, each with the number that shows it."""

from __future__ import annotations

import math

import numpy as np

from regard.kinds.noise.solve.answer import Found
from regard.kinds.noise.solve.finite import OneNoise, one_noise, output_law, steered
from regard.kinds.noise.solve.head_mistakes import (
    at_size,
    averaging,
    name_of,
    negative,
    queries_differ,
)
from regard.kinds.noise.solve.setting import Setting, read
from regard.kinds.noise.solve.variances import settled, total_variance
from regard.report import number, vector

MANY = 1000  # keys
NEAR = 0.1  # of a weight
SPLIT = 0.05  # a weight between this and 1 − this is shared
TYPICAL = 0.99  # of samples


def mistakes(found: Found) -> tuple[str, ...]:
    """The mistakes that this problem invites."""
    setting = found.setting
    moved = one_noise(setting, setting.queries())
    out: list[str] = []
    if moved is None:
        return tuple(_without_effect(found) + _order_of_limits(found))
    name = name_of(setting, moved.key)
    if setting.heads == 1:
        out += _mean_is_not_typical(found, moved, name)
        out += _variance_or_deviation(setting, moved, name)
        out += _forgotten_keys(setting, moved, name)
        out += _doomed(found)
    else:
        out += queries_differ(found)
        out += negative(found, moved, name)
        out += averaging(found, moved, name)
        out += _doomed(found)
    return tuple(out + _order_of_limits(found))


def _mean_is_not_typical(found: Found, moved: OneNoise, name: str) -> list[str]:
    near = moved.near(0, NEAR)
    m, _ = moved.logit(0)
    middle = 1 / (1 + math.exp(-m))
    if middle > 1 - SPLIT and near < TYPICAL:
        return [
            f"“The weight on $v_{{{name}}}$ is 1, give or take.” It is for keys at their means; "
            f"but the score varies in proportion to the query: the weight is within {NEAR} of "
            f"{number(middle, 3)} in only {100 * near:.4g} % of samples{at_size(found.setting)}."
        ]
    if not SPLIT <= middle <= 1 - SPLIT or near > 0.5:
        return []
    others = np.sort(np.delete(moved.means[0], moved.key))
    pair = OneNoise(0, np.array([[moved.means[0, moved.key], others[-1]]]), moved.line)
    return [
        "“The output is the average, give or take.” Its mean is near the average, samples are "
        f"not: the weight on $v_{{{name}}}$ is within {NEAR} of {number(middle, 3)} in "
        f"{100 * near:.4g} % of samples{at_size(found.setting)}, and in "
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
    if at[s.key] < np.max(at) - 1e-9:  # a larger query makes its weight smaller still
        return []
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
    changed = np.any(other != queries, axis=1)
    parts = np.linalg.lstsq(setting.means.T, other[changed].T, rcond=None)[0].T
    listed = " and ".join(dict.fromkeys(vector(np.round(part, 12)) for part in parts))
    if setting.heads == 1:
        who, shape = "A single head", "a query"
    elif np.count_nonzero(changed) == 1:
        who, shape = "The noisy head", f"a $q_{int(np.argmax(changed)) + 1}$"
    else:
        who, shape = "Noisy heads", "queries"
    several = shape == "queries"
    return [
        f"“{who} cannot do better.” The query is fragile, not the head: {shape} with components "
        f"{listed} along the means {'want' if several else 'wants'} the same keys, and "
        f"{'are' if several else 'is'} blind to the noise. The variance{at_size(setting)} falls "
        f"from {number(total_variance(setting))} to {number(settled(law))} (orthonormal values)."
    ]


def limit_shares(setting: Setting) -> np.ndarray:
    """The weights in the limit if keys are at their means."""
    growth = setting.growth
    directions = setting.queries() if growth is None else growth.directions
    scores = directions @ setting.means.T
    top = np.max(scores, axis=1, keepdims=True)
    first = top - scores <= 1e-9 * np.maximum(1.0, np.abs(top))
    return np.asarray(np.mean(first / np.sum(first, axis=1, keepdims=True), axis=0))


def _without_effect(found: Found) -> list[str]:
    """A key that varies a lot, and no head looks along it."""
    setting = found.setting
    q = setting.queries()
    seen = np.any(np.einsum("hd,nde,he->hn", q, setting.covariances, q) > 1e-12)
    if seen or not np.any(q):  # a query of 0 looks at nothing
        return []
    large = np.einsum("nii->n", setting.covariances)
    key = int(np.argmax(large))
    if large[key] <= 0:
        return []
    name = name_of(setting, key)
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
    if float(law.variance) <= 1e-9:
        return out
    out.append(
        "Not asking which key it is. The same noise along the mean of "
        f"$k_{{{name_of(setting, hit)}}}$, which the query looks at, gives the variance "
        f"{number(float(law.variance))}{at_size(setting)} (orthonormal values)."
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
    if after <= 1.5 * total_variance(setting, far):
        return []  # what varies is the noise that stays
    return [
        f"Growing {growth.name} without looking at the small noise. With the noise of the instance "
        f"the variance is {number(before, 3)} at {growth.name} = {number(sizes[0])} and "
        f"{number(after, 3)} at {growth.name} = {number(sizes[1], 4)}: the noise must be small "
        f"against 1/{growth.name}²."
    ]
