"""What heads do with positions alone, from weights alone, over a window of n positions.

Where positions are added to tokens, "by position alone" means: with the mean of all tokens in every
place, and everything that stands before the heads applied to it, the norms and biases above all.
Where positions turn or shift the scores, it means the mean scores over tokens v of the query and w
of the key, drawn evenly and independently from the vocabulary.

How much of the scores is position and how much content is the variance of

    s(t, v; τ, w) = scale · q(t, v) · k(τ, w) + what positions add

over keys (τ, w), for such tokens. The first layer is read as it is given its input. Deeper layers
read what the layers between have written; here they are handed the embeddings through their own
norm, an extrapolation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.multi_head import MultiHead
from regard.models.forward import embed, normed, queries_and_keys
from regard.models.model import Model
from regard.models.relative_positions import relative_bias

__all__ = ["Stream", "Window", "sample_stream", "window_of_layer"]

Array = NDArray[Any]

TOKENS = 32  # drawn from the vocabulary


@dataclass(frozen=True, eq=False)
class Window:
    """One layer's heads over a window, from weights.

    Attributes:
        log_weights: (n_heads, n, n), of positions alone; rows are queries, −inf is not seen.
        position: (n_heads,), the share of the variance of a query's scores, over keys at all
            positions of the window with all tokens, that the key's position explains.
        content: (n_heads,), that the key's token explains. The rest is both together.
        spread: (n_heads,), the square root of that variance, a mean over queries.
    """

    log_weights: Array
    position: Array
    content: Array
    spread: Array


@dataclass(frozen=True, eq=False)
class Stream:
    """What the first layer is given.

    Attributes:
        drawn: (tokens, n, d_model), of drawn tokens; n is 1 where positions are not added.
        mean: (1, n, d_model), of the mean token; None where positions are not added.
    """

    drawn: Array
    mean: Array | None


def sample_stream(model: Model, n: int, seed: int = 0) -> Stream:
    """Return embeddings of drawn tokens and of the mean token, at positions 0 to n − 1."""
    added = model.architecture.positions in ("learned", "sinusoidal")
    positions = np.arange(n if added else 1)
    mean = embed(model, None, positions)[None] if added else None
    if model.vocabulary is None:
        return Stream(embed(model, None, positions)[None], mean)
    drawn = np.random.default_rng(seed).integers(0, model.vocabulary, TOKENS)
    ids = np.repeat(drawn[:, None], len(positions), axis=1)
    return Stream(embed(model, ids, positions), mean)


def window_of_layer(model: Model, layer: int, heads: MultiHead, stream: Stream, n: int) -> Window:
    """Read one layer; `stream` is what `sample_stream` returned."""
    a = model.architecture
    query, key = _projected(model, layer, heads, stream.drawn, n)
    if stream.mean is None:
        mean_q, mean_k = query.mean(axis=1), key.mean(axis=1)
    else:
        mean_q, mean_k = (x[:, 0] for x in _projected(model, layer, heads, stream.mean, n))
    group = [a.kv_head(h) for h in range(a.n_heads)]
    scale = a.scale if a.scale is not None else a.d_head**-0.5
    by_position = scale * mean_q @ mean_k[group].swapaxes(-1, -2)
    scores = np.broadcast_to(by_position, (a.n_heads, n, n))
    bias = relative_bias(model, n)
    scores = scores if bias is None else scores + bias
    if a.is_causal:
        scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
    shifted = scores - scores.max(axis=-1, keepdims=True)
    log_weights = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return Window(log_weights, *_shares(query, key, group, scale, bias, a.is_causal))


def _projected(
    model: Model, layer: int, heads: MultiHead, stream: Array, n: int
) -> tuple[Array, Array]:
    """Return queries and keys, (heads, tokens, n or 1, d_k), turned where they are."""
    a = model.architecture
    if a.norm_first:
        x = normed(model, "attention_norm", layer, stream)
    else:
        x = normed(model, "mlp_norm", layer - 1, stream) if layer else stream
    query, key = queries_and_keys(model, layer, heads, x)
    query, key = (y.astype(np.float64) for y in (query, key))
    if a.rotary is not None:
        t = np.arange(n)
        query, key = (
            a.rotary.turn(np.broadcast_to(y, (*y.shape[:2], n, y.shape[3])), t)
            for y in (query, key)
        )
    return query, key


def _shares(
    query: Array, key: Array, group: list[int], scale: float, bias: Array | None, causal: bool
) -> tuple[Array, Array, Array]:
    """Split the variance of scores over keys: E_q Var(q·k) = tr(E[q qᵀ] Cov(k)), part by part."""
    seen = query[:, :, -1:] if causal else query  # the last query of a window sees all its keys
    flat = seen.reshape(len(query), -1, query.shape[-1])
    moment = flat.swapaxes(-1, -2) @ flat / flat.shape[1] * scale**2
    whole = key - key.mean(axis=(1, 2), keepdims=True)
    by_position, by_token = whole.mean(axis=1), whole.mean(axis=2)

    def variance(k: Array) -> Array:
        rows = k.reshape(len(key), -1, k.shape[-1])
        covariance = rows.swapaxes(-1, -2) @ rows / rows.shape[1]
        return np.einsum("hij,hji->h", moment, covariance[group])

    total, position, content = variance(whole), variance(by_position), variance(by_token)
    if bias is not None:  # depends on positions alone, and content on tokens alone
        added = bias[:, -1:] if causal else bias
        extra = added.var(axis=-1).mean(axis=-1)
        total, position = total + extra, position + extra
    safe = np.where(total > 0, total, 1.0)
    return position / safe, content / safe, np.sqrt(total)
