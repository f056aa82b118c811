"""A head that looks at positions alone, as a convolution, against attention of the same length.

Every number is a ratio of times in one process: the sides take turns, and the fastest turn
of each counts. Both sides are given the same values, float32 or float64; regard computes in
float64 and says how far each row may be off.

    python bench/positions.py [n]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import torch

import regard
from regard.core.convolution import positional_attention
from regard.core.kernels.threads import available

D_MODEL, D_V = 64, 64
TURNS, CALLS = 2, 5  # of torch, and of regard in each turn
CHECKED = 48  # rows whose error is measured
SHARP, ANY = 200, 12


def kernel(n: int, steps: int, scale: float, blocks: slice) -> np.ndarray:
    """Return scale · Σ_i cos ω_i (δ - steps) for δ = 1 - n, ..., n - 1."""
    turns = regard.sinusoidal(2 * n - 1, D_MODEL, start=1 - n - steps)[:, 1::2]
    return scale * turns[:, blocks].sum(axis=1)


def sharp_scale(n: int, steps: int, blocks: slice) -> float:
    """Return the smallest scale that puts 0.99 of the weight on one shift of all."""
    scores = kernel(n, steps, 1.0, blocks)
    scores -= scores.max()
    low, high = 0.0, 1e4
    for _ in range(50):
        middle = (low + high) / 2
        enough = np.exp(middle * scores).sum() <= 1 / 0.99
        low, high = (low, middle) if enough else (middle, high)
    return high


Head = tuple[str, np.ndarray, Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], int]


def heads(n: int) -> list[Head]:
    """Return of several heads: name, scores, how to apply it, and the ratio that is wanted."""
    every = slice(None)
    delta = np.arange(1 - n, n)
    found: list[Head] = []
    for d_model in (8, 12, 16, 64, 256):
        for steps in (1, 1000, -1000):
            design = regard.design.offset(steps, d_model, n=n, tolerance=1e-2)
            scores = design.scale * design.kernel(delta)
            name = f"design.offset({steps}, {d_model}).apply"
            found.append((name, scores, design.apply_with_bound, SHARP))

    def add(name: str, scores: np.ndarray, wanted: int) -> None:
        found.append((name, scores, lambda values: positional_attention(scores, values), wanted))

    for steps in (1, 1000, -1000):
        add(f"0.99 on {steps} back", kernel(n, steps, sharp_scale(n, steps, every), every), SHARP)
    for steps, scale in ((1000, 1.0), (-1000, 0.3), (1000, 0.01)):
        add(f"{steps} back, scale {scale}", kernel(n, steps, scale, every), ANY)
    few = slice(0, None, 4)
    scores = kernel(n, 1000, sharp_scale(n, 1000, few), few)
    add("0.99 on 1000 back, 8 blocks", scores, ANY)
    window = np.where(np.abs(delta - 1000) <= 100, 0.0, -1e4)
    add("1000 ± 100 back, nothing else", window, ANY)
    add("all alike", np.zeros(2 * n - 1), ANY)
    return found


def worst(head: Head, values: np.ndarray) -> tuple[float, float]:
    """Return the largest error of some rows, and the largest error / bound of any of them."""
    n, (_, scores, apply, _) = len(values), head
    output, bound = apply(values)
    rng = np.random.default_rng(1)
    rows = np.unique([0, 1, n - 1, *rng.integers(0, min(n, 1100), CHECKED // 3),
                      *rng.integers(max(0, n - 1100), n, CHECKED // 3),
                      *rng.integers(0, n, CHECKED // 3)])  # fmt: skip
    error, share = 0.0, 0.0
    for t in rows:
        seen = scores[t : t + n][::-1].astype(np.longdouble)
        weights = np.exp(seen - seen.max())
        exact = weights @ values.astype(np.longdouble) / weights.sum()
        off = float(np.abs(output[t] - exact).max())
        error, share = max(error, off), max(share, off / float(bound[t]))
    return error, share


def timed(call: Callable[[], object]) -> float:
    time.sleep(0.05)  # threads of the other side spin for a while after a call
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(tested: list[Head], values: np.ndarray) -> None:
    """Print the ratios for these values."""
    n, value = len(values), torch.from_numpy(values)[None, None]
    query, key = (
        torch.from_numpy(regard.sinusoidal(n, D_MODEL, start=start)).to(value.dtype)[None, None]
        for start in (-1000, 0)
    )
    theirs, ours = float("inf"), [float("inf")] * len(tested)
    for _ in range(TURNS):
        theirs = min(theirs, timed(lambda: torch.nn.functional.scaled_dot_product_attention(
            query, key, value, scale=1.0)))  # fmt: skip
        for i, (_, _, apply, _) in enumerate(tested):
            for _ in range(CALLS):
                ours[i] = min(ours[i], timed(lambda apply=apply: apply(values)))
    print(f"{values.dtype}, n = {n}, d_v = {D_V}: time of torch / time of regard")
    for head, best in zip(tested, ours, strict=True):
        name, *_, wanted = head
        error, share = worst(head, values)
        print(f"  {name:30} {theirs / best:7.0f} (wanted: {wanted:3})   error {error:.0e}, "
              f"{share:.0%} of its bound at most")  # fmt: skip


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 65536
    torch.set_num_threads(available())
    values, tested = np.random.default_rng(0).standard_normal((n, D_V)), heads(n)
    for dtype in (np.float32, np.float64):
        compare(tested, values.astype(dtype))


if __name__ == "__main__":
    main()
