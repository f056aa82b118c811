"""Every behaviour once more, with each step open to be done the way somebody gets it wrong.

With nothing changed these functions are right, which the tests compare with the reference. With one
change they return what an answer with that mistake returns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Change:
    """How each step is done; the defaults are right.

    Attributes:
        axis: along which softmax runs; None: over the whole table.
        scale: what scores are divided by.
        mask: how it is used.
        bias: the number that is put in place of hidden scores, or added to them.
        causal: which keys j a query i may see.
        exchanged: whether queries are made with the matrix of keys and the other way round.
        merge: how the outputs of heads are joined.
        cut: how one matrix for all heads is cut.
        output: whether the last matrix is applied.
        columns: which columns of a table of positions are sines and cosines.
        frequency: the exponent of pair i.
        first: the first position.
        turn: the direction of a rotation, and which entries are pairs.
        source: what keys and values of cross-attention are made of.
        padding: which keys are padding.
        weigh: what makes weights of scores.
        values: what is averaged.
        heads: which head stands in the place of each.
        base: of the frequencies.
    """

    axis: int | None = -1
    scale: Literal["root", "none", "width", "model", "times", "queries", "keys", "weights"] = "root"
    mask: Literal[
        "hide", "times scores", "times weights", "inverted", "ignored", "put", "added"
    ] = "hide"
    bias: float = -np.inf
    causal: Literal["up to", "before", "from", "one more", "ignored"] = "up to"
    exchanged: bool = False
    merge: Literal["side by side", "interleaved", "sum", "reshape"] = "side by side"
    cut: Literal["columns", "reshape"] = "columns"
    output: bool = True
    columns: Literal["in turn", "halves", "cosine first"] = "in turn"
    frequency: Literal["2i", "i", "column", "2 columns"] = "2i"
    first: int = 0
    turn: Literal["pairs", "halves", "back"] = "pairs"
    source: Literal["context", "keys of x", "exchanged"] = "context"
    padding: Literal["keys", "queries", "one more", "one less", "ignored"] = "keys"
    weigh: Literal["softmax", "share", "largest", "powers", "each", "nothing"] = "softmax"
    values: Literal["made", "tokens", "keys"] = "made"
    heads: Literal["each", "first", "average"] = "each"
    base: float = 10000.0


def imitate(behaviour: str, arguments: Arguments, change: Change) -> Float64:
    """Return what a function returns that does one thing differently.

    Raises:
        ValueError: shapes do not fit then.
    """
    if behaviour == "softmax":
        return weighed(arguments[0], change)
    if behaviour == "causal_attention":
        query, key, value = arguments
        return attend(query, key, value, _causal(arguments, change), change=change)
    if behaviour in ("padding_attention", "causal_padding_attention"):
        return _padded(behaviour, arguments, change)
    if behaviour not in _IMITATED:
        raise ValueError(f"no imitation of {behaviour}")
    return _IMITATED[behaviour](*arguments, change=change)


def weighed(scores: Float64, change: Change) -> Float64:
    """Return what somebody makes of scores who does not take the softmax of each row."""
    if change.weigh == "share":
        return scores / scores.sum(axis=-1, keepdims=True)
    if change.weigh == "largest":
        return np.asarray(np.eye(scores.shape[-1])[scores.argmax(axis=-1)])
    if change.weigh == "powers":
        return np.asarray(np.exp(scores))
    if change.weigh == "nothing":
        return scores
    if change.weigh == "each":
        return np.asarray(1 / (1 + np.exp(-scores)))
    return softmax(scores, change.axis)


def softmax(x: Float64, axis: int | None = -1) -> Float64:
    """Return weights along an axis; 0 where everything along it is -inf."""
    largest = x.max(axis=axis, keepdims=True)
    powers = np.exp(x - np.where(np.isfinite(largest), largest, 0))
    total = powers.sum(axis=axis, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def attend(
    query: Float64,
    key: Float64,
    value: Float64,
    allowed: Any = None,
    *,
    change: Change,
    d_model: int = 0,
) -> Float64:
    """Return attention, changed."""
    scores = query @ key.swapaxes(-1, -2)
    width = query.shape[-1]
    divisor = {
        "root": np.sqrt(width),
        "none": 1.0,
        "width": width,
        "model": np.sqrt(d_model or value.shape[-1]),
        "times": 1 / np.sqrt(width),
        "queries": np.sqrt(query.shape[-2]),
        "keys": np.sqrt(key.shape[-2]),
        "weights": 1.0,
    }
    scores = scores / divisor[change.scale]
    if allowed is not None and change.mask == "times scores":
        scores = scores * allowed
    elif allowed is not None and change.mask in ("hide", "inverted"):
        hidden = allowed if change.mask == "inverted" else ~allowed
        scores = np.where(hidden, -np.inf, scores)
    elif allowed is not None and change.mask in ("put", "added"):
        kept = scores if change.mask == "added" else 0.0
        scores = np.where(allowed, scores, kept + change.bias)
    weights = weighed(scores, change)
    if change.scale == "weights":
        weights = weights / np.sqrt(width)
    if allowed is not None and change.mask == "times weights":
        weights = weights * allowed
    return weights @ value


def _causal(arguments: Arguments, change: Change) -> NDArray[np.bool_] | None:
    n_q, n_k = arguments[0].shape[-2], arguments[1].shape[-2]
    i, j = np.arange(n_q)[:, np.newaxis], np.arange(n_k)
    rules = {"up to": j <= i, "before": j < i, "from": j >= i, "one more": j <= i + 1}
    return rules.get(change.causal)


def _padded(behaviour: str, arguments: Arguments, change: Change) -> Float64:
    query, key, value, lengths = arguments
    n = key.shape[-2]
    more = {"one more": 1, "one less": -1}.get(change.padding, 0)
    real = np.arange(n) < np.asarray(lengths)[:, np.newaxis] + more
    allowed = real[:, :, np.newaxis] if change.padding == "queries" else real[:, np.newaxis, :]
    allowed = np.broadcast_to(allowed, (len(query), query.shape[-2], n))
    if change.padding == "ignored":
        allowed = np.ones_like(allowed)
    order = _causal(arguments, change)
    if behaviour.startswith("causal") and order is not None:
        allowed = allowed & order
    return attend(query, key, value, allowed, change=change)


def _one_head(x: Float64, W_Q: Float64, W_K: Float64, W_V: Float64, *, change: Change) -> Float64:
    return _cross(x, x, W_Q, W_K, W_V, change=change)


def _cross(
    x: Float64, context: Float64, W_Q: Float64, W_K: Float64, W_V: Float64, *, change: Change
) -> Float64:
    if change.source == "keys of x":
        context = x
    elif change.source == "exchanged":
        x, context = context, x
    if change.exchanged:
        W_Q, W_K = W_K, W_Q
    value = {"made": context @ W_V, "tokens": context, "keys": context @ W_K}[change.values]
    return attend(x @ W_Q, context @ W_K, value, None, change=change, d_model=x.shape[-1])


def _merged(
    x: Float64, W_Q: Float64, W_K: Float64, W_V: Float64, W_O: Float64, *, change: Change
) -> Float64:
    heads = np.stack([_one_head(x, *one, change=change) for one in zip(W_Q, W_K, W_V, strict=True)])
    return _joined(heads, W_O, change)


def _joined(heads: Float64, W_O: Float64, change: Change) -> Float64:
    """Join outputs (n_heads, n, d_v) and apply the last matrix."""
    n = heads.shape[1]
    if change.heads != "each":
        one = heads[0] if change.heads == "first" else heads.mean(axis=0)
        heads = np.broadcast_to(one, heads.shape)
    if change.merge == "interleaved":
        joined = np.moveaxis(heads, 0, -1).reshape(n, -1)
    elif change.merge == "sum":
        return heads.sum(axis=0) @ W_O[: heads.shape[-1]]
    elif change.merge == "reshape":
        joined = heads.reshape(n, -1)
    else:
        joined = np.concatenate(list(heads), axis=-1)
    return joined @ W_O if change.output else joined


def _split(
    x: Float64,
    W_Q: Float64,
    W_K: Float64,
    W_V: Float64,
    W_O: Float64,
    n_heads: int,
    *,
    change: Change,
) -> Float64:
    parts = []
    for W in (W_K, W_Q, W_V) if change.exchanged else (W_Q, W_K, W_V):
        made = x @ W  # (n, n_heads · width)
        if change.cut == "reshape":
            parts.append(made.reshape(n_heads, len(x), -1))
        else:
            parts.append(np.stack(np.split(made, n_heads, axis=1)))
    heads = attend(*parts, change=change, d_model=x.shape[-1])
    return _joined(heads, W_O, change)


def _angles(t: Any, d: int, change: Change) -> Float64:
    i = np.arange(d // 2)
    power = i if change.frequency == "i" else 2 * i
    return np.asarray(t, float)[:, np.newaxis] * change.base ** (-power / d)


def _positions(n: int, d_model: int, *, change: Change) -> Float64:
    t = np.arange(change.first, n + change.first)
    table = np.empty((n, d_model))
    if change.frequency in ("column", "2 columns"):  # an exponent for each column, not each pair
        times = 2 if change.frequency == "2 columns" else 1
        angles = t[:, np.newaxis] * change.base ** (-times * np.arange(d_model) / d_model)
        table[:, 0::2], table[:, 1::2] = np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])
        return table
    angles = _angles(t, d_model, change)
    waves = [np.sin(angles), np.cos(angles)]
    if change.columns == "halves":
        return np.concatenate(waves, axis=1)
    if change.columns == "cosine first":
        waves.reverse()
    table[:, 0::2], table[:, 1::2] = waves
    return table


def _rotary(x: Float64, positions: Any, *, change: Change) -> Float64:
    d = x.shape[-1]
    angles = _angles(positions, d, change)
    sine = -np.sin(angles) if change.turn == "back" else np.sin(angles)
    halves = change.turn == "halves"
    first, second = (
        (slice(0, d // 2), slice(d // 2, d)) if halves else (slice(0, d, 2), slice(1, d, 2))
    )
    turned = np.empty(x.shape)
    a, b = x[..., first], x[..., second]
    turned[..., first] = a * np.cos(angles) - b * sine
    turned[..., second] = a * sine + b * np.cos(angles)
    return turned


_IMITATED: dict[str, Callable[..., Float64]] = {
    "attention": attend,
    "masked_attention": attend,
    "self_attention": _one_head,
    "cross_attention": _cross,
    "multi_head_attention": _merged,
    "split_head_attention": _split,
    "sinusoidal_positions": _positions,
    "rotary": _rotary,
}
