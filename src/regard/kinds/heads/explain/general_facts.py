"""Numbers about heads that do not depend on the instance: limits, sharing, null steering."""

from __future__ import annotations

from functools import cache

import numpy as np

from regard.analysis import key_noise
from regard.problems.instances import Float64
from regard.report import Table, number
from regard.solving.random_keys import RandomKeys


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
    return _balanced(), _sharing_table()


def _balanced() -> Table:
    """Four targets with noise alike, two heads, the limit of a large scale."""
    m, means = 4, np.eye(4)
    noise = np.broadcast_to(0.01 * means, (m, m, m))
    rows = []
    for name, sizes in (("2 and 2", (2, 2)), ("3 and 1", (3, 1)), ("all 4 in one head", (4,))):
        total = 0.0
        for group in np.split(means, np.cumsum(sizes)[:-1]):
            query, share = np.sum(group, axis=0), len(group) / m
            law = key_noise(query, means, noise, means, method="limit", rng=0)
            total += share**2 * float(law.variance)
        formula = (sum(g * g for g in sizes) - m) / m**2
        rows.append((name, number(round(total, 9)), number(formula)))
    columns = ("targets per head", "variance", r"$(\sum_h g_h^2 - m)/m^2$")
    return Table(columns, tuple(rows), "four targets, two heads: balanced groups are best")


def _sharing_table() -> Table:
    """Three targets, two heads, only the first target noisy."""
    n, C = 6, 8.0
    noise = np.zeros((n, n, n))
    noise[0, 0, 0] = 0.5
    cases = (
        ("a; b and c", [[0], [1, 2]]),
        ("a and b; c", [[0, 1], [2]]),
        ("all in one head", [[0, 1, 2]]),
    )
    wanted = np.array([1, 1, 1, 0, 0, 0]) / 3
    rows = []
    for name, groups in cases:
        queries = C * np.array([np.sum(np.eye(n)[group], axis=0) for group in groups])
        shares = np.array([len(group) / 3 for group in groups])
        rows.append((name, number(_error(queries, noise, wanted, shares), 4)))
    caption = "three targets of which only a is noisy: it should have a head to itself"
    return Table(("heads", "error"), tuple(rows), caption)


@cache
def null_steering() -> Table:
    """Queries that look away from the other keys, where key a varies along its own mean."""
    n, alpha, C = 5, 1e-3, 6.0
    means = np.eye(n)
    noise = np.array([alpha * means] * n)
    noise[0] += np.outer(means[0], means[0]) / 2
    a, b = C * means[:2]
    away_a, away_b = C * (means[:2] - np.sum(means, axis=0))
    cases = (
        (r"one head, $C(\mu_a + \mu_b)$", [a + b]),
        (r"one head, $-C \sum_{i \ne a,b} \mu_i$", [-C * np.sum(means[2:], axis=0)]),
        (r"two heads, $C\mu_a$ and $C\mu_b$", [a, b]),
        (r"two heads, $-C \sum_{i \ne a} \mu_i$ and $C\mu_b$", [away_a, b]),
        (r"two heads, $-C \sum_{i \ne a} \mu_i$ and $-C \sum_{i \ne b} \mu_i$", [away_a, away_b]),
    )
    wanted = np.array([0.5, 0.5, 0, 0, 0])
    rows = tuple(
        (name, number(_error(np.array(queries), noise, wanted), 3)) for name, queries in cases
    )
    caption = (
        r"null steering: with noise $\alpha I + \frac{1}{2} \mu_a \mu_a^\top$ of key a, a query "
        "that looks away from the other keys does not see it (5 keys, variance 0.001, factor 6)"
    )
    return Table(("queries", "error"), rows, caption)


def _error(
    queries: Float64, noise: Float64, wanted: Float64, shares: Float64 | None = None
) -> float:
    """Return √E ‖c − c*‖² over keys with unit vectors for means and values."""
    keys = RandomKeys(np.eye(len(noise)), noise, np.eye(len(noise)), 1.0)
    return float(keys.off_and_variance(queries, wanted, shares)[0])
