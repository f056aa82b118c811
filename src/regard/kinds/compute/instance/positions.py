"""Positions in float64: sinusoidal rows, turned queries and keys, biases of scores."""

from __future__ import annotations

import math

import numpy as np

from regard.kinds.compute.instance.setup import Float64, Setup
from regard.kinds.compute.spec.numbers import value


def position_rows(setup: Setup, width: int) -> Float64:
    """Return the rows that are added to tokens, and to their context: (count, width)."""
    given, p = setup.given, setup.given.positions
    assert p is not None
    moved = setup.first_key - given.first_key  # where positions are counted from another number
    places = moved + given.first_added + np.arange(given.added_rows)
    count = len(places)
    if p.kind == "learned":
        return setup.arrays["positions.table"][places]
    i = np.arange(0, width, 2)
    angles = places[:, None] * value(p.base) ** (-i / width)
    rows = np.empty((count, width))
    rows[:, 0::2], rows[:, 1::2] = np.sin(angles), np.cos(angles)
    return rows


def with_positions(setup: Setup, rows: Float64) -> dict[str, Float64]:
    """Return rows of positions, and tokens and their context with their own added to them."""
    given, context = setup.given, setup.get("context")
    found = {"P": rows}
    if given.n is None:
        tokens, first = setup.arrays["tokens"], given.first_query - given.first_added
        found["XP"] = tokens + rows[first : first + len(tokens)]
    if context is not None:
        first = given.first_key - given.first_added
        found["context"] = context + rows[first : first + len(context)]
    return found


def turned(x: Float64, first: float, base: float, pairs: str, heads: int = 1) -> Float64:
    """Return rows turned by their positions, `first` for row 0; each head by itself."""
    d = x.shape[1] // heads
    angles = (first + np.arange(len(x)))[:, None] * base ** (-np.arange(0, d, 2) / d)
    cos, sin = np.cos(angles), np.sin(angles)
    result = np.empty_like(x)
    for h in range(heads):
        part, out = x[:, h * d : (h + 1) * d], result[:, h * d : (h + 1) * d]
        if pairs == "interleaved":
            one, two = slice(0, d, 2), slice(1, d, 2)
        else:
            one, two = slice(0, d // 2), slice(d // 2, d)
        out[:, one] = part[:, one] * cos - part[:, two] * sin
        out[:, two] = part[:, one] * sin + part[:, two] * cos
    return result


def biases(setup: Setup, head: int) -> Float64:
    """Return what is added to the scores of a head, counted from 0: (n_q, n_k)."""
    given, p = setup.given, setup.given.positions
    total = setup.arrays.get("bias", np.zeros((given.n_q, given.n_k))).copy()
    if p is None or p.kind not in ("alibi", "relative", "t5"):
        return total
    queries = setup.first_query + np.arange(given.n_q)
    keys = setup.first_key + np.arange(given.n_k)
    later = keys[None, :] - queries[:, None]  # key minus query
    if p.kind == "alibi":
        slopes = setup.arrays["positions.slopes"][0] if p.slopes else alibi_slopes(given.heads)
        return np.asarray(total - slopes[head] * np.abs(later))
    tables = setup.arrays["positions.table"]
    table = tables[head if len(tables) > 1 else 0]
    if p.kind == "relative":
        return np.asarray(total + table[later + len(table) // 2])
    places = [[t5_bucket(int(d), len(table), given.is_causal) for d in row] for row in later]
    return np.asarray(total + table[np.array(places)])


def alibi_slopes(heads: int) -> Float64:
    """Return 2^(-8h/H); where H is no power of two, every second one of the next power fills up."""
    power = 2 ** int(math.log2(heads))
    slopes = [2.0 ** (-8 * h / power) for h in range(1, power + 1)]
    more = [2.0 ** (-4 * h / power) for h in range(1, 2 * power + 1, 2)]
    return np.array([*slopes, *more[: heads - power]])


def t5_bucket(later: int, buckets: int, causal: bool, longest: int = 128) -> int:
    """Return the bucket of an offset, key minus query, as T5 counts them."""
    first = 0
    if causal:
        distance = max(-later, 0)
    else:
        buckets //= 2
        first, distance = (buckets if later > 0 else 0), abs(later)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    share = math.log(distance / exact) / math.log(longest / exact)
    # The tiny step keeps 2^k · exact, which rounding may put below, in its own bucket.
    return first + min(exact + int(share * (buckets - exact) + 1e-9), buckets - 1)
