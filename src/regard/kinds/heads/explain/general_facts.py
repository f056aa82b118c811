"""Numbers about heads that do not depend on the instance: limits, sharing, null steering."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from regard.analysis import key_noise
from regard.report import Table, number
from regard.solving.random_keys import RandomKeys

Float64 = NDArray[np.float64]


def hardmax_limit(n: int, alpha: float) -> tuple[float, float]:
    """The probability that a head with one wanted key copies it at a large scale, and a bound.

    Of scores N(1, alpha) of the key and N(0, alpha) of n − 1 others the first must be the largest:
    ∫ φ(z) Φ(z + alpha^(−1/2))^(n−1) dz ≥ 1 − (n − 1) Φ(−1/√(2 alpha)).
    """
    from scipy.special import log_ndtr, ndtr  # imported where used: slow to load

    z = np.linspace(-14.0, 14.0, 2801)  # the trapezoidal rule is exact here to rounding
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    won = np.exp((n - 1) * log_ndtr(z + alpha**-0.5))
    success = float(np.sum(density * won) * (z[1] - z[0]))
    return min(success, 1.0), max(0.0, 1 - (n - 1) * float(ndtr(-1 / np.sqrt(2 * alpha))))


@cache
def allocations() -> tuple[Table, ...]:
    """How targets are shared among fewer heads than targets, if heads may count differently."""
    return _balanced(), _noisy()


def _balanced() -> Table:
    """Four targets with noise alike, two heads, the limit of a large scale."""
    m = 4
    means = np.eye(m)
    noise = np.broadcast_to(0.01 * np.eye(m), (m, m, m))
    rows = []
    for name, sizes in (("2 and 2", (2, 2)), ("3 and 1", (3, 1)), ("all 4 in one head", (4,))):
        starts = np.cumsum([0, *sizes])[:-1]
        groups = [range(a, a + g) for a, g in zip(starts, sizes, strict=True)]
        queries = np.array([np.sum(means[list(g)], axis=0) for g in groups])
        shares = np.array([g / m for g in sizes])
        total = 0.0
        for query, share in zip(queries, shares, strict=True):
            law = key_noise(query, means, noise, np.eye(m), method="limit", rng=0)
            total += share**2 * float(law.variance)
        formula = (sum(g * g for g in sizes) - m) / m**2
        rows.append((name, number(round(total, 9)), number(formula)))
    columns = ("targets per head", "variance", r"$(\sum_h g_h^2 - m)/m^2$")
    return Table(columns, tuple(rows), "four targets, two heads: balanced groups are best")


def _noisy() -> Table:
    """Three targets, two heads, only the first target noisy."""
    n, C = 6, 8.0
    means, noise = np.eye(n), np.zeros((n, n, n))
    noise[0, 0, 0] = 0.5
    wanted = np.zeros(n)
    wanted[:3] = 1 / 3
    rows = []
    cases: tuple[tuple[str, list[list[int]]], ...] = (
        ("a; b and c", [[0], [1, 2]]),
        ("a and b; c", [[0, 1], [2]]),
        ("all in one head", [[0, 1, 2]]),
    )
    for name, groups in cases:
        queries = np.array([C * np.sum(means[group], axis=0) for group in groups])
        shares = np.array([len(group) / 3 for group in groups])
        rows.append((name, number(_off(queries, means, noise, wanted, shares), 4)))
    return Table(
        ("heads", "error"),
        tuple(rows),
        "three targets of which only a is noisy: it should have a head to itself",
    )


@cache
def null_steering() -> Table:
    """Queries that look away from the other keys, where key a varies along its own mean."""
    n, alpha, C = 5, 1e-3, 6.0
    means = np.eye(n)
    noise = np.array([alpha * np.eye(n)] * n)
    noise[0] += np.outer(means[0], means[0]) / 2
    wanted = np.zeros(n)
    wanted[:2] = 0.5
    away_a, away_b = (C * (means[i] - np.sum(means, axis=0)) for i in (0, 1))
    cases = (
        (r"one head, $C(\mu_a + \mu_b)$", [C * (means[0] + means[1])]),
        (r"one head, $-C \sum_{i \ne a,b} \mu_i$", [-C * np.sum(means[2:], axis=0)]),
        (r"two heads, $C\mu_a$ and $C\mu_b$", [C * means[0], C * means[1]]),
        (r"two heads, $-C \sum_{i \ne a} \mu_i$ and $C\mu_b$", [away_a, C * means[1]]),
        (r"two heads, $-C \sum_{i \ne a} \mu_i$ and $-C \sum_{i \ne b} \mu_i$", [away_a, away_b]),
    )
    rows = tuple(
        (name, number(_off(np.array(queries), means, noise, wanted, None), 3))
        for name, queries in cases
    )
    caption = (
        r"null steering: with noise $\alpha I + \frac{1}{2} \mu_a \mu_a^\top$ of key a, a query "
        "that looks away from the other keys does not see it (5 keys, variance 0.001, factor 6)"
    )
    return Table(("queries", "error"), rows, caption)


def _off(
    queries: Float64, means: Float64, noise: Float64, wanted: Float64, shares: Float64 | None
) -> float:
    keys = RandomKeys(means, noise, np.eye(len(means)), 1.0)
    return float(keys.off_and_variance(queries, wanted, shares)[0])
