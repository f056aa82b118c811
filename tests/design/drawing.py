"""Random design problems of many kinds: the same ones on every run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FAMILIES", "HEAD_GOALS", "TARGETS", "head_goal", "keys_of", "target_of"]

Array = NDArray[np.float64]

FAMILIES = ("gaussian", "integer", "degenerate", "nearly degenerate", "duplicated", "clustered")
TARGETS = ("index", "mapping", "vector", "subset")
HEAD_GOALS = ("hard", "soft", "partly free", "reachable", "outputs", "outputs and values", "both")


def keys_of(
    rng: np.random.Generator, family: str, n: int, d: int, thin: tuple[float, float] = (-12, -3)
) -> Array:
    """Return n points in d dimensions of one family; `thin` are powers of ten for what is nearly flat."""
    gaussian = rng.standard_normal((n, d))
    rank = int(rng.integers(1, d + 1))
    if family == "integer":
        return rng.integers(-3, 4, (n, d)).astype(float)
    if family == "degenerate":  # in a subspace, with integers so that it is exact
        return (rng.integers(-3, 4, (n, rank)) @ rng.integers(-2, 3, (rank, d))).astype(float)
    if family == "nearly degenerate":  # a subspace, and a little beside it
        flat = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))
        return flat + 10.0 ** rng.uniform(*thin) * gaussian
    if family == "duplicated":
        return gaussian[rng.integers(0, max(1, n // 2), n)]
    if family == "clustered":
        centres = 3 * rng.standard_normal((max(1, n // 5), d))
        return centres[rng.integers(0, len(centres), n)] + 10.0 ** rng.uniform(-4, -1) * gaussian
    return gaussian


def target_of(rng: np.random.Generator, kind: str, keys: Array) -> Any:
    """Return a target: most cannot be reached, some can."""
    n, d = keys.shape
    if kind == "index":
        return int(rng.integers(n))
    if kind == "vector":  # the weights of some query, so it can be reached
        scores = keys @ rng.standard_normal(d)
        weights = np.exp(scores - np.max(scores))
        return weights / np.sum(weights)
    if kind == "subset":  # the keys that come first along some direction, equally
        order = np.argsort(-(keys @ rng.standard_normal(d)))
        chosen = order[: int(rng.integers(1, min(n, d, 4) + 1))]
        return {int(i): 1 / len(chosen) for i in chosen}
    chosen = rng.choice(n, int(rng.integers(1, min(n, 5) + 1)), replace=False)
    weights = rng.dirichlet(np.ones(len(chosen)))
    return dict(zip(chosen.tolist(), weights.tolist(), strict=True))


def head_goal(rng: np.random.Generator, kind: str, tokens: Array) -> dict[str, Any]:
    """Return attend, outputs and W_V of a head."""
    n, d = tokens.shape
    rows = rng.choice(n, int(rng.integers(1, min(n, 6) + 1)), replace=False).tolist()
    if kind in ("hard", "partly free"):
        rows = list(range(n)) if kind == "hard" and n <= 7 else rows
        return {"attend": {row: int(rng.integers(n)) for row in rows}}
    if kind == "soft":
        chosen = {row: rng.choice(n, min(n, 2), replace=False) for row in rows}
        weights = {row: rng.dirichlet(np.ones(len(chosen[row]))) for row in rows}
        return {
            "attend": {
                row: dict(zip(chosen[row].tolist(), weights[row].tolist(), strict=True))
                for row in rows
            }
        }
    if kind == "reachable":
        table = _weights(tokens, rng.standard_normal((d, d)) / np.sqrt(d))
        return {"attend": {row: dict(enumerate(table[row].tolist())) for row in rows}}
    width = int(rng.integers(1, 4))
    W_V = rng.standard_normal((d, width))
    if kind == "outputs":  # anything, or the values of some tokens
        values = rng.standard_normal((n, width)) if rng.random() < 0.5 else tokens @ W_V
        return {"outputs": {row: values[rng.integers(n)] for row in rows[:4]}}
    if kind == "outputs and values":
        if rng.random() < 0.5:
            outputs = _weights(tokens, rng.standard_normal((d, d)) / d) @ tokens @ W_V
        else:
            outputs = 2 * rng.standard_normal((n, width))
        return {"outputs": {row: outputs[row] for row in rows[:4]}, "W_V": W_V}
    targets = {row: int(rng.integers(n)) for row in rows[:4]}
    return {
        "attend": targets,
        "outputs": {row: (tokens @ W_V)[target] for row, target in targets.items()},
    }


def _weights(tokens: Array, A: Array) -> Array:
    scores = tokens @ A.T @ tokens.T
    powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return powers / np.sum(powers, axis=1, keepdims=True)
