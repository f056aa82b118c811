"""Counterexamples as pictures: keys in the plane, two lines, waves that are turned or zeroed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Arrays = Mapping[str, Array]
State = dict[str, Any]
Scale = float | str | None

CLOSE = 1e-9
REACH = 1.95  # coordinates that have a place in the plane
FARTHEST, WIDEST = 16, 16  # offsets and windows that have a place on the sliders of "Positions"
NARROWEST, BROADEST = 2, 64  # and widths of positions
LEAST_TURNED, MOST_TURNED = 0.2, 3.14  # radians that a block which is kept may turn there


def with_new_key(arrays: Arrays) -> Arrays:
    """The keys with the one of the answer, k, in place of one of them or behind them.

    It is where the weights are those that the counterexample tells.
    """
    if not {"k", "keys", "q", "weights"} <= set(arrays) or arrays["keys"].ndim != 2:
        return arrays
    keys, k, q = arrays["keys"], arrays["k"], arrays["q"]
    if k.shape != keys.shape[1:] or q.shape != k.shape:
        return arrays
    places = [np.vstack([keys[:i], k, keys[i + 1 :]]) for i in range(len(keys))]
    for these in (keys, *places, np.vstack([keys, k])):
        if same(softmax(these @ q), arrays["weights"]):
            return {**arrays, "keys": these}
    return arrays


def in_the_plane(arrays: Arrays, scale: Scale) -> State | None:
    """Keys with two numbers each, the weights that are wanted, and the query of the answer."""
    if scale != 1 or not {"keys", "wanted", "q", "weights"} <= set(arrays):
        return None
    keys, wanted, query = arrays["keys"], arrays["wanted"], arrays["q"]
    if keys.ndim != 2 or keys.shape[1] != 2 or query.shape != (2,):
        return None
    if np.max(np.abs(keys)) > REACH:
        return None
    if wanted.shape != keys.shape[:1] or abs(wanted.sum() - 1) >= CLOSE or (wanted < 0).any():
        return None
    if not same(softmax(keys @ query), arrays["weights"]):
        return None
    return {"keys": keys.tolist(), "target": wanted.tolist(), "own": query.tolist()}


def two_lines(arrays: Arrays, scale: Scale) -> State | None:
    """One value on each of two lines in the plane, their mix, and the matrix of the answer."""
    if not {"S", "T", "v", "w", "c", "M"} <= set(arrays):
        return None
    v, w, c, matrix = (arrays[name] for name in ("v", "w", "c", "M"))
    if any(arrays[side].shape != (2, 1) for side in "ST") or matrix.shape != (2, 2):
        return None
    if max(np.max(np.abs(v)), np.max(np.abs(w))) > REACH:
        return None
    size = float((v + w) @ (v + w))
    if not np.any(v) or size == 0:
        return None
    share = float(c @ (v + w)) / size
    if not 0 < share <= 1 or np.max(np.abs(c - share * (v + w))) > CLOSE:
        return None
    own = matrix.T if "c' M" in arrays else matrix  # the scene's matrices act on columns
    return {"s": v.tolist(), "t": w.tolist(), "share": share, "own": own.tolist(), "matrix": "own"}


def positions(arrays: Arrays, scale: Scale) -> State | None:
    """A head that turns every block as the answer does, or keeps the blocks that it keeps."""
    if {"zeroed", "phases", "d_model", "B", "T"} <= set(arrays):
        return _window(arrays)
    if {"A", "T", "t", "scores"} <= set(arrays) and arrays["A"].ndim == 2:
        return _turned(arrays)
    return None


def _window(arrays: Arrays) -> State | None:
    """The blocks that are kept, where they are the slow ones: the others turn further."""
    zeroed, phases = arrays["zeroed"].astype(int).tolist(), arrays["phases"]
    back, wide, many = float(arrays["T"]), float(arrays["B"]), 2 * len(phases)
    fits = back.is_integer() and abs(back) <= FARTHEST and 0 < wide <= WIDEST and wide % 2 == 0
    if not fits or not NARROWEST <= many <= BROADEST or not 0 < len(zeroed) < len(phases):
        return None
    first, next_ = float(phases[len(zeroed) - 1]), float(phases[len(zeroed)])
    turn = max(
        (min(first, MOST_TURNED) + next_) / 2, LEAST_TURNED
    )  # between the last that goes and the first kept
    if zeroed != list(range(len(zeroed))) or not next_ < turn < first:
        return None
    return {"T": int(back), "B": int(wide), "d_model": many, "phase": turn}


def _turned(arrays: Arrays) -> State | None:
    """The number of steps by which the answer turns the waves, if it does that to all of them."""
    scores, t, width = arrays["scores"], arrays["t"], len(arrays["A"])
    if not NARROWEST <= width <= BROADEST or width % 2 or scores.ndim != 1:
        return None
    waves = 10_000.0 ** (-2 * np.arange(width // 2) / width)
    shifts = float(t) - np.arange(len(scores))
    for back in sorted(range(-FARTHEST, FARTHEST + 1), key=abs):
        if same(np.cos(np.outer(shifts - back, waves)).sum(axis=1), scores):
            return {"T": back, "d_model": width}
    return None


def softmax(scores: Array) -> Array:
    """Weights of one row of scores."""
    powers = np.exp(scores - np.max(scores))
    return np.asarray(powers / powers.sum())


def same(one: Array, other: Array) -> bool:
    """Whether arrays are the same but for rounding."""
    return one.shape == other.shape and bool(np.all(np.abs(one - other) <= CLOSE))
