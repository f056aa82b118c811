"""Singular values of what a head matches and of what it copies, and how many matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.heads import Head

__all__ = ["FORMULAS", "effective_rank", "singular_values", "triangle"]

Array = NDArray[Any]

FORMULAS = {
    "qk_singular_values": "of W_Q W_Kᵀ, W_K that of the head's group; biases, norm gains and the "
    "scale are left out",
    "ov_singular_values": "of W_V W_O, likewise",
    "effective_rank": "exp(−Σ p log p), p the singular values of A = W_K W_Qᵀ divided by their sum",
}


def singular_values(head: Head) -> tuple[Array, Array]:
    """Return those of W_Q W_Kᵀ and of W_V W_O, each (min(d_k, d_model),), falling.

    Two thin QR decompositions reduce a product (d_model, d_model) of rank d_k to (d_k, d_k).
    """
    return _of_product(head.W_Q, head.W_K.T), _of_product(head.W_V, head.W_O)


def effective_rank(values: Array) -> float:
    """Return exp of the entropy of singular values, 1 to their number; 0 if all are 0."""
    total = float(values.sum())
    if total <= 0:
        return 0.0
    p = values / total
    p = p[p > 0]
    return float(np.exp(-np.sum(p * np.log(p))))


def _of_product(left: Array, right: Array) -> Array:
    """Return the singular values of left (d, k) times right (k, d)."""
    small = triangle(left) @ triangle(right.T).T
    return np.asarray(np.linalg.svd(small, compute_uv=False))


def triangle(x: Array) -> Array:
    """Return R of the thin QR decomposition of x (..., d, k), in float64."""
    return np.asarray(np.linalg.qr(x.astype(np.float64), mode="r"))
