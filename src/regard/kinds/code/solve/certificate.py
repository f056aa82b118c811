"""One certificate for all functions of a lab: what they returned on an instance, proved.

Attention in blocks: every function has queries, keys and values of its own, and a mask keeps
each block to itself. What the functions returned is stacked, and is claimed to be the output of
the whole. All inputs are small whole numbers, so that queries, keys and values are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate, Claim
from regard.certify.claims import computed, conditions
from regard.kinds.code.solve.file import Function

Float64 = NDArray[np.float64]

D_K, D_V = 4, 3  # of every block
EXACT = 1e-9


@dataclass(frozen=True, eq=False)
class Block:
    """Queries, keys, values and a mask, and the output that a function returned for them."""

    name: str
    query: Float64
    key: Float64
    value: Float64
    mask: Float64
    output: Float64


def certificate(
    parts: tuple[Function, ...], run: Mapping[str, Callable[..., Any]], tolerance: float
) -> tuple[Certificate, tuple[tuple[str, str], ...]]:
    """Return the certificate, and for each function which rows of the outputs are its own."""
    rng = np.random.default_rng(5)
    blocks: list[Block] = []
    claims: list[Claim] = []
    bound = min(tolerance, EXACT)
    for part in parts:
        if part.helper:
            continue
        if part.behaviour == "sinusoidal_positions":
            claims.append(_positions_claim(run[part.name], bound))
        else:
            blocks += _blocks(part, run[part.name], rng)
    if not blocks:
        return Certificate({}, tuple(claims)), ()
    arrays = {
        "queries": np.concatenate([block.query for block in blocks]),
        "keys": np.concatenate([block.key for block in blocks]),
        "values": np.concatenate([block.value for block in blocks]),
        "mask": _diagonal([block.mask for block in blocks]),
    }
    outputs = np.concatenate([block.output for block in blocks])
    claims.insert(0, computed.claim("outputs", outputs.tolist(), bound=bound, root=D_K))
    places, row = [], 0
    for block in blocks:
        places.append((block.name, f"{row} to {row + len(block.query) - 1}"))
        row += len(block.query)
    return Certificate(arrays, tuple(claims)), tuple(places)


def _blocks(part: Function, run: Callable[..., Any], rng: np.random.Generator) -> list[Block]:
    def whole(*shape: int) -> Float64:
        return rng.integers(-3, 4, shape).astype(float)

    behaviour = part.behaviour
    if behaviour == "softmax":
        x = whole(2, D_V)
        # Keys along the axes, twice as long because scores are halved: the scores are x.
        query, key = np.pad(x, ((0, 0), (0, D_K - D_V))), 2 * np.eye(D_V, D_K)
        return [_block(part.name, query, key, np.eye(D_V), None, run(x))]
    if behaviour in ("attention", "masked_attention", "causal_attention"):
        query, key, value = whole(3, D_K), whole(3, D_K), whole(3, D_V)
        if behaviour == "attention":
            return [_block(part.name, query, key, value, None, run(query, key, value))]
        if behaviour == "causal_attention":
            return [_block(part.name, query, key, value, np.tri(3), run(query, key, value))]
        mask = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 0]], bool)
        return [_block(part.name, query, key, value, mask, run(query, key, value, mask))]
    if behaviour == "self_attention":
        x, W_Q, W_K, W_V = whole(3, 2), whole(2, D_K), whole(2, D_K), whole(2, D_V)
        return [_block(part.name, x @ W_Q, x @ W_K, x @ W_V, None, run(x, W_Q, W_K, W_V))]
    x, W_Q, W_K = whole(2, 2 * D_V), whole(2, 2 * D_V, D_K), whole(2, 2 * D_V, D_K)
    W_V = whole(2, 2 * D_V, D_V)
    # W_O puts the columns into another order, which is undone here.
    order = np.roll(np.arange(2 * D_V), 2)
    joined = np.asarray(run(x, W_Q, W_K, W_V, np.eye(2 * D_V)[order]))[:, order]
    return [
        _block(
            f"{part.name}, head {h + 1}",
            x @ W_Q[h],
            x @ W_K[h],
            x @ W_V[h],
            None,
            joined[:, h * D_V : (h + 1) * D_V],
        )
        for h in range(2)
    ]


def _block(
    name: str, query: Float64, key: Float64, value: Float64, mask: Any, output: Any
) -> Block:
    allowed = np.ones((len(query), len(key))) if mask is None else np.asarray(mask, float)
    return Block(name, query, key, value, allowed, np.asarray(output, float))


def _diagonal(masks: list[Float64]) -> Float64:
    rows, columns = (sum(mask.shape[axis] for mask in masks) for axis in (0, 1))
    result = np.zeros((rows, columns))
    i = j = 0
    for mask in masks:
        result[i : i + mask.shape[0], j : j + mask.shape[1]] = mask
        i, j = i + mask.shape[0], j + mask.shape[1]
    return result


def _positions_claim(run: Callable[..., Any], bound: float) -> Claim:
    """Claim that every sine and cosine of a small table is right."""
    n, d = 5, 6
    table = np.asarray(run(n, d), float)
    angle = "t exp(-2 i log(10000) / d)"
    instances = [
        {"t": t, "i": i, "d": d, "x": float(table[t, 2 * i]), "y": float(table[t, 2 * i + 1])}
        for t in range(n)
        for i in range(d // 2)
    ]
    near = f"abs(x - sin({angle})) <= {bound:g} and abs(y - cos({angle})) <= {bound:g}"
    return conditions.condition_claim("sufficient", "t >= 0", near, instances)
