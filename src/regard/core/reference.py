"""What attention is: plain loops in float64 that define the right answer.

Everything faster is compared with this file, so it shares no code with the rest of
the package. NumPy only holds the arrays; all arithmetic is on Python floats.
Nothing is validated: input that does not fit gives some exception.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Reference", "ReferenceStatistics", "attention", "statistics"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reference:
    """Every number of one attention computation, as float64.

    The leading axes `...` are the batch axes and then the head axis, or nothing when
    no operand has a third axis.
    """

    output: Array  # (..., n_q, d_v)
    weights: Array  # (..., n_q, n_k)
    lse: Array  # (..., n_q)
    raw: Array  # (..., n_q, n_k)   scale * q·k
    softcapped: Array  # (..., n_q, n_k)   softcap * tanh(raw / softcap)
    masked: Array  # (..., n_q, n_k)   plus the float mask; -inf where not allowed


def attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    causal_offset: ArrayLike = 0,
    window: tuple[int | None, int | None] | None = None,
    key_lengths: ArrayLike | None = None,
    softcap: float | None = None,
) -> Reference:
    """Compute softmax(scale * query keyᵀ + mask) value, one number at a time.

    Key j is allowed for query i, which stands at position p = i + causal_offset, if the
    boolean mask is True (or the float mask is not -inf) and j < key_lengths and, when
    asked for, j <= p (is_causal) and p - left <= j <= p + right (window).
    A key that is not allowed, or whose score is -inf, is not attended to: its weight is 0
    and its value is not looked at. A row that attends to nothing has output 0, lse -inf.
    A NaN or +inf score that is attended to makes the weights of all attended keys, the
    lse and the output of its row NaN. A NaN or infinite value that is attended to reaches
    the output even where its weight is too small for float64 and became 0.

    Args:
        query: (..., n_q, d_k). Axis -3, where there is one, is the head axis; the axes
            before it are batch axes and broadcast.
        key: (..., n_k, d_k). Its heads divide the heads of the result; each serves a
            run of neighbouring heads. The same holds for value, separately.
        value: (..., n_k, d_v).
        mask: broadcasts to (..., n_q, n_k). Boolean (True = allowed) or added to the scores.
        scale: None is 1 / sqrt(d_k), or 1 when d_k is 0.
        is_causal: allow only keys up to the query's position.
        causal_offset: an int, or one per batch.
        window: (left, right), None = unbounded.
        key_lengths: an int, or one per batch; None is n_k.
        softcap: bounds the scores before the mask; None or 0 is no bound.

    Example:
        >>> result = attention([[1.0]], [[0.0], [math.log(3)]], [[4.0], [8.0]])
        >>> result.weights.round(12).tolist(), result.output.round(12).tolist()
        ([[0.25, 0.75]], [[7.0]])
    """
    mask = True if mask is None else mask  # no mask allows everything
    operands = [np.asarray(x) for x in (query, key, value, mask)]
    mask_is_boolean = operands[3].dtype == np.bool_
    has_heads = any(x.ndim >= 3 for x in operands)
    q, k, v, m = [_at_least_three_axes(x.astype(np.float64)) for x in operands]

    batch = np.broadcast_shapes(q.shape[:-3], k.shape[:-3], v.shape[:-3], m.shape[:-3])
    heads = q.shape[-3]
    if heads == 1:
        heads = max((x.shape[-3] for x in operands[1:] if x.ndim >= 3), default=1)
    (n_q, d_k), (n_k, d_v) = q.shape[-2:], v.shape[-2:]
    q = np.broadcast_to(q, (*batch, heads, n_q, d_k))
    k = np.broadcast_to(k, (*batch, *k.shape[-3:]))
    v = np.broadcast_to(v, (*batch, *v.shape[-3:]))
    m = np.broadcast_to(m, (*batch, heads, n_q, n_k))
    offsets = _per_batch(causal_offset, batch, heads)
    lengths = _per_batch(n_k if key_lengths is None else key_lengths, batch, heads)
    left, right = (None, None) if window is None else window
    if scale is None:
        scale = 1.0 if d_k == 0 else 1.0 / math.sqrt(d_k)
    # Python floats overflow to inf and nan without the warnings of NumPy's scalars.
    scale, softcap = float(scale), float(softcap or 0.0)

    output = np.zeros((*batch, heads, n_q, d_v))
    lse = np.zeros((*batch, heads, n_q))
    weights, raw, softcapped, masked = (np.zeros((*batch, heads, n_q, n_k)) for _ in range(4))

    for at in np.ndindex((*batch, heads)):  # at = (*b, h)
        b, h = at[:-1], at[-1]
        queries, extra = q[at].tolist(), m[at].tolist()
        keys = k[*b, h // (heads // k.shape[-3])].tolist()
        values = v[*b, h // (heads // v.shape[-3])].tolist()
        for i in range(n_q):
            position = i + int(offsets[at])
            scores = []
            for j in range(n_k):
                s = _score(scale, queries[i], keys[j])
                raw[*at, i, j] = s
                if softcap != 0.0:
                    s = softcap * math.tanh(s / softcap)
                softcapped[*at, i, j] = s
                allowed = (
                    (extra[i][j] == 1.0 if mask_is_boolean else extra[i][j] != -math.inf)
                    and (not is_causal or j <= position)
                    and (left is None or position - left <= j)
                    and (right is None or j <= position + right)
                    and j < int(lengths[at])
                )
                if not allowed:
                    s = -math.inf
                elif not mask_is_boolean:
                    s += extra[i][j]
                masked[*at, i, j] = s
                scores.append(s)
            attended = [j for j in range(n_k) if scores[j] != -math.inf]
            w, lse[*at, i] = _softmax([scores[j] for j in attended])
            for j, w_j in zip(attended, w, strict=True):
                weights[*at, i, j] = w_j
            for c in range(d_v):
                output[*at, i, c] = _dot(w, [values[j][c] for j in attended])

    part = ... if has_heads else 0  # without heads the head axis added above goes again
    return Reference(
        output[part], weights[part], lse[part], raw[part], softcapped[part], masked[part]
    )


def _softmax(scores: list[float]) -> tuple[list[float], float]:
    """Return exp(s - m) / sum and m + log(sum), where m is the largest score.

    No score at all: an lse of -inf. A NaN or +inf among them (inf - inf is NaN): NaN.
    """
    if not scores:
        return [], -math.inf
    m = max(scores)  # may pass over a NaN, which then makes the total NaN
    exps = [math.exp(s - m) for s in scores]
    total = 0.0
    for e in exps:
        total += e
    return [e / total for e in exps], m + math.log(total)


def _dot(x: list[float], y: list[float]) -> float:
    # Not sum(): from Python 3.12 on it compensates for rounding, which changes the last bits.
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total += a * b
    return total


def _score(scale: float, query: list[float], key: list[float]) -> float:
    """Return scale * q·k, which is infinite only where it does not fit into a float itself.

    q·k alone may overflow before it is scaled: 1e200 · 1e200 with a scale of 1e-200. So each
    term is a fraction and a power of two, and the largest power is multiplied in at the end.
    """
    if not all(map(math.isfinite, query + key)):
        return scale * _dot(query, key)
    fraction, power = math.frexp(scale)
    terms = []
    for a, b in zip(query, key, strict=True):
        (x, m), (y, n) = math.frexp(a), math.frexp(b)
        terms.append((x * y, m + n))
    largest = max((n for x, n in terms if x != 0.0), default=0)
    total = 0.0
    for x, n in terms:
        total += math.ldexp(x, n - largest)
    try:
        return math.ldexp(fraction * total, power + largest)
    except OverflowError:
        return math.copysign(math.inf, fraction * total)


def _at_least_three_axes(x: Array) -> Array:
    return x.reshape((1,) * (3 - x.ndim) + x.shape)


def _per_batch(argument: ArrayLike, batch: tuple[int, ...], heads: int) -> NDArray[Any]:
    """Spread one number, or one per batch, over (*batch, heads).

    Without batch axes the leading axis of the result, its heads, counts as the batch.
    """
    x = np.asarray(argument)
    if x.size == 1:
        x = x.reshape(())
    elif batch:
        x = x[..., np.newaxis]
    return np.broadcast_to(x, (*batch, heads))


@dataclass(frozen=True, eq=False)
class ReferenceStatistics:
    """What can be said about the weights of one attention computation."""

    lse: Array  # (..., n_q)
    entropy: Array  # (..., n_q)
    peak: Array  # (..., n_q)
    argmax: NDArray[Any]  # (..., n_q)   int64
    top_weights: Array  # (..., n_q, top)
    top_keys: NDArray[Any]  # (..., n_q, top)   int64
    offset_mass: Array  # (..., n_q, len(offsets))
    column_mass: Array  # (..., n_q, len(columns))
    received: Array  # (..., n_k)


def statistics(
    query: ArrayLike,
    key: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    top: int = 0,
    offsets: tuple[int, ...] = (),
    columns: tuple[int, ...] = (),
    **rules: Any,
) -> ReferenceStatistics:
    """Describe the weights of attention, from the matrix of all of them.

    The entropy is log1p(x) + Σ e_j (m - s_j) / (1 + x), where m is the largest score, e_j is
    exp(s_j - m) and x is their sum without that of the first key that has m: it is the same as
    -Σ w log w, and keeps its digits where one weight is close to 1.
    A query that attends to nothing has lse -inf, entropy and peak 0, argmax -1. One that attends to
    NaN or +inf has NaN as weights of what it attends to, and no argmax.

    Args:
        query, key, mask: as in :func:`attention`.
        top: how many of the largest weights; 0 and -1 where a query attends to fewer.
        offsets: the weights of the keys i + causal_offset - T, 0 where there is no such key.
        columns: the weights of these keys.
        rules: the other arguments of :func:`attention`.

    Example:
        >>> found = statistics([[1.0]], [[0.0], [math.log(3)]], top=3)
        >>> found.peak.tolist(), found.top_keys.tolist()
        ([0.75], [[1, 0, -1]])
    """
    k = np.asarray(key)
    whole = attention(query, key, np.zeros((*k.shape[:-1], 0)), mask, **rules)
    outer, (n_q, n_k) = whole.weights.shape[:-2], whole.weights.shape[-2:]
    shifts = _per_batch(rules.get("causal_offset", 0), outer[:-1], outer[-1]) if outer else None
    lse, entropy, peak = whole.lse.copy(), np.zeros((*outer, n_q)), np.zeros((*outer, n_q))
    argmax = np.zeros((*outer, n_q), dtype=int)
    top_weights, top_keys = np.zeros((*outer, n_q, top)), np.zeros((*outer, n_q, top), dtype=int)
    argmax[...] = top_keys[...] = -1
    offset_mass = np.zeros((*outer, n_q, len(offsets)))
    column_mass = np.zeros((*outer, n_q, len(columns)))
    received = np.zeros((*outer, n_k))
    for at in np.ndindex((*outer, n_q)):
        shift = int(rules.get("causal_offset", 0)) if shifts is None else int(shifts[at[:-1]])
        scores, weights = whole.masked[at].tolist(), whole.weights[at].tolist()
        for j in range(n_k):
            received[*at[:-1], j] += weights[j]
        for o, offset in enumerate(offsets):
            j = at[-1] + shift - offset
            offset_mass[*at, o] = weights[j] if 0 <= j < n_k else 0.0
        for c, column in enumerate(columns):
            column_mass[*at, c] = weights[column]
        attended = [j for j in range(n_k) if scores[j] != -math.inf]
        if not attended:
            continue
        if math.isnan(lse[at]):
            entropy[at] = peak[at] = top_weights[at] = math.nan
            continue
        best = sorted(attended, key=lambda j, scores=scores: (-scores[j], j))  # type: ignore[misc]
        m, rest, fall = scores[best[0]], 0.0, 0.0
        for j in attended:
            if j != best[0]:
                rest += math.exp(scores[j] - m)
                fall += math.exp(scores[j] - m) * (m - scores[j])
        lse[at] = m + math.log1p(rest)
        entropy[at] = math.log1p(rest) + fall / (1.0 + rest)
        peak[at], argmax[at] = weights[best[0]], best[0]
        for r, j in enumerate(best[:top]):
            top_weights[*at, r], top_keys[*at, r] = weights[j], j
    return ReferenceStatistics(
        lse, entropy, peak, argmax, top_weights, top_keys, offset_mass, column_mass, received
    )
