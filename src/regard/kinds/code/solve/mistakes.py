"""What is often got wrong in a lab: short wrong versions of each function, run on an instance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from regard.kinds.code.solve.runs import draw, expected
from regard.report import number

Wrong = Callable[..., Any]


def _softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _overflowing(x: Any) -> Any:
    return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)


def _not_scaled(query: Any, key: Any, value: Any) -> Any:
    return _softmax(query @ key.T) @ value


def _zeroed(query: Any, key: Any, value: Any, mask: Any) -> Any:
    return _softmax(np.where(mask, query @ key.T / np.sqrt(query.shape[-1]), 0)) @ value


def _strictly_before(query: Any, key: Any, value: Any) -> Any:
    scores = query @ key.T / np.sqrt(query.shape[-1])
    scores = np.where(np.tri(len(query), k=-1, dtype=bool), scores, -np.inf)
    return _softmax(scores) @ value


def _exchanged(x: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    return _softmax((x @ W_K) @ (x @ W_Q).T / np.sqrt(W_Q.shape[-1])) @ (x @ W_V)


def _interleaved(x: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any) -> Any:
    heads = [
        _softmax((x @ q) @ (x @ k).T / np.sqrt(q.shape[-1])) @ (x @ v)
        for q, k, v in zip(W_Q, W_K, W_V, strict=True)
    ]
    return np.stack(heads, axis=-1).reshape(len(x), -1) @ W_O


def _halves(n: int, d_model: int) -> Any:
    frequencies = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    angles = np.arange(n)[:, np.newaxis] * frequencies
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


WRONG: dict[str, tuple[str, Wrong]] = {
    "attention": ("without the division by $\\sqrt{d_k}$", _not_scaled),
    "masked_attention": ("with 0 for a masked score instead of $-\\infty$", _zeroed),
    "self_attention": ("with $W_Q$ and $W_K$ exchanged", _exchanged),
    "multi_head_attention": (
        "with the heads' numbers interleaved instead of side by side",
        _interleaved,
    ),
    "sinusoidal_positions": ("with all sines first and then all cosines", _halves),
}


def mistakes(behaviours: Mapping[str, str]) -> tuple[str, ...]:
    """Return what comes of mistakes in these functions, at most four."""
    found = []
    for name, behaviour in behaviours.items():
        if behaviour == "softmax":
            with np.errstate(all="ignore"):
                wrong = _overflowing(np.array([1000.0, 0.0]))
            right = _softmax(np.array([1000.0, 0.0]))
            found.append(
                f"{name} without subtracting the largest entry: of (1000, 0) it makes "
                f"({number(float(wrong[0]))}, {number(float(wrong[1]))}) instead of "
                f"({number(float(right[0]))}, {number(float(right[1]))})."
            )
        elif behaviour == "causal_attention":
            found.append(_first_row(name))
        else:
            words, function = WRONG[behaviour]
            arguments = draw(behaviour, np.random.default_rng(11))
            right = expected(behaviour, arguments)
            wrong = np.asarray(function(*arguments), float)
            place = np.unravel_index(int(np.abs(wrong - right).argmax()), right.shape)
            found.append(
                f"{name} {words}: on a drawn instance an entry would be "
                f"{number(float(wrong[place]), 4)} instead of {number(float(right[place]), 4)}."
            )
    return tuple(found[:4])


def _first_row(name: str) -> str:
    query, key, value = draw("causal_attention", np.random.default_rng(11))
    right = expected("causal_attention", (query, key, value))
    with np.errstate(all="ignore"):
        wrong = _strictly_before(query, key, value)
    return (
        f"{name} with a mask that hides the position itself, $j < i$ instead of $j \\le i$: the "
        f"first row may attend to nothing and becomes {number(float(wrong[0, 0]))} instead of "
        f"{number(float(right[0, 0]), 4)}."
    )
