"""How many drawn designs come back when their matrix is read, without noise and through it.

Nothing is told but the matrix. Without noise T and B must be exact (an odd B is the window of the
even one below); zeroed bands count as exact if their B is in `B_range`, because all the widths
in it have the same matrix. Through noise of 3 % of |A|/d_model per entry T must be within
max(1, B/8) and B within max(2, B/4).

    python bench/reading.py [designs of each kind]
"""

from __future__ import annotations

import sys

import numpy as np

import regard

WIDTHS = 16, 32, 64, 128
KINDS = "offset", "zeroed band", "optimal band", "signed band", "band with a transition"


def drawn(kind: str, rng: np.random.Generator) -> tuple[int, int, np.ndarray]:
    """Return T, B and the matrix of a design."""
    while True:
        d, n = int(rng.choice(WIDTHS)), int(rng.integers(12, 300))
        T, B = int(rng.integers(-(n // 3), n // 3 + 1)), int(rng.integers(0, min(40, n)))
        if kind == "offset":
            return T, 0, regard.design.offset(T, d, n=n).A
        try:
            if kind == "zeroed band":
                return T, B, regard.design.band(T, B, d, n=n).A
            free = int(rng.integers(1, 4)) if kind == "band with a transition" else 0
            design = regard.design.band(
                T, B, d, n=n, method="optimal", signed=kind == "signed band", transition=free
            )
            return T, B, design.A
        except (regard.InfeasibleDesign, regard.ParameterError):
            continue  # no such window: draw another


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    rng = np.random.default_rng(0)
    print(f"read back, of {count} each:   without noise   through noise")
    for kind in KINDS:
        exact = near = 0
        for _ in range(count):
            T, B, A = drawn(kind, rng)
            read = regard.analysis.positional_kernel(A)
            low, high = read.B_range
            same = low <= B <= high + 1e-9 if kind == "zeroed band" else read.B == B // 2 * 2
            exact += read.T == T and same
            noise = 0.03 * np.linalg.norm(A) / len(A) * rng.standard_normal(A.shape)
            read = regard.analysis.positional_kernel(A + noise)
            near += abs(read.T - T) <= max(1, B / 8) and abs(read.B - B) <= max(2, B / 4)
        print(f"  {kind:24} {exact:15} {near:15}")


if __name__ == "__main__":
    main()
