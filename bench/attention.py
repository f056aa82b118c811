"""Compare the speed of `regard.attention` with naive NumPy and with torch, in one run.

See bench/README.md for how to read the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch.nn.functional import scaled_dot_product_attention

import regard
from regard.core.kernels import threads

ROUNDS = 7

# batch, heads, n_q, n_k, d, dtype, rules
ROWS: list[tuple[int, int, int, int, int, str, dict[str, Any]]] = [
    (1, 8, 512, 512, 64, "float32", {}),
    (1, 8, 2048, 2048, 64, "float32", {}),
    (4, 12, 128, 128, 64, "float32", {}),
    (1, 1, 4096, 4096, 128, "float32", {}),
    (1, 8, 2048, 2048, 64, "float32", {"is_causal": True}),
    (1, 8, 1, 65536, 64, "float32", {}),
    (20000, 1, 8, 8, 16, "float32", {}),
    (1, 8, 1024, 1024, 64, "float64", {}),
]


def naive(query: Any, key: Any, value: Any, is_causal: bool = False) -> Any:
    scores = query @ key.swapaxes(-1, -2) * query.dtype.type(query.shape[-1] ** -0.5)
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ value


def best_times(sides: list[Callable[[], Any]]) -> list[float]:
    """Time the sides in turns, so that a busy moment hits all of them, and keep the minima."""
    best = [float("inf")] * len(sides)
    for _ in range(ROUNDS):
        for i, side in enumerate(sides):
            start = time.perf_counter()
            side()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def main() -> None:
    torch.set_num_threads(threads.available())
    rng = np.random.default_rng(0)
    table = Table(title=f"time of the other / time of regard, {threads.available()} threads")
    table.add_column("batch, heads, n_q, n_k, d", no_wrap=True)
    for column in ("naive NumPy", "torch", "error", "torch's"):
        table.add_column(column, justify="right")
    for batch, heads, n_q, n_k, d, dtype, rules in ROWS:
        query, key, value = (
            rng.standard_normal((batch, heads, n, d)).astype(dtype) for n in (n_q, n_k, n_k)
        )
        tensors = [torch.from_numpy(x) for x in (query, key, value)]

        def by_regard(q=query, k=key, v=value, r=rules) -> Any:
            return regard.attention(q, k, v, **r)

        def by_numpy(q=query, k=key, v=value, r=rules) -> Any:
            return naive(q, k, v, **r)

        def by_torch(t=tensors, r=rules) -> Any:
            return scaled_dot_product_attention(*t, **r)

        ours, numpy, peer = best_times([by_regard, by_numpy, by_torch])
        first = [x[:1, :1].astype(np.float64) for x in (query, key, value)]
        exact = naive(*first, **rules)
        errors = [np.abs(side[:1, :1] - exact).max() for side in (by_regard(), by_torch().numpy())]
        words = " ".join(name for name, rule in rules.items() if rule)
        table.add_row(
            f"{batch}, {heads}, {n_q}, {n_k}, {d} {dtype} {words}",
            f"{numpy / ours:.2f}",
            f"{peer / ours:.2f}",
            *(f"{error:.1e}" for error in errors),
        )
    Console().print(table)


if __name__ == "__main__":
    main()
