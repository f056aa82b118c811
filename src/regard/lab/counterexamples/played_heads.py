"""Counterexamples as numbers of one head, as "Step by step" computes them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from regard.lab.counterexamples.played_pictures import Array, Arrays, Scale, State, same, softmax

MOST = 8  # rows and columns that the scene shows
MATRICES = ("x", "W_Q", "W_K", "W_V")
Case = tuple[State, int]  # a state, and how many of its queries are of the counterexample


def in_steps(arrays: Arrays, scale: Scale) -> State | None:
    """Queries, keys and values of any kind, as tokens and matrices."""
    scales = (1.0, "1/sqrt(d_k)") if scale is None else (scale,)
    for state, count in _cases(arrays):
        if not _fits(state):
            continue
        for one in scales:
            scaled = state | {"scale": _said(one)}
            if (entry := _entry(arrays, scaled, count)) is not None:
                return scaled | {"entry": entry}
    return None


def kept_as_written(arrays: Arrays) -> dict[str, str]:
    """Which arrays of a worked example are parts of a state as they are written: fractions stay."""
    named = {"x": "tokens", "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V"}
    worked = any(name.endswith(" computed") for name in arrays)
    return named if worked and set(named.values()) <= set(arrays) else {}


def _cases(arrays: Arrays) -> Iterator[Case]:
    """What the arrays can be: tokens and matrices, or queries, keys and values alone."""
    if {"X", "W_Q", "W_K", "W_V"} <= set(arrays):
        yield _state(arrays["X"], *(arrays[f"W_{name}"] for name in "QKV"))
    elif {"tokens", "W_Q", "W_K", "W_V"} <= set(arrays):
        yield _state(arrays["tokens"], *(arrays[f"W_{name}"] for name in "QKV"))
    elif {"tokens", "K", "Q", "V"} <= set(arrays):  # these act on columns: k = K x
        yield _state(arrays["tokens"], *(arrays[name].T for name in "QKV"))
    elif "tokens" in arrays and arrays["tokens"].ndim == 2 and not {"K", "Q", "V"} & set(arrays):
        one = np.eye(arrays["tokens"].shape[1])
        yield _state(_with_chosen_tokens(arrays), one, one, one)
    elif "tokens" not in arrays and "X" not in arrays:
        yield from _rows(arrays)


def _state(x: Array, W_Q: Array, W_K: Array, W_V: Array) -> Case:
    parts = zip(MATRICES, (x, W_Q, W_K, W_V), strict=True)
    return {name: part.tolist() for name, part in parts}, len(x) if x.ndim else 0


def _with_chosen_tokens(arrays: Arrays) -> Array:
    """The tokens, with those that the answer chose in their places."""
    tokens = arrays["tokens"].copy()
    for i in range(len(tokens)):
        chosen = arrays.get(f"x_{i + 1}")
        if chosen is not None and chosen.shape == tokens[i].shape:
            tokens[i] = chosen
    return tokens


def _rows(arrays: Arrays) -> Iterator[Case]:
    """Queries and keys: tokens are unit vectors, so matrices are their own rows; no query: 0."""
    keys = arrays.get("keys", arrays.get("K", np.array([])))
    queries = [arrays[name] for name in ("q", "q_1", "q_2") if name in arrays]
    if len({query.shape for query in queries}) > 1:
        return
    rows = np.array(queries) if queries else arrays.get("Q", np.array([]))
    values = arrays.get("values", arrays.get("V", np.eye(len(keys))))
    if rows.ndim != 2 or keys.ndim != 2 or values.ndim != 2 or len(values) != len(keys):
        return
    if rows.shape[1] != keys.shape[1] or not 0 < len(rows) <= len(keys):
        return
    padded = np.vstack([rows, np.zeros((len(keys) - len(rows), keys.shape[1]))])
    yield _state(np.eye(len(keys)), padded, keys, values)[0], len(rows)


def _entry(arrays: Arrays, state: State, count: int) -> str | None:
    """The number to look at; None if the counterexample does not tell what the scene shows."""
    head = _head(state)
    if head is None:
        return None
    told = _told(arrays, head, count)
    known = [name for name in arrays if name in told]
    if not known or not all(same(told[name][2], arrays[name]) for name in known):
        return None  # a mask, a bias or another score makes it another head
    if any(name.endswith((" computed", " by definition")) and name not in told for name in arrays):
        return None  # something that this head has not
    other = {name: arrays.get(re.sub(" (computed|by definition)$", "", name)) for name in known}
    if "wanted" in arrays:
        other |= {name: arrays["wanted"] for name in known if name[0] in "cw"}
    name = next((name for name in known if _differ(told[name][2], other[name])), known[-1])
    return _worst(*told[name], other[name])


def _head(state: State) -> dict[str, Array] | None:
    """Queries, keys, values, scores, weights and outputs, as the scene computes them."""
    x, *matrices = (np.array(state[part], dtype=float) for part in MATRICES)
    if any(matrix.shape[0] != x.shape[1] for matrix in matrices):
        return None
    with np.errstate(all="ignore"):  # what is not finite is not shown
        q, k, v = (x @ matrix for matrix in matrices)
        factor = _factor(state["scale"], q.shape[1])
        if q.shape != k.shape or factor is None:
            return None
        z = factor * q @ k.T
        a = np.array([softmax(row) for row in z])
        return {"q": q, "k": k, "v": v, "z": z, "a": a, "c": a @ v}


def _told(arrays: Arrays, head: dict[str, Array], count: int) -> dict[str, tuple[str, int, Array]]:
    """By the names of a counterexample: which letter, from which row on, and the numbers."""
    told = {"alpha by definition": ("a", 0, head["a"][0])}
    if "alpha by definition" not in arrays:  # else it is what was answered
        told["alpha"] = told["alpha by definition"]
    row = next((int(n[2:]) for n in arrays if re.fullmatch(r"c_[1-9]", n)), 1) - 1
    if row < len(head["a"]):
        by_heads = "q_1" in arrays and "keys" in arrays  # the average over heads, one query each
        told["weights"] = ("a", row, head["a"][:count].mean(axis=0) if by_heads else head["a"][row])
        if "weights" in arrays:
            told[f"c_{row + 1}"] = ("c", row, head["c"][row])
            told["c"] = ("c", row, told["weights"][2] @ head["v"])
    for letter, rows in head.items():
        shown = rows if letter in "kv" else rows[:count]
        for how in ("by definition", "computed"):
            told[f"{letter.upper()} {how}"] = (letter, 0, shown)
        for i, one in enumerate(shown):
            told[f"{letter}_{i + 1} computed"] = (letter, i, one)
    return told


def _differ(shown: Array, other: Array | None) -> bool:
    """Whether something else was answered, or wanted, that has the same shape."""
    return other is not None and other.shape == shown.shape and not same(shown, other)


def _worst(letter: str, row: int, shown: Array, other: Array | None) -> str:
    """The name of the number that is furthest from what was answered, or wanted."""
    fits = other is not None and other.shape == shown.shape
    off = np.abs(shown - other) if other is not None and fits else np.zeros(shown.shape)
    place = np.unravel_index(int(np.argmax(off)), off.shape)
    down, across = (row, int(place[0])) if shown.ndim == 1 else (int(place[0]), int(place[1]))
    named = f"{letter}_{down + 1}"
    return f"{named},{across + 1}" if letter in "za" else f"{named}[{across + 1}]"


def _factor(scale: str, width: int) -> float | None:
    if scale == "1/sqrt(d_k)":
        return 1 / math.sqrt(width)
    try:
        return float(Fraction(scale))
    except ValueError:
        return None  # another formula, which the scene does not take


def _said(scale: float | str) -> str:
    """A scale as the scene takes it; a root of a number in digits."""
    if isinstance(scale, str) and (root := re.fullmatch(r"1/sqrt\((\d+)\)", scale)):
        return f"{1 / math.sqrt(int(root[1])):.12g}"
    return scale if isinstance(scale, str) else f"{scale:.12g}"


def _fits(state: State) -> bool:
    """Whether its matrices have room on the screen."""
    shapes = [np.shape(state[part]) for part in MATRICES]
    return all(len(s) == 2 and min(s) > 0 and max(s) <= MOST for s in shapes)
