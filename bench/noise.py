"""The exact law of an output under key noise, against simulations written with NumPy.

Every number is a ratio of times in one process, the fastest of several turns.

    python bench/noise.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import regard

SAMPLES = 100_000
KEYS, WIDTH, VALUES = 16, 64, 8


def fastest(call: Callable[[], object], times: int) -> float:
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
        time.sleep(0.05)  # threads of BLAS spin for a while after a call
    return best


def moments(scores: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    outputs = (powers / np.sum(powers, axis=1, keepdims=True)) @ values
    return np.mean(outputs, axis=0), np.cov(outputs.T)


def one_head() -> None:
    rng = np.random.default_rng(0)
    query = rng.standard_normal(WIDTH) / 2
    means = rng.standard_normal((KEYS, WIDTH))
    factors = rng.standard_normal((KEYS, WIDTH, WIDTH)) / 12
    covariances = factors @ np.swapaxes(factors, 1, 2)
    values = rng.standard_normal((KEYS, VALUES))
    deviations = np.sqrt(np.einsum("d,nde,e->n", query, covariances, query))

    def exactly() -> regard.analysis.OutputLaw:
        return regard.analysis.key_noise(query, means, covariances, values, method="exact")

    def keys_drawn() -> tuple[np.ndarray, np.ndarray]:
        noise = rng.standard_normal((KEYS, SAMPLES, WIDTH)) @ np.swapaxes(factors, 1, 2)
        return moments(((noise + means[:, None]) @ query).T, values)

    def scores_drawn() -> tuple[np.ndarray, np.ndarray]:
        noise = deviations * rng.standard_normal((SAMPLES, KEYS))
        return moments(means @ query + noise, values)

    law = exactly()
    ours = fastest(exactly, 20)
    slow, quick = fastest(keys_drawn, 2), fastest(scores_drawn, 5)
    mean, _ = scores_drawn()
    off = float(np.max(np.abs(mean - law.mean)))
    print(f"n = {KEYS}, d = {WIDTH}, one head, error at most {law.error:.0e}")
    print(f"  simulation of {SAMPLES} keys     {slow / ours:9.0f} times as long (wanted: 100)")
    print(f"  simulation of {SAMPLES} scores   {quick / ours:9.0f} times as long (wanted: 10)")
    print(f"  and that simulation's mean is off by {off:.0e}")


def many_problems() -> None:
    rng = np.random.default_rng(0)
    count = 10_000
    queries = rng.standard_normal((count, 1, 3))
    means = rng.standard_normal((count, 2, 3))
    covariances = np.broadcast_to(0.3 * np.eye(3), (2, 3, 3))
    values = rng.standard_normal((2, 2))
    table = rng.standard_normal((count, 145))

    def laws() -> object:
        return regard.analysis.key_noise(queries, means, covariances, values)

    laws()
    ratio = fastest(laws, 10) / fastest(lambda: np.exp(table), 10)
    print(f"{count} problems of two keys in one call")
    print(f"  {ratio:.1f} times as long as np.exp of ({count}, 145) numbers (wanted: at most 25)")


if __name__ == "__main__":
    one_head()
    many_problems()
