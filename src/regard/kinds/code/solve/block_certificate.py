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
from regard.certify.claims.algebra import conditions
from regard.certify.claims.worked_examples import computed
from regard.kinds.code.solve.completed_file import Function

Float64 = NDArray[np.float64]

D_K, D_V = 4, 3  # of every block
EXACT = 1e-9


@dataclass(frozen=True, eq=False)
class Block:
    """Queries, keys and values, the output that a function returned for them, and a mask."""

    name: str
    inputs: tuple[Float64, Float64, Float64]
    output: Any
    mask: Float64 | None = None

    @property
    def allowed(self) -> Float64:
        """1 where a query may attend to a key, 0 elsewhere."""
        query, key, _ = self.inputs
        return np.ones((len(query), len(key))) if self.mask is None else self.mask


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
        elif part.behaviour == "rotary":
            claims.append(_rotary_claim(run[part.name], bound))
        else:
            blocks += _blocks(part, run[part.name], rng)
    if not blocks:
        return Certificate({}, tuple(claims)), ()
    stacked = zip(*(block.inputs for block in blocks), strict=True)
    arrays = dict(zip(("queries", "keys", "values"), map(np.concatenate, stacked), strict=True))
    arrays["mask"] = _diagonal([block.allowed for block in blocks])
    outputs = np.concatenate([np.asarray(block.output, float) for block in blocks])
    claims.insert(0, computed.claim("outputs", outputs.tolist(), bound=bound, root=D_K))
    places, row = [], 0
    for block in blocks:
        end = row + len(block.allowed)
        places.append((block.name, f"{row} to {end - 1}"))
        row = end
    return Certificate(arrays, tuple(claims)), tuple(places)


def _blocks(part: Function, run: Callable[..., Any], rng: np.random.Generator) -> list[Block]:
    def whole(*shape: int) -> Float64:
        return rng.integers(-3, 4, shape).astype(float)

    behaviour, name = part.behaviour, part.name
    if behaviour == "softmax":
        x = whole(2, D_V)
        # Keys along the axes, twice as long because scores are halved: the scores are x.
        query, key = np.pad(x, ((0, 0), (0, D_K - D_V))), 2 * np.eye(D_V, D_K)
        return [Block(name, (query, key, np.eye(D_V)), run(x))]
    if behaviour in ("attention", "masked_attention", "causal_attention"):
        inputs = whole(3, D_K), whole(3, D_K), whole(3, D_V)
        if behaviour == "attention":
            return [Block(name, inputs, run(*inputs))]
        if behaviour == "causal_attention":
            return [Block(name, inputs, run(*inputs), np.tri(3))]
        mask = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 0]], bool)
        return [Block(name, inputs, run(*inputs, mask), mask.astype(float))]
    if behaviour == "self_attention":
        x, W_Q, W_K, W_V = whole(3, 2), whole(2, D_K), whole(2, D_K), whole(2, D_V)
        return [Block(name, (x @ W_Q, x @ W_K, x @ W_V), run(x, W_Q, W_K, W_V))]
    if behaviour == "cross_attention":
        x, y = whole(3, 2), whole(4, 2)
        W_Q, W_K, W_V = whole(2, D_K), whole(2, D_K), whole(2, D_V)
        return [Block(name, (x @ W_Q, y @ W_K, y @ W_V), run(x, y, W_Q, W_K, W_V))]
    if behaviour in ("padding_attention", "causal_padding_attention"):
        query, key, value = whole(2, 3, D_K), whole(2, 3, D_K), whole(2, 3, D_V)
        lengths = np.array([2, 0])
        outputs = np.asarray(run(query, key, value, lengths))
        past = np.tri(3) if behaviour.startswith("causal") else np.ones((3, 3))
        return [
            Block(f"{name}, sequence {b}", (query[b], key[b], value[b]), outputs[b], past * real)
            for b, real in enumerate((np.arange(3) < lengths[:, np.newaxis]).astype(float))
        ]
    if behaviour == "copy_query":
        key = np.eye(D_V, D_K)
        queries = np.stack([run(key, i) for i in range(D_V)])
        return [Block(name, (queries, key, np.eye(D_V)), np.eye(D_V))]
    x, W_Q, W_K = whole(2, 2 * D_V), whole(2, 2 * D_V, D_K), whole(2, 2 * D_V, D_K)
    W_V = whole(2, 2 * D_V, D_V)
    # W_O puts the columns into another order, which is undone here.
    order = np.roll(np.arange(2 * D_V), 2)
    W_O = np.eye(2 * D_V)[order]
    if behaviour == "split_head_attention":
        together = [np.concatenate(W, axis=1) for W in (W_Q, W_K, W_V)]
        joined = np.asarray(run(x, *together, W_O, 2))[:, order]
    else:
        joined = np.asarray(run(x, W_Q, W_K, W_V, W_O))[:, order]
    return [
        Block(
            f"{name}, head {h + 1}",
            (x @ W_Q[h], x @ W_K[h], x @ W_V[h]),
            joined[:, h * D_V : (h + 1) * D_V],
        )
        for h in range(2)
    ]


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


def _rotary_claim(run: Callable[..., Any], bound: float) -> Claim:
    """Claim that every pair of a small table is turned as it should be."""
    n, d = 4, 6
    x, t = np.arange(1.0, n * d + 1).reshape(n, d) % 7 - 3, np.arange(n)
    table = np.asarray(run(x, t), float)
    angle = "t exp(-2 i log(10000) / d)"
    instances = [
        {"t": int(t[row]), "i": i, "d": d}
        | {"a": float(x[row, 2 * i]), "b": float(x[row, 2 * i + 1])}
        | {"x": float(table[row, 2 * i]), "y": float(table[row, 2 * i + 1])}
        for row in range(n)
        for i in range(d // 2)
    ]
    near = (
        f"abs(x - a cos({angle}) + b sin({angle})) <= {bound:g} and "
        f"abs(y - a sin({angle}) - b cos({angle})) <= {bound:g}"
    )
    return conditions.condition_claim("sufficient", "t >= 0", near, instances)
