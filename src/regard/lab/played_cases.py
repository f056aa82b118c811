"""Where a counterexample can be played: the scene that it belongs to, and the state it opens in.

A case goes to a scene only if what the scene computes there is what the counterexample says.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
State = dict[str, Any]
Scale = float | str | None

MOST = 8  # rows and columns that "Step by step" shows
CLOSE = 1e-9
FARTHEST, WIDEST = 16, 16  # offsets and windows that have a place on the sliders of "Positions"


def scene_of(
    arrays: Mapping[str, Any], scale: Scale, given: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """Return which scene can show a counterexample, and its state; None if none can.

    Args:
        arrays: those of the counterexample, by their names.
        scale: what the problem multiplies scores by; None: it does not say.
        given: numbers that stand in the problem and not in the counterexample.
    """
    from regard.lab import scenes

    found = {name: np.array(value) for name, value in arrays.items()}
    if any(name.endswith(" computed") for name in found):
        found = {name: np.array(value) for name, value in (given or {}).items()} | found
    ways = {
        "where-to-look": _in_the_plane,
        "split-subspaces": _two_lines,
        "positions": _offsets,
        "step-by-step": _in_steps,
    }
    for scene, way in ways.items():
        state = way(found, scale) if scene in scenes.names() else None
        if state is not None and _can_be_shown(scene, state):
            return {"scene": scene, "state": state}
    return None


def _can_be_shown(scene: str, state: State) -> bool:
    """Whether every question of the scene is answered in that state."""
    from regard.lab import scenes
    from regard.lab.table import Refused, ask

    about = scenes.about(scene)
    whole = about["state"] | state
    try:
        for asked in about["asks"].values():
            given = {part: whole[part] for part in asked["from"] if whole[part] is not None}
            ask(asked["question"], given)
    except Refused:
        return False
    return True


def _in_the_plane(arrays: Mapping[str, Array], scale: Scale) -> State | None:
    """Keys with two numbers each, and weights that are wanted."""
    keys, wanted = arrays.get("keys", np.array([])), arrays.get("wanted", np.array([]))
    if scale != 1 or keys.ndim != 2 or keys.shape[1] != 2 or wanted.shape != keys.shape[:1]:
        return None
    if abs(wanted.sum() - 1) >= CLOSE or (wanted < 0).any():
        return None
    return {"keys": keys.tolist(), "target": wanted.tolist()}


def _two_lines(arrays: Mapping[str, Array], scale: Scale) -> State | None:
    """One value on each of two lines in the plane, their mix, and the matrix of the answer."""
    if not {"S", "T", "v", "w", "c", "M"} <= set(arrays):
        return None
    v, w, c, matrix = (arrays[name] for name in ("v", "w", "c", "M"))
    if any(arrays[side].shape != (2, 1) for side in "ST") or matrix.shape != (2, 2):
        return None
    size = float((v + w) @ (v + w))
    if not np.any(v) or size == 0:
        return None
    share = float(c @ (v + w)) / size
    if not 0 < share <= 1 or np.max(np.abs(c - share * (v + w))) > CLOSE:
        return None
    own = matrix.T if "c' M" in arrays else matrix  # the scene's matrices act on columns
    return {"s": v.tolist(), "t": w.tolist(), "share": share, "own": own.tolist(), "matrix": "own"}


def _offsets(arrays: Mapping[str, Array], scale: Scale) -> State | None:
    """How far back a head looks, or how wide its window is, and the width of positions."""
    back = arrays.get("T")
    if back is None or back.ndim or not float(back).is_integer() or abs(back) > FARTHEST:
        return None
    if {"zeroed", "d_model", "B"} <= set(arrays):
        wide = float(arrays["B"])
        if wide > WIDEST or wide % 2:
            return None
        return {"T": int(back), "B": int(wide), "d_model": int(arrays["d_model"])}
    if {"A", "t"} <= set(arrays) and arrays["A"].ndim == 2:
        return {"T": int(back), "d_model": len(arrays["A"])}
    return None


def _in_steps(arrays: Mapping[str, Array], scale: Scale) -> State | None:
    """Queries, keys and values of any kind, as tokens and matrices."""
    if _worked(arrays):
        return _numbers(arrays, scale)
    if {"tokens", "K", "Q", "V"} <= set(arrays) and scale is not None:
        # K, Q, V act on columns: k = K x
        turned = {f"W_{name}": arrays[name].T.tolist() for name in "QKV"}
        state = {"x": arrays["tokens"].tolist(), **turned, "scale": _said(scale), "entry": "a_1,1"}
        return _fits(state)
    if {"X", "W_Q", "W_K", "W_V"} <= set(arrays):
        named = {"x": "X", "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V"}
        state = {part: arrays[name].tolist() for part, name in named.items()}
        return _fits(state | {"entry": "q_1[1]"})
    if "tokens" in arrays and arrays["tokens"].ndim == 2:
        return _own_keys(arrays, scale)
    return _rows(arrays, scale)


def _own_keys(arrays: Mapping[str, Array], scale: Scale) -> State | None:
    """Tokens that are their own queries, keys and values."""
    tokens = arrays["tokens"]
    token = next((int(n[2:]) for n in arrays if re.fullmatch(r"c_[1-9]", n)), 0)
    if scale is None or not 0 < token <= len(tokens) or "weights" not in arrays:
        return None
    weights = _softmax(_factor(scale, tokens.shape[1]) * tokens @ tokens[token - 1])
    if not _same(weights, arrays["weights"]):
        return None
    one = np.eye(tokens.shape[1]).tolist()
    state = {"x": tokens.tolist(), "W_Q": one, "W_K": one, "W_V": one}
    return _fits(state | {"scale": _said(scale), "entry": f"a_{token},1"})


def _rows(arrays: Mapping[str, Array], scale: Scale) -> State | None:
    """Queries and keys alone: each token is a unit vector, so that matrices are their own rows."""
    keys = arrays.get("keys", arrays.get("K", np.array([])))
    queries = [arrays[name] for name in ("q", "q_1", "q_2") if name in arrays]
    rows = np.array(queries) if queries else arrays.get("Q", np.array([]))
    if keys.ndim != 2 or rows.ndim != 2 or rows.shape[1:] != keys.shape[1:]:
        return None
    if len(rows) > len(keys):
        return None
    values = arrays.get("values", arrays.get("V", np.eye(len(keys))))
    for one in (scale,) if scale is not None else (1.0, "1/sqrt(d_k)"):
        if _told(arrays, rows, keys, values, _factor(one, keys.shape[1])):
            entry = "z_1,1" if "Z by definition" in arrays else "a_1,1"
            return _fits(_unit_tokens(rows, keys, values) | {"scale": _said(one), "entry": entry})
    return None


def _unit_tokens(rows: Array, keys: Array, values: Array) -> State:
    """Tokens that are unit vectors; where there are fewer queries than keys, the rest are 0."""
    padded = np.vstack([rows, np.zeros((len(keys) - len(rows), keys.shape[1]))])
    parts = {"x": np.eye(len(keys)), "W_Q": padded, "W_K": keys, "W_V": values}
    return {name: part.tolist() for name, part in parts.items()}


def _worked(arrays: Mapping[str, Array]) -> tuple[str, int] | None:
    """The letter and the number of a row, such as z_3, that was computed from given numbers."""
    for name in arrays:
        if found := re.fullmatch(r"([qkvzac])_([1-9]) computed", name):
            return found[1], int(found[2])
    return None


def _numbers(arrays: Mapping[str, Array], scale: Scale) -> State | None:
    """A worked example: its own numbers, and the row that is not what was answered."""
    letter, row = _worked(arrays) or ("q", 1)
    if {"tokens", "W_Q", "W_K", "W_V"} <= set(arrays):
        state = {name: arrays[name].tolist() for name in ("W_Q", "W_K", "W_V")}
        state["x"] = arrays["tokens"].tolist()
    elif {"Q", "K", "V"} <= set(arrays) and len(arrays["Q"]) <= len(arrays["K"]):
        state = _unit_tokens(arrays["Q"], arrays["K"], arrays["V"])
    else:
        return None
    if _fits(state) is None:
        return None
    x, *matrices = (np.array(state[part], dtype=float) for part in ("x", "W_Q", "W_K", "W_V"))
    q, k, v = (x @ matrix for matrix in matrices)
    z = _factor(scale, q.shape[1]) * q @ k.T
    a = np.array([_softmax(one) for one in z])
    rows = {"q": q, "k": k, "v": v, "z": z, "a": a, "c": a @ v}[letter]
    if row > len(rows) or not _same(rows[row - 1], arrays[f"{letter}_{row} computed"]):
        return None  # a mask, a bias or another score makes it another head
    entry = f"{letter}_{row},1" if letter in "za" else f"{letter}_{row}[1]"
    return state | {"scale": _said(scale), "entry": entry}


def _factor(scale: Scale, width: int) -> float:
    return 1 / math.sqrt(width) if isinstance(scale, str) else 1.0 if scale is None else scale


def _said(scale: Scale) -> str:
    return scale if isinstance(scale, str) else "1" if scale is None else f"{scale:.12g}"


def _told(
    arrays: Mapping[str, Array], rows: Array, keys: Array, values: Array, times: float
) -> bool:
    """Whether scores, weights and outputs at this scale are those that the counterexample tells."""
    if values.ndim != 2 or len(values) != len(keys):
        return False
    scores = times * rows @ keys.T
    weights = np.array([_softmax(row) for row in scores])
    computed = {
        "Z by definition": scores,
        "A by definition": weights,
        "C by definition": weights @ values,
        "alpha by definition": weights[0],
        "weights": weights.mean(axis=0),
    }
    known = [name for name in computed if name in arrays]
    return bool(known) and all(_same(computed[name], arrays[name]) for name in known)


def _fits(state: State) -> State | None:
    """A state whose matrices have room on the screen."""
    shapes = [np.shape(state[part]) for part in ("x", "W_Q", "W_K", "W_V")]
    return state if all(len(s) == 2 and min(s) > 0 and max(s) <= MOST for s in shapes) else None


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - np.max(scores))
    return np.asarray(powers / powers.sum())


def _same(one: Array, other: Array) -> bool:
    return one.shape == other.shape and bool(np.all(np.abs(one - other) <= CLOSE))
