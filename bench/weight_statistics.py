"""Statistics of the weights: time beside `regard.attention`, and peak memory, against the matrix.

torch computes the same numbers from the matrix of weights; its fused and its flexible function (the
latter not compiled) give the lse alone.
Each side runs in a process of its own; the processes take turns, and the fastest call counts.
Memory is how far the peak rises in a call, beyond what is there before it, on Linux.

    python bench/weight_statistics.py           n = 4096
    python bench/weight_statistics.py 1024      another length
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from memory import kilobytes
from rich.console import Console
from rich.table import Table

import regard
from regard.core.kernels import threads

HEADS, D = 8, 64
ROUNDS, CALLS = 3, 3
ASKED: dict[str, Any] = {"top": 8, "offsets": (0, 1), "columns": (0,)}


def arrays(n: int) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal((1, HEADS, n, D)).astype(np.float32) for _ in range(3)]


def by_regard(function: str, **asked: Any) -> Callable[[int], Callable[[], Any]]:
    def make(n: int) -> Callable[[], Any]:
        query, key, value = arrays(n)
        if function == "attention":
            return lambda: regard.attention(query, key, value)
        return lambda: regard.attention_statistics(query, key, **asked)

    return make


def by_torch(*, everything: bool) -> Callable[[int], Callable[[], Any]]:
    def make(n: int) -> Callable[[], Any]:
        import torch

        torch.set_num_threads(threads.available())
        query, key, _ = map(torch.from_numpy, arrays(n))

        def run() -> Any:
            scores = query @ key.mT * D**-0.5
            weights = torch.softmax(scores, dim=-1)
            found = [torch.logsumexp(scores, dim=-1), torch.special.entr(weights).sum(-1)]
            found += [*weights.max(dim=-1)]
            if everything:
                found += [*torch.topk(weights, 8), weights[..., 0], weights.sum(dim=-2)]
                found += [torch.diagonal(weights, -T, dim1=-2, dim2=-1) for T in (0, 1)]
            return found

        return run

    return make


def by_fused_torch(n: int) -> Callable[[], Any]:
    import torch

    torch.set_num_threads(threads.available())
    query, key, value = map(torch.from_numpy, arrays(n))
    fused = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    return lambda: fused(query, key, value)[1]


def by_flex_attention(n: int) -> Callable[[], Any]:
    """Return torch's flexible attention as it is without a compiler: it builds the matrix."""
    import warnings

    import torch
    from torch.nn.attention.flex_attention import AuxRequest, flex_attention

    warnings.simplefilter("ignore")  # that it is not compiled
    torch.set_num_threads(threads.available())
    query, key, value = map(torch.from_numpy, arrays(n))
    asked = AuxRequest(lse=True)
    return lambda: flex_attention(query, key, value, return_aux=asked)[1]


SIDES: dict[str, Callable[[int], Callable[[], Any]]] = {
    "attention": by_regard("attention"),
    "statistics": by_regard("statistics"),
    "  and 8 largest, 2 offsets, 1 column": by_regard("statistics", **ASKED),
    "  and received": by_regard("statistics", received=True),
    "  and all of that": by_regard("statistics", received=True, **ASKED),
    "torch, from the matrix": by_torch(everything=False),
    "torch, all from the matrix": by_torch(everything=True),
    "torch, fused: lse alone": by_fused_torch,
    "torch, flex: lse alone": by_flex_attention,
}


def alone(name: str, n: int) -> None:
    """Print seconds and kilobytes of one side; run in a process of its own."""
    SIDES[name](256)()  # loads all it needs
    run = SIDES[name](n)
    ctypes.CDLL(None).malloc_trim(0)  # what was freed is not there to be used again
    with open("/proc/self/clear_refs", "w") as peak:  # forget the peak so far
        peak.write("5")
    before, best = kilobytes("VmRSS"), float("inf")
    for _ in range(CALLS):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    print(json.dumps([best, kilobytes("VmHWM") - before]))


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
    best = {name: [float("inf")] * 2 for name in SIDES}
    for _ in range(ROUNDS):
        for name in SIDES:
            done = subprocess.run(
                [sys.executable, "-c", f"import weight_statistics as w; w.alone({name!r}, {n})"],
                capture_output=True, text=True, check=True, cwd=sys.path[0],
            )  # fmt: skip
            seconds, size = json.loads(done.stdout)
            best[name] = [min(best[name][0], seconds), size]
    table = Table(title=f"{HEADS} heads, n = {n}, d = {D}, float32, {threads.available()} threads")
    for column in ("", "time / attention", "MiB"):
        table.add_column(column, justify="left" if not column else "right")
    for name, (seconds, size) in best.items():
        table.add_row(name, f"{seconds / best['attention'][0]:.2f}", f"{size / 1024:.1f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
