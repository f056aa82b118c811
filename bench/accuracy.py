"""Compare the errors of regard and torch, against float64, and for float64 against 50 digits."""

from __future__ import annotations

import mpmath
import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

import regard
from regard import AttentionState


def arrays(size: float, dtype: str, n: int = 512) -> list[np.ndarray]:
    """Return query, key and value with scores of about `size`."""
    rng = np.random.default_rng(0)
    query, key, value = rng.standard_normal((3, n, 64))
    return [(query * size).astype(dtype), key.astype(dtype), value.astype(dtype)]


def exactly(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Return attention in twice the precision of float64, checked on one row with 50 digits."""
    exact = AttentionState.empty().update(*(x.astype(np.float64) for x in (query, key, value)))
    with mpmath.workdps(50):
        row = mpmath.matrix(query[0].tolist())
        scale = mpmath.mpf(1 / np.sqrt(64))
        scores = [mpmath.fdot(zip(row, k, strict=True)) * scale for k in key.tolist()]
        terms = [mpmath.exp(s) for s in scores]
        total = mpmath.fsum(terms)
        first = mpmath.fdot(zip(terms, value[:, 0].tolist(), strict=True)) / total
    assert abs(float(first) - exact.output[0, 0]) < 1e-15
    return exact.output


def main() -> None:
    print("errors relative to torch's on the same input (rms at most 1.1, largest at most 2):")
    for dtype in ("float32", "float64"):
        for size in (1, 10, 100):
            given = arrays(size, dtype)
            exact = exactly(*given)
            ours = regard.attention(*given) - exact
            theirs = scaled_dot_product_attention(
                *(torch.from_numpy(x)[None, None] for x in given)
            ).numpy()[0, 0] - exact  # fmt: skip
            rms = [float(np.sqrt(np.mean(np.square(e, dtype=float)))) for e in (ours, theirs)]
            top = [float(np.abs(e).max()) for e in (ours, theirs)]
            print(
                f"  {dtype}, scores of about {size:3d}: rms {rms[0] / rms[1]:.2f} ({rms[0]:.1e}), "
                f"largest {top[0] / top[1]:.2f} ({top[0]:.1e})"
            )


if __name__ == "__main__":
    main()
