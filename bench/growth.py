"""Show that time grows with the number of pairs, and memory with the arrays alone."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np

import regard

LENGTHS = (2048, 4096, 8192, 16384, 32768)

# Run in a process of its own, on Linux: how far the peak rises over what is there before.
PEAK = """
import re, sys, numpy as np, regard
def kilobytes(what):
    return int(re.search(what + r":\\s+(\\d+)", open("/proc/self/status").read())[1])
n_q, n_k = map(int, sys.argv[1:])
query, key, value = (np.ones((n, 64), np.float32) for n in (n_q, n_k, n_k))
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = kilobytes("VmRSS")
output = regard.attention(query, key, value)
print((kilobytes("VmHWM") - before) / 1024 - output.nbytes / 2**20)
"""


def seconds_per_pair(n: int) -> float:
    rng = np.random.default_rng(0)
    query, key, value = rng.standard_normal((3, n, 64)).astype(np.float32)
    best = float("inf")
    for _ in range(max(3, 2**26 // n**2)):
        start = time.perf_counter()
        regard.attention(query, key, value)
        best = min(best, time.perf_counter() - start)
    return best / n**2


def extra_memory(n_q: int, n_k: int) -> float:
    program = [sys.executable, "-c", PEAK, str(n_q), str(n_k)]
    return float(subprocess.run(program, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    first = seconds_per_pair(LENGTHS[0])
    print(f"time per pair of query and key, relative to n = {LENGTHS[0]} (d = 64, one head):")
    for n in LENGTHS[1:]:
        print(f"  n = {n:6d}: {seconds_per_pair(n) / first:.2f}")
    print("memory beyond the arrays, in MiB:")
    for n_q, n_k in ((32768, 2048), (32768, 32768), (1, 1_000_000)):
        print(f"  n_q = {n_q:6d}, n_k = {n_k:7d}: {extra_memory(n_q, n_k):5.1f}")


if __name__ == "__main__":
    main()
