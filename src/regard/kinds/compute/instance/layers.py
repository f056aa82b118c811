"""Norms, and what a feed-forward net does to each entry, in float64."""

from __future__ import annotations

import math

import numpy as np

from regard.kinds.compute.instance.setup import Float64, Normed


def normalise(x: Float64, norm: Normed, axis: int = 1) -> Float64:
    """Return rows of mean 0 and variance 1 (or of mean square 1), times gain, plus shift."""
    centred = x - x.mean(axis=axis, keepdims=True) if norm.kind == "layer" else x
    size = np.sqrt((centred**2).mean(axis=axis, keepdims=True) + norm.epsilon)
    return np.asarray(centred / size * norm.gain + norm.shift)


def activated(x: Float64, name: str) -> Float64:
    """Return what a feed-forward net does to each entry in its middle."""
    match name:
        case "relu":
            return np.maximum(x, 0)
        case "gelu":
            halves = [math.erfc(-one / math.sqrt(2)) / 2 for one in x.reshape(-1)]
            return np.asarray(x * np.reshape(halves, x.shape))
        case "silu":
            return np.asarray(x / (1 + np.exp(-x)))
        case "tanh":
            return np.tanh(x)
    return x
