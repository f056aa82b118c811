"""The attention of some queries to a part of the keys, and how two parts are joined.

Output and lse are joined as states (`AttentionState.from_lse`). Statistics are joined exactly: with
shares p and 1 - p of the weight in two parts,

    entropy = p (H_1 - log p) + (1 - p) (H_2 - log(1 - p)),

a weight of the first part is p times what it was, and the largest weights of all are among the
largest of each part. Top keys carry their scores, computed again in float64: equal keys in
different parts then have equal scores, and the lower comes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.attention import attention_with_lse
from regard.core.statistics import attention_statistics
from regard.core.streaming import AttentionState

__all__ = ["Asked", "Described", "Partial", "Pass", "attend", "join"]

Array = NDArray[Any]
TILE, FEWEST = 16, 3  # queries that the kernel works on at once; from how many on that is faster


@dataclass(frozen=True)
class Asked:
    """What is asked for about the weights.

    Attributes:
        top: how many of the largest weights, at least 1.
        offsets: distances of keys from their queries.
        columns: keys.
    """

    top: int
    offsets: tuple[int, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Pass:
    """What is done in one pass over the keys.

    Attributes:
        rows: how many keys are read at a time.
        rules: of attention, for all keys; by the names that `attention` has for them.
        asked: what is asked for about the weights, or None.
    """

    rows: int
    rules: Mapping[str, Any]
    asked: Asked | None


@dataclass(frozen=True)
class Described:
    """Statistics of the weights on a part of the keys, in float64; `...` are the outer axes.

    Attributes:
        lse, entropy: (..., n_q).
        top_scores, top_keys: (..., n_q, top), falling; -inf and -1 where there are fewer.
        offset_mass, column_mass: (..., n_q, count), within this part.
    """

    lse: Array
    entropy: Array
    top_scores: Array
    top_keys: Array
    offset_mass: Array
    column_mass: Array


@dataclass(frozen=True)
class Partial:
    """What queries see of a part of the keys; `described` where statistics are asked for."""

    state: AttentionState
    described: Described | None


def attend(query: Array, key: Array, value: Array, start: int, wanted: Pass) -> Partial:
    """Return the attention to keys that begin at position `start` of all."""
    here = dict(wanted.rules)
    shifted = here.get("is_causal") or here.get("window") is not None
    offset = np.asarray(here.pop("causal_offset", 0)) - start
    if shifted:
        here["causal_offset"] = offset
    if here.get("key_lengths") is not None:
        lengths = np.asarray(here["key_lengths"]) - start
        here["key_lengths"] = np.clip(lengths, 0, key.shape[-2])
    n_q = query.shape[-2]
    output, lse = attention_with_lse(_whole_tile(query), key, value, **here)
    state = AttentionState.from_lse(output[..., :n_q, :], lse[..., :n_q])
    if wanted.asked is None:
        return Partial(state, None)
    here["causal_offset"] = offset
    return Partial(state, _describe(query, key, start, here, wanted.asked))


def _whole_tile(query: Array) -> Array:
    """Return a few queries with the last one repeated, as many as are attended to at once.

    The kernel goes over all keys again for each of some queries, and once for TILE of them.
    """
    missing = TILE - query.shape[-2]
    if not 0 < missing <= TILE - FEWEST:
        return query
    last = np.broadcast_to(query[..., -1:, :], (*query.shape[:-2], missing, query.shape[-1]))
    return np.concatenate([query, last], axis=-2)


def _describe(
    query: Array, key: Array, start: int, rules: dict[str, Any], asked: Asked
) -> Described:
    stop = start + key.shape[-2]
    inside = [i for i, column in enumerate(asked.columns) if start <= column < stop]
    found = attention_statistics(
        query,
        key,
        top=asked.top,
        offsets=asked.offsets,
        columns=[asked.columns[i] - start for i in inside],
        **rules,
    )
    mass = np.zeros((*found.lse.shape, len(asked.columns)))
    mass[..., inside] = found.column_mass
    keys = found.top_keys
    return Described(
        found.lse.astype(np.float64),
        found.entropy.astype(np.float64),
        _scores(query, key, keys, rules.get("scale"), rules.get("softcap")),
        np.where(keys < 0, -1, keys + start),
        found.offset_mass.astype(np.float64),
        mass,
    )


def _scores(query: Array, key: Array, keys: Array, scale: float | None, softcap: Any) -> Array:
    """Return the scores of some keys (..., n_q, top), each by a sum in the same order."""
    outer = keys.shape[:-2]
    scores = np.empty(keys.shape)
    for where in np.ndindex(outer):
        q = _part(query, where, outer).astype(np.float64)
        rows = _part(key, where, outer)[keys[where]].astype(np.float64)
        scores[where] = np.sum(q[:, None, :] * rows, axis=-1)
    scores *= query.shape[-1] ** -0.5 if scale is None else scale
    if softcap is not None:
        scores = softcap * np.tanh(scores / softcap)
    return np.where(keys < 0, -np.inf, scores)


def _part(array: Array, where: tuple[int, ...], outer: tuple[int, ...]) -> Array:
    """Return the rows that belong to one place of the outer axes; heads may be shared."""
    own = array.shape[:-2]
    index = [0 if n == 1 else i for i, n in zip(where[len(where) - len(own) :], own, strict=True)]
    if own and outer:
        index[-1] = where[-1] * own[-1] // outer[-1]
    found: Array = array[tuple(index)]
    return found


def join(first: Partial, second: Partial) -> Partial:
    """Return what queries see of both parts."""
    state = first.state.merge(second.state)
    if first.described is None or second.described is None:
        return Partial(state, None)
    with np.errstate(all="ignore"):
        return Partial(state, _joined(first.described, second.described))


def _joined(a: Described, b: Described) -> Described:
    swap = b.lse > a.lse
    high, low = np.where(swap, b.lse, a.lse), np.where(swap, a.lse, b.lse)
    apart = np.where(np.isneginf(low), 0.0, low - high)
    ratio = np.where(np.isneginf(low), 0.0, np.exp(apart))
    more = np.log1p(ratio)
    of_high, of_low = 1 / (1 + ratio), ratio / (1 + ratio)
    h_high, h_low = np.where(swap, b.entropy, a.entropy), np.where(swap, a.entropy, b.entropy)
    entropy = of_high * (h_high + more) + of_low * (h_low + more - apart)
    of_a = np.where(swap, of_low, of_high)[..., None]
    of_b = np.where(swap, of_high, of_low)[..., None]
    top = a.top_scores.shape[-1]
    scores = np.concatenate([a.top_scores, b.top_scores], axis=-1)
    keys = np.concatenate([a.top_keys, b.top_keys], axis=-1)
    order = np.lexsort((keys, -scores), axis=-1)[..., :top]
    return Described(
        high + more,
        entropy,
        np.take_along_axis(scores, order, axis=-1),
        np.take_along_axis(keys, order, axis=-1),
        of_a * a.offset_mass + of_b * b.offset_mass,
        of_a * a.column_mass + of_b * b.column_mass,
    )
